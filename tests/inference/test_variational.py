"""Variational inference and MAP, on targets whose best Gaussian is known."""

import math

import pytest
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

from neuralbo.inference.chains import with_gradient
from neuralbo.inference.variational import (
    Parameters,
    Variational,
    VariationalPosterior,
    estimate,
    map_estimate,
)
from neuralbo.testing.toys import seeded

MEAN, SD = torch.tensor([1.0, -2.0, 0.5]).double(), torch.tensor([0.3, 1.0, 2.0]).double()
PRECISION = torch.tensor([[2.0, 0.7], [0.7, 1.0]]).double()
LOG_Z = 1.7
RING_SD, RADIUS = 0.25, 2.0


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def zeros(*shape):
    return torch.zeros(*shape, dtype=torch.float64)


def diagonal_density(x):
    return Independent(Normal(MEAN, SD), 1).log_prob(x) + LOG_Z


def correlated_density(x):
    log_z = math.log(2 * math.pi) - 0.5 * float(PRECISION.logdet())
    return -0.5 * ((x - 1) @ PRECISION * (x - 1)).sum(-1) - log_z


def ring_density(x):
    return -(x.norm(dim=-1) - RADIUS).square() / (2 * RING_SD**2)


def ring_log_z():
    """Integrate 2 pi r exp(-(r - 2)^2 / (2 sd^2)); below zero there is nothing of 1e-14."""
    return math.log(2 * math.pi * RADIUS * RING_SD * math.sqrt(2 * math.pi))


diagonal, correlated, ring = map(
    with_gradient, (diagonal_density, correlated_density, ring_density)
)


def bound(posterior, target, n=20_000):
    """Return the ELBO and its standard error."""
    x = posterior.draw(n, seeded(99))
    terms = target(x)[0] - posterior.log_density(x)
    return float(terms.mean()), float(terms.std()) / math.sqrt(n)


def settled(recipe):
    """Return how far Adam may be from an optimum that it sees without noise.

    It moves by at most lr_t a step and remembers about 1 / (1 - 0.9) = 10 of them; ten steps
    before the end lr_t is 10 lr / steps.
    """
    return 10 * 10 * recipe.lr / recipe.steps


def wander(recipe, noise, curvature):
    """Return the standard error of Adam's last step about an optimum.

    Adam divides by the size of the noise: x' = -a (h x + noise e), a = lr_t / noise, of stationary
    variance a noise^2 / (2 h). As lr_t falls along a line, this holds until what is left of the
    time, u, no longer moves x: h lr u^2 / (2 steps noise) = 1, and lr_t there is lr u / steps.
    """
    u = math.sqrt(2 * noise * recipe.steps / (recipe.lr * curvature))
    return math.sqrt(recipe.lr * min(1.0, u / recipe.steps) * noise / (2 * curvature))


@pytest.fixture(scope="module")
def on_the_diagonal():
    return Variational().fit(diagonal, zeros(1, 3), seeded())


@pytest.fixture(scope="module")
def one():
    return Variational().fit(ring, zeros(1, 2) + 0.1, seeded())


@pytest.fixture(scope="module")
def three():
    return Variational(components=3).fit(ring, zeros(1, 2) + 0.1, seeded())


# --- A Gaussian


def test_it_finds_a_gaussian_without_correlations(on_the_diagonal):
    # There is no noise in the gradient where q is the target.
    tolerance = settled(Variational())
    torch.testing.assert_close(on_the_diagonal.mean[0], MEAN, rtol=0, atol=tolerance)
    torch.testing.assert_close(on_the_diagonal.sd[0].log(), SD.log(), rtol=0, atol=tolerance)


def test_the_bound_is_the_evidence_where_q_is_the_target(on_the_diagonal):
    value, error = bound(on_the_diagonal, diagonal)
    # Second order in what is left: (1 + 4) / 2 settled^2 / sd^2 at the most.
    rest = 2.5 * float((settled(Variational()) / SD).square().sum())
    assert value == pytest.approx(LOG_Z, abs=5 * error + rest)
    assert float(on_the_diagonal.elbo[-1]) == pytest.approx(LOG_Z, abs=0.01)


def test_the_scales_of_a_correlated_gaussian_are_those_of_its_precision():
    """The minimum of KL(q || p) is at 1/sqrt(P_ii), narrower than the marginal."""
    recipe = Variational(samples=64)
    posterior = recipe.fit(correlated, zeros(1, 2), seeded())
    sd = PRECISION.diagonal().rsqrt()
    off = float(PRECISION[0, 1])
    # The gradient for m_i is off by P_ij s_j e_j; the flattest direction is the slowest.
    noise = off * float(sd.max()) / math.sqrt(recipe.samples)
    error = wander(recipe, noise, float(torch.linalg.eigvalsh(PRECISION)[0]))
    torch.testing.assert_close(posterior.mean[0], torch.ones(2).double(), rtol=0, atol=5 * error)
    # That for log s_i by s_i P_ij s_j e_i e_j; the curvature is 2.
    noise = off * float(sd.prod()) / math.sqrt(recipe.samples)
    error = wander(recipe, noise, 2.0)
    torch.testing.assert_close(posterior.sd[0].log(), sd.log(), rtol=0, atol=5 * error)
    marginal = torch.linalg.inv(PRECISION).diagonal().sqrt()
    assert (posterior.sd[0].log() < marginal.log() - 5 * error).all()
    # KL between them: 0.5 (log det diag(P) - log det P).
    kl = 0.5 * float(PRECISION.diagonal().log().sum() - PRECISION.logdet())
    value, error = bound(posterior, correlated)
    assert value == pytest.approx(-kl, abs=5 * error + 0.01)  # 0.01: second order, as above


def test_many_numbers_at_once():
    mean = normal(500)
    target = with_gradient(lambda x: -0.5 * ((x - mean) / 0.5).square().sum(-1))
    recipe = Variational(steps=500, lr=0.05)
    posterior = recipe.fit(target, zeros(1, 500), seeded())
    torch.testing.assert_close(posterior.mean[0], mean, rtol=0, atol=settled(recipe))
    half = torch.full_like(mean, 0.5)
    torch.testing.assert_close(posterior.sd[0], half, rtol=settled(recipe), atol=0)


# --- Mixtures


def test_the_bound_is_never_above_the_evidence(one, three):
    for posterior in (one, three):
        value, error = bound(posterior, ring)
        assert value < ring_log_z() + 5 * error


def test_three_components_are_nearer_to_a_ring_than_one(one, three):
    (a, error_a), (b, error_b) = bound(one, ring), bound(three, ring)
    assert b - a > 5 * (error_a + error_b)
    assert b - a > 0.5  # three equal parts without overlap would have log 3 more


def test_the_components_are_in_different_places(three):
    assert torch.pdist(three.mean).min() > 1.0  # four sd of the ring
    assert (three.weights > 0.05).all()
    # The middle of an arc is on the ring or somewhat inside.
    assert ((three.mean.norm(dim=-1) - RADIUS).abs() < 2 * RING_SD).all()


def test_a_mixture_of_two_gaussians_is_found():
    """With its weights: 0.3 and 0.7, far apart."""
    places = torch.tensor([[-4.0, 0.0], [4.0, 0.0]]).double()
    log_w = torch.tensor([0.3, 0.7]).double().log()

    def density(x):
        parts = -0.5 * (x[:, None] - places).square().sum(-1) - math.log(2 * math.pi)
        return (parts + log_w).logsumexp(-1)

    recipe = Variational(components=2, steps=500, lr=0.05)
    posterior = recipe.fit(with_gradient(density), 0.5 * places, seeded())
    # Where q is the target there is no noise.
    tolerance = settled(recipe)
    torch.testing.assert_close(posterior.mean, places, rtol=0, atol=tolerance)
    torch.testing.assert_close(posterior.sd, torch.ones_like(places), rtol=0, atol=tolerance)
    torch.testing.assert_close(posterior.weights, log_w.exp(), rtol=0, atol=tolerance)


def parameters():
    values = (normal(3, 2), 0.3 * normal(3, 2, seed=1) - 0.5, normal(3, seed=2))
    return Parameters(*(value.requires_grad_() for value in values))


def mixture(p):
    parts = Independent(Normal(p.mean, p.log_sd.exp()), 1)
    return MixtureSameFamily(Categorical(logits=p.logits), parts)


def plain(p, noise, has_score):
    """Return the ELBO by samples, with autograd through the target and torch's own mixture."""
    x = p.mean[:, None] + p.log_sd.exp()[:, None] * noise
    q = mixture(p if has_score else Parameters(*(value.detach() for value in p)))
    terms = ring_density(x) - q.log_prob(x)
    return (p.logits.softmax(0) * terms.mean(1)).sum()


def test_the_bound_of_a_mixture_and_its_gradient_are_those_of_autograd():
    p, noise = parameters(), normal(3, 5, 2, seed=3)
    ours, theirs = estimate(ring, p, noise).elbo, plain(p, noise, has_score=False)
    torch.testing.assert_close(ours, theirs)
    for a, b in zip(torch.autograd.grad(ours, p), torch.autograd.grad(theirs, p), strict=True):
        torch.testing.assert_close(a, b)


def test_the_score_that_is_left_out_has_mean_zero():
    """So the gradient is that of the ELBO, which it is with the score in it."""
    p, differences = parameters(), []
    for seed in range(40):
        noise = normal(3, 500, 2, seed=seed)
        ours = torch.autograd.grad(estimate(ring, p, noise).elbo, p)
        whole = torch.autograd.grad(plain(p, noise, has_score=True), p)
        differences.append(
            torch.cat([(a - b).flatten() for a, b in zip(ours, whole, strict=True)])
        )
    batches = torch.stack(differences)
    error = batches.std(0) / math.sqrt(len(batches))
    # The logits have a direction without effect, in which both are zero but for rounding.
    assert (batches.mean(0).abs() < 5 * error + 1e-12).all()
    assert (error > 0).any()


# --- The posterior


def given_posterior():
    p = Parameters(*(value.detach() for value in parameters()))
    nothing = zeros(0)
    return p, VariationalPosterior(p.mean, p.log_sd.exp(), p.logits.softmax(0), nothing, nothing)


def test_the_log_density_is_that_of_the_mixture():
    p, posterior = given_posterior()
    x = 3 * normal(50, 2)
    torch.testing.assert_close(posterior.log_density(x), mixture(p).log_prob(x))


def test_draws_have_the_moments_of_the_mixture():
    p, posterior = given_posterior()
    n, exact = 40_000, mixture(p)
    x = posterior.draw(n, seeded())
    assert x.shape == (n, 2)
    error = (exact.variance / n).sqrt()
    assert ((x.mean(0) - exact.mean).abs() < 5 * error).all()
    squares = (x - exact.mean).square()
    assert ((squares.mean(0) - exact.variance).abs() < 5 * squares.std(0) / math.sqrt(n)).all()


# --- The recipe


def test_the_target_is_asked_once_a_step_for_all_samples():
    evaluated = []

    def target(q):
        evaluated.append(q.shape)
        return ring(q)

    posterior = Variational(components=3, steps=4, samples=5).fit(target, zeros(1, 2), seeded())
    assert evaluated == [(15, 2)] * 4
    assert posterior.elbo.shape == posterior.missing.shape == (4,)
    assert posterior.mean.shape == posterior.sd.shape == (3, 2)
    assert not posterior.mean.requires_grad


def test_one_seed_one_fit_and_no_other_randomness():
    recipe, start, before = Variational(2, steps=20), zeros(1, 2), torch.get_rng_state()
    a, b, c = (recipe.fit(ring, start, seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(a.mean, b.mean)
    assert torch.equal(a.draw(5, seeded(3)), b.draw(5, seeded(3)))
    assert not torch.equal(a.mean, c.mean)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(start, zeros(1, 2))


@pytest.mark.parametrize("shape", [(2,), (2, 2), (3, 1, 2)])
def test_a_start_of_another_shape_is_an_error(shape):
    with pytest.raises(ValueError, match="start must be 1 x p or 3 x p"):
        Variational(components=3).fit(ring, zeros(*shape), seeded())


# --- Targets that are no number


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_samples_where_the_target_is_no_number_are_left_out(bad):
    def target(q):
        value, gradient = -0.5 * q.square().sum(-1), -q
        is_bad = q.amax(-1) > 2.5
        return torch.where(is_bad, bad, value), torch.where(is_bad[:, None], math.nan, gradient)

    posterior = Variational(steps=400).fit(target, zeros(1, 2), seeded())
    assert posterior.elbo.isfinite().all()
    assert 0 < posterior.missing.mean() < 0.1  # 1 % of the target
    # What is left is the normal up to 2.5, near to the whole: the missing 1 % have a weight of
    # 2.5 in the mean's gradient.
    torch.testing.assert_close(posterior.mean, zeros(1, 2), rtol=0, atol=0.15)
    torch.testing.assert_close(posterior.sd, zeros(1, 2) + 1, rtol=0, atol=0.15)


def test_a_target_that_is_never_a_number_moves_nothing():
    def nothing(q):
        return torch.full_like(q[:, 0], math.nan), torch.full_like(q, math.nan)

    posterior = Variational(steps=5).fit(nothing, zeros(1, 2) + 3, seeded())
    assert torch.equal(posterior.mean, zeros(1, 2) + 3)
    assert posterior.elbo.isnan().all()
    assert (posterior.missing == 1).all()


def test_a_component_in_an_impossible_place_does_not_hold_up_the_other():
    def target(q):
        value, gradient = diagonal(q)
        return torch.where(q[:, 0] > 50, math.nan, value), gradient

    start = torch.stack([torch.zeros(3), torch.full((3,), 100.0)]).double()
    recipe = Variational(components=2, steps=500, lr=0.05)
    posterior = recipe.fit(target, start, seeded())
    torch.testing.assert_close(posterior.mean[0], MEAN, rtol=0, atol=settled(recipe))
    torch.testing.assert_close(posterior.mean[1], start[1])
    assert (posterior.missing == 0.5).all()


# --- The mode


def test_the_mode_of_a_gaussian_is_found():
    point = map_estimate(diagonal, 3 * normal(4, 3), 800, 0.05)
    assert point.q.shape == (1, 3)
    # The best of all steps; Adam's are of lr at most, and circle about the mode.
    torch.testing.assert_close(point.q[0], MEAN, rtol=0, atol=1e-3)
    torch.testing.assert_close(point.log_density[0], diagonal_density(MEAN), rtol=0, atol=1e-5)
    torch.testing.assert_close(point.gradient, diagonal(point.q)[1])


def test_the_mode_of_a_banana_is_found():
    def density(x):
        return -(1 - x[:, 0]).square() - 20 * (x[:, 1] - x[:, 0].square()).square()

    start = torch.tensor([[-1.0, 1.0], [0.0, 2.0]]).double()
    point = map_estimate(with_gradient(density), start, 1000, 0.05)
    # Along the valley the density falls by the square, so 1e-2 is 1e-4 of density.
    torch.testing.assert_close(point.q, torch.ones(1, 2).double(), rtol=0, atol=1e-2)


def test_the_highest_of_two_modes_is_kept():
    def density(x):
        left, right = (-(x[:, 0] + 3).square(), 1 - (x[:, 0] - 3).square())
        return torch.logaddexp(left, right)

    start = torch.tensor([[-2.0], [-4.0], [2.0]]).double()
    point = map_estimate(with_gradient(density), start, 300, 0.05)
    assert float(point.q) == pytest.approx(3.0, abs=1e-2)


def test_rows_where_the_target_is_no_number_do_not_matter():
    def target(q):
        value, gradient = diagonal(q)
        return torch.where(q[:, 0] > 50, math.nan, value), gradient

    start = torch.stack([torch.full((3,), 100.0), torch.zeros(3)]).double()
    point = map_estimate(target, start, 1000, 0.02)
    torch.testing.assert_close(point.q[0], MEAN, rtol=0, atol=1e-3)
    nowhere = map_estimate(target, start[:1], 10, 0.02)
    assert torch.equal(nowhere.q, start[:1])
    assert float(nowhere.log_density) == -math.inf


def test_no_steps_is_the_best_of_the_start():
    start = normal(6, 3)
    point = map_estimate(diagonal, start, 0, 0.1)
    assert torch.equal(point.q[0], start[diagonal_density(start).argmax()])
