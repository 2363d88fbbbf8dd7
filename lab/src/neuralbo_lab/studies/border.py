"""Functions that fall all the way to a border behind which evaluations fail."""

from neuralbo_lab.adverse import Trying, render, write
from neuralbo_lab.border import BORDERS, on_a_border
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

BORDER = ExperimentStudy(
    name="border",
    reproduces="the minimum is on a border: values would be lower beyond, where evaluations fail",
    methods=("auto", "brvfl4", "random", "gpsampler", "tpe", "botorch"),
    measure=Trying(tuple(BORDERS), on_a_border, trials=40, start=10),
    write=write,
    render=render,
    seeds=10,
    minutes=Minutes(2, 25),
)
