"""Studies made by earlier versions go on, are reported and recommended from.

`old_studies.sql` is a database with three of them. "mixed" and "unseeded" are of the version that
called candidates `gp_log_warp_3`; "older" of one that called them `gp_bent3`, its scores "judged"
and the points before any model the "start design".
"""

import math
import sqlite3
from html import unescape
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

import neuralbo as nb
from neuralbo.cli import main
from neuralbo.interfaces.optuna.facts import facts_of, model_of, weights_of, why_of
from neuralbo.reporting.analysis.record import Record

DUMP = Path(__file__).with_name("old_studies.sql")
SEED = "neuralbo:seed"
STORED_SEED = 5119348103907658  # drawn and stored by the sampler that was given none
LOG_WARP = "gp with a log warp of the outputs (strength 3)"
SPACE = {
    "x": nb.Real(-5, 10),
    "lr": nb.Real(1e-5, 1, log=True),
    "k": nb.Integer(1, 9),
    "kind": nb.Categorical(["a", "b"]),
    "depth": nb.Integer(1, 5, when={"kind": ["a"]}),
}


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


@pytest.fixture
def storage(folder):
    """Return the address of a copy of the old database."""
    path = folder / "old.db"
    with sqlite3.connect(path) as database:
        database.executescript(DUMP.read_text())
    database.close()
    return f"sqlite:///{path}"


def mixed(trial):
    x = trial.suggest_float("x", -5, 10)
    lr = trial.suggest_float("lr", 1e-5, 1, log=True)
    k = trial.suggest_int("k", 1, 9)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    depth = trial.suggest_int("depth", 1, 5) if kind == "a" else 2
    spread = 0.4 * abs(x - 3) + abs(math.log10(lr) + 3)
    return math.exp(spread) + 0.3 * (k - 4) ** 2 + abs(depth - 3)


def older(trial):
    return trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1)


OBJECTIVES = {"mixed": mixed, "older": older}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_study_goes_on(name, storage):
    study = optuna.load_study(study_name=name, storage=storage, sampler=nb.NeuralSampler(seed=0))
    before = len(study.trials)
    study.optimize(OBJECTIVES[name], n_trials=2)
    new = study.trials[before:]
    assert [trial.state for trial in new] == [TrialState.COMPLETE] * 2
    known = {key: found for t in study.trials[:before] for key, found in t.distributions.items()}
    for trial in new:
        assert facts_of(trial)["criterion"], "a model has chosen it, not chance"
        for key, value in trial.params.items():
            assert trial.distributions[key] == known[key]
            assert known[key]._contains(known[key].to_internal_repr(value))


def test_a_seed_that_was_drawn_is_used_again(storage):
    def f(params):
        return (params["x"] - 3) ** 2 + params["k"]

    result = nb.minimize(f, SPACE, 1, storage=storage, study_name="unseeded", progress=False)
    assert result.study.user_attrs[SEED] == STORED_SEED
    again = optuna.load_study(
        study_name="unseeded", storage=storage, sampler=nb.NeuralSampler(seed=1)
    )
    (*old, new) = again.trials
    copy = optuna.create_study(sampler=nb.NeuralSampler(seed=STORED_SEED, space=SPACE))
    copy.add_trials(old)
    assert copy.ask(new.distributions).params == new.params


@pytest.mark.parametrize("name", [*OBJECTIVES, "unseeded"])
def test_a_report_is_made(name, storage, folder, capsys):
    assert main(["report", storage, "--study", name, "--out", str(folder / "page.html")]) == 0
    text = unescape((folder / "page.html").read_text())
    assert "leave-one-out log predictive density, nats per observation" in text
    assert "initial design" in text
    for old in ("bent", "start design", "left-out values", "judged_on"):
        assert old not in text


def test_the_record_counts_what_became_of_the_trials(storage):
    record = Record.of(optuna.load_study(study_name="mixed", storage=storage))
    found = (len(record.done), len(record.failed), len(record.pruned))
    assert found == (28, 1, 1)
    assert (record.running, record.interrupted) == (0, 0)


def test_old_records_are_read_in_the_words_of_today(storage):
    trials = optuna.load_study(study_name="older", storage=storage).trials
    assert [model_of(trials[i]) for i in (1, 5, 8, 27)] == [
        "initial design", "gp", "gp", LOG_WARP
    ]  # fmt: skip
    assert weights_of(trials[27]) == {LOG_WARP: 1.0}
    assert why_of(trials[27]).startswith(
        "leave-one-out log predictive density, nats per observation of 27: "
        f"{LOG_WARP} 3.11, gp with a log warp of the outputs (strength 30) 2.9, gp 2.33, "
    )


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_recommendation_is_among_what_was_tried(name, storage):
    study = optuna.load_study(study_name=name, storage=storage)
    found = nb.NeuralSampler(seed=0).recommend(study)
    tried = [trial.params for trial in study.trials if trial.state == TrialState.COMPLETE]
    assert found.params in tried
    assert found.mean == pytest.approx(study.best_value, abs=abs(study.best_value))
    assert found.noise >= 0 and len(found.values) == tried.count(found.params)
