"""What a sampler is told beside values: how it is read from trials."""

from datetime import datetime, timedelta

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo import Categorical, Integer, NeuralSampler, Real, Space
from neuralbo.interfaces.costs import Costs
from neuralbo.interfaces.optuna.knowledge import FACTS, GUESS, Knowledge, costs_of, put_in_queue

SPACE = Space(
    {"x": Real(0, 1), "kind": Categorical(["a", "b"]), "k": Integer(1, 3, when={"kind": ["a"]})}
)


def trial_of(number, **attributes):
    began = datetime(2024, 1, 1, 12, 0)
    trial = create_trial(
        params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)}, value=1.0,
        user_attrs=attributes,
    )  # fmt: skip
    trial.number, trial.datetime_start = number, began
    trial.datetime_complete = began + timedelta(seconds=10)
    return trial


def test_seconds_are_those_of_the_evaluation_without_the_suggestion():
    facts = {"fit_seconds": 1.5, "choose_seconds": 2.5, "surrogate": "gp"}
    trials = [trial_of(0), trial_of(1, **{FACTS: facts})]
    assert costs_of(trials, Costs("seconds")) == {0: 10.0, 1: 6.0}


def test_interrupted_trials_cost_nothing_and_failed_ones_may():
    dead, failed = trial_of(0, price=2.0), trial_of(1, price=3.0)
    dead.system_attrs["neuralbo:interrupted"] = True
    failed.state, failed.values = TrialState.FAIL, None
    silent = trial_of(2)
    silent.state, silent.values = TrialState.FAIL, None
    assert costs_of([dead, failed, silent], Costs("price")) == {1: 3.0}


def test_a_guess_holds_what_it_names_and_fixed_values_hold_in_all_trials():
    known = Knowledge.of(SPACE, {"kind": "a"}, None, None)
    plain = create_trial(state=TrialState.WAITING, system_attrs={"fixed_params": {"x": 0.25}})
    guess = create_trial(
        state=TrialState.WAITING, system_attrs={"fixed_params": {"x": 0.25}},
        user_attrs={GUESS: True},
    )  # fmt: skip
    assert known.held(SPACE, plain) == {"kind": "a"}
    assert known.held(SPACE, guess) == {"x": 0.25, "kind": "a"}


def test_what_is_in_the_queue_is_put_there_once_unless_wanted_again():
    study = optuna.create_study()
    put_in_queue(study, [{"x": 0.5}, {"x": 0.5}])
    assert len(study.trials) == 1
    put_in_queue(study, [{"x": 0.5}], again=True)
    assert len(study.trials) == 2


@pytest.mark.parametrize(
    ("value", "distribution", "says"),
    [
        (2.0, FloatDistribution(0, 1), "'x' must be a number from"),
        ("c", CategoricalDistribution(["a"]), "'x' must be one of"),
    ],
)
def test_a_fixed_value_must_be_legal_where_it_is_asked_for(value, distribution, says):
    known = Knowledge.of(None, {"x": value}, None, None)
    with pytest.raises(ValueError, match=says):
        known.value("x", distribution)


def test_the_sampler_can_be_sent_to_another_process():
    import pickle

    sampler = NeuralSampler(space=SPACE, fixed={"kind": "a"}, cost="seconds", budget_seconds=9.0)
    copy = pickle.loads(pickle.dumps(sampler))
    assert copy._known == sampler._known
