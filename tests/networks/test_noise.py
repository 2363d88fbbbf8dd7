"""Noise models against scipy's densities, with the Jacobian of log sigma."""

import math

import pytest
import torch
from scipy import stats

from neuralbo.inference.chains import with_gradient
from neuralbo.networks.noise import (
    FixedNoise,
    GammaStd,
    InverseGammaVariance,
    LogNormalVariance,
)

FREE = [
    GammaStd(),
    InverseGammaVariance(),
    InverseGammaVariance(3.0, 0.2),
    LogNormalVariance(),
    LogNormalVariance(0.5, 2.0),
]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def distribution(noise):
    """(distribution of sigma^k, k)."""
    if isinstance(noise, GammaStd):
        return stats.gamma(noise.shape, scale=1 / noise.rate), 1
    if isinstance(noise, InverseGammaVariance):
        return stats.invgamma(noise.shape, scale=noise.rate), 2
    return stats.lognorm(noise.sd, scale=math.exp(noise.mean)), 2


@pytest.mark.parametrize("noise", FREE, ids=repr)
def test_the_log_density_is_scipys(noise):
    log_sd = noise.draw(6, seeded())[:, 0]
    of_power, k = distribution(noise)
    jacobian = math.log(k) + k * log_sd  # d sigma^k / d log sigma = k sigma^k
    expected = torch.as_tensor(of_power.logpdf((k * log_sd).exp().numpy())) + jacobian
    torch.testing.assert_close(noise.value_and_derivative(log_sd)[0], expected)


@pytest.mark.parametrize("noise", FREE, ids=repr)
def test_the_derivative_is_autograds(noise):
    q = noise.draw(6, seeded(1))
    _, expected = with_gradient(lambda q: noise.value_and_derivative(q[:, 0])[0])(q)
    # atol: the two terms of InverseGammaVariance() are of size 2000 and cancel
    got = noise.value_and_derivative(q[:, 0])[1]
    torch.testing.assert_close(got, expected[:, 0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("noise", FREE, ids=repr)
def test_draws_have_the_distribution(noise):
    of_power, k = distribution(noise)
    q = noise.draw(4000, seeded(2))
    assert q.shape == (4000, 1)
    draws = (k * noise.log_sd(q)).exp()
    # fixed seed; 1e-6 is what five standard errors leave of a normal distribution
    assert stats.kstest(draws.numpy(), of_power.cdf).pvalue > 1e-6


def test_a_fixed_noise_has_no_position():
    noise, rng = FixedNoise(0.3), seeded()
    q = noise.draw(4, rng)
    assert noise.extras == 0
    assert q.shape == (4, 0)
    assert torch.equal(rng.get_state(), seeded().get_state())
    torch.testing.assert_close(noise.log_sd(q), torch.full((4,), math.log(0.3)).double())
    assert all(not part.any() for part in noise.value_and_derivative(noise.log_sd(q)))


@pytest.mark.parametrize(
    "make",
    [lambda: FixedNoise(0.0), lambda: GammaStd(-1.0), lambda: LogNormalVariance(sd=0)],
)
def test_settings_are_positive(make):
    with pytest.raises(ValueError, match="must be positive and finite"):
        make()
