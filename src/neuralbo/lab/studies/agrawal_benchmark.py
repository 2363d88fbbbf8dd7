"""002 3.4: four functions, running minimum, 50 repetitions."""

from neuralbo.lab.study import OptimizationStudy

AGRAWAL_BENCHMARK = OptimizationStudy(
    name="agrawal-benchmark",
    reproduces="Agrawal (2016) 5.2, Fig. 12: running minimum, GP (and networks) on four functions",
    problems=("agrawal-forrester", "agrawal-rosenbrock", "agrawal-mccormick", "agrawal-camel"),
    methods=("gp_gpyopt/lcb/multistart", "gp", "brvfl4", "random"),
    trials=30,  # the document does not say
    start=5,
    other_starts=(("agrawal-forrester", 2),),
    seeds=50,
)
