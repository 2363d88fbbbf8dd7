"""Gamma draws, against SciPy's distribution."""

import math

import pytest
import torch
from scipy import stats

from neuralbo.networks.gamma_draws import log_gamma_draws
from neuralbo.testing.toys import seeded


@pytest.mark.parametrize("a", [1e-2, 0.3, 0.999, 1.0, 1.7, 30.0, 1e5])
def test_gamma_draws_have_their_distribution(a):
    draws = log_gamma_draws(torch.full((20_000,), a).double(), seeded(7)).exp()
    assert stats.kstest(draws.numpy(), stats.gamma(a).cdf).pvalue > 1e-3


def test_a_batch_of_shapes():
    a = torch.tensor([[0.2, 1.0, 4.0], [50.0, 0.7, 2.5]]).double()
    draws = log_gamma_draws(a.expand(4000, 2, 3), seeded(3)).exp()
    assert draws.shape == (4000, 2, 3)
    # A gamma's variance is its shape.
    assert ((draws.mean(0) - a).abs() < 5 * (a / 4000).sqrt()).all()
    for i in range(2):
        for j in range(3):
            distribution = stats.gamma(float(a[i, j])).cdf
            assert stats.kstest(draws[:, i, j].numpy(), distribution).pvalue > 1e-3


@pytest.mark.parametrize("a", [1e-6, 0.01, 0.5, 7.0, 1000.0])
def test_logarithms_are_finite_where_the_variable_underflows(a):
    draws = log_gamma_draws(torch.full((4000,), a).double(), seeded(5))
    assert draws.isfinite().all()
    assert stats.kstest(draws.numpy(), stats.loggamma(a).cdf).pvalue > 1e-3


@pytest.mark.parametrize("a", [0.0, -1.0, math.nan, math.inf])
def test_a_shape_that_is_not_positive_is_refused(a):
    with pytest.raises(ValueError, match="positive and finite"):
        log_gamma_draws(torch.tensor([1.0, a]).double(), seeded())
