"""Spaces in which parameters exist only under conditions."""

from neuralbo_lab.benchmarks.failures_and_conditions import REPORT, Trying, as_it_is
from neuralbo_lab.core.experiment_study import ExperimentStudy

CONDITIONAL = ExperimentStudy(
    name="conditional",
    reproduces="a tree of decisions, and choices between tables that have parameters of their own",
    methods=("neuralsampler", "auto", "random", "tpe", "tpe-group", "gpsampler", "smac"),
    measure=Trying(
        ("jenatton", "choice-of-hpobench", "choice-of-families"), as_it_is, trials=60, start=10
    ),
    write=REPORT.write,
    render=REPORT.render,
    seeds=5,
)
