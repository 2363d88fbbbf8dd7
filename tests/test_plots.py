"""Figures of studies."""

import builtins

import optuna
import pytest
from optuna.trial import TrialState, create_trial

from neuralbo import plots

pytest.importorskip("matplotlib")


def study_of(*trials, direction="minimize"):
    study = optuna.create_study(study_name="mine", direction=direction)
    for trial in trials:
        if isinstance(trial, TrialState):
            pruned = {"intermediate_values": {0: -9.0}} if trial == TrialState.PRUNED else {}
            study.add_trial(create_trial(state=trial, **pruned))
        else:
            study.add_trial(create_trial(value=trial))
    return study


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def lines_of(figure):
    return {line.get_label(): line for line in figure.axes[0].get_lines()}


def test_trials_and_the_best_so_far_are_drawn():
    lines = lines_of(plots.convergence(study_of(3.0, 5.0, 1.0, 2.0)))
    assert list(lines["trial"].get_ydata()) == [3, 5, 1, 2]
    assert list(lines["best so far: 1"].get_ydata()) == [3, 3, 1, 1]


def test_the_best_of_a_maximization_rises():
    lines = lines_of(plots.convergence(study_of(3.0, 5.0, 1.0, direction="maximize")))
    assert list(lines["best so far: 5"].get_ydata()) == [3, 5, 5]


def test_failed_trials_are_marked_where_they_happened():
    lines = lines_of(plots.convergence(study_of(3.0, TrialState.FAIL, 1.0)))
    assert list(lines["failed"].get_xdata()) == [2]
    assert list(lines["trial"].get_xdata()) == [1, 3]


def test_a_pruned_trial_is_neither_a_value_nor_the_best():
    lines = lines_of(plots.convergence(study_of(3.0, TrialState.PRUNED, 1.0)))
    assert list(lines["best so far: 1"].get_ydata()) == [3, 3, 1]
    assert list(lines["trial"].get_ydata()) == [3, 1]


@pytest.mark.parametrize("trials", [(), (TrialState.FAIL,), (TrialState.PRUNED,)])
def test_a_study_without_a_value_can_be_drawn(trials, tmp_path):
    figure = plots.convergence(study_of(*trials))
    figure.savefig(tmp_path / "empty.png")
    assert figure.axes[0].get_title() == "mine"


def test_without_matplotlib_the_remedy_is_told(monkeypatch):
    load = builtins.__import__

    def fails(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", fails)
    with pytest.raises(ImportError, match=r"pip install 'neuralbo\[lab\]'"):
        plots.convergence(study_of(1.0))
