"""FunctionDraws by its definition, and inside BoTorch's Monte Carlo acquisition functions."""

import math

import pytest
import torch
from botorch.acquisition import qUpperConfidenceBound
from botorch.acquisition.logei import qLogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.models.model import Model
from botorch.optim import optimize_acqf
from botorch.posteriors.ensemble import EnsemblePosterior
from botorch.sampling.get_sampler import get_sampler
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.sampling import manual_seed
from scipy.integrate import quad

from neuralbo.posteriors import FunctionDraws, SharedDraws
from neuralbo.posteriors.gaussian_mixture import GaussianMixture

S = 8


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def normals(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


class Waves(Model):
    """f_k(x) = sin(a_k.x + c_k) in two dimensions; the posterior is as it is told."""

    def __init__(self, kind, noise=None, s=S):
        super().__init__()
        self.kind, self.noise = kind, noise
        self.a, self.c = 3 * normals(s, 2, seed=1), normals(s, seed=2)

    num_outputs = 1
    batch_shape = torch.Size()

    def posterior(self, X, output_indices=None, observation_noise=False, posterior_transform=None):
        values = torch.sin(torch.einsum("...d,sd->s...", X, self.a).movedim(0, -1) + self.c)
        values = values.movedim(-1, 0).unsqueeze(-1)  # s x b x q x 1
        if self.kind is EnsemblePosterior:
            return EnsemblePosterior(values.movedim(0, -3))
        return FunctionDraws(values, self.noise)


def cube(*shape, seed=3):
    return torch.rand(*shape, 2, generator=seeded(seed), dtype=torch.float64)


def values_of_one_candidate(kind, noise=None):
    """Noisy improvement of one candidate: alone, and at each place of batches of others."""
    acquisition = qLogNoisyExpectedImprovement(Waves(kind, noise), cube(4), prune_baseline=False)
    candidate = cube(1, seed=4)
    values = [acquisition(candidate[None])[0]]
    for size in (2, 5, 33):
        for place in (0, size // 2, size - 1):
            X = cube(size, 1, seed=size)
            X[place] = candidate
            values.append(acquisition(X)[place])
    return torch.stack(values).detach()


def test_a_candidate_has_one_value_wherever_it_stands_in_the_batch():
    with manual_seed(0):
        values = values_of_one_candidate(FunctionDraws)
    torch.testing.assert_close(values, values[:1].expand_as(values), rtol=1e-10, atol=1e-12)


def test_a_candidate_has_one_value_under_observation_noise_too():
    with manual_seed(0):
        values = values_of_one_candidate(FunctionDraws, torch.tensor(0.01).double())
    torch.testing.assert_close(values, values[:1].expand_as(values), rtol=1e-10, atol=1e-12)


def test_a_candidate_has_many_values_with_the_ensemble_posterior_of_botorch():
    with manual_seed(0):
        values = values_of_one_candidate(EnsemblePosterior)
    assert (values.max() - values.min()) > 0.1  # in the log: ten percent of the improvement


def test_a_criterion_of_all_functions_has_no_monte_carlo_error():
    model, x = Waves(FunctionDraws), cube(1)
    sampler = SharedDraws(torch.Size([S]), seed=0)
    best = 0.2
    acquisition = qLogExpectedImprovement(model, best, sampler, fat=False, tau_relu=1e-8)
    values = torch.sin(model.a @ x[0] + model.c)
    exact = (values - best).clamp(min=0).mean().log()
    torch.testing.assert_close(acquisition(x), exact[None], rtol=1e-4, atol=0)  # tau_relu


def test_the_variance_is_that_of_its_samples():
    posterior = FunctionDraws(normals(S, 3, 2, 2))
    samples = posterior.draw_with(seeded(), torch.Size([S]))
    torch.testing.assert_close(samples.var(0, correction=0), posterior.variance)
    torch.testing.assert_close(samples.mean(0), posterior.mean)


def test_weights_are_frequencies():
    values = normals(3, 2, 2, 1)
    weighted = FunctionDraws(values, weights=torch.tensor([1.0, 2.0, 5.0]).double())
    repeated = FunctionDraws(values[[0, 1, 1, 2, 2, 2, 2, 2]])
    torch.testing.assert_close(weighted.mean, repeated.mean)
    torch.testing.assert_close(weighted.variance, repeated.variance)


def test_the_variance_is_that_of_the_functions_plus_that_of_the_noise():
    values, noise = normals(S, 3, 2, 1), normals(S, 1, 1, 1, seed=1).square()
    posterior = FunctionDraws(values, noise)
    torch.testing.assert_close(posterior.function_variance, FunctionDraws(values).variance)
    torch.testing.assert_close(posterior.noise_variance, noise.mean(0).expand(3, 2, 1))
    torch.testing.assert_close(
        posterior.variance, values.var(0, correction=0) + noise.mean().expand(3, 2, 1)
    )


def test_without_noise_its_variance_is_zero():
    posterior = FunctionDraws(normals(S, 3, 2, 1))
    assert torch.equal(posterior.noise_variance, torch.zeros(3, 2, 1).double())


def test_noisy_samples_have_the_moments_of_the_posterior():
    posterior = FunctionDraws(normals(S, 1, 1), torch.linspace(0.1, 2, S).double()[:, None, None])
    n = 40_000
    samples = posterior.draw_with(seeded(), torch.Size([n]))
    assert ((samples.mean(0) - posterior.mean).abs() < 5 * (posterior.variance / n).sqrt()).all()
    squares = (samples - posterior.mean).square()
    error = squares.std(0) / math.sqrt(n)
    assert ((squares.mean(0) - posterior.variance).abs() < 5 * error).all()


def test_as_many_samples_as_functions_use_each_once_in_order():
    values = normals(S, 3, 2, 1)
    samples = FunctionDraws(values).draw_with(seeded(), torch.Size([2, S // 2]))
    assert torch.equal(samples, values.reshape(2, S // 2, 3, 2, 1))


@pytest.mark.parametrize("n", [1, 3, 7, 64, 100])
@pytest.mark.parametrize("weights", [None, [0.0, 1.0, 2.0, 3.5, 0.0]])
def test_each_function_comes_as_often_as_its_weight_says(n, weights):
    weights = None if weights is None else torch.tensor(weights).double()
    posterior = FunctionDraws(torch.arange(5.0).double()[:, None, None], weights=weights)
    drawn = posterior.draw_with(seeded(), torch.Size([n])).flatten().long()
    counts = torch.bincount(drawn, minlength=5)
    assert ((counts - n * posterior.weights).abs() < 1).all()
    assert not counts[posterior.weights == 0].any()


def test_a_single_draw_follows_the_weights():
    posterior = FunctionDraws(
        torch.arange(3.0).double()[:, None, None], weights=torch.tensor([1.0, 2.0, 5.0]).double()
    )
    rng, n = seeded(), 4000
    drawn = torch.stack([posterior.draw_with(rng, torch.Size([])) for _ in range(n)])
    share = torch.bincount(drawn.flatten().long(), minlength=3) / n
    p = torch.tensor([1 / 8, 2 / 8, 5 / 8])
    assert ((share - p).abs() < 5 * (p * (1 - p) / n).sqrt()).all()


@pytest.mark.parametrize("noise", [None, torch.tensor(0.3).double()])
def test_a_draw_is_one_function_over_overlapping_calls(noise):
    model, X = Waves(FunctionDraws, noise), cube(6)
    few, many = (
        model.posterior(x).draw_with(seeded(), torch.Size([20])) for x in (X[:2], X[None])
    )
    torch.testing.assert_close(few, many[:, 0, :2])


def test_a_point_given_twice_is_one_point():
    samples = Waves(FunctionDraws).posterior(cube(3)[[1, 1]]).draw_with(seeded(), torch.Size([9]))
    assert torch.equal(samples[:, 0], samples[:, 1])


def test_noise_is_shared_over_the_batch_and_not_over_points():
    posterior = FunctionDraws(torch.zeros(S, 4, 2, 3).double(), torch.tensor(1.0).double())
    noise = posterior.draw_with(seeded(), torch.Size([5]))
    assert torch.equal(noise, noise[:, :1].expand_as(noise))
    assert noise[:, 0].flatten().unique().numel() == 5 * 2 * 3


def test_several_batch_dimensions_and_none_are_fine():
    for b in ((), (3,), (2, 3)):
        posterior = FunctionDraws(normals(S, *b, 2, 1), torch.tensor(0.1).double())
        assert posterior.mean.shape == posterior.variance.shape == (*b, 2, 1)
        shape = torch.Size([4, 5])
        assert posterior.rsample(shape).shape == posterior._extended_shape(shape)
        assert posterior._extended_shape(shape) == (4, 5, *b, 2, 1)


def test_the_gradient_of_a_draw_is_right():
    def f(values, noise):
        return FunctionDraws(values, noise).draw_with(seeded(), torch.Size([5]))

    values = normals(3, 2, 2, 1).requires_grad_()
    noise = normals(3, 2, 2, 1).square().requires_grad_()
    assert torch.autograd.gradcheck(f, (values, noise))


def test_rsample_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    posterior = FunctionDraws(normals(S, 2, 1), torch.tensor(0.1).double())
    assert posterior.rsample().shape == (1, 2, 1)
    assert not torch.equal(posterior.rsample(), posterior.rsample())
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("weights", [None, torch.tensor([1.0, 3.0, 0.0, 2.0, 1.0]).double()])
def test_a_quantile_is_the_smallest_value_that_reaches_the_probability(weights):
    posterior = FunctionDraws(normals(5, 2, 3, 1), weights=weights)
    p = torch.tensor([0.05, 0.5, 0.99]).double()
    found = posterior.quantile(p)
    values, w = posterior.values, posterior.weights
    for i, j, k in torch.cartesian_prod(torch.arange(3), torch.arange(2), torch.arange(3)):
        column = values[:, j, k, 0]
        reached = [v for v in column.tolist() if w[column <= v].sum() >= p[i]]
        assert found[i, j, k, 0].item() == min(reached)


def test_a_quantile_is_not_moved_by_the_rounding_of_the_weights():
    posterior = FunctionDraws(torch.arange(10.0).double()[:, None, None])
    p = torch.arange(1, 10).double() / 10  # eight times 0.1, added up, is less than 0.8
    torch.testing.assert_close(posterior.quantile(p).flatten(), torch.arange(9.0).double())


def test_the_quantile_of_a_scalar_has_the_shape_of_the_mean():
    posterior = FunctionDraws(normals(5, 2, 3, 1))
    assert posterior.quantile(torch.tensor(0.5)).shape == posterior.mean.shape


def test_with_noise_the_quantile_is_that_of_the_mixture():
    values, noise = normals(5, 2, 3, 1), torch.tensor(0.3).double()
    weights = torch.tensor([1.0, 3.0, 0.0, 2.0, 1.0]).double()
    found = FunctionDraws(values, noise, weights).quantile(torch.tensor([0.1, 0.7]).double())
    marginal = GaussianMixture(weights.log(), values[:, 1, 2, 0], noise.sqrt().expand(5))
    exact = marginal.quantile(torch.tensor([0.1, 0.7]).double())
    torch.testing.assert_close(found[:, 1, 2, 0], exact)


def test_with_noise_the_density_integrates_to_the_mean():
    posterior = FunctionDraws(normals(5, 1, 1), torch.tensor(0.3).double())
    mean, _ = quad(lambda y: y * posterior.density(torch.tensor(y)).item(), -8, 8)
    assert mean == pytest.approx(posterior.mean.item())


def test_without_noise_there_is_no_density():
    with pytest.raises(NotImplementedError, match="observation_noise=True"):
        FunctionDraws(normals(5, 1, 1)).density(torch.tensor(0.0))


def test_botorch_chooses_our_sampler():
    posterior = FunctionDraws(normals(S, 2, 1))
    assert isinstance(get_sampler(posterior, torch.Size([4]), seed=1), SharedDraws)


def test_a_sampler_gives_the_same_samples_at_every_call():
    model, sampler = Waves(FunctionDraws), SharedDraws(torch.Size([20]), seed=3)
    posterior = model.posterior(cube(5))
    first = sampler(posterior)
    sampler._update_base_samples(posterior, SharedDraws(torch.Size([20]), seed=4))
    assert torch.equal(sampler(posterior), first)


def test_our_sampler_refuses_other_posteriors():
    with pytest.raises(TypeError, match="got EnsemblePosterior"):
        SharedDraws(torch.Size([4]), seed=0)(EnsemblePosterior(normals(S, 2, 1)))


def smoke_cases():
    model, X = Waves(FunctionDraws), cube(4)
    pending = cube(2, seed=9)
    return {
        "qLogEI": lambda: qLogExpectedImprovement(model, 0.2),
        "qLogEI, pending": lambda: qLogExpectedImprovement(model, 0.2, X_pending=pending),
        "qUCB": lambda: qUpperConfidenceBound(model, 2.0),
        "qLogNEI": lambda: qLogNoisyExpectedImprovement(model, X),
        "qLogNEI, pending": lambda: qLogNoisyExpectedImprovement(model, X, X_pending=pending),
    }


@pytest.mark.filterwarnings("ignore:Optimization failed:RuntimeWarning")  # by rounding
@pytest.mark.parametrize("name", smoke_cases())
def test_smoke_of_criteria_through_optimize_acqf(name):
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    options = {"maxiter": 5}
    with manual_seed(0):
        X, value = optimize_acqf(
            smoke_cases()[name](), bounds, 2, 2, 8, options=options, sequential="NEI" in name
        )
    assert X.shape == (2, 2)
    assert value.isfinite().all()


def test_a_normal_sampler_is_refused():
    with pytest.raises(NotImplementedError, match="sampled by SharedDraws"):
        SobolQMCNormalSampler(torch.Size([4]), seed=0)(FunctionDraws(normals(S, 2, 1)))


def test_values_without_points_and_outputs_are_refused():
    with pytest.raises(ValueError, match=r"s x b x q x m .* got \(8, 2\)"):
        FunctionDraws(normals(S, 2))


def test_no_function_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one function"):
        FunctionDraws(normals(0, 2, 1))


@pytest.mark.parametrize("weights", [[1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [1.0, math.nan, 1.0]])
def test_impossible_weights_are_refused(weights):
    with pytest.raises(ValueError, match="finite, not negative and not all zero"):
        FunctionDraws(normals(3, 2, 1), weights=torch.tensor(weights).double())


def test_weights_of_another_number_of_functions_are_refused():
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        FunctionDraws(normals(3, 2, 1), weights=torch.ones(2).double())


@pytest.mark.parametrize("shape", [(2, 2, 1), (1, 3, 2, 1)])
def test_noise_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match="must broadcast"):
        FunctionDraws(normals(3, 2, 1), torch.ones(shape).double())


def test_negative_noise_is_refused():
    with pytest.raises(ValueError, match="must not be negative"):
        FunctionDraws(normals(3, 2, 1), torch.tensor(-1.0).double())
