"""Faults injected into the workers of a study, round by round."""

from neuralbo_lab import faults
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

FAULTS = ExperimentStudy(
    name="faults",
    reproduces="workers that are killed, files made together, servers that go away for a while",
    methods=tuple(faults.FAULTS),
    measure=faults.measure,
    write=faults.write,
    render=faults.render,
    seeds=20,
    quick_seeds=1,
    departures=(
        "Files have no server that could go away, and no namespace is entered where the system "
        "forbids it: those cells fail.",
    ),
    minutes=Minutes(8, 150),
)
