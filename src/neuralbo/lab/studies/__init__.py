"""The studies, one file each; `STUDIES` is what `neuralbo lab list` shows."""

from neuralbo.errors import unknown_name
from neuralbo.lab.regression_study import RegressionStudy
from neuralbo.lab.studies.agrawal_benchmark import AGRAWAL_BENCHMARK
from neuralbo.lab.studies.kruse_bo_1d import KRUSE_BO_1D
from neuralbo.lab.studies.kruse_regression_1d import KRUSE_REGRESSION_1D
from neuralbo.lab.studies.peers import PEERS
from neuralbo.lab.study import OptimizationStudy

STUDIES: dict[str, OptimizationStudy | RegressionStudy] = {
    study.name: study for study in (AGRAWAL_BENCHMARK, KRUSE_BO_1D, KRUSE_REGRESSION_1D, PEERS)
}


def find_study(name: str) -> OptimizationStudy | RegressionStudy:
    """Return a study by its name."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name]
