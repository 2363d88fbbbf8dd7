"""What stands for the nine tuning problems of Aryan (2020) in E5 and E6, whose data are gone."""

TABLES = (
    "hpo-hpobench-car",
    "hpo-hpobench-segment",
    "hpo-hpobench-vehicle",
    "hpo-fcnet-naval",
    "hpo-fcnet-protein",
)
LEARNERS = ("tune-svm-digits", "tune-svm-diabetes", "tune-mlp-digits", "tune-boosting-diabetes")
PROBLEMS = TABLES + LEARNERS
QUICK = ("hpo-hpobench-vehicle", "tune-svm-diabetes")
DEPARTURES = (
    "The data are others: the surrogate benchmarks of HPOlib are pickled random forests, which we"
    " do not have. Five tables of measured networks and four learners that are trained while one"
    " waits stand in for the nine problems. So no printed number can be compared with ours, and a"
    " claim is about the order of methods only.",
    "In a table there are cells and nothing between them: what a method proposes is moved to the"
    " nearest cell, by `conditional_map` to the nearest that was not tried.",
    "An observation in a table is the error of one of its two to five trainings, so it can lie"
    " below the minimum, which is that of their means.",
)
