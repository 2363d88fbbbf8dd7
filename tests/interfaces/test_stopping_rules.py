"""Rules that end a study, on studies whose values are given."""

import math
from datetime import datetime, timedelta
from typing import ClassVar

import optuna
import pytest
from optuna.trial import TrialState, create_trial

import neuralbo as nb
from neuralbo.errors import NeuralboWarning
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.optuna.trials import INTERRUPTED
from neuralbo.interfaces.stopping import (
    STOPPED,
    MostSeconds,
    MostTrials,
    NoImprovement,
    SmallImprovement,
    expected_improvement,
)


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def study_of(values, direction="minimize", facts=None):
    """Return a study with these values; None is a failed trial."""
    directions = [direction] if isinstance(direction, str) else direction
    study = optuna.create_study(directions=directions)
    for i, value in enumerate(values):
        given = (
            {}
            if value is None
            else {"values": list(value) if isinstance(value, tuple) else [value]}
        )
        study.add_trial(
            create_trial(
                state=TrialState.FAIL if value is None else TrialState.COMPLETE,
                user_attrs={FACTS: facts[i]} if facts else {},
                **given,
            )
        )
    return study


class TestMostTrials:
    @pytest.mark.parametrize(("n", "is_met"), [(3, False), (4, True), (5, True)])
    def test_failed_ones_count(self, n, is_met):
        rule = MostTrials(4)
        assert (rule.reason(study_of([1.0, None, 2.0, 3.0, 4.0][:n])) is not None) is is_met

    def test_interrupted_ones_do_not_count(self):
        study = study_of([1.0, 2.0])
        study.add_trial(create_trial(state=TrialState.FAIL, system_attrs={INTERRUPTED: True}))
        assert MostTrials(3).reason(study) is None

    def test_a_trial_that_ends_while_trials_are_counted_is_counted_once(self, monkeypatch):
        study = study_of([])
        trial, read = study.ask(), study.get_trials

        def ending(*args, **kwargs):
            found = read(*args, **kwargs)
            study.tell(trial, 1.0, skip_if_finished=True)
            return found

        monkeypatch.setattr(study, "get_trials", ending)
        assert MostTrials(2).left(study) == 1


def test_seconds_are_those_of_all_evaluations():
    study, begin = optuna.create_study(), datetime(2020, 1, 1)
    for seconds in (4, 5):
        trial = create_trial(state=TrialState.COMPLETE, value=1.0)
        trial.datetime_start, trial.datetime_complete = begin, begin + timedelta(seconds=seconds)
        study.add_trial(trial)
    assert MostSeconds(9.5).reason(study) is None
    assert MostSeconds(9).reason(study) == "9 seconds of evaluations"


class TestNoImprovement:
    @pytest.mark.parametrize(
        ("values", "is_met"),
        [
            ([3.0, 2.0, 2.0], False),  # fewer than one trial before the last two is bettered
            ([2.0, 3.0, 3.0], True),
            ([2.0, 3.0, None], True),
            ([2.0, 3.0, 1.9], False),
            ([None, None, None], True),
            ([1.0, 2.0], False),
        ],
    )
    def test_of_one_objective(self, values, is_met):
        study = study_of(values)
        assert (NoImprovement(2).reason(study) is not None) is is_met

    def test_small_steps_do_not_count(self):
        study = study_of([2.0, 1.95, 1.92])
        assert NoImprovement(2).reason(study) is None
        assert NoImprovement(2, least=0.1).reason(study) == "no improvement in 2 trials"

    def test_larger_may_be_better(self):
        study = study_of([2.0, 3.0, 3.0], "maximize")
        assert NoImprovement(2).reason(study) is None
        assert NoImprovement(1).reason(study) is not None

    def test_of_several_objectives_the_front_must_move(self):
        directions = ["minimize", "minimize"]
        assert NoImprovement(1).reason(study_of([(1.0, 1.0), (2.0, 2.0)], directions)) is not None
        assert NoImprovement(1).reason(study_of([(1.0, 1.0), (2.0, 0.5)], directions)) is None


class TestSmallImprovement:
    LOG: ClassVar = {"criterion": "LogExpectedImprovement", "criterion_value": math.log(0.01)}
    PLAIN: ClassVar = {"criterion": "ExpectedImprovement", "criterion_value": 0.05}

    def test_logarithms_are_undone(self):
        (trial,) = study_of([1.0], facts=[self.LOG]).trials
        assert expected_improvement(trial) == pytest.approx(0.01)
        (trial,) = study_of([1.0], facts=[self.PLAIN]).trials
        assert expected_improvement(trial) == 0.05

    def test_all_of_the_last_must_expect_little(self):
        facts = [self.PLAIN, self.LOG, self.LOG]
        study = study_of([1.0] * 3, facts=facts)
        assert SmallImprovement(0.02, times=2).reason(study) is not None
        assert SmallImprovement(0.02, times=3).reason(study) is None

    def test_an_initial_design_expects_nothing(self):
        study = study_of([1.0] * 3, facts=[{"surrogate": "initial design"}] * 3)
        assert SmallImprovement(1.0).reason(study) is None

    def test_another_criterion_is_spoken_of(self):
        facts = [{"criterion": "UpperBound", "criterion_value": 0.0}]
        with pytest.warns(NeuralboWarning, match="criterion='log_ei'"):
            assert SmallImprovement(1.0, times=1).reason(study_of([1.0], facts=facts)) is None

    def test_the_criteria_that_are_known_exist(self):
        from neuralbo import criteria
        from neuralbo.interfaces.stopping import IMPROVEMENTS

        for name, is_log in IMPROVEMENTS.items():
            assert getattr(criteria, name).is_log is is_log


@pytest.mark.parametrize(
    "make",
    [
        lambda: MostTrials(0),
        lambda: MostSeconds(-1),
        lambda: NoImprovement(0),
        lambda: NoImprovement(3, least=-1),
        lambda: SmallImprovement(math.nan),
        lambda: SmallImprovement(1.0, times=0),
    ],
)
def test_impossible_rules_are_refused(make):
    with pytest.raises(ValueError, match="at least"):
        make()


def test_a_run_ends_by_a_rule_and_says_which():
    result = nb.minimize(
        lambda p: 1.0, {"x": nb.Real(0, 1)}, n_trials=30, surrogate="random", seed=0,
        callbacks=[nb.stopping.NoImprovement(4)], progress=False,
    )  # fmt: skip
    assert len(result.study.trials) == 5
    assert result.study.user_attrs[STOPPED] == "no improvement in 4 trials"


@pytest.mark.slow
def test_a_bowl_that_is_found_expects_no_more():
    result = nb.minimize(
        lambda p: (p["x"] - 0.3) ** 2, {"x": nb.Real(0, 1)}, n_trials=40, surrogate="gp", seed=0,
        criterion="log_ei", callbacks=[nb.stopping.SmallImprovement(1e-3)], progress=False,
    )  # fmt: skip
    assert len(result.study.trials) < 40
    assert result.best_value < 1e-2
    assert result.study.user_attrs[STOPPED].startswith("expected improvement")
