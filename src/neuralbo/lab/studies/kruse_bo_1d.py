"""001 10.3: four one-dimensional functions, 5 start points and 30 more, EI, 20 repetitions."""

from neuralbo.lab.study import OptimizationStudy

KRUSE_BO_1D = OptimizationStudy(
    name="kruse-bo-1d",
    reproduces="Kruse (2022) 6.3, Fig. 6.10: running minimum on Test1, Test2, Test3c, Test4c",
    problems=("kruse-test1", "kruse-test2-coded", "kruse-test3c", "kruse-test4c"),
    methods=("gp_kruse/ei/random", "gp", "brvfl4", "empirical/ei/random", "random"),
    trials=35,
    start=5,
    seeds=20,
    quick_trials=15,
)
