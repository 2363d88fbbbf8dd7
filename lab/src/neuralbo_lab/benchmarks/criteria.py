"""Which criterion, with and without noise, and is the default a good one under noise?"""

from neuralbo_lab.claims.rank_intervals import AmongBest
from neuralbo_lab.core.optimization_study import Group, OptimizationStudy

_FUNCTIONS = ("branin", "hartmann3", "ackley5")
_NOISY = tuple(f"{name}-noise5" for name in _FUNCTIONS)
_CRITERIA = (
    "log_ei",
    "plugin_ei",
    "augmented_ei",
    "expected_quantile_improvement",
    "lcb",
    "pi",
    "pi_targets",
    "goal_seeking",
    "thompson",
    "max_value_entropy",
    "predictive_entropy",
    "entropy_search",
    "knowledge_gradient",
)

_GROUPS = (Group("without noise", _FUNCTIONS), Group("with noise", _NOISY))
_METHODS = {s: tuple(f"{s}/{c}" for c in _CRITERIA) for s in ("gp", "brvfl4")}
# what is the default, and what Aryan (2020), Sec. 2.4 has for noise
_COMPARED = ("log_ei", "augmented_ei", "expected_quantile_improvement")

CRITERIA = OptimizationStudy(
    name="criteria",
    reproduces="the catalogue of Aryan (2020), Sec. 2.4 and Kruse (2022), Sec. 2.3 on gp and "
    "brvfl4, without and with noise "
    "(sd 5 % of the range)",
    problems=(*_FUNCTIONS, *_NOISY),
    methods=tuple(name for names in _METHODS.values() for name in names),
    trials=30,
    start=8,
    seeds=5,
    design="sobol",
    groups=_GROUPS,
    claims=tuple(
        AmongBest(f"{s}/{c}", names, group.problems, "asked here", group.name)
        for group in reversed(_GROUPS)
        for s, names in _METHODS.items()
        for c in _COMPARED
    ),
    departures=(
        "Aryan (2020) and Kruse (2022) describe the criteria and compare none but expected "
        "improvement.",
        "Regret is that of the value without noise at the trial with the best observed value.",
    ),
    by_truth=True,
    quick_trials=12,
    quick_seeds=1,
    quick_problems=("branin", "branin-noise5"),
)
