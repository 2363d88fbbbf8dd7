"""Development does not touch what is kept for testing."""

import pytest

from neuralbo_lab.core.benchmark_study import BenchmarkStudy
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.run import run, run_cell
from neuralbo_lab.core.splits import (
    DEVELOPMENT,
    SPLITS,
    TEST,
    SplitError,
    must_be_allowed,
    split_of,
)
from neuralbo_lab.core.studies import STUDIES

BENCHMARKS = [study for study in STUDIES.values() if isinstance(study, BenchmarkStudy)]
each = pytest.mark.parametrize("study", BENCHMARKS, ids=lambda study: study.name)


def test_the_halves_share_nothing():
    assert not set(DEVELOPMENT.instances) & set(TEST.instances)
    assert not set(DEVELOPMENT.seeds) & set(TEST.seeds)
    assert not set(DEVELOPMENT.real) & set(TEST.real)


@pytest.mark.parametrize(
    "problem, split",
    [
        ("bbob-cut-f16-d5-i1", DEVELOPMENT),
        ("bbob-cut-noise2-f1-d5-i15", TEST),
        ("bbob-mixint-cut-f1-d5-i5", DEVELOPMENT),
        ("labs25-i11", TEST),
        ("bbob-cut-f16-d5-i6", None),
        ("tune-svm-wine-cut", TEST),
    ],
)
def test_a_problem_is_in_one_half_or_in_none(problem, split):
    assert split_of(problem) is split


@each
def test_every_run_of_a_study_is_of_its_half(study):
    cells = list(study.cells())
    assert len(cells) == len(set(cells)) > 0
    for cell in cells:
        assert split_of(cell.problem) is study.split
        must_be_allowed(cell.problem, cell.seed, is_test=study.is_test)


@pytest.mark.parametrize(
    "problem, seed, is_test",
    [
        ("bbob-cut-f16-d5-i11", 100, False),
        ("bbob-cut-f16-d5-i1", 0, False),
        ("bbob-cut-f16-d5-i1", 0, True),
        ("bbob-cut-f16-d5-i7", 100, False),
        ("tune-svm-wine-cut", 100, False),
    ],
)
def test_the_other_half_is_refused(problem, seed, is_test):
    with pytest.raises(SplitError, match=f"{problem} with seed {seed} is not for"):
        must_be_allowed(problem, seed, is_test=is_test)


def test_problems_of_other_studies_are_free():
    must_be_allowed("bbob-f16-d5-i11", 0, is_test=False)


def test_a_study_for_testing_is_not_run_without_the_flag(tmp_path):
    (study,) = (s for s in BENCHMARKS if s.name == "public-60-test")
    with pytest.raises(SplitError, match="--test"):
        run(study, tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_study_of_ones_own_cannot_run_what_is_kept_for_testing(tmp_path):
    study = OptimizationStudy(
        name="mine", reproduces="", problems=("bbob-cut-f1-d2-i11",), methods=("random",),
        trials=3, start=1, seeds=1,
    )  # fmt: skip
    with pytest.raises(SplitError):
        run_cell(study, Cell("bbob-cut-f1-d2-i11", "random", 0), tmp_path)
    assert not any(tmp_path.iterdir())


def test_halves_have_the_same_plan_but_for_their_real_problems():
    counts = {
        study.name: sum(not c.problem.endswith("-cut") for c in study.cells())
        for study in BENCHMARKS
    }
    for study in BENCHMARKS:
        if not study.is_test:
            assert counts[study.name] == counts[f"{study.name}-test"]
    assert {s.name for s in SPLITS} == {"development", "test"}
