"""Many workers on one study, some of them killed."""

from neuralbo_lab import workers
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

WORKERS = ExperimentStudy(
    name="workers",
    reproduces="many workers on one study by several storages, two of them killed on the way",
    methods=tuple(workers.SETTINGS),
    measure=workers.measure,
    write=workers.write,
    render=workers.render,
    seeds=3,
    quick_seeds=1,
    departures=(
        "Dask's workers are not killed: Dask starts the work of a dead one again by itself.",
    ),
    minutes=Minutes(12, 180),
)
