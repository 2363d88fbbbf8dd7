"""Two to four objectives at once, beside Optuna's samplers."""

from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.objectives import PROBLEMS, SAMPLERS, Searching, render, write
from neuralbo_lab.study import Minutes

OBJECTIVES = ExperimentStudy(
    name="objectives",
    reproduces="the hypervolume of two to four objectives after 40 trials, default settings",
    methods=tuple(SAMPLERS),
    measure=Searching(tuple(PROBLEMS), trials=40),
    write=write,
    render=render,
    seeds=10,
    minutes=Minutes(2, 25),
)
