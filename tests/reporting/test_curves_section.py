"""The section on learning curves."""

import math

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo.interfaces.optuna.pruner import KEPT, PRUNED
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.page.curves_section import learning_curves


def trial_of(x, curve, **rest):
    state = rest.get("state", TrialState.COMPLETE)
    return create_trial(
        params={"x": x}, distributions={"x": FloatDistribution(0, 1)},
        value=curve[-1] if state == TrialState.COMPLETE else None,
        intermediate_values=dict(enumerate(curve)), **rest,
    )  # fmt: skip


def section_of(*trials):
    study = optuna.create_study()
    study.add_trials(trials)
    return learning_curves(Analysis(study))


FACTS = {
    "step": 1, "predicted": 7.25, "best": 0.5, "probability": 0.0123, "pruned_below": 0.1
}  # fmt: skip


def stopped(facts=None, curve=(9.0, 8.0)):
    attributes = {} if facts is None else {PRUNED: facts}
    return trial_of(0.9, list(curve), state=TrialState.PRUNED, user_attrs=attributes)


def test_what_was_stopped_and_why_and_what_it_saved():
    text = section_of(trial_of(0.1, [2.0, 1.0, 0.5, 0.5]), stopped(FACTS))
    assert "2 trials reported values; 1 were stopped" in text
    assert "made 6 reports; to the end, at 4 each, they would have made 8." in text
    for shown in ("7.25", "0.0123", "stopped at step"):
        assert shown in text
    assert text.count("<circle") == 1  # the predicted result


def test_trials_that_ran_on_are_counted():
    kept = trial_of(0.1, [2.0, 1.0], user_attrs={KEPT: FACTS})
    assert "1 that the pruner would have stopped ran on" in section_of(kept)


@pytest.mark.parametrize("trials", [(), (trial_of(0.1, [1.0]),)])
def test_without_curves_there_is_no_section(trials):
    assert section_of(*trials) == ""


@pytest.mark.parametrize("facts", [None, "no dictionary", {"why": "<b>the last value</b>"}])
def test_other_pruners_and_strange_notes_are_no_trouble(facts):
    text = section_of(trial_of(0.1, [2.0, math.nan, 0.5]), stopped(facts, (9.0, math.inf)))
    assert "Learning curves" in text and "<b>" not in text
    assert text.count("<circle") == 0
