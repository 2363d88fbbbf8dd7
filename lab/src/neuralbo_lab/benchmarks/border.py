"""Functions that fall all the way to a border behind which evaluations fail."""

from neuralbo_lab.benchmarks.failures_and_conditions import REPORT, Trying
from neuralbo_lab.core.experiment_study import ExperimentStudy
from neuralbo_lab.problems.border_minima import BORDERS, on_a_border

BORDER = ExperimentStudy(
    name="border",
    reproduces="the minimum is on a border: values would be lower beyond, where evaluations fail",
    methods=("auto", "brvfl4", "random", "gpsampler", "tpe", "botorch"),
    measure=Trying(tuple(BORDERS), on_a_border, trials=40, start=10),
    write=REPORT.write,
    render=REPORT.render,
    seeds=10,
)
