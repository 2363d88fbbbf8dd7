"""The studies, one file each; `STUDIES` is what `neuralbo lab list` shows."""

from neuralbo.errors import unknown_name

from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.regression_study import RegressionStudy
from neuralbo_lab.speed_study import SpeedStudy
from neuralbo_lab.studies.agrawal_benchmark import AGRAWAL_BENCHMARK
from neuralbo_lab.studies.agrawal_forrester import AGRAWAL_FORRESTER
from neuralbo_lab.studies.agrawal_regression import AGRAWAL_REGRESSION
from neuralbo_lab.studies.aryan_bbob import ARYAN_BBOB
from neuralbo_lab.studies.aryan_conditional import ARYAN_CONDITIONAL
from neuralbo_lab.studies.aryan_hpo import ARYAN_HPO
from neuralbo_lab.studies.aryan_implicit_toys import ARYAN_IMPLICIT_TOYS
from neuralbo_lab.studies.aryan_ivbnn import ARYAN_IVBNN
from neuralbo_lab.studies.aryan_synthetic import ARYAN_SYNTHETIC
from neuralbo_lab.studies.auto import AUTO
from neuralbo_lab.studies.border import BORDER
from neuralbo_lab.studies.conditional import CONDITIONAL
from neuralbo_lab.studies.criteria import CRITERIA
from neuralbo_lab.studies.failures import FAILURES
from neuralbo_lab.studies.faults import FAULTS
from neuralbo_lab.studies.hassen_balance import HASSEN_BALANCE
from neuralbo_lab.studies.hassen_protein import HASSEN_PROTEIN
from neuralbo_lab.studies.hassen_synthetic import HASSEN_SYNTHETIC
from neuralbo_lab.studies.high_dimension import HIGH_DIMENSION, HIGH_DIMENSION_FULL
from neuralbo_lab.studies.hoegger_1d import HOEGGER_1D
from neuralbo_lab.studies.hoegger_2d import HOEGGER_2D
from neuralbo_lab.studies.hoegger_5d import HOEGGER_5D
from neuralbo_lab.studies.hoegger_dynamic_c import HOEGGER_DYNAMIC_C
from neuralbo_lab.studies.hoegger_full_size import HOEGGER_FULL_SIZE
from neuralbo_lab.studies.illustrations import ILLUSTRATIONS
from neuralbo_lab.studies.kruse_bo_1d import KRUSE_BO_1D
from neuralbo_lab.studies.kruse_bo_bbob import KRUSE_BO_BBOB
from neuralbo_lab.studies.kruse_regression_1d import KRUSE_REGRESSION_1D
from neuralbo_lab.studies.kruse_regression_bbob import KRUSE_REGRESSION_BBOB
from neuralbo_lab.studies.many_trials import MANY_TRIALS
from neuralbo_lab.studies.non_stationary import NON_STATIONARY
from neuralbo_lab.studies.objectives import OBJECTIVES
from neuralbo_lab.studies.peers import PEERS
from neuralbo_lab.studies.resume import RESUME
from neuralbo_lab.studies.soak import SOAK
from neuralbo_lab.studies.speed import SPEED
from neuralbo_lab.studies.workers import WORKERS
from neuralbo_lab.study import OptimizationStudy

STUDIES: dict[str, OptimizationStudy | RegressionStudy | SpeedStudy | ExperimentStudy] = {
    study.name: study
    for study in (
        ARYAN_BBOB,
        ARYAN_SYNTHETIC,
        ARYAN_HPO,
        ARYAN_CONDITIONAL,
        ARYAN_IVBNN,
        ARYAN_IMPLICIT_TOYS,
        KRUSE_REGRESSION_1D,
        KRUSE_BO_1D,
        KRUSE_REGRESSION_BBOB,
        KRUSE_BO_BBOB,
        AGRAWAL_REGRESSION,
        AGRAWAL_BENCHMARK,
        AGRAWAL_FORRESTER,
        HASSEN_SYNTHETIC,
        HASSEN_PROTEIN,
        HASSEN_BALANCE,
        HOEGGER_1D,
        HOEGGER_DYNAMIC_C,
        HOEGGER_2D,
        HOEGGER_5D,
        HOEGGER_FULL_SIZE,
        PEERS,
        AUTO,
        MANY_TRIALS,
        FAILURES,
        BORDER,
        CONDITIONAL,
        OBJECTIVES,
        WORKERS,
        FAULTS,
        SOAK,
        RESUME,
        CRITERIA,
        HIGH_DIMENSION,
        HIGH_DIMENSION_FULL,
        NON_STATIONARY,
        SPEED,
        ILLUSTRATIONS,
    )
}


def find_study(name: str) -> OptimizationStudy | RegressionStudy | SpeedStudy | ExperimentStudy:
    """Return a study by its name."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name]
