"""Our default beside the peers on synthetic functions."""

from neuralbo.lab.study import OptimizationStudy

PEERS = OptimizationStudy(
    name="peers",
    reproduces="auto, gp and brvfl4 beside Optuna's samplers and BoTorch, synthetic functions",
    problems=("branin", "hartmann6", "levy10", "rosenbrock5", "ackley5"),
    methods=("auto", "gp", "brvfl4", "random", "tpe", "gpsampler", "cmaes", "botorch"),
    trials=50,
    start=10,
    seeds=10,
    design="sobol",
)
