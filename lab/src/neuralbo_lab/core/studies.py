"""The studies, one file each; `STUDIES` is what `neuralbo lab list` shows."""

from typing import Any

from neuralbo.errors import unknown_name

from neuralbo_lab.benchmarks.assumptions import ASSUMPTIONS
from neuralbo_lab.benchmarks.auto import AUTO
from neuralbo_lab.benchmarks.border import BORDER
from neuralbo_lab.benchmarks.conditional import CONDITIONAL
from neuralbo_lab.benchmarks.criteria import CRITERIA
from neuralbo_lab.benchmarks.failures import FAILURES
from neuralbo_lab.benchmarks.faults import FAULTS_STUDY
from neuralbo_lab.benchmarks.high_dimension import HIGH_DIMENSION, HIGH_DIMENSION_FULL
from neuralbo_lab.benchmarks.knowledge import KNOWLEDGE
from neuralbo_lab.benchmarks.known_constraints import KNOWN_CONSTRAINTS
from neuralbo_lab.benchmarks.many_trials import MANY_TRIALS
from neuralbo_lab.benchmarks.non_stationary import NON_STATIONARY
from neuralbo_lab.benchmarks.objectives import OBJECTIVES
from neuralbo_lab.benchmarks.peers import PEERS
from neuralbo_lab.benchmarks.pruners import CURVES
from neuralbo_lab.benchmarks.public import PUBLIC
from neuralbo_lab.benchmarks.resume import RESUME
from neuralbo_lab.benchmarks.soak import SOAK
from neuralbo_lab.benchmarks.speed import SPEED
from neuralbo_lab.benchmarks.workers import WORKERS
from neuralbo_lab.core.study import Study
from neuralbo_lab.reproductions.agrawal.agrawal_benchmark import AGRAWAL_BENCHMARK
from neuralbo_lab.reproductions.agrawal.agrawal_forrester import AGRAWAL_FORRESTER
from neuralbo_lab.reproductions.agrawal.agrawal_report import AGRAWAL_REGRESSION
from neuralbo_lab.reproductions.aryan.aryan_bbob import ARYAN_BBOB
from neuralbo_lab.reproductions.aryan.aryan_conditional import ARYAN_CONDITIONAL
from neuralbo_lab.reproductions.aryan.aryan_hpo import ARYAN_HPO
from neuralbo_lab.reproductions.aryan.aryan_ivbnn import ARYAN_IVBNN
from neuralbo_lab.reproductions.aryan.aryan_synthetic import ARYAN_SYNTHETIC
from neuralbo_lab.reproductions.aryan.implicit_toys_page import ARYAN_IMPLICIT_TOYS
from neuralbo_lab.reproductions.full_size import FULL_SIZE_FITS
from neuralbo_lab.reproductions.hassen.hassen_balance import HASSEN_BALANCE
from neuralbo_lab.reproductions.hassen.hassen_protein import HASSEN_PROTEIN
from neuralbo_lab.reproductions.hassen.hassen_synthetic import HASSEN_SYNTHETIC
from neuralbo_lab.reproductions.hoegger.hoegger_1d import HOEGGER_1D
from neuralbo_lab.reproductions.hoegger.hoegger_2d import HOEGGER_2D
from neuralbo_lab.reproductions.hoegger.hoegger_5d import HOEGGER_5D
from neuralbo_lab.reproductions.hoegger.hoegger_dynamic_c import HOEGGER_DYNAMIC_C
from neuralbo_lab.reproductions.hoegger.hoegger_full_size import HOEGGER_FULL_SIZE
from neuralbo_lab.reproductions.illustrations.illustration_page import ILLUSTRATIONS
from neuralbo_lab.reproductions.kruse.kruse_bo_1d import KRUSE_BO_1D
from neuralbo_lab.reproductions.kruse.kruse_bo_bbob import KRUSE_BO_BBOB
from neuralbo_lab.reproductions.kruse.kruse_regression_1d import KRUSE_REGRESSION_1D
from neuralbo_lab.reproductions.kruse.kruse_regression_bbob import KRUSE_REGRESSION_BBOB

REPRODUCTIONS: tuple[Study[Any], ...] = (
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
)  # of the five publications

STUDIES: dict[str, Study[Any]] = {
    study.name: study
    for study in (
        *REPRODUCTIONS,
        FULL_SIZE_FITS,
        PEERS,
        AUTO,
        MANY_TRIALS,
        FAILURES,
        KNOWLEDGE,
        BORDER,
        CONDITIONAL,
        KNOWN_CONSTRAINTS,
        OBJECTIVES,
        CURVES,
        WORKERS,
        FAULTS_STUDY,
        SOAK,
        RESUME,
        CRITERIA,
        HIGH_DIMENSION,
        HIGH_DIMENSION_FULL,
        ASSUMPTIONS,
        NON_STATIONARY,
        SPEED,
        ILLUSTRATIONS,
    )
} | {study.name: study for study in PUBLIC}


def find_study(name: str) -> Study[Any]:
    """Return a study by its name."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name]
