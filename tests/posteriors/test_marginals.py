"""Marginals: the distribution of every point is the model's, and draws are smooth functions."""

import math

import pytest
import torch
from botorch.acquisition.logei import qLogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.models.model import Model
from botorch.optim import optimize_acqf
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.sampling import manual_seed

from neuralbo.posteriors import Field, GaussianMixture, Marginals, SharedDraws


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def cube(*shape, seed=3):
    return torch.rand(*shape, generator=seeded(seed), dtype=torch.float64)


FIELD = Field.draw(2, seeded())


class TwoBranches(Model):
    """y = +-sin(3 x_1) with Gaussian noise that grows with x_2.

    A distribution at each x, no joint one.
    """

    num_outputs = 1
    batch_shape = torch.Size()

    def posterior(self, X, output_indices=None, observation_noise=False, posterior_transform=None):
        branch, width = torch.sin(3 * X[..., 0]), 0.2 + X[..., 1]
        marginal = GaussianMixture(
            torch.tensor([0.0, 0.7]).double(),
            torch.stack([branch, -branch], -1),
            torch.stack([width, width], -1),
        )
        return Marginals(marginal, FIELD.features(X))


def draws(X, n=20, seed=0):
    return TwoBranches().posterior(X).draw_with(seeded(seed), torch.Size([n]))


def test_the_field_has_variance_one_at_every_point():
    features = FIELD.features(cube(50, 2))
    torch.testing.assert_close(features.square().sum(-1), torch.ones(50).double())


def test_the_covariance_of_the_field_is_the_squared_exponential():
    h, d, lengthscale = 20_000, 3, 0.3
    features = Field.draw(d, seeded(), lengthscale, h).features(cube(6, d))
    distance = torch.cdist(cube(6, d), cube(6, d))
    exact = (-0.5 * distance.square() / (lengthscale**2 * d)).exp()
    error = math.sqrt(0.5 / h)  # the variance of a cosine is at most 1/2 away from x = x'
    assert ((features @ features.mT - exact).abs() < 5 * error).all()


def test_draws_have_the_moments_of_the_distribution():
    X, n = cube(3, 2, 2), 20_000
    posterior = TwoBranches().posterior(X)
    samples = draws(X, n)
    assert ((samples.mean(0) - posterior.mean).abs() < 5 * (posterior.variance / n).sqrt()).all()
    squares = (samples - posterior.mean).square()
    error = squares.std(0) / math.sqrt(n)
    assert ((squares.mean(0) - posterior.variance).abs() < 5 * error).all()


def test_draws_have_the_cdf_of_the_distribution():
    X, n = cube(4, 2), 20_000
    samples = draws(X, n)[..., 0]
    exact = TwoBranches().posterior(X).marginal.cdf(torch.tensor(0.3).double())
    error = (exact * (1 - exact) / n).sqrt()
    assert (((samples <= 0.3).double().mean(0) - exact).abs() < 5 * error).all()


def test_a_point_given_twice_is_one_point():
    samples = draws(cube(3, 2)[[1, 1]])
    assert torch.equal(samples[:, 0], samples[:, 1])


def test_a_draw_is_one_function_over_overlapping_calls():
    X = cube(6, 2)
    torch.testing.assert_close(draws(X[:2]), draws(X[None])[:, 0, :2])


def test_close_points_have_close_values_and_distant_ones_do_not():
    X = torch.tensor([[0.2, 0.5], [0.2001, 0.5], [0.9, 0.5]]).double()
    samples = draws(X, 2000)[..., 0]
    ranks = TwoBranches().posterior(X).marginal.cdf(samples)
    correlation = torch.corrcoef(ranks.mT)
    assert correlation[0, 1] > 0.999
    assert correlation[0, 2].abs() < 0.5  # exp(-0.7^2 / (2 * 0.2^2 * 2)) = 0.05, 128 frequencies


def test_draws_are_smooth():
    X = cube(3, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: draws(x, 4), X)


def test_the_mean_and_variance_are_those_of_the_distribution():
    posterior = TwoBranches().posterior(cube(3, 2, 2))
    assert torch.equal(posterior.mean[..., 0], posterior.marginal.mean)
    assert torch.equal(posterior.variance[..., 0], posterior.marginal.variance)
    assert posterior.mean.shape == posterior.base_sample_shape == (3, 2, 1)


@pytest.mark.parametrize("b", [(), (3,), (4, 3)])
def test_quantiles_and_densities_are_those_of_the_distribution(b):
    posterior = TwoBranches().posterior(cube(*b, 2, 2))
    values = torch.tensor([0.2, 0.9]).double()
    quantile, density = posterior.quantile(values), posterior.density(values)
    assert quantile.shape == density.shape == (2, *b, 2, 1)
    for v, q, p in zip(values, quantile[..., 0], density[..., 0], strict=True):
        torch.testing.assert_close(posterior.marginal.cdf(q), v.expand_as(q))
        torch.testing.assert_close(p, posterior.marginal.log_density(v).exp())


def test_one_seed_one_draw_and_no_other_randomness():
    before = torch.get_rng_state()
    X = cube(3, 2)
    assert torch.equal(draws(X, seed=5), draws(X, seed=5))
    assert TwoBranches().posterior(X).rsample().shape == (1, 3, 1)
    assert not torch.equal(*(TwoBranches().posterior(X).rsample() for _ in range(2)))
    assert torch.equal(torch.get_rng_state(), before)


def test_draws_far_in_the_tail_are_finite():
    features = torch.full((1, 1), 20.0).double()  # a field of twenty standard deviations
    marginal = GaussianMixture(*torch.tensor([[[0.0]], [[1.0]], [[2.0]]]).double())
    assert Marginals(marginal, features).draw_with(seeded(), torch.Size([100])).isfinite().all()


def test_botorch_chooses_our_sampler():
    sampler = get_sampler(TwoBranches().posterior(cube(3, 2)), torch.Size([4]), seed=1)
    assert isinstance(sampler, SharedDraws)


def test_a_candidate_has_one_value_wherever_it_stands_in_the_batch():
    sampler = SharedDraws(torch.Size([32]), seed=0)
    acquisition = qLogNoisyExpectedImprovement(
        TwoBranches(), cube(4, 2), sampler, prune_baseline=False
    )
    candidate = cube(1, 2, seed=4)
    values = [acquisition(candidate[None])[0]]
    for size in (2, 9):
        for place in (0, size - 1):
            X = cube(size, 1, 2, seed=size)
            X[place] = candidate
            values.append(acquisition(X)[place])
    found = torch.stack(values)
    torch.testing.assert_close(found, found[:1].expand_as(found), rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore:Optimization failed:RuntimeWarning")  # by rounding
def test_smoke_of_a_criterion_through_optimize_acqf():
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    sampler = SharedDraws(torch.Size([32]), seed=0)
    with manual_seed(0):
        acquisition = qLogExpectedImprovement(TwoBranches(), 0.5, sampler)
        X, value = optimize_acqf(acquisition, bounds, 2, 2, 8, options={"maxiter": 5})
    assert X.shape == (2, 2)
    assert value.isfinite()


def test_features_of_other_points_are_refused():
    marginal = GaussianMixture(*torch.zeros(3, 4, 2, 1).double())
    with pytest.raises(ValueError, match=r"same points.*\(4, 2\) and \(4, 3, 8\)"):
        Marginals(marginal, torch.zeros(4, 3, 8).double())
