"""Jumps, warped axes and uneven noise: where a network needs no warping."""

from neuralbo_lab.claims.shares import AheadOnMost
from neuralbo_lab.core.optimization_study import Group, OptimizationStudy

_WARPED = ("kruse-test4c", "branin-warped")
_JUMPS = ("kruse-test2", "stairs5", "cliff5")
_UNEVEN = ("branin-uneven",)
_PROCESSES = ("gp", "gp_mcmc")
_OTHERS = ("brvfl4", "neural_linear", "bnn_hmc_fast", "laplace", "boggn", "lfbo")

NON_STATIONARY = OptimizationStudy(
    name="non-stationary",
    reproduces="Test2 and Test4 of Kruse (2022), a warped Branin, stairs, a cliff and uneven "
    "noise",
    problems=(*_WARPED, *_JUMPS, *_UNEVEN),
    methods=(
        "gp",
        "gp_warped",
        "gp_mcmc",
        "brvfl4",
        "brvfl4_warped",
        "neural_linear",
        "bnn_hmc_fast",
        "laplace",
        "boggn",
        "lfbo",
        "random_forest",
        "gpsampler",
        "random",
    ),
    trials=40,
    start=8,
    seeds=5,
    design="sobol",
    groups=(
        Group("changing scales", _WARPED),
        Group("jumps", _JUMPS),
        Group("uneven noise", _UNEVEN),
    ),
    claims=(
        AheadOnMost("gp_warped", _PROCESSES, _WARPED, 1.0, "asked here"),
        AheadOnMost("brvfl4", ("brvfl4_warped",), (*_WARPED, *_JUMPS), 0.5, "asked here"),
        *(
            AheadOnMost(name, (*_PROCESSES, "gp_warped"), problems, 0.5, "asked here")
            for problems in (_JUMPS, _WARPED, _UNEVEN)
            for name in _OTHERS
        ),
    ),
    departures=(
        "Test4 of Kruse (2022) has its minimum at the border; Test4c, of its code, has not.",
    ),
    by_truth=True,
    quick_trials=12,
    quick_seeds=1,
    quick_problems=("branin-warped", "stairs5"),
)
