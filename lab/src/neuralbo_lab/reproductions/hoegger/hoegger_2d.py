"""Five functions of two variables, 8 initial points and 64 steps, 40 times.

Högger (2021), Sec. 6.5.

The names of methods with mean width and Dynamic C are explained in `hoegger_names`.
"""

from neuralbo_lab.claims.claim import AmongFirst, Beats, Between
from neuralbo_lab.claims.printed_tables import Statistic
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.reproductions.hoegger.hoegger_departures import (
    MAXIMIZER,
    OURS,
    SCALES,
    SMALL,
    STARTS,
)
from neuralbo_lab.reproductions.hoegger.hoegger_names import PURE
from neuralbo_lab.reproductions.hoegger.hoegger_tables_2d_5d import (
    FUNCTIONS_2D,
    IN_2D,
    TABLE_66,
    TABLE_A5,
)

_NOMU, _GP, _DE, _DO = (IN_2D[name] for name in ("NOMU", "GP", "DE", "DO"))
# The criterion of a small NOMU with the piecewise-linear read-out, proven the largest (Högger
# 2021, sec. 5.2.3)
CERTIFIED = "nomu_linear/dynamic_c_exp_pad_0.05/mixed_integer"
# Table A.5, row pGP: the upper end of the 95 % interval of the mean
_PURE_AT_MOST = {
    "Branin": 7.57e-4,
    "Rosenbrock": 1.013e-5,
    "Camelback": 1.384e-4,
    "Perm": 1.262e-3,
    "Goldstein-Price": 1.296e-4,
}


def _but(name: str) -> tuple[str, ...]:
    return tuple(problem for function, problem in FUNCTIONS_2D.items() if function != name)


def _beats(
    better: str, worse: tuple[str, ...], problems: tuple[str, ...], words: str,
    statistic: Statistic = "mean",
) -> Beats:  # fmt: skip
    return Beats(better, worse, problems, f"Högger (2021), Sec. 6.5: {words}", statistic)


def _as_good(function: str) -> Between:
    source = (
        "Högger (2021), Table A.5: pGP here is no worse than there (upper end of the interval)"
    )
    return Between(PURE, FUNCTIONS_2D[function], 0.0, _PURE_AT_MOST[function], source)


HOEGGER_2D = OptimizationStudy(
    name="hoegger-2d",
    reproduces="Högger (2021) 6.5: final regret in two dimensions, budget 0.05, Dynamic C",
    problems=tuple(FUNCTIONS_2D.values()),
    methods=(*IN_2D.values(), "gp/upper_bound", "brvfl4/upper_bound", "random", CERTIFIED),
    trials=72,
    start=8,
    seeds=40,
    document=(TABLE_A5, TABLE_66),
    claims=(
        AmongFirst(
            _NOMU, 2, tuple(FUNCTIONS_2D.values()),
            "Högger (2021), Sec. 6.5: NOMU always has rank 1 or 2, by overlap of intervals; "
            "by the plain means, "
            "which decide here, its own Table A.5 has it third on Goldstein-Price",
        ),
        _beats(_GP, (PURE,), _but("Goldstein-Price"), "scaled GP before pure GP on four of five"),
        _beats(PURE, (_GP,), ("hoegger-goldstein-price",), "not so on Goldstein-Price"),
        _beats(_NOMU, (_DO,), _but("Camelback"), "DO is the worst network but on Camelback"),
        _beats(_DE, (_DO,), _but("Camelback"), "DO is the worst network but on Camelback"),
        _beats(_NOMU, (_DE,), ("hoegger-camelback",), "DE is the worst on Camelback"),
        _beats(_DO, (_DE,), ("hoegger-camelback",), "DE is the worst on Camelback"),
        _beats(
            _NOMU, (_GP, _DE, _DO, PURE), ("hoegger-goldstein-price",),
            "NOMU is clearly best in median on Goldstein-Price", "median",
        ),
        *(_as_good(function) for function in FUNCTIONS_2D),
    ),
    departures=(
        SMALL,
        MAXIMIZER.format(points="grid of 200 x 200 points"),
        STARTS,
        SCALES.format(functions="Goldstein-Price"),
        f"{CERTIFIED}: a NOMU of 2 x 16 units a network, on Branin alone, 3 times.",
        OURS.format(more=" and random search"),
    ),
    few=tuple(Cell("hoegger-branin", CERTIFIED, seed) for seed in range(3)),
    quick_trials=18,
    quick_seeds=1,
)  # fmt: skip
