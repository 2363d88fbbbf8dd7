"""A limit to the seconds of a suggestion: kept by cheaper ways, and said."""

import time
from dataclasses import dataclass

import optuna
import pytest

from neuralbo import FallbackWarning, NeuralSampler, Optimizer, Real
from neuralbo.budget import STRIKES, WAYS, Budget
from neuralbo.policies import Proposal, RandomSearch
from neuralbo.sampler import FACTS

SPACE = {"x": Real(0, 1), "y": Real(0, 1)}


@dataclass(frozen=True)
class Slow:
    seconds: float

    def propose(self, step, q=1):
        time.sleep(self.seconds)
        return Proposal(RandomSearch().propose(step, q).points, {"surrogate": "slow"})


def run(policy, n, **options):
    opt = Optimizer(SPACE, surrogate=policy, seed=0, n_startup_trials=2, **options)
    asked = []
    for _ in range(n):
        asked.append(opt.ask())
        opt.tell(asked[-1], sum(asked[-1].values()))
    return asked


def test_after_slow_suggestions_a_cheaper_way_is_taken_and_said():
    with pytest.warns(FallbackWarning, match="max_suggest_seconds is 1"):
        asked = run(Slow(1.1), 2 + STRIKES + 2, max_suggest_seconds=1)
    kinds = [a.facts.get("degraded") for a in asked]
    assert kinds == [None] * (2 + STRIKES) + [WAYS[0][0]] * 2
    assert [a.facts["surrogate"] for a in asked[2 : 2 + STRIKES]] == ["slow"] * STRIKES
    assert asked[-1].facts["surrogate"] != "slow"


def test_without_a_limit_nothing_changes():
    assert all("degraded" not in a.facts for a in run(Slow(0.02), 6))


def test_one_slow_suggestion_is_forgiven(monkeypatch):
    budget = Budget(1.0)
    for spent in (2.0, 0.1, 2.0, 0.1):
        budget._note(spent)
    assert budget._level == 0


def test_the_last_way_is_kept_however_slow(recwarn):
    budget = Budget(1.0)
    for _ in range(4 * STRIKES):
        budget._note(2.0)
    assert budget._level == len(WAYS)
    assert len([w for w in recwarn if w.category is FallbackWarning]) == len(WAYS)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_limit_that_is_none_is_refused_at_once(seconds):
    with pytest.raises(ValueError, match="max_suggest_seconds must be above 0"):
        Optimizer(SPACE, max_suggest_seconds=seconds)


def test_a_sampler_says_so_in_the_facts_of_the_trial():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = NeuralSampler(Slow(0.6), seed=0, n_startup_trials=1, max_suggest_seconds=0.5)
    study = optuna.create_study(sampler=sampler)
    with pytest.warns(FallbackWarning):
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=2 + STRIKES)
    optuna.logging.set_verbosity(before)
    assert "degraded" in study.trials[-1].user_attrs[FACTS]
