"""The default beside what it chooses from, and beside the peers, on five kinds of problems."""

from neuralbo_lab.claims.geometric_means import NearBest
from neuralbo_lab.claims.shares import NoSlower
from neuralbo_lab.core.optimization_study import Group, OptimizationStudy

_KINDS = {
    "smooth": ("branin-shifted", "camelback-shifted", "rosenbrock5-shifted", "hartmann6-shifted"),
    "steps and branches": ("kruse-test2", "kruse-test3c", "stairs5", "cliff5"),
    "noise": tuple(
        f"{name}-shifted-noise5" for name in ("branin", "hartmann3", "ackley5", "hartmann6")
    ),
    "categories and conditions": (
        "jenatton-shifted", "choice-of-hpobench", "choice-of-families", "hpo-hpobench-vehicle",
    ),
    "20 dimensions": tuple(
        f"{name}20-shifted" for name in ("levy", "ackley", "rosenbrock", "rastrigin")
    ),
}  # fmt: skip
_ALL = tuple(problem for problems in _KINDS.values() for problem in problems)
_MEMBERS = ("gp", "brvfl2", "brvfl4", "kde", "neural_linear", "random_forest")
_PEERS = ("gpsampler", "tpe", "smac", "botorch")
_ABLATIONS = (
    "auto_stacked", "auto_calibrated", "auto_pool", "auto_always", "auto_unwarped",
    "auto_no_region",
)  # fmt: skip
_SOURCE = "what it is for"

AUTO = OptimizationStudy(
    name="auto",
    reproduces="the default beside what it chooses from and beside Optuna, SMAC and BoTorch",
    problems=_ALL,
    methods=("auto", *_MEMBERS, *_PEERS, "random", *_ABLATIONS),
    trials=60,
    start=10,
    seeds=5,
    design="sobol",
    groups=tuple(Group(kind, problems) for kind, problems in _KINDS.items()),
    claims=(
        *(
            NearBest("auto", _MEMBERS, problems, 1.1, kind, _SOURCE)
            for kind, problems in _KINDS.items()
        ),
        *(
            NearBest("auto", _PEERS, problems, 1.0, kind, _SOURCE)
            for kind, problems in _KINDS.items()
        ),
        NearBest("auto", _PEERS, _ALL, 0.9, "all", _SOURCE),
        NoSlower("auto", "gpsampler", _ALL, _SOURCE),
        *(NearBest("auto", (part,), _ALL, 1.1, "all", _SOURCE) for part in _ABLATIONS),
    ),
    departures=(
        "Regret is that of the value without noise at the trial with the best observed value.",
        "Nearer than a ten-thousandth of what random search leaves counts as found.",
    ),
    by_truth=True,
    quick_trials=16,
    quick_seeds=1,
    quick_problems=("branin-shifted", "stairs5", "jenatton-shifted"),
)
