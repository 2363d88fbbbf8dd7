"""The milliseconds of reports and suggestions with curves, on few trials."""

from optuna.pruners import MedianPruner
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from neuralbo_lab.speed import learning_curves as module
from neuralbo_lab.speed.measurements import SPEEDS


def test_it_is_a_measurement_of_the_laboratory():
    assert SPEEDS["curves"][0] is module.run


def test_half_of_the_trials_were_stopped_on_their_way():
    study = module.study_of(10, RandomSampler(seed=0), MedianPruner())
    states = [trial.state for trial in study.trials]
    assert states.count(TrialState.PRUNED) == states.count(TrialState.COMPLETE) == 5
    lengths = [len(trial.intermediate_values) for trial in study.trials]
    assert set(lengths[::2]) == {module.STEPS} and max(lengths[1::2]) < module.STEPS


def test_figures_and_goals_are_those_of_the_sizes(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 4)
    monkeypatch.setattr(module, "of_reports", lambda n, pruner: [30.0] * 4 + [n / 100] * 16)
    monkeypatch.setattr(module, "of_suggestions", lambda n: (20.0, 10.0))
    measured = module.run(False)
    rows = measured.figures["NeuralPruner, milliseconds a report"]
    assert rows["200"]["mean"] == 2.0 and rows["200"]["first, which learns"] == 30.0
    assert [(goal.measured, goal.holds) for goal in measured.goals] == [(2.0, True), (20.0, True)]
