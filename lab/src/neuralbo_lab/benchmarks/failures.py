"""Functions with a hidden region that crashes, at the border of which the minimum lies."""

from neuralbo_lab.benchmarks.failures_and_conditions import REPORT, Trying, with_crashes
from neuralbo_lab.core.experiment_study import ExperimentStudy

FAILURES = ExperimentStudy(
    name="failures",
    reproduces="30 % of the box, at the border of which the minimum lies, give no value",
    methods=("auto", "brvfl4", "random", "gpsampler", "tpe", "botorch"),
    measure=Trying(("branin", "hartmann6", "ackley5"), with_crashes, trials=60, start=10),
    write=REPORT.write,
    render=REPORT.render,
    seeds=5,
)
