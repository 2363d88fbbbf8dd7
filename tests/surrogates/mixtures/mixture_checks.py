"""Checks of all surrogates that are a mixture of Gaussians at each point."""

import math

import numpy as np
import pytest
import torch

from neuralbo.criteria import ExpectedImprovement, MixtureImprovement, ProbabilityOfImprovement
from neuralbo.criteria.default_criterion import usual_criterion
from neuralbo.criteria.mixture_criteria import UpperQuantile
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates.mixtures.mixture_model import NOISE_PART, MixtureModel
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.surrogate_checks import DRAWS, ERRORS, fitted, sample
from neuralbo.testing.toys import cube, multimodal, seeded, smooth_data, uniform


def assert_distribution(samples, distribution):
    """Compare samples with a distribution by its own cdf, which makes them uniform.

    Their variance would not do: it hangs on a component of small weight, which may not be drawn.
    """
    u, n = distribution.cdf(samples), len(samples)
    assert ((u.mean(0) - 0.5).abs() <= ERRORS * math.sqrt(1 / 12 / n)).all()
    assert (((u - 0.5).square().mean(0) - 1 / 12).abs() <= ERRORS * math.sqrt(1 / 180 / n)).all()


NODES, WEIGHTS = (torch.from_numpy(x) for x in np.polynomial.legendre.leggauss(24))
STEPS = torch.tensor(
    [0, 1, 2, 3, 4, 6, 8, 11], dtype=torch.float64
)  # standard deviations of a piece's ends


def integral(f, distribution, low=-math.inf):
    """Integrate from `low` over the pieces between places where a density is steep.

    Gauss and Legendre's rule is exact to 1e-12 on pieces of three standard deviations and less;
    what is beyond eleven is no part of the mass.
    """
    steps = torch.cat([-STEPS.flip(0), STEPS])
    ends = (
        distribution.means[..., None] + distribution.standard_deviations[..., None] * steps
    ).flatten()
    ends = ends.clamp(min=low).unique()
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    y = middle[:, None] + half[:, None] * NODES
    return float((half[:, None] * WEIGHTS * f(y)).sum())


class MixtureChecks(SurrogateChecks):
    """The checks of a surrogate, and those of a mixture."""

    def test_samples_have_the_posterior_moments(self, model, X):
        """In place of their moments, the whole distribution: see `assert_distribution`."""
        posterior = model.posterior(X)
        assert_distribution(sample(posterior, 512)[..., 0], posterior.marginal)

    def test_drawn_functions_have_the_posterior_moments(self, surrogate, X):
        model, rng = fitted(surrogate, 6, 2), seeded(4)
        values = torch.stack([model.draw(rng)(X[:2])[..., 0] for _ in range(DRAWS)])
        assert_distribution(values, model.marginal(X[:2], observation_noise=False))

    def test_the_model_is_a_mixture(self, model, X):
        assert isinstance(model, MixtureModel)
        distribution, (log_weights, means, stds) = model.marginal(X), model.components(X)
        parts = [x.expand(-1, *X.shape[:-1]).movedim(0, -1) for x in (means, stds)]
        torch.testing.assert_close(log_weights.movedim(0, -1), distribution.log_weights)
        torch.testing.assert_close(parts[0], distribution.means)
        torch.testing.assert_close(
            parts[1], math.sqrt(1 - NOISE_PART) * distribution.standard_deviations
        )

    def test_moments_are_those_of_the_posterior_too(self, model, X):
        mean, variance = model.moments(X)
        posterior = model.posterior(X)
        torch.testing.assert_close(mean[..., None], posterior.mean)
        torch.testing.assert_close(variance[..., None], posterior.variance)

    @pytest.mark.parametrize("d", [1, 2, 3, 5])
    def test_the_conditional_is_the_joint_density_over_that_of_x(self, surrogate, d):
        """With the background: (n p(x, y) + w p_0(y))/(n p(x) + w); Kruse (2022), Sec. 4.1."""
        model, X = fitted(surrogate, 20, d), uniform(3, d, seed=8)
        joint, ratio = model.joint, math.exp(model.blend.log_ratio)
        y = torch.linspace(-2, 2, 5, dtype=torch.float64)[:, None]
        scale = model.units[1].scale
        parts = joint.parts(model.units[0].numbers(X))
        numbers = ((y - model.units[1].shift) / scale)[..., None]
        normal = torch.distributions.Normal(parts.means, parts.stds)
        p_xy = (parts.log_weights.exp() * normal.log_prob(numbers).exp()).sum(-1)
        p_x = parts.log_weights.exp().sum(-1)
        p_0 = model.blend.background.log_density(numbers[..., 0]).exp()
        exact = (ratio * p_xy + p_0) / (ratio * p_x + 1) / scale
        torch.testing.assert_close(model.log_density(X, y).exp(), exact)

    def test_densities_integrate_to_one(self, model, X):
        for x in X[:2, 0]:
            total = integral(lambda y, x=x: model.log_density(x, y).exp(), model.marginal(x))
            assert total == pytest.approx(1.0, abs=1e-8)

    def test_a_density_has_the_units_of_the_values(self, surrogate, data, model, X):
        """The log density of 10 y is that of y less log 10."""
        other = surrogate.fit(Data(data.X, 10 * data.Y + 3), seeded(1))
        y = multimodal(X)[..., 0]
        there = other.log_density(X, 10 * y + 3)
        torch.testing.assert_close(
            there, model.log_density(X, y) - math.log(10), atol=1e-3, rtol=0
        )

    def test_far_from_the_data_only_the_background_is_left(self, model, data):
        """Kruse (2022), Sec. 4.1: mean and standard deviation are those of the background."""
        far = torch.full((1, 2), 1e4, dtype=torch.float64)
        mean, variance = model.moments(far)
        units, std = model.units[1], model.blend.background.std
        assert model.evidence_weight(far) == 0
        assert model.log_evidence_weight(far).isfinite().all()
        torch.testing.assert_close(mean, units.shift.expand(1))
        torch.testing.assert_close(variance.sqrt(), std * units.scale, rtol=1e-5, atol=0)

    def test_the_evidence_is_the_weight_of_the_data(self, model, X):
        alpha = model.evidence_weight(X)
        assert ((alpha >= 0) & (alpha <= 1)).all()
        background = model.components(X)[0][-1].exp()
        torch.testing.assert_close(alpha + background, torch.ones_like(alpha))

    def test_expected_improvement_is_exact_and_the_usual_criterion(self, model, data, X):
        step = Step.of(data, cube(2), seed=0, number=0)
        assert usual_criterion(step, model) == MixtureImprovement()
        best, points = float(data.best[0]), X[:3, :1]
        values = MixtureImprovement()(step, model)(points)
        for x, value in zip(points, values, strict=True):
            distribution = model.marginal(x[0], observation_noise=False)
            exact = integral(
                lambda y, distribution=distribution: (
                    (y - best) * distribution.log_density(y).exp()
                ),
                distribution,
                best,
            )
            assert float(value) == pytest.approx(math.log(exact), abs=1e-8)

    def test_the_gradient_of_expected_improvement_is_right(self, model, data, X):
        step = Step.of(data, cube(2), seed=0, number=0)
        acquisition = MixtureImprovement()(step, model)
        assert torch.autograd.gradcheck(acquisition, X[:3, :1].clone().requires_grad_())

    def test_the_probability_of_improvement_is_exact(self, model, data, X):
        step = Step.of(data, cube(2), seed=0, number=0)
        value = ProbabilityOfImprovement()(step, model)(X[:, :1])
        distribution = model.marginal(X[:, 0], observation_noise=False)
        torch.testing.assert_close(value, 1 - distribution.cdf(data.best[0]))

    def test_the_upper_quantile_is_that_of_the_mixture(self, model, data, X):
        step = Step.of(data, cube(2), seed=0, number=0)
        value = UpperQuantile(beta=1.5)(step, model)(X[:, :1])
        distribution = model.marginal(X[:, 0], observation_noise=False)
        p = torch.special.ndtr(torch.tensor(1.5, dtype=torch.float64))
        torch.testing.assert_close(distribution.cdf(value), p.expand(len(X)))

    def test_ei_is_that_of_one_gaussian_of_the_same_moments(self, model, data, X):
        """The approximation of Kruse (2022), Sec. 5.1, which `kde/ei` still is."""
        step = Step.of(data, cube(2), seed=0, number=0)
        value = ExpectedImprovement()(step, model)(X[:, :1])
        mean, variance = model.moments(X[:, 0])
        normal = torch.distributions.Normal(0.0, 1.0)
        z = (mean - data.best[0]) / variance.sqrt()
        exact = variance.sqrt() * normal.log_prob(z).exp() + (mean - data.best[0]) * normal.cdf(z)
        torch.testing.assert_close(value, exact)

    @pytest.mark.parametrize("n", [2, 3])
    def test_very_few_observations_are_fine(self, surrogate, n):
        model = surrogate.fit(smooth_data(n), seeded(1))
        mean, variance = model.moments(uniform(5, 2))
        assert mean.isfinite().all() and (variance > 0).all()

    def test_a_hundred_columns_are_fine(self, surrogate):
        model = surrogate.fit(smooth_data(15, 100), seeded(1))
        mean, variance = model.moments(uniform(5, 100))
        assert mean.isfinite().all() and (variance > 0).all()
