"""Two thousand trials in twenty dimensions, which is too many for Gaussian processes."""

from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.core.optimization_study import OptimizationStudy

_PROBLEMS = ("levy20", "bbob-f8-d20", "bbob-f15-d20")

MANY_TRIALS = OptimizationStudy(
    name="many-trials",
    reproduces="random features beside TPE, CMA-ES and random search at 2,000 trials",
    problems=_PROBLEMS,
    methods=("brvfl4", "tpe", "cmaes", "random"),
    trials=2000,
    start=20,
    seeds=3,
    design="sobol",
    claims=(Beats("brvfl4", ("tpe", "cmaes", "random"), _PROBLEMS, "what it is for", "median"),),
    quick_trials=100,
    quick_seeds=1,
)
