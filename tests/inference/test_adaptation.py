"""What warm-up learns, against hand-computed numbers and known distributions."""

import math

import pytest
import torch

from neuralbo.inference.adaptation import (
    DualAveraging,
    MovingAverage,
    WindowedMass,
    find_step_size,
    windows,
)
from neuralbo.inference.chains import Info, Tuning, evaluate
from neuralbo.inference.hmc import HMC, energy, leapfrog
from neuralbo.inference.metropolis import Metropolis
from neuralbo.inference.sampling import sample
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def tuned(*step_sizes, p=1):
    return Tuning(torch.tensor(step_sizes, dtype=torch.float64), torch.ones(p).double())


def info(*acceptance):
    a = torch.tensor(acceptance, dtype=torch.float64)
    return Info(a, a > 0.5, a < 0, torch.ones_like(a).long())


def independent(scale):
    """Return a Gaussian of independent numbers."""

    def target(q):
        g = -q / scale.square()
        return 0.5 * (q * g).sum(-1), g

    return target


def test_the_moving_average_by_hand():
    """Agrawal (2016), Sec. 3.3: the step size sees the average from before the transition."""
    rule = MovingAverage()
    state = rule.init(tuned(0.01), 5)
    eps, averages = [], []
    for is_accepted in (1.0, 1.0, 0.0, 0.0, 1.0):
        state = rule.update(state, info(is_accepted), torch.zeros(1, 1))
        eps.append(float(state.tuning.step_size))
        averages.append(float(state.average))
    # 0.9 is not above 0.9; 0.91 and 0.919 are; 0.8271 and 0.74439 are not.
    assert averages == pytest.approx([0.91, 0.919, 0.8271, 0.74439, 0.769951], rel=1e-14)
    by_hand = [0.0098, 0.009996, 0.01019592, 0.0099920016, 0.009792161568]
    assert eps == pytest.approx(by_hand, rel=1e-14)
    assert torch.equal(rule.finish(state).step_size, state.tuning.step_size)


def test_the_moving_average_is_of_each_chain_and_bounded():
    rule = MovingAverage()
    state = rule.init(tuned(0.1, 0.1, 0.1), 2000)
    for t in range(2000):
        state = rule.update(state, info(1.0, 0.0, float(t % 10 != 0)), torch.zeros(3, 1))
    eps = state.tuning.step_size.tolist()
    assert eps[:2] == [0.25, 1e-4]
    assert 1e-4 < eps[2] < 0.25


def test_dual_averaging_by_hand():
    """Hoffman and Gelman (2014), Eq. (6), as loops of plain numbers."""
    rule, accepted = DualAveraging(target=0.65), [0.9, 0.2, 0.7, 1.0, 0.5]
    mu, H, log_bar = math.log(10 * 0.3), 0.0, 0.0
    state = rule.init(tuned(0.3), 5)
    for t, a in enumerate(accepted, start=1):
        state = rule.update(state, info(a), torch.zeros(1, 1))
        H = (1 - 1 / (t + 10)) * H + (0.65 - a) / (t + 10)
        log_eps = mu - math.sqrt(t) / 0.05 * H
        log_bar = t**-0.75 * log_eps + (1 - t**-0.75) * log_bar
        assert float(state.tuning.step_size) == pytest.approx(math.exp(log_eps), rel=1e-12)
    assert float(rule.finish(state).step_size) == pytest.approx(math.exp(log_bar), rel=1e-12)


def test_pooled_chains_share_a_step_size_and_others_do_not():
    for is_pooled in (True, False):
        rule = DualAveraging(pooled=is_pooled)
        state = rule.init(tuned(0.3, 0.3), 9)
        state = rule.update(state, info(0.9, 0.1), torch.zeros(2, 1))
        a, b = rule.finish(state).step_size
        assert (a == b) if is_pooled else (a > b)
    alone = rule.update(rule.init(tuned(0.3), 9), info(0.9), torch.zeros(1, 1))
    assert float(rule.finish(alone).step_size) == pytest.approx(float(a))


@pytest.mark.parametrize("wanted", [0.65, 0.8, 0.9])
def test_dual_averaging_reaches_its_target(wanted):
    scale = torch.linspace(0.5, 2, 20).double()
    chains = sample(
        HMC(5, jitter=0.2), independent(scale), scale * normal(20, 20), warmup=300, draws=200,
        adapt=DualAveraging(wanted), rng=seeded(1),
    )  # fmt: skip
    assert float(chains.infos.acceptance.mean()) == pytest.approx(wanted, abs=0.05)


def test_each_chain_reaches_its_target_alone():
    scale = torch.linspace(0.5, 2, 20).double()
    chains = sample(
        HMC(5, jitter=0.2), independent(scale), scale * normal(10, 20), warmup=600, draws=400,
        adapt=DualAveraging(pooled=False), rng=seeded(1),
    )  # fmt: skip
    assert len(set(chains.tuning.step_size.tolist())) == 10
    assert (chains.infos.acceptance.mean(0) - 0.8).abs().max() < 0.1


def test_a_random_walk_can_be_steered_too():
    scale = torch.linspace(0.5, 2, 20).double()
    chains = sample(
        Metropolis(), independent(scale), scale * normal(50, 20), warmup=500, draws=300,
        adapt=WindowedMass(DualAveraging(0.25)), rng=seeded(1),
    )  # fmt: skip
    assert float(chains.infos.acceptance.mean()) == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e3])
@pytest.mark.parametrize("first", [1e-3, 10.0])
def test_the_first_step_size_is_where_acceptance_crosses_a_half(scale, first):
    target = independent(torch.full((5,), scale).double())
    point, before = evaluate(target, scale * normal(31, 5)), tuned(*[first] * 31, p=5)
    tuning = find_step_size(target, point, before, seeded(1))
    r = normal(31, 5, seed=1)

    def median(tuning):
        change = energy(point, r, tuning) - energy(*leapfrog(target, point, r, tuning, 1), tuning)
        return float(change.clamp(max=0).exp().median())

    eps = float(tuning.step_size[0])
    assert (tuning.step_size == eps).all()
    by_two = math.log2(eps / first)
    assert by_two == pytest.approx(round(by_two), abs=1e-9)
    back = tuning._replace(step_size=tuning.step_size * 2.0 ** -math.copysign(1, by_two))
    assert (median(tuning) > 0.5) != (median(back) > 0.5)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_the_search_for_a_step_size_ends(bad):
    def flat(q):
        return torch.zeros(len(q)).double(), torch.zeros_like(q)

    def nowhere(q):
        return torch.where((q == 0).all(-1), 0.0, bad).double(), torch.zeros_like(q)

    q = torch.zeros(3, 2).double()
    for target, power in ((flat, 10), (nowhere, -10)):
        found = find_step_size(target, evaluate(target, q), tuned(1, 1, 1, p=2), seeded(), 10)
        assert found.step_size.tolist() == [2.0**power] * 3


def test_the_windows_are_those_of_stan():
    assert windows(1000) == (75, 100, 150, 250, 450, 950)
    assert windows(500) == (75, 100, 150, 250, 450)
    assert windows(150) == (75, 100)
    assert windows(300) == (75, 100, 150, 250)
    assert windows(180) == (75, 100, 130)
    assert windows(100) == (15, 90)
    assert windows(20) == (3, 18)
    assert windows(19) == ()


@pytest.mark.parametrize("C", [1, 6])
def test_the_mass_is_the_variance_of_the_window(C):
    """With n draws, n/(n + 5) of the variance and 5/(n + 5) of 0.001."""
    rule = WindowedMass(DualAveraging())
    draws = 5 + torch.tensor([0.1, 1.0, 30.0]).double() * normal(150, C, 3)
    state = rule.init(tuned(*[0.1] * C, p=3), 150)
    for t, q in enumerate(draws, start=1):
        state = rule.update(state, info(*[0.8] * C), q)
        if t < 100:
            assert (state.tuning.inverse_mass == 1).all()
    n = 25 * C
    variance = draws[75:100].reshape(n, 3).var(0)
    expected = n / (n + 5) * variance + 5 / (n + 5) * 1e-3
    torch.testing.assert_close(rule.finish(state).inverse_mass, expected)
    assert rule.finish(state).step_size.shape == (C,)


def test_a_group_has_the_mean_of_its_variances():
    groups, draws = (0, 1, 0, 1, 1), normal(150, 4, 5) * torch.arange(1, 6)
    rules = WindowedMass(), WindowedMass(groups=groups)
    states = [rule.init(tuned(*[0.1] * 4, p=5), 150) for rule in rules]
    for q in draws:
        states = [
            rule.update(state, info(*[0.8] * 4), q)
            for rule, state in zip(rules, states, strict=True)
        ]
    each, grouped = (s.tuning.inverse_mass for s in states)
    torch.testing.assert_close(grouped[[0, 2]], each[[0, 2]].mean().expand(2))
    torch.testing.assert_close(grouped[[1, 3, 4]], each[[1, 3, 4]].mean().expand(3))


def test_the_step_size_is_learnt_anew_after_a_window():
    rule = WindowedMass()
    state = rule.init(tuned(0.1), 150)
    for q in normal(100, 1, 1):
        before, state = state, rule.update(state, info(0.7), q)
    assert before.step.t == 99
    assert state.step.t == 0
    assert (before.n, state.n) == (24, 0)


def test_a_short_warm_up_learns_no_mass():
    rule = WindowedMass()
    state = rule.init(tuned(0.1), 10)
    for q in 7 * normal(10, 1, 1):
        state = rule.update(state, info(0.7), q)
    assert rule.finish(state).inverse_mass.tolist() == [1.0]


def test_scales_that_differ_a_thousandfold_are_found():
    scale = torch.logspace(-1.5, 1.5, 10).double()
    chains = sample(
        HMC(8, jitter=0.3), independent(scale), scale * normal(20, 10), warmup=300, draws=100,
        rng=seeded(1),
    )  # fmt: skip
    # The last window has 100 draws of 20 chains; 200 of them independent, say: error 0.1.
    ratio = chains.tuning.inverse_mass / scale.square()
    assert ((0.5 < ratio) & (ratio < 2)).all()
    assert 0.1 < float(chains.tuning.step_size[0]) < 2.0


def test_updates_change_nothing_they_were_given():
    tuning = tuned(0.1, 0.1, p=2)
    for rule in (DualAveraging(), MovingAverage(), WindowedMass()):
        first = rule.init(tuning, 30)
        state = first
        for q in normal(30, 2, 2):
            state = rule.update(state, info(0.3, 0.9), q)
        assert torch.equal(first.tuning.step_size, tuned(0.1, 0.1).step_size)
        assert torch.equal(tuning.inverse_mass, torch.ones(2).double())
