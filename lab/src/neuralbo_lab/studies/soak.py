"""Eight workers on PostgreSQL for half an hour, with a fault every minute."""

from neuralbo_lab import faults_soak
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

SOAK = ExperimentStudy(
    name="soak",
    reproduces="8 workers on PostgreSQL for 30 minutes, with a fault every minute",
    methods=tuple(faults_soak.SOAKS),
    measure=faults_soak.measure,
    write=faults_soak.write,
    render=faults_soak.render,
    seeds=1,
    quick_seeds=1,
    minutes=Minutes(1, 35),
)
