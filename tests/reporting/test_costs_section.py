"""The section on costs."""

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo import NeuralSampler
from neuralbo.interfaces.optuna.knowledge import COST
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.page.costs_section import costs


def trial_of(value, cost):
    return create_trial(
        params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)}, value=value,
        state=TrialState.FAIL if value is None else TrialState.COMPLETE,
        user_attrs={} if cost is None else {COST: cost},
    )  # fmt: skip


def section_of(*trials):
    study = optuna.create_study()
    study.add_trials(trials)
    return costs(Analysis(study))


def test_costs_add_up_those_of_failures_included():
    text = section_of(trial_of(3.0, 2.0), trial_of(None, 10.0), trial_of(1.0, 0.5))
    assert "3 trials have cost 12.5 together, from 0.5 to 10 each." in text
    assert "<svg" in text


@pytest.mark.parametrize("trials", [(), (trial_of(1.0, None),), (trial_of(None, 3.0),)])
def test_without_costs_or_values_there_is_no_section(trials):
    assert section_of(*trials) == ""


@pytest.mark.parametrize("cost", ["seconds", "price", lambda params: 1 + params["x"]])
def test_the_sampler_notes_what_a_trial_has_cost(cost):
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("price", 1 + x)
        return x

    study = optuna.create_study(sampler=NeuralSampler("sobol", seed=0, cost=cost))
    study.optimize(f, 3)
    noted = [trial.user_attrs[COST] for trial in study.trials]
    if cost == "seconds":
        assert all(0 < cost < 5 for cost in noted)
    else:
        assert noted == [1 + trial.params["x"] for trial in study.trials]
    assert "Cost" in costs(Analysis(study))
