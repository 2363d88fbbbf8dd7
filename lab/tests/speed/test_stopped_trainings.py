"""Seconds to the same error, on trainings that are not run."""

import pytest

from neuralbo_lab.speed import stopped_trainings as module
from neuralbo_lab.speed.measurements import SPEEDS
from neuralbo_lab.speed.stopped_trainings import Clock


def test_it_is_a_measurement_of_the_laboratory():
    assert SPEEDS["trainings"][0] is module.run


def test_the_first_error_as_low_counts():
    clock = Clock(10, found=[(1.0, 0.5), (2.0, 0.2), (3.0, 0.1), (4.0, 0.2)])
    assert [clock.seconds_to(error) for error in (0.6, 0.2, 0.05)] == [1.0, 2.0, None]


@pytest.mark.parametrize(("found", "share"), [([(3.0, 0.1)], 0.5), ([(3.0, 0.3)], 1.5)])
def test_what_is_not_reached_counts_with_all_its_seconds(monkeypatch, found, share):
    studies = {
        "NopPruner": (Clock(1, found=[(6.0, 0.2), (7.0, 0.4)]), 8.0),
        "NeuralPruner": (Clock(1, found=found), 9.0),
    }
    monkeypatch.setattr(
        module, "tuned", lambda pruner, seed, limit: studies[type(pruner).__name__]
    )
    measured = module.run(True)
    assert measured.goals[0].measured == share


def test_epochs_are_spent_and_trials_end(monkeypatch):
    monkeypatch.setattr(module, "EPOCHS", 3)
    clock, seconds = module.tuned(module.NopPruner(), 0, 7)
    assert clock.epochs == 7 and len(clock.found) == 2
    assert 0 < clock.found[0][0] < clock.found[1][0] <= seconds
