"""A study read from a SQLite file is the one that Optuna reads."""

import math
import sqlite3

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from neuralbo.reporting.page import source, sqlite_file

PARAMS = {
    "x": (0.25, FloatDistribution(0, 1)),
    "rate": (1e-3, FloatDistribution(1e-5, 1, log=True)),
    "n": (8, IntDistribution(2, 64, log=True)),
    "step": (0.4, FloatDistribution(0, 1, step=0.2)),
    "kind": (None, CategoricalDistribution(["a", None, True, 3, 0.5])),
    "zeta before alpha": ("a", CategoricalDistribution(["a", "<b>"])),
}


def trial_of(values, state=TrialState.COMPLETE, names=tuple(PARAMS), **other):
    return create_trial(
        state=state,
        values=values,
        params={name: PARAMS[name][0] for name in names},
        distributions={name: PARAMS[name][1] for name in names},
        **other,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "many kinds.db"


@pytest.fixture
def study(path):
    study = optuna.create_study(storage=f"sqlite:///{path}", study_name="mine")
    study.add_trial(trial_of([1.5]))
    study.add_trial(trial_of([math.inf], names=("x",)))
    study.add_trial(trial_of([-math.inf], names=("rate", "n")))
    reports = {0: 1.0, 7: math.nan, 2: math.inf, 3: -math.inf}
    study.add_trial(trial_of([0.5], TrialState.PRUNED, intermediate_values=reports))
    noted = {"error": "<script>", "list": [1, {"a": None}], "number": 1e300}
    study.add_trial(trial_of(None, TrialState.FAIL, user_attrs=noted))
    study.enqueue_trial({"x": 0.75}, user_attrs={"why": "by hand"})
    running = study.ask()
    running.suggest_float("x", 0, 1)
    study.ask()
    study.enqueue_trial({"x": 0.5})
    return study


def test_every_trial_is_the_same(path, study):
    other = optuna.create_study(storage=f"sqlite:///{path}", study_name="other")
    other.add_trial(trial_of([7.0]))  # of another study in the same file
    found = sqlite_file.read(path, "mine")
    assert found.study_name == "mine" and found.directions == study.directions
    trials = study.get_trials()
    assert len(trials) == 8 and {t.state for t in trials} == set(TrialState)
    for ours, theirs in zip(found.get_trials(), trials, strict=True):
        assert repr(ours) == repr(theirs)  # NaN is not equal to itself
        assert list(ours.params) == list(theirs.params)
    assert [t.values for t in sqlite_file.read(path, "other").trials] == [[7.0]]


def test_several_objectives_and_constraints(path):
    study = optuna.create_study(
        storage=f"sqlite:///{path}", study_name="two", directions=["minimize", "maximize"]
    )
    trial = study.ask({"x": FloatDistribution(0, 1)})
    trial.set_constraint("size", 0.5)
    study.tell(trial, [1.0, -2.0])
    found = sqlite_file.read(path, "two")
    assert found.directions == study.directions
    assert found.trials == study.get_trials()
    assert found.trials[0].constraints == {"size": 0.5}


def test_a_study_without_trials(path):
    optuna.create_study(storage=f"sqlite:///{path}", study_name="empty")
    assert sqlite_file.read(path, "empty").trials == []


def test_tables_are_those_that_this_optuna_makes(path, study):
    assert sqlite_file.schema_of(path) == sqlite_file.SCHEMA
    assert isinstance(source.find_study(str(path)), sqlite_file.SavedStudy)


def test_other_tables_are_left_to_optuna(path, study):
    with sqlite3.connect(path) as file:
        file.execute("UPDATE version_info SET schema_version = 11")
    file.close()
    found = source.find_study(str(path))
    assert isinstance(found, optuna.Study) and found.study_name == "mine"


def test_a_file_that_may_not_be_written_to_is_read(path, study):
    before = path.read_bytes()
    path.chmod(0o444)
    assert len(sqlite_file.read(path, "mine").trials) == 8
    assert path.read_bytes() == before
