"""A mixture of Gaussian distributions of functions: moments, and samples that are functions."""

import pytest
import torch
from botorch.sampling.get_sampler import get_sampler

from neuralbo.posteriors import GaussianFunctions, SharedDraws
from neuralbo.testing.surrogate_checks import assert_moments
from neuralbo.testing.toys import seeded, uniform

LOG_WEIGHTS = torch.tensor([0.6, 0.3, 0.1], dtype=torch.float64).log()


def posterior_of(b=(2,), q=3, s=3):
    means = 4 * uniform(s, *b, q) - 2
    roots = uniform(s, *b, q, q, seed=1) - 0.5
    return GaussianFunctions(means, roots @ roots.mT, LOG_WEIGHTS[:s])


@pytest.fixture
def posterior():
    return posterior_of()


def sample(posterior, n, seed=7):
    return get_sampler(posterior, torch.Size([n]), seed=seed)(posterior)


def test_the_moments_are_those_of_total_mean_and_variance(posterior):
    w = LOG_WEIGHTS.exp()[:, None, None]
    variances = posterior.covariances.diagonal(dim1=-2, dim2=-1)
    mean = (w * posterior.means).sum(0)
    spread = (posterior.means - mean).square()
    torch.testing.assert_close(posterior.mean[..., 0], mean)
    torch.testing.assert_close(posterior.variance[..., 0], (w * (variances + spread)).sum(0))


@pytest.mark.parametrize("b", [(), (2,), (2, 1)])
def test_samples_have_the_moments(b):
    posterior = posterior_of(b)
    samples = sample(posterior, 4096)
    assert samples.shape == (4096, *b, 3, 1)
    assert_moments(samples, posterior.mean, posterior.variance)


def test_samples_have_the_covariance_over_points(posterior):
    n, w = 2**14, LOG_WEIGHTS.exp()
    rest = (sample(posterior, n) - posterior.mean)[..., 0]  # n x b x q
    products = rest[..., :, None] * rest[..., None, :]
    shifts = posterior.means - posterior.mean[..., 0]
    exact = posterior.covariances + shifts[..., :, None] * shifts[..., None, :]
    exact = torch.tensordot(w, exact, dims=1)
    error = products.std(0) / n**0.5
    assert ((products.mean(0) - exact).abs() < 5 * error).all()


def test_a_sample_is_of_one_component_wherever_it_is_evaluated():
    means = torch.arange(3).double()[:, None, None].expand(3, 5, 2)
    narrow = 1e-12 * torch.eye(2).double().expand(3, 5, 2, 2)
    samples = sample(GaussianFunctions(means, narrow, LOG_WEIGHTS), 100)
    members = samples.round()
    assert (members == members[:, :1, :1]).all()
    counts = members[:, 0, 0, 0].long().bincount()
    assert counts.tolist() == [60, 30, 10]


def test_a_seed_is_a_function_whatever_the_batches_and_points(posterior):
    few = GaussianFunctions(
        posterior.means[:, :1, :2], posterior.covariances[:, :1, :2, :2], LOG_WEIGHTS
    )
    torch.testing.assert_close(sample(few, 8), sample(posterior, 8)[:, :1, :2])
    assert torch.equal(sample(posterior, 8), sample(posterior, 8))
    assert isinstance(get_sampler(posterior, torch.Size([8]), seed=1), SharedDraws)


def test_covariances_without_a_factor_are_drawn_from_nevertheless():
    correlation = torch.tensor([[1.0, 1.001], [1.001, 1.0]], dtype=torch.float64)
    scale = torch.tensor([1e-300, 1.0, 1e200], dtype=torch.float64)
    posterior = GaussianFunctions(
        torch.zeros(3, 2).double(), correlation * scale[:, None, None], LOG_WEIGHTS
    )
    samples = sample(posterior, 50)[..., 0]
    assert samples.isfinite().all()
    rest = (samples[:, 0] - samples[:, 1]).abs() / samples.abs().amax(-1)
    assert rest.median() < 0.5


def test_the_gradient_of_samples_is_right(posterior):
    roots = (uniform(3, 2, 3, 3, seed=1) - 0.5).requires_grad_()
    means = posterior.means.clone().requires_grad_()

    def f(means, roots):
        return sample(GaussianFunctions(means, roots @ roots.mT, LOG_WEIGHTS), 4)

    assert torch.autograd.gradcheck(f, (means, roots))


def test_fresh_samples_have_the_shape_of_the_posterior(posterior):
    assert posterior.rsample().shape == (1, 2, 3, 1)
    shape = torch.Size([4, 5])
    assert posterior.rsample(shape).shape == posterior.draw_with(seeded(), shape).shape
    assert posterior.draw_with(seeded(), shape).shape == (4, 5, 2, 3, 1)
    assert posterior.base_sample_shape == (2, 3, 1)
    assert posterior.batch_range == (0, -2)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="s x b x q x q"):
        GaussianFunctions(torch.zeros(3, 2), torch.zeros(3, 2, 3), torch.zeros(3))
