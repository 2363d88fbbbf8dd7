"""minimize() of several objectives: the front, what is refused, resume."""

import math

import pytest
from optuna.trial import TrialState

from neuralbo import FailedTrialWarning, Real, minimize
from neuralbo.maximizers import Multistart

QUICK = Multistart(candidates=32, local=16, restarts=1, rounds=5)
BOTH = ("minimize", "maximize")


def two(params):
    return params["x"] ** 2, -((params["x"] - 1) ** 2)


def quick(function=two, n_trials=7, **options):
    settings = {"surrogate": "gp", "maximizer": QUICK, "seed": 0, "direction": BOTH} | options
    return minimize(function, {"x": Real(-1, 2)}, n_trials, **settings)


def test_the_best_trials_are_those_that_no_other_dominates():
    result = quick(progress=True)
    rows = [(a, -b) for a, b in (trial.values for trial in result.study.trials)]
    front = [r for r in rows if not any(o[0] <= r[0] and o[1] <= r[1] and o != r for o in rows)]
    assert sorted((a, -b) for a, b in (t.values for t in result.best_trials)) == sorted(front)


def test_there_is_no_best_one():
    result = quick(n_trials=2)
    for ask in (lambda: result.best_params, lambda: result.best_value, result.recommend):
        with pytest.raises(ValueError, match="several objectives"):
            ask()


def test_pieces_are_as_one_run(folder):
    for n in (3, 4):
        cut = quick(n_trials=n, storage=f"sqlite:///{folder}/s.db")
    assert [t.values for t in cut.study.trials] == [t.values for t in quick().study.trials]


def test_another_number_of_directions_is_refused(folder):
    quick(n_trials=1, storage=f"sqlite:///{folder}/s.db")
    with pytest.raises(ValueError, match="exists with direction"):
        quick(direction="minimize", storage=f"sqlite:///{folder}/s.db")


@pytest.mark.parametrize(
    ("returned", "match"),
    [(1.0, "2 values must be returned"), ((1.0,), "but 1 values came"), ("ab", "must be returned"),
     ((1.0, math.nan), "returned"), (None, "returned None")],
)  # fmt: skip
def test_what_are_not_two_numbers_is_a_failure_that_says_so(returned, match):
    answers = iter([(1.0, 2.0), returned])
    with pytest.warns(FailedTrialWarning, match=match):
        result = quick(lambda params: next(answers), n_trials=2)
    assert result.study.trials[1].state == TrialState.FAIL
    assert [t.number for t in result.best_trials] == [0]


@pytest.mark.parametrize(
    ("options", "match"),
    [({"reference_point": [1]}, "each of 2 objectives, got 1"),
     ({"direction": ["minimize"] * 5}, "4 objectives at most, got 5"),
     ({"surrogate": ["gp"] * 3}, "3 surrogates for 2 objectives"),
     ({"surrogate": "bore", "maximizer": None}, "a classifier says nothing of the values"),
     ({"criterion": "ei"}, "a criterion for one objective")],
)  # fmt: skip
def test_wrong_arguments_are_refused_before_the_first_trial(options, match, folder):
    calls = []
    with pytest.raises(ValueError, match=match):
        quick(calls.append, storage=f"sqlite:///{folder}/s.db", **options)
    assert calls == []
    assert list(folder.iterdir()) == []
