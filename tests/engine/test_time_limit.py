"""A limit to the seconds of a suggestion: kept by cheaper ways, and said."""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import optuna
import pytest

from neuralbo import FallbackWarning, NeuralSampler, Optimizer, Real
from neuralbo.catalog import make_policy
from neuralbo.engine import deadline
from neuralbo.engine.engine import Engine
from neuralbo.engine.time_limit import CHEAPER, STRIKES, TimeLimit
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.policies import Proposal, RandomSearch

SPACE = {"x": Real(0, 1), "y": Real(0, 1)}


@dataclass(frozen=True)
class Slow:
    seconds: float

    def propose(self, step, q=1):
        time.sleep(self.seconds)
        return Proposal(RandomSearch().propose(step, q).points, {"surrogate": "slow"})


def run(policy, n, **options):
    opt = Optimizer(SPACE, surrogate=policy, seed=0, n_startup_trials=2, **options)
    suggested = []
    for _ in range(n):
        suggested.append(opt.ask())
        opt.tell(suggested[-1], sum(suggested[-1].values()))
    return suggested


def test_after_slow_suggestions_a_cheaper_way_is_taken_and_said():
    with pytest.warns(FallbackWarning, match="max_suggest_seconds is 1"):
        suggested = run(Slow(1.1), 2 + STRIKES + 2, max_suggest_seconds=1)
    kinds = [a.facts.get("degraded") for a in suggested]
    assert kinds == [None] * (2 + STRIKES) + [CHEAPER[0][0]] * 2
    assert [a.facts["surrogate"] for a in suggested[2 : 2 + STRIKES]] == ["slow"] * STRIKES
    assert suggested[-1].facts["surrogate"] != "slow"


def test_without_a_limit_nothing_changes():
    assert all("degraded" not in a.facts for a in run(Slow(0.02), 6))


def test_one_slow_suggestion_is_forgiven(monkeypatch):
    limit = TimeLimit(1.0)
    for spent in (2.0, 0.1, 2.0, 0.1):
        limit._has_sunk(spent)
    assert limit._level == 0


def test_the_last_way_is_kept_however_slow(recwarn):
    limit = TimeLimit(1.0)
    for _ in range(4 * STRIKES):
        limit._has_sunk(2.0)
    assert limit._level == len(CHEAPER)
    assert len([w for w in recwarn if w.category is FallbackWarning]) == len(CHEAPER)


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


@dataclass
class Looks:
    """A clock that goes on by a second whenever somebody looks."""

    count: int = field(default=0)

    def __call__(self):
        self.count += 1
        return float(self.count)


def observed(n=6):
    opt = Optimizer(SPACE, surrogate="sobol", seed=0)
    for _ in range(n):
        suggested = opt.ask()
        opt.tell(suggested, sum(suggested.values()))
    return opt


def suggest(policy, step, limit):
    """Suggest a point with a policy, after an initial design of two."""
    return Engine(policy, policy, initial=2, limit=limit).suggest(step)


SLOW = ["bnn_nuts", "bnn_hmc", "bohamiann", "deep_ensemble", "ivbnn", "laplace", "gp_mcmc", "gp"]


@pytest.mark.parametrize("name", SLOW)
def test_a_fit_is_cut_short_at_the_limit_and_a_cheaper_policy_answers(name):
    limit, clock = 5, Looks()
    with pytest.warns(FallbackWarning, match="cut short after max_suggest_seconds=5"):
        proposal = suggest(make_policy(name), observed().step(), TimeLimit(limit, clock))
    assert proposal.facts["cut_short"] == limit
    assert proposal.facts["degraded"] in [fallback for fallback, _ in CHEAPER]
    # each of the two policies that have a deadline begins, looks at it so often, and once more
    assert clock.count <= 2 * (limit + 2) + 2


def test_what_was_cut_short_leaves_no_trace():
    policy, start = make_policy("bnn_nuts"), observed()
    points = []
    for limit in (20, 50):
        with pytest.warns(FallbackWarning, match="cut short"):
            points.append(suggest(policy, start.step(), TimeLimit(limit, Looks())).points)
    assert points[0].equal(points[1])
    assert points[0].equal(suggest(CHEAPER[0][1], start.step(), TimeLimit()).points)


def test_without_a_limit_a_fit_never_looks_at_a_clock(monkeypatch):
    def no_clock():
        raise AssertionError("nobody may look at the clock")

    facts = suggest(make_policy("gp"), observed().step(), TimeLimit(None, no_clock)).facts
    assert "cut_short" not in facts
    assert "degraded" not in facts


def test_a_limit_that_is_far_changes_no_point():
    policy, start = make_policy("gp"), observed()
    free = suggest(policy, start.step(), TimeLimit())
    limited = suggest(policy, start.step(), TimeLimit(1e9))
    assert free.points.equal(limited.points)
    assert free.facts.keys() == limited.facts.keys()


def test_after_fits_that_were_cut_short_the_cheaper_policy_is_asked_at_once():
    limit, policy, start = TimeLimit(5, Looks()), make_policy("bnn_nuts"), observed()
    said = []
    for _ in range(STRIKES + 1):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            suggest(policy, start.step(), limit)
        said.append([str(w.message) for w in caught])
    assert [len(s) for s in said] == [1] * STRIKES + [0]
    assert all("was cut short" in s[0] for s in said[: STRIKES - 1])
    assert "from now on they come from" in said[STRIKES - 1][0]


def test_a_deadline_holds_in_its_block_and_thread_only():
    clock = Looks()
    with deadline.within(0.5, clock):
        with pytest.raises(deadline.OutOfTime, match=r"limit of 0\.5 s"):
            deadline.check()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(deadline.check).result()
        with deadline.within(None):
            deadline.check()
        with pytest.raises(deadline.OutOfTime):
            deadline.check()
    deadline.check()


def test_an_optimizer_with_a_slow_surrogate_answers_in_time():
    opt = Optimizer(SPACE, surrogate="bnn_nuts", seed=0, n_startup_trials=4,
                    max_suggest_seconds=0.2)  # fmt: skip
    # looks for seconds: other machines are as fast
    opt._engine = replace(opt._engine, limit=TimeLimit(20, Looks()))
    with pytest.warns(FallbackWarning, match="max_suggest_seconds"):
        for _ in range(6):
            suggested = opt.ask()
            opt.tell(suggested, sum(suggested.values()))
    assert suggested.facts["degraded"]
