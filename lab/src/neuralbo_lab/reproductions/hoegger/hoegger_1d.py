"""Three functions of one variable, 8 initial points and 15 steps, 30 times.

Högger (2021), Sec. 6.3.

The names of methods with mean width are explained in `hoegger_names`.
"""

from neuralbo_lab.claims.claim import Beats, Between
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.hoegger.hoegger_departures import MAXIMIZER, OURS, SMALL, STARTS
from neuralbo_lab.reproductions.hoegger.hoegger_names import BUDGETS, PURE, SURROGATES, scaled
from neuralbo_lab.reproductions.hoegger.hoegger_tables import (
    FUNCTIONS,
    TABLE_61,
    TABLE_62,
    TABLE_63,
    TABLE_A1,
)

# The budget with the lowest mean of Table 6.2, by function, for GP, NOMU, DE, DO (Högger 2021,
# Tables 6.2 and 6.4).
_BEST = {
    "Forrester": ("0.1", "1.0", "0.25", "2.0"),
    "Levy": ("0.25", "2.0", "0.5", "0.1"),
    "SinOne": ("2.0", "2.0", "2.0", "1.0"),
}
_NETWORKS = ("NOMU", "DE", "DO")
START, STEPS = 8, 15
WARM = tuple(f"{name}/mean_width_1.0/grid" for name in ("nomu_warm", "deep_ensemble_warm"))


def _gp_is_best(function: str) -> Beats:
    gp, *others = _BEST[function]
    networks = tuple(scaled(e, b) for e, b in zip(_NETWORKS, others, strict=True))
    source = (
        "Högger (2021), Tables 6.2 and 6.4: GP is best in one dimension, each at its best budget"
    )
    return Beats(scaled("GP", gp), networks, (FUNCTIONS[function],), source)


HOEGGER_1D = OptimizationStudy(
    name="hoegger-1d",
    reproduces="Högger (2021) 6.3: final regret in one dimension, without Dynamic C",
    problems=tuple(FUNCTIONS.values()),
    methods=(
        *(scaled(estimator, budget) for estimator in SURROGATES for budget in BUDGETS),
        *WARM, "gp/upper_bound", PURE, "brvfl4/upper_bound", "random",
    ),
    trials=START + STEPS,
    start=START,
    seeds=30,
    document=(TABLE_62, TABLE_A1, TABLE_61, TABLE_63),
    claims=(
        *(_gp_is_best(function) for function in FUNCTIONS),
        Between(
            scaled("GP", "0.1"), "hoegger-forrester", 8.2e-7, 8.3e-7,
            "Högger (2021), Table 6.2: GP always finds the best point of the grid, regret 8.25e-7",
        ),
        Beats(
            PURE, ("brvfl4/upper_bound",), tuple(FUNCTIONS.values()),
            "Högger (2021), ch. 7: GP beats all networks in one dimension (here without mean "
            "width, and "
            "brvfl4 is a network that Högger (2021) does not have)",
        ),
    ),
    departures=(
        SMALL,
        MAXIMIZER.format(points="2000 points of a grid"),
        STARTS,
        OURS.format(more=" and random search"),
        "nomu_warm and deep_ensemble_warm are nomu_fast and deep_ensemble_fast that go on from "
        "the networks of fewer trials: they show what that costs in regret.",
    ),
    quick_trials=13,
    quick_seeds=1,
)  # fmt: skip
