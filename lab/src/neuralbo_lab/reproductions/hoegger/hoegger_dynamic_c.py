"""Högger (2021), Sec. 6.4: Dynamic C with four decays, upper bound and expected improvement.

The names of methods with mean width and Dynamic C are explained in `hoegger_names`.
"""

from neuralbo_lab.claims.claim import Beats, Between
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.hoegger.hoegger_departures import MAXIMIZER, OURS, SMALL, STARTS
from neuralbo_lab.reproductions.hoegger.hoegger_names import (
    BUDGETS,
    DECAYS,
    PURE,
    SURROGATES,
    dynamic,
    scaled,
)
from neuralbo_lab.reproductions.hoegger.hoegger_tables import FUNCTIONS
from neuralbo_lab.reproductions.hoegger.hoegger_tables_dynamic_c import (
    TABLE_64,
    TABLE_65,
    TABLE_A2,
    TABLE_A3,
    TABLE_A4,
)

_FORRESTER, _SINONE = (FUNCTIONS["Forrester"],), (FUNCTIONS["SinOne"],)
_BEST = "exp. pad."
_SMALL = BUDGETS[:4]  # for which GP without Dynamic C has rank 16 or 17 on SinOne


def _nomu(decay: str, budget: str) -> str:
    return dynamic("NOMU", decay, budget)


def _gp(decay: str, budget: str) -> str:
    return dynamic("GP", decay, budget)


def _below(budget: str) -> Between:
    source = "Högger (2021), Sec. 6.4: with Dynamic C every budget ends below 1e-3"
    return Between(_nomu(_BEST, budget), "hoegger-forrester", 0.0, 1e-3, source)


def _exponential(budget: str) -> Beats:
    source = "Högger (2021), Table 6.4: exponential with padding before linear with and without"
    linear = (_nomu("lin.", budget), _nomu("lin. pad.", budget))
    return Beats(_nomu(_BEST, budget), linear, _FORRESTER, source)


def _lifted(decay: str, budget: str) -> Beats:
    source = "Högger (2021), Table A.3: with padding GP rises from ranks 16 and 17 to 1 on SinOne"
    return Beats(_gp(decay, budget), (scaled("GP", budget),), _SINONE, source)


HOEGGER_DYNAMIC_C = OptimizationStudy(
    name="hoegger-dynamic-c",
    reproduces="Högger (2021) 6.4: Dynamic C, upper bound and EI in one dimension",
    problems=tuple(FUNCTIONS.values()),
    methods=(
        *(
            dynamic(estimator, decay, budget, is_ei=is_ei)
            for is_ei in (False, True)
            for estimator in SURROGATES
            for decay in DECAYS
            for budget in BUDGETS
        ),
        "gp/upper_bound", "gp/ei", PURE, "gp_pure/ei", "brvfl4/upper_bound", "brvfl4/ei", "random",
    ),
    trials=23,
    start=8,
    seeds=30,
    document=(TABLE_64, TABLE_65, TABLE_A2, TABLE_A3, TABLE_A4),
    claims=(
        Beats(
            _nomu(_BEST, "0.1"), (scaled("NOMU", "0.1"), scaled("NOMU", "1.0")), _FORRESTER,
            "Högger (2021), Table 6.4: Dynamic C helps NOMU, 1.63e-2 and 5.61e-5 fall to 6.24e-6",
        ),
        *(_below(budget) for budget in BUDGETS),
        Between(
            _nomu(_BEST, "0.1"), "hoegger-forrester", 0.0, 1e-3,
            "Högger (2021), Sec. 6.4.3: no run of Dynamic C is stuck", "largest",
        ),
        *(_exponential(budget) for budget in BUDGETS),
        Beats(
            scaled("GP", "0.1"),
            tuple(_gp(decay, "0.1") for decay in ("lin.", "lin. pad.", "exp. pad.")),
            _FORRESTER,
            "Högger (2021), Sec. 6.4: Dynamic C slows GP on Forrester, it never gets to where "
            "it is without",
        ),
        *(_lifted(decay, b) for decay in ("lin. pad.", "exp. pad.") for b in _SMALL),
    ),
    departures=(
        SMALL,
        MAXIMIZER.format(points="2000 points of a grid"),
        STARTS,
        "That upper bound and EI make no real difference is no claim here: Högger (2021) has no "
        "measure for it. Their rows stand side by side.",
        OURS.format(more=" and random search"),
    ),
    quick_trials=11,
    quick_seeds=1,
    quick_problems=_FORRESTER,
)  # fmt: skip
