"""Models after further observations, against their own updates and the Kalman filter's formula."""

import pytest
import torch
from botorch.acquisition.knowledge_gradient import qKnowledgeGradient
from botorch.sampling.get_sampler import get_sampler

from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.conditioned import ConditionedGaussian
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform

U = uniform(3, 2, seed=4)
T = uniform(4, 2, seed=5)


@pytest.mark.parametrize("recipe", [GaussianProcess(mean="zero"), BayesianRVFL(units=30)])
def test_a_gaussian_model_is_what_its_own_update_gives(recipe):
    """A mean that is not fixed would be estimated anew by the update, hence the zero one."""
    model = recipe.fit(smooth_data(), seeded())
    own, ours = (
        model.conditioned(U, multimodal(U)),
        ConditionedGaussian(model, U, multimodal(U), None),
    )
    for left, right in zip(own.joint(T), ours.joint(T), strict=True):
        # a jitter of 1e-9 of the variance keeps near points apart in one of them
        torch.testing.assert_close(left, right, atol=1e-5, rtol=1e-3)


def test_a_drawn_function_has_the_moments_after_the_observations():
    model = BayesianRVFL(units=30).fit(smooth_data(6), seeded())
    ours, rng = ConditionedGaussian(model, U, multimodal(U), None), seeded(3)
    values = torch.stack([ours.draw(rng)(T) for _ in range(200)]).squeeze(-1)
    mean, covariance = ours.joint(T)
    std = covariance.diagonal().sqrt()
    assert ((values.mean(0) - mean).abs() <= 5 * std / 200**0.5 + 1e-6).all()
    # the standard deviation of 200 draws has an error of a twentieth
    torch.testing.assert_close(values.std(0), std, rtol=0.25, atol=1e-6)


def test_a_set_of_functions_has_the_mean_of_the_kalman_filter():
    model = ExtremeLearning(members=40).fit(smooth_data(8), seeded())
    after = model.condition_on_observations(U, multimodal(U))
    F, noise = model.functions(torch.cat([U, T])).values.squeeze(-1), model.functions(U)
    C, mean = F.T.cov(correction=0), F.mean(0)
    R = (noise.noise + noise.variance).expand(40, 3, 1).mean(0).squeeze(-1)
    gain = C[3:, :3] @ torch.linalg.inv(C[:3, :3] + torch.diag(R))
    expected = mean[3:] + gain @ (multimodal(U).squeeze(-1) - mean[:3])
    torch.testing.assert_close(
        moments_of(after.posterior(T))[0].squeeze(-1), expected, rtol=1e-4, atol=1e-5
    )
    before = moments_of(model.posterior(U))[1]
    assert (moments_of(after.posterior(U))[1] < before).all()


def test_the_set_keeps_more_than_one_function():
    model = ExtremeLearning(members=40).fit(smooth_data(8), seeded())
    values = model.condition_on_observations(U, multimodal(U)).posterior(T).values
    assert (values.std(0) > 1e-3).all()


@pytest.mark.parametrize("recipe", [GaussianProcess(), ExtremeLearning(members=20)])
def test_knowledge_gradient_looks_ahead(recipe):
    """One point and two fantasies, each with its own maximizer: 1 + 2 points a batch."""
    model = recipe.fit(smooth_data(10), seeded())
    sampler = get_sampler(model.posterior(T[:1]), torch.Size([2]), seed=0)
    criterion = qKnowledgeGradient(model, num_fantasies=2, sampler=sampler)
    points = uniform(5, 3, 2, seed=6).requires_grad_()
    values = criterion(points)
    assert values.shape == (5,)
    (gradient,) = torch.autograd.grad(values.sum(), points)
    assert gradient.isfinite().all()
    assert gradient.abs().max() > 0
