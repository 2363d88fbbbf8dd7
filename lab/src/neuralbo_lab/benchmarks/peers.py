"""Our default beside the peers on synthetic functions."""

from neuralbo_lab.core.optimization_study import OptimizationStudy

PEERS = OptimizationStudy(
    name="peers",
    reproduces="auto, gp and brvfl4 beside Optuna, BoTorch, SMAC and scikit-optimize",
    problems=("branin", "hartmann6", "levy10", "rosenbrock5", "ackley5"),
    methods=(
        "auto",
        "gp",
        "brvfl4",
        "random",
        "latin_hypercube",
        "tpe",
        "gpsampler",
        "cmaes",
        "botorch",
        "smac",
        "smac-bb",
        "skopt-gp",
        "skopt-forest",
    ),
    trials=50,
    start=10,
    seeds=10,
    design="sobol",
    quick_problems=("branin", "hartmann6", "levy10"),
)
