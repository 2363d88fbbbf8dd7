"""Implicit distributions.

Divergences, critic and generator, order, bounds, controlled sampling.
"""

import math
from dataclasses import replace

import pytest
import torch
from scipy.integrate import quad

from neuralbo.errors import FitError
from neuralbo.inference.controlled import level_set, samples_at, samples_of_modes
from neuralbo.inference.divergences import DIVERGENCES, JENSEN_SHANNON, KL
from neuralbo.inference.implicit import Contrast, Implicit, ImplicitDistribution
from neuralbo.inference.order import all_pairs, log_preference, order_loss, random_pairs
from neuralbo.inference.semi_implicit import SemiImplicit, log_density_bound
from neuralbo.networks.hypernetwork import DeepImplicit, Inputs
from neuralbo.testing.toys import seeded


def normal(x, mean, sd):
    return math.exp(-0.5 * ((x - mean) / sd) ** 2) / sd / math.sqrt(2 * math.pi)


def log_ratio(x, mean):
    """Log of N(x; 0, 1.5^2) over N(x; mean, 1)."""
    return (-0.5 * (x / 1.5) ** 2 - math.log(1.5)) - (-0.5 * (x - mean) ** 2)


# D of p = N(0, 1.5^2) and q = N(m, 1), by quadrature of densities, without C.
DIRECT = {
    "kl": lambda p, q: q * math.log(q / p),
    "forward_kl": lambda p, q: p * math.log(p / q),
    "jensen_shannon": lambda p, q: (
        0.5 * (p * math.log(2 * p / (p + q)) + q * math.log(2 * q / (p + q)))
    ),
    "hellinger": lambda p, q: (math.sqrt(p) - math.sqrt(q)) ** 2,
}


def direct(name, mean):
    return quad(lambda x: DIRECT[name](normal(x, 0, 1.5), normal(x, mean, 1)), -9, 9)[0]


@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_mean_of_f_is_the_divergence(name):
    mean, divergence = 0.7, DIVERGENCES[name]

    def integrand(x):
        C = torch.tensor(log_ratio(x, mean)).double()
        return normal(x, mean, 1) * float(divergence.value(C))

    assert quad(integrand, -9, 9)[0] == pytest.approx(direct(name, mean), rel=1e-6)


@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_gradient_of_the_generator_is_that_of_the_divergence(name):
    """By the mean of q: E_q[d/dx h(C(x))] with the critic held fixed, beside differences of D."""
    mean, divergence, eps = 0.7, DIVERGENCES[name], 1e-4
    expected = (direct(name, mean + eps) - direct(name, mean - eps)) / (2 * eps)

    def integrand(x):
        at = torch.tensor(x).double().requires_grad_()
        C = (-0.5 * (at / 1.5) ** 2 - math.log(1.5)) + 0.5 * (at - mean) ** 2
        (gradient,) = torch.autograd.grad(divergence.loss(C), at)
        return normal(x, mean, 1) * float(gradient)

    # the differences have an error of eps^2 and of the quadrature over eps
    assert quad(integrand, -9, 9)[0] == pytest.approx(expected, rel=1e-4)


def test_the_values_of_the_order_loss_are_those_by_hand():
    """Two pairs: (0, 1) in order, (2, 3) not."""
    u, log_density = torch.tensor([1.0, 3.0, 2.0, 5.0]), torch.tensor([-0.1, -2.0, -3.0, -0.5])
    pairs = torch.tensor([0, 2]), torch.tensor([1, 3])
    in_order, out_of_order = math.log(1 + math.exp(-2)), math.log(1 + math.exp(3))
    found = order_loss(u, log_density, pairs)
    assert float(found) == pytest.approx((in_order + out_of_order) / 2)


def test_equal_costs_are_preferred_by_nobody():
    """Whatever the codes, every pair costs log 2."""
    found = order_loss(
        torch.zeros(8), torch.randn(8, generator=seeded()), random_pairs(8, seeded())
    )
    assert float(found) == pytest.approx(math.log(2))
    assert float(log_preference(torch.zeros(1), torch.zeros(1)).exp()) == pytest.approx(0.5)


def test_pairs_are_disjoint_and_an_odd_one_is_left_out():
    i, j = random_pairs(7, seeded(1))
    assert len(i) == len(j) == 3
    assert len(torch.cat([i, j]).unique()) == 6


def test_all_pairs_are_each_pair_once():
    i, j = all_pairs(4)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    assert found == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_the_order_loss_pulls_likely_codes_to_low_costs():
    u = torch.tensor([2.0, 1.0], requires_grad=True)
    pairs = torch.tensor([0]), torch.tensor([1])
    order_loss(u, torch.tensor([0.0, -1.0]), pairs).backward()
    assert u.grad[0] > 0 > u.grad[1]


def test_noise_enters_the_first_and_every_second_layer():
    net = DeepImplicit(2, (4, 5, 6), (3, 2), noise=1)
    assert [tuple(W.shape) for W in net.initial(seeded())[::2]] == [
        (4, 3), (5, 4), (6, 6), (3, 6), (2, 3)
    ]  # fmt: skip
    assert (net.noises, net.outputs) == (2, 5)


def test_a_full_turn_of_an_angle_with_harmonics_ends_where_it_began():
    """Two angles of a layer; what the network sees of them is written out for one sample."""
    net = DeepImplicit(1, (4, 3, 5), (2,), noise=2, distribution="angle", harmonics=2)
    parameters = net.initial(seeded(1))
    assert [W.shape[1] for W in parameters[::2]] == [1 + 8, 4, 3 + 8, 5]
    inputs = net.draw(1, seeded(2))
    a, b = inputs.noise[0, :2].tolist()
    seen = [f(k * e) for e in (a, b) for k in (1, 2) for f in (math.cos, math.sin)]
    first = torch.tensor([[float(inputs.z), *seen]]).double()
    by_hand = torch.relu(first @ parameters[0].mT) @ parameters[2].mT
    later = [f(k * e) for e in inputs.noise[0, 2:].tolist() for k in (1, 2)
             for f in (math.cos, math.sin)]  # fmt: skip
    last = torch.cat([torch.relu(by_hand), torch.tensor([later]).double()], -1)
    expected = torch.relu(last @ parameters[4].mT) @ parameters[6].mT
    torch.testing.assert_close(net(parameters, inputs), expected)
    turned = Inputs(inputs.z, inputs.noise + 2 * math.pi)
    torch.testing.assert_close(net(parameters, turned), expected)


def test_a_head_reads_the_head_before_it():
    """The second part is a linear map of the first, and of nothing else.

    Aryan (2020), Eq. (6.20).
    """
    net = DeepImplicit(2, (8,), (3, 2))
    parameters = net.initial(seeded(1))
    theta = net(parameters, net.draw(40, seeded(2)))
    torch.testing.assert_close(theta[:, 3:], theta[:, :3] @ parameters[-2].mT + parameters[-1])


def test_the_bound_is_the_density_of_a_mixture():
    mu, log_sd = torch.randn(5, 3, generator=seeded(1)).double(), torch.tensor([0.1, -0.5, 0.3])
    theta = mu + torch.randn(5, 3, generator=seeded(2)).double()
    parts = torch.distributions.Normal(mu, log_sd.double().exp())
    expected = parts.log_prob(theta[:, None]).sum(-1).logsumexp(-1) - math.log(5)
    torch.testing.assert_close(log_density_bound(theta, mu, log_sd.double()), expected)


def linear_model():
    """Return X, y, and the posterior N(m, S) of weights with a prior N(0, I), noise 0.5."""
    X = torch.tensor([[1.0, 0.2], [-0.5, 1.0], [0.3, 0.8]]).double()
    y = torch.tensor([0.8, -0.4, 0.1]).double()
    S = torch.linalg.inv(torch.eye(2).double() + X.mT @ X / 0.25)
    return X, y, S @ X.mT @ y / 0.25, S


@pytest.mark.parametrize("kappa", [0.0, 1.0])
def test_the_bounded_distribution_recovers_the_posterior_of_a_linear_model(kappa):
    """Its order has no price here: log p(z) and log p(theta) of Gaussians can go together."""
    X, y, m, S = linear_model()

    def target(w):
        with torch.enable_grad():
            w = w.detach().requires_grad_()
            value = -0.5 * ((y - w @ X.mT).square().sum(-1) / 0.25 + w.square().sum(-1))
            return value.detach(), torch.autograd.grad(value.sum(), w)[0]

    recipe = SemiImplicit(steps=800, batch=48, kappa=kappa)
    distribution = recipe.fit(DeepImplicit(2, (24, 24), (2,)), target, seeded(1))
    drawn = distribution.draw(4000, seeded(2))
    # A sample mean has an error of 0.007 or so; the bound of 48 places costs a little spread.
    torch.testing.assert_close(drawn.mean(0), m, atol=0.08, rtol=0)
    torch.testing.assert_close(drawn.mT.cov(), S, atol=0.05, rtol=0)


def test_the_generator_recovers_the_posterior_of_a_linear_model():
    """By a critic of samples of the prior, as Aryan (2020), Sec.

    6.5 has it: the sign convention of 1.5.1.
    """
    X, y, m, S = linear_model()

    def log_likelihood(w, t):
        return -0.5 * (y.float() - w @ X.float().mT).square().sum(-1) / 0.25

    contrast = Contrast(
        lambda n, rng: torch.randn(n, 2, generator=rng, dtype=torch.float64), log_likelihood
    )
    recipe = Implicit(
        steps=700, batch=128, lr=2e-3, critic_lr=4e-3, critic_steps=3, critic_widths=(32, 32),
        kappa=0.0, betas=(0.5, 0.9),
    )  # fmt: skip
    distribution = recipe.fit(DeepImplicit(2, (32, 32), (2,)), contrast, seeded(1))
    drawn = distribution.draw(4000, seeded(2))
    # The critic is never at rest, and q turns about the posterior: by a third of its spread.
    torch.testing.assert_close(drawn.mean(0), m, atol=0.2, rtol=0)
    torch.testing.assert_close(drawn.mT.cov().diag().sqrt(), S.diag().sqrt(), atol=0.2, rtol=0)


SMALL = DeepImplicit(1, (6,), (2,), distribution="angle")
PLAIN = Contrast(lambda n, rng: torch.randn(n, 2, generator=rng, dtype=torch.float64))
FEW = Implicit(steps=3, batch=8, critic_steps=2, critic_widths=(6,), lr=1e-3, critic_lr=1e-3)


@pytest.mark.parametrize("divergence", DIVERGENCES.values(), ids=lambda d: d.name)
def test_every_divergence_trains(divergence):
    distribution = Implicit(3, 8, 1e-3, 1e-3, 2, (6,), 0.0, divergence).fit(
        SMALL, PLAIN, seeded(1)
    )
    assert distribution.losses.isfinite().all() and distribution.attempts == 1


def test_an_order_that_warms_counts_for_nothing_at_first():
    settings = {"steps": 1, "batch": 8, "lr": 1e-2, "critic_widths": (6,), "compares_all": True}
    plain, warm, ordered = (
        Implicit(kappa=kappa, warms=warms, **settings).fit(SMALL, PLAIN, seeded(1)).parameters[0]
        for kappa, warms in ((0.0, False), (5.0, True), (5.0, False))
    )
    assert torch.equal(plain, warm) and not torch.equal(plain, ordered)


def test_a_rate_that_anneals_is_zero_at_the_last_step():
    one, two = (
        replace(FEW, steps=steps, anneals=True).fit(SMALL, PLAIN, seeded(1)).parameters[0]
        for steps in (1, 2)
    )
    assert torch.equal(one, two)
    assert not torch.equal(one, replace(FEW, steps=2).fit(SMALL, PLAIN, seeded(1)).parameters[0])


def test_one_seed_one_distribution():
    a, b = (FEW.fit(SMALL, PLAIN, seeded(1)).draw(5, seeded(2)) for _ in range(2))
    assert torch.equal(a, b)


def test_with_a_likelihood_only_kl_will_do():
    contrast = PLAIN._replace(log_likelihood=lambda theta, t: theta.sum(-1))
    with pytest.raises(ValueError, match="must be KL, got jensen_shannon"):
        Implicit(divergence=JENSEN_SHANNON).fit(SMALL, contrast, seeded())
    assert Implicit().divergence is KL


def broken_after(calls):
    count = iter(range(10_000))
    return lambda theta, t: theta.sum(-1) * (math.nan if next(count) >= calls else 1.0)


def test_what_diverges_once_begins_again():
    """The first likelihood is no number, those after it are."""
    first = iter([math.nan])
    contrast = PLAIN._replace(log_likelihood=lambda theta, t: theta.sum(-1) * next(first, 1.0))
    assert FEW.fit(SMALL, contrast, seeded()).attempts == 2


def test_what_diverges_twice_is_an_error():
    contrast = PLAIN._replace(log_likelihood=broken_after(1))
    with pytest.raises(FitError, match="diverged twice"):
        FEW.fit(SMALL, contrast, seeded())


def test_a_bounded_distribution_that_diverges_twice_is_an_error():
    def target(theta):
        return torch.full((len(theta),), torch.nan).double(), torch.zeros_like(theta)

    with pytest.raises(FitError, match="smaller lr"):
        SemiImplicit(steps=3).fit(SMALL, target, seeded())


def polar():
    """A distribution that is a circle of radius |z| by hand: relu units that are never off."""
    net = DeepImplicit(1, (2,), (2,), distribution="angle")
    far = torch.tensor([10.0, 10.0]).double()
    parameters = (torch.eye(2).double(), far, torch.eye(2).double(), -far)
    return ImplicitDistribution(net, parameters, None, torch.zeros(1), torch.zeros(1))


def test_a_code_is_kept_while_the_noise_is_swept():
    trace = level_set(polar(), torch.tensor([0.7]), 5)
    torch.testing.assert_close(trace[:, 0], torch.full((5,), 0.7).double())
    torch.testing.assert_close(trace[:, 1], math.pi * torch.linspace(-1, 1, 5).double())


def test_modes_are_samples_of_the_likeliest_code():
    drawn = samples_of_modes(polar(), 50, seeded())
    torch.testing.assert_close(drawn[:, 0], torch.zeros(50).double())
    assert drawn[:, 1].std() > 1
    assert (samples_at(polar(), torch.tensor([2.0]), 5, seeded())[:, 0] == 2).all()


def test_normal_noise_is_swept_by_its_quantiles():
    net = DeepImplicit(1, (2,), (2,))
    far = torch.tensor([10.0, 10.0]).double()
    distribution = ImplicitDistribution(
        net, (torch.eye(2).double(), far, torch.eye(2).double(), -far), None,
        torch.zeros(1), torch.zeros(1),
    )  # fmt: skip
    swept = level_set(distribution, torch.tensor([0.0]), 101)[:, 1]
    below = (swept[:, None] <= torch.tensor([-1.0, 0.0, 1.0])).double().mean(0)
    expected = torch.distributions.Normal(0, 1).cdf(torch.tensor([-1.0, 0.0, 1.0])).double()
    torch.testing.assert_close(below, expected, atol=0.01, rtol=0)  # of 101 steps


@pytest.mark.parametrize(
    ("make", "words"),
    [(lambda: Implicit(steps=0), "Implicit needs"), (lambda: Implicit(batch=1), "batch"),
     (lambda: Implicit(kappa=-1.0), "kappa"), (lambda: SemiImplicit(lr=0.0), "positive lr"),
     (lambda: SemiImplicit(kappa=-1.0), "kappa"), (lambda: DeepImplicit(0, (2,), (2,)), "latent"),
     (lambda: DeepImplicit(1, (2,), (2,), activation="cosine"), "activation must be"),
     (lambda: DeepImplicit(1, (2,), (2,), harmonics=2), "harmonics >= 0 of angles only")],
)  # fmt: skip
def test_wrong_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_log_density_of_codes_is_that_of_the_normal():
    inputs = Inputs(torch.tensor([[0.0, 0.0], [1.0, 2.0]]), torch.zeros(2, 1))
    assert inputs.log_density.tolist() == [0.0, -2.5]
