"""Spaces in which parameters exist only under conditions."""

from neuralbo_lab.adverse import Trying, as_it_is, render, write
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

CONDITIONAL = ExperimentStudy(
    name="conditional",
    reproduces="a tree of decisions, and choices between tables that have parameters of their own",
    methods=("neuralsampler", "auto", "random", "tpe", "tpe-group", "gpsampler", "smac"),
    measure=Trying(
        ("jenatton", "choice-of-hpobench", "choice-of-families"), as_it_is, trials=60, start=10
    ),
    write=write,
    render=render,
    seeds=5,
    minutes=Minutes(3, 15),
)
