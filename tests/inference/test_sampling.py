"""Runs of samplers: what they keep, and that warm-up and sampling are kept apart."""

import math

import pytest
import torch

from neuralbo.inference.adaptation import DualAveraging, MovingAverage, WindowedMass
from neuralbo.inference.chains import Tuning, with_gradient
from neuralbo.inference.hmc import HMC
from neuralbo.inference.metropolis import Metropolis
from neuralbo.inference.sampling import sample
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def errors(f, truth):
    """Return how many standard errors, from independent chains, the mean of f is off."""
    means = f.mean(0)
    return (means.mean(0) - truth).abs() / (means.std(0) / math.sqrt(len(means)))


@with_gradient
def unit(q):
    return -0.5 * q.square().sum(-1)


KERNELS = [Metropolis(), HMC(4), HMC(2, jitter=0.3, persistence=0.6)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_shapes(kernel):
    chains = sample(kernel, unit, normal(5, 3), warmup=30, draws=7, thin=2, rng=seeded())
    assert chains.q.shape == (7, 5, 3)
    assert chains.log_density.shape == (7, 5)
    assert all(field.shape == (7, 5) for field in chains.infos)
    assert all(field.shape == (30, 5) for field in chains.warmup)
    assert chains.tuning.step_size.shape == (5,)
    assert chains.tuning.inverse_mass.shape == (3,)
    assert chains.q.dtype == chains.log_density.dtype == torch.float64
    torch.testing.assert_close(chains.log_density, unit(chains.q.reshape(35, 3))[0].reshape(7, 5))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("adapt", [None, DualAveraging(), MovingAverage(), WindowedMass()])
def test_one_seed_one_run_and_no_other_randomness(kernel, adapt):
    def run(seed):
        return sample(
            kernel, unit, normal(4, 2), warmup=25, draws=10, adapt=adapt, rng=seeded(seed)
        )

    before = torch.get_rng_state()
    first, again, other = run(1), run(1), run(2)
    assert torch.equal(first.q, again.q)
    assert torch.equal(first.tuning.step_size, again.tuning.step_size)
    assert not torch.equal(first.q, other.q)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_run_can_be_gone_on_with(kernel):
    rng = seeded(3)
    first = sample(kernel, unit, normal(4, 2), warmup=30, draws=5, rng=rng)
    rest = sample(kernel, unit, first.state, warmup=0, draws=5, tuning=first.tuning, rng=rng)
    whole = sample(kernel, unit, normal(4, 2), warmup=30, draws=10, rng=seeded(3))
    assert torch.equal(torch.cat([first.q, rest.q]), whole.q)
    assert rest.warmup is None
    assert torch.equal(rest.tuning.step_size, whole.tuning.step_size)


def test_thin_draws_are_every_few():
    fine = sample(HMC(3), unit, normal(4, 2), warmup=20, draws=12, rng=seeded(1))
    thin = sample(HMC(3), unit, normal(4, 2), warmup=20, draws=4, thin=3, rng=seeded(1))
    assert torch.equal(thin.q, fine.q[2::3])
    assert (thin.infos.steps == 9).all()
    torch.testing.assert_close(
        thin.infos.acceptance, fine.infos.acceptance.reshape(4, 3, 4).mean(1)
    )
    assert torch.equal(thin.infos.is_accepted, fine.infos.is_accepted.reshape(4, 3, 4).any(1))


def test_what_is_kept_can_be_chosen():
    kept = sample(
        HMC(3), unit, normal(4, 2), warmup=20, draws=6, keep=lambda q: q[:, 0], rng=seeded(1)
    )
    whole = sample(HMC(3), unit, normal(4, 2), warmup=20, draws=6, rng=seeded(1))
    assert torch.equal(kept.q, whole.q[..., 0])
    assert kept.state.point.q.shape == (4, 2)


def test_the_tuning_is_frozen_after_warm_up():
    seen = []

    class Watched:
        def init(self, target, q):
            return HMC(3).init(target, q)

        def step(self, target, state, tuning, rng):
            seen.append((tuning.step_size.clone(), tuning.inverse_mass.clone()))
            return HMC(3).step(target, state, tuning, rng)

    chains = sample(Watched(), unit, normal(4, 2), warmup=40, draws=20, rng=seeded(1))
    assert len(seen) == 60
    assert len({tuple(eps.tolist()) for eps, _ in seen[:40]}) > 30
    for eps, inverse_mass in seen[40:]:
        assert torch.equal(eps, chains.tuning.step_size)
        assert torch.equal(inverse_mass, chains.tuning.inverse_mass)


def test_without_adaptation_the_tuning_is_as_given():
    tuning = Tuning(torch.full((4,), 0.3).double(), torch.tensor([1.0, 2.0]).double())
    chains = sample(
        HMC(3), unit, normal(4, 2), warmup=30, draws=5, adapt=None, tuning=tuning, rng=seeded()
    )
    assert chains.tuning is tuning


@pytest.mark.parametrize("adapt", [DualAveraging(), WindowedMass(), MovingAverage(highest=2.0)])
@pytest.mark.parametrize("kernel", [HMC(6, jitter=0.3), HMC(3, jitter=0.2, persistence=0.5)])
def test_an_adapted_run_has_the_right_distribution(adapt, kernel):
    """A Gaussian with a correlation of 0.8, standard deviations 1 and 5, and mean 2 and -3."""
    mean = torch.tensor([2.0, -3.0]).double()
    cov = torch.tensor([[1.0, 4.0], [4.0, 25.0]]).double()
    precision = torch.linalg.inv(cov)

    def target(q):
        g = (mean - q) @ precision
        return -0.5 * ((mean - q) * g).sum(-1), g

    chains = sample(
        kernel, target, 3 * normal(50, 2), warmup=200, draws=200, adapt=adapt, rng=seeded(1)
    )
    min_separation = chains.q - mean
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(chains.q, mean).max() < 5
    assert errors(second[None], cov).max() < 5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_half_a_space_that_is_no_number_stops_nobody(bad):
    def target(q):
        is_bad = q[:, 0] < 0
        return (
            torch.where(is_bad, bad, -0.5 * q.square().sum(-1)),
            torch.where(is_bad[:, None], bad, -q),
        )

    for kernel in KERNELS:
        chains = sample(kernel, target, normal(50, 2).abs(), warmup=100, draws=100, rng=seeded(1))
        assert (chains.q[..., 0] >= 0).all()
        assert chains.tuning.step_size.isfinite().all()
        assert chains.infos.is_accepted.any(0).all()


def test_a_start_that_is_no_number_is_refused():
    def target(q):
        return torch.where(q[:, 0] < 0, math.nan, 0.0).double(), torch.zeros_like(q)

    q = torch.tensor([[1.0], [-1.0], [2.0], [-2.0]]).double()
    with pytest.raises(ValueError, match=r"a number; \[1, 3\] do not"):
        sample(HMC(3), target, q, warmup=0, draws=1, rng=seeded())


@pytest.mark.parametrize("bad", [{"warmup": -1}, {"draws": 0}, {"thin": 0}])
def test_counts_out_of_range_are_refused(bad):
    counts = {"warmup": 1, "draws": 1, "thin": 1} | bad
    with pytest.raises(ValueError, match="no less than 0 warm-up"):
        sample(HMC(3), unit, normal(2, 2), rng=seeded(), **counts)
