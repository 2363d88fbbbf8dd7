"""The same trials at once, in three pieces and after two kills."""

from neuralbo_lab import resume
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

RESUME = ExperimentStudy(
    name="resume",
    reproduces="the same 50 trials at once, in three pieces, and after two kills with SIGKILL",
    methods=("auto", "gp", "brvfl4", "deep_ensemble_warm"),
    measure=resume.measure,
    write=resume.write,
    render=resume.render,
    seeds=3,
    quick_seeds=1,
    minutes=Minutes(3, 20),
)
