"""Functions with a hidden region that crashes, at the border of which the minimum lies."""

from neuralbo_lab.adverse import Trying, render, with_crashes, write
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

FAILURES = ExperimentStudy(
    name="failures",
    reproduces="30 % of the box, at the border of which the minimum lies, give no value",
    methods=("auto", "brvfl4", "random", "gpsampler", "tpe", "botorch"),
    measure=Trying(("branin", "hartmann6", "ackley5"), with_crashes, trials=60, start=10),
    write=write,
    render=render,
    seeds=5,
    minutes=Minutes(3, 15),
)
