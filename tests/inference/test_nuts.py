"""NUTS against known distributions, and against a recursive tree."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import ks_2samp, kstest

from neuralbo.inference.chains import Tuning, with_gradient
from neuralbo.inference.nuts import NUTS
from neuralbo.testing.toys import seeded

CRITERIA = ["momenta", "ends"]


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def gaussian(precision, mean=0.0):
    def target(q):
        gradient = -(q - mean) @ precision
        return 0.5 * (gradient * (q - mean)).sum(-1), gradient

    return target


def tuning(eps, C, inverse_mass):
    return Tuning(torch.full((C,), eps, dtype=torch.float64), inverse_mass)


def sample(kernel, target, q, tuned, draws, warm_up=20, seed=0):
    """Return draws x C x p and the infos of a plain loop."""
    rng, state = seeded(seed), kernel.init(target, q)
    positions, infos = [], []
    for i in range(warm_up + draws):
        state, info = kernel.step(target, state, tuned, rng)
        if i >= warm_up:
            positions.append(state.point.q)
            infos.append(info)
    return torch.stack(positions), infos


def agree(values, known, errors=5.0):
    """Check that the mean over draws and chains of values, draws x C x ..., is the known one.

    Chains are independent, so the spread of their means gives the standard error, however
    correlated the draws of a chain are.
    """
    means = values.mean(0)  # C x ...
    error = means.std(0) / math.sqrt(len(means))
    assert ((means.mean(0) - known).abs() <= errors * error).all()


# Mean and covariance


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_correlated_gaussian(criterion):
    p = 50
    L = torch.eye(p, dtype=torch.float64) + 0.5 * normal(p, p, seed=1).tril(-1) / math.sqrt(p)
    L *= torch.linspace(0.3, 3, p, dtype=torch.float64)[:, None]
    cov, mean = L @ L.mT, normal(p, seed=2)
    target = gaussian(torch.cholesky_inverse(L), mean)
    q = mean + normal(100, p, seed=3) @ L.mT
    x, infos = sample(NUTS(6, criterion), target, q, tuning(0.5, 100, cov.diagonal()), 40)
    # 50 + 1275 numbers are looked at, and errors are of 100 means: 5 would not be rare enough.
    agree(x, mean, 6.0)
    agree((x - mean)[..., :, None] * (x - mean)[..., None, :], cov, 6.0)
    assert not any(info.is_divergent.any() for info in infos)


def test_a_mass_of_its_own_for_each_chain():
    scale = torch.tensor([[1.0, 1.0], [0.1, 10.0], [4.0, 0.5]], dtype=torch.float64)
    target = gaussian(torch.diag(torch.tensor([1.0, 1 / 9.0], dtype=torch.float64)))
    eps = torch.tensor([0.5, 0.4, 0.3], dtype=torch.float64)
    tuned = Tuning(eps.repeat(100), scale.repeat(100, 1))
    x, _ = sample(NUTS(), target, normal(300, 2), tuned, 30)
    for i in range(3):
        agree(x[:, i::3].square(), torch.tensor([1.0, 9.0], dtype=torch.float64))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_ring(criterion):
    """exp(-(|x| - 2)^2 / (2 0.25^2)): the radius has a density r times that."""
    target = with_gradient(lambda q: -(q.norm(dim=-1) - 2).square() / (2 * 0.25**2))
    start = normal(200, 2, seed=20)
    start *= 2 / start.norm(dim=-1, keepdim=True)  # the angle is uniform, the radius is not yet
    one = torch.ones(2, dtype=torch.float64)
    x, _ = sample(NUTS(8, criterion), target, start, tuning(0.25, 200, one), 25)
    Z, m1, m2 = (
        quad(lambda r, k=k: r**k * math.exp(-((r - 2) ** 2) / (2 * 0.25**2)), 0, 6, points=[2])[0]
        for k in (1, 2, 3)
    )
    radius, angle = x.norm(dim=-1), torch.atan2(x[..., 1], x[..., 0])
    agree(radius, m1 / Z)
    agree((radius - m1 / Z).square(), m2 / Z - (m1 / Z) ** 2)
    for k in (1, 2, 3, 4):  # of a uniform angle all these are zero
        agree(torch.stack(((k * angle).cos(), (k * angle).sin()), -1), 0.0)


@pytest.mark.slow
def test_a_mild_funnel():
    """v ~ N(0, 1), x_i | v ~ N(0, exp(v)); so E x^2 = exp(1/2)."""

    def log_density(q):
        v, x = q[:, 0], q[:, 1:]
        return -0.5 * v.square() - 0.5 * x.square().sum(-1) * (-v).exp() - 0.5 * x.shape[1] * v

    one = torch.ones(4, dtype=torch.float64)
    x, _ = sample(NUTS(), with_gradient(log_density), normal(200, 4), tuning(0.2, 200, one), 40)
    agree(x, 0.0)
    agree(x[..., 0].square(), 1.0)
    agree(x[..., 1:].square() * (-x[..., :1]).exp(), 1.0)
    agree((x[..., 1:].square() + 1e-300).log(), -0.5772156649 - math.log(2))  # log chi^2, and v


def test_a_conjugate_posterior():
    """y = X w + e: w | y is Gaussian. Kruse (2022) spec, Sec. 15, item 12."""
    X, noise = normal(30, 5, seed=4), 0.5
    y = X @ normal(5, seed=5) + noise * normal(30, seed=6)
    A = X.mT @ X / noise**2 + torch.eye(5, dtype=torch.float64)
    cov = torch.linalg.inv(A)
    mean = cov @ X.mT @ y / noise**2
    target = with_gradient(
        lambda w: -0.5 * (y - w @ X.mT).square().sum(-1) / noise**2 - 0.5 * w.square().sum(-1)
    )
    x, _ = sample(NUTS(), target, normal(100, 5), tuning(0.5, 100, cov.diagonal()), 40)
    agree(x, mean)
    agree((x - mean)[..., :, None] * (x - mean)[..., None, :], cov)


# One transition


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("eps", [0.4, 1.1, 1.6])
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_a_transition_leaves_the_target_as_it_is(criterion, eps, depth):
    """Chains that begin distributed as the target still are; also when steps are too large."""
    C = 6000
    L = torch.tensor([[1.0, 0, 0], [0.6, 0.8, 0], [-0.3, 0.5, 1.2]], dtype=torch.float64)
    target, kernel = gaussian(torch.cholesky_inverse(L)), NUTS(depth, criterion)
    one, rng = torch.ones(3, dtype=torch.float64), seeded(8)
    state = kernel.init(target, normal(C, 3, seed=7) @ L.mT)
    state, info = kernel.step(target, state, tuning(eps, C, one), rng)
    z = torch.linalg.solve_triangular(L, state.point.q.mT, upper=False)  # N(0, I)
    assert 0.05 < info.acceptance.mean() < (0.999 if eps > 0.4 else 1.0)
    assert (z.mean(-1).abs() < 5 / math.sqrt(C)).all()
    moments = z @ z.mT / C - torch.eye(3, dtype=torch.float64)
    assert (moments.abs() < 5 * math.sqrt(2 / C)).all()
    for values in (*z, z.sum(0) / math.sqrt(3)):
        assert kstest(values.numpy(), "norm").pvalue > 1e-6
    assert kstest(z.square().sum(0).numpy(), "chi2", args=(3,)).pvalue > 1e-6
    # Where they are now says what the target says there.
    log_density, gradient = target(state.point.q)
    assert torch.allclose(state.point.log_density, log_density)
    assert torch.allclose(state.point.gradient, gradient)


def test_a_transition_leaves_a_skewed_target_as_it_is():
    """x = log of a gamma variable of shape 2: density exp(2x - e^x)."""
    C = 8000
    start = -torch.rand(C, 2, 2, generator=seeded(9), dtype=torch.float64).log().sum(1)

    def target(q):
        return (2 * q - q.exp()).sum(-1), 2 - q.exp()

    kernel, one = NUTS(), torch.ones(2, dtype=torch.float64)
    state = kernel.init(target, start.log())
    state, info = kernel.step(target, state, tuning(0.9, C, one), seeded(10))
    assert info.acceptance.mean() < 0.98
    for values in state.point.q.exp().mT:
        assert kstest(values.numpy(), "gamma", args=(2,)).pvalue > 1e-6


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_depth_is_a_cap(depth):
    target, one = gaussian(torch.eye(3, dtype=torch.float64)), torch.ones(3, dtype=torch.float64)
    kernel = NUTS(depth)
    state = kernel.init(target, normal(20, 3))
    state, info = kernel.step(target, state, tuning(1e-4, 20, one), seeded(11))
    assert (info.steps == 2**depth - 1).all()
    assert not info.is_divergent.any()
    assert torch.allclose(info.acceptance, torch.ones(20, dtype=torch.float64), atol=1e-6)


def test_the_gradient_is_asked_once_a_step():
    evaluated = 0
    plain, one = gaussian(torch.eye(3, dtype=torch.float64)), torch.ones(3, dtype=torch.float64)

    def target(q):
        nonlocal evaluated
        evaluated += len(q)
        return plain(q)

    kernel = NUTS()
    state = kernel.init(target, normal(20, 3))
    evaluated = 0
    _, info = kernel.step(target, state, tuning(0.2, 20, one), seeded(12))
    assert evaluated == info.steps.sum()


def test_one_chain_has_the_distribution_of_many():
    target, one = gaussian(torch.eye(2, dtype=torch.float64)), torch.ones(2, dtype=torch.float64)
    kernel, start, rng = NUTS(), torch.tensor([[0.5, -1.0]], dtype=torch.float64), seeded(13)
    N = 400
    state = kernel.init(target, start)
    alone = [kernel.step(target, state, tuning(0.4, 1, one), rng) for _ in range(N)]
    state = kernel.init(target, start.repeat(N, 1))
    many, info = kernel.step(target, state, tuning(0.4, N, one), rng)
    pairs = [
        (torch.cat([s.point.q[:, 0] for s, _ in alone]), many.point.q[:, 0]),
        (torch.cat([i.steps for _, i in alone]), info.steps),
        (torch.cat([i.acceptance for _, i in alone]), info.acceptance),
    ]
    for a, b in pairs:
        assert ks_2samp(a.numpy(), b.numpy()).pvalue > 1e-6


def test_one_seed_one_transition_and_nothing_received_changes():
    target, one = gaussian(torch.eye(3, dtype=torch.float64)), torch.ones(3, dtype=torch.float64)
    kernel, q = NUTS(), normal(5, 3)
    state = kernel.init(target, q)
    copies = [x.clone() for x in state.point]
    first, second = (kernel.step(target, state, tuning(0.4, 5, one), seeded(14)) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(first[0].point, second[0].point, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(first[1], second[1], strict=True))
    assert all(torch.equal(a, b) for a, b in zip(state.point, copies, strict=True))


# A recursive tree: the textbook, for one chain


class Tree:
    """A trajectory of leaves in the order of time; what a join of two of them keeps."""

    def __init__(self, leaf, log_w):
        self.left = self.right = self.draw = leaf  # (q, r)
        self.rho, self.log_w, self.is_valid = leaf[1], log_w, True


class Recursive:
    def __init__(self, target, eps, criterion, rng):
        self.target, self.eps, self.criterion, self.rng = target, eps, criterion, rng

    def at(self, q):
        log_density, gradient = self.target(torch.from_numpy(q)[None])
        return float(log_density), gradient[0].numpy()

    def leapfrog(self, leaf, sign):
        q, r = leaf
        r = r + sign * self.eps / 2 * self.at(q)[1]
        q = q + sign * self.eps * r
        return q, r + sign * self.eps / 2 * self.at(q)[1]

    def turns(self, a, b, rho):
        if self.criterion == "ends":
            rho = b[0] - a[0]
        return a[1] @ rho <= 0 or b[1] @ rho <= 0

    def joined(self, left, right):
        """Whether two neighbours, in the order of time, turn when joined."""
        turned = self.turns(left.left, right.right, left.rho + right.rho)
        if self.criterion == "momenta":
            turned |= self.turns(left.left, right.left, left.rho + right.left[1])
            turned |= self.turns(left.right, right.right, right.rho + left.right[1])
        return turned

    def build(self, end, sign, j):
        if j == 0:
            q, r = leaf = self.leapfrog(end, sign)
            log_w = self.H0 - (0.5 * r @ r - self.at(q)[0])
            self.steps += 1
            self.acceptance += min(1.0, math.exp(log_w))
            tree = Tree(leaf, log_w)
            tree.is_valid = log_w > -1000
            if self.noise is not None:
                tree.score = log_w + self.noise[self.steps - self.steps_before - 1]
            return tree
        first = self.build(end, sign, j - 1)
        if not first.is_valid:
            return first
        far, near = (first.left, first.right) if sign > 0 else (first.right, first.left)
        if self.criterion == "momenta" and j > 1:  # as soon as it can be known
            steps, acceptance = self.steps, self.acceptance
            leaf = self.build(near, sign, 0)
            if self.turns(far, leaf.left, first.rho + leaf.rho):
                leaf.is_valid = False
                return leaf
            self.steps, self.acceptance = steps, acceptance
        second = self.build(near, sign, j - 1)
        if not second.is_valid:
            return second
        return self.join(first, second, sign, is_biased=False)

    def join(self, old, new, sign, is_biased):
        log_w = np.logaddexp(old.log_w, new.log_w)
        left, right = (old, new) if sign > 0 else (new, old)
        tree = Tree(left.left, log_w)
        tree.right, tree.rho = right.right, old.rho + new.rho
        if is_biased:
            is_new = -self.wait < new.log_w - old.log_w
        elif self.noise is None:  # one after the other
            is_new = self.rng.random() < math.exp(new.log_w - log_w)
        else:  # the largest of log_w + Gumbel noise
            is_new, tree.score = new.score > old.score, max(new.score, old.score)
        tree.draw = (new if is_new else old).draw
        tree.is_valid = not self.joined(left, right)
        return tree

    def step(self, q, depth):
        def choices():
            for _ in range(depth):
                yield self.rng.choice([-1, 1]), None, self.rng.exponential()

        return self.follow(q, self.rng.standard_normal(2), choices())

    def follow(self, q, r, choices):
        """Make the transition of this momentum and these choices, one for each doubling."""
        self.H0, self.steps, self.acceptance = 0.5 * r @ r - self.at(q)[0], 0, 0.0
        tree = Tree((q, r), 0.0)
        for j, (sign, self.noise, self.wait) in enumerate(choices):
            self.steps_before = self.steps
            new = self.build(tree.right if sign > 0 else tree.left, sign, j)
            if not new.is_valid:
                break
            tree = self.join(tree, new, sign, is_biased=True)
            if not tree.is_valid:
                break
        return tree.draw[0], self.steps, self.acceptance / self.steps


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("eps", [0.25, 0.9])
def test_it_is_the_recursive_tree(criterion, eps):
    """Steps, acceptance and draws of transitions from one place have the same distribution.

    Both make Stan's check of a half and the next leaf as soon as that leaf is there, and not
    when the sub-tree is complete: then all of it is lost in any case.
    """
    N, depth = 1000, 6
    target = gaussian(torch.tensor([[1.0, 0.4], [0.4, 2.0]], dtype=torch.float64))
    start = np.array([0.7, -0.4])
    reference = Recursive(target, eps, criterion, np.random.default_rng(15))
    q, steps, acceptance = (
        np.array(x) for x in zip(*(reference.step(start, depth) for _ in range(N)), strict=True)
    )
    C, kernel = 6000, NUTS(depth, criterion)
    state = kernel.init(target, torch.from_numpy(start).repeat(C, 1))
    one = torch.ones(2, dtype=torch.float64)
    state, info = kernel.step(target, state, tuning(eps, C, one), seeded(16))
    pairs = [(q[:, 0], state.point.q[:, 0]), (q[:, 1], state.point.q[:, 1])]
    pairs += [(steps, info.steps), (acceptance, info.acceptance)]
    for a, b in pairs:
        assert ks_2samp(a, b.numpy()).pvalue > 1e-6
    assert set(steps) <= set(info.steps.tolist())


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("eps", [0.12, 0.3, 0.7])
def test_its_trajectories_are_those_of_the_recursive_tree(criterion, eps):
    """With the same momentum, directions and noise the transitions are the same, one by one."""
    p, depth = 4, 6

    def target(q):  # not harmonic, and of several periods
        scale = torch.tensor([1.0, 2.0, 0.5, 3.0], dtype=torch.float64)
        x = q * scale + 0.3 * q.roll(1, -1)
        derivative = x + 0.5 * x**3
        gradient = -(derivative * scale + 0.3 * derivative.roll(-1, -1))
        return -(0.5 * x**2 + 0.125 * x**4).sum(-1), gradient

    kernel, one = NUTS(depth, criterion), torch.ones(p, dtype=torch.float64)
    state = kernel.init(target, 0.5 * normal(1, p, seed=21))
    reference = Recursive(target, eps, criterion, np.random.default_rng(22))
    for seed in range(100):  # so many find every slip in the checks that was tried
        q, rng = state.point.q[0].numpy(), seeded(seed)
        r = torch.randn(1, p, generator=rng, dtype=torch.float64)[0].numpy()

        def choices(rng=rng):  # what the kernel draws, in its order
            for j in range(depth):
                sign = 1 if torch.rand(1, generator=rng) < 0.5 else -1
                waits = torch.empty(2**j + 1, dtype=torch.float64)
                waits[:-1].exponential_(generator=rng)
                waits[-1:].exponential_(generator=rng)
                yield sign, -waits[:-1].log().numpy(), float(waits[-1])

        q, steps, acceptance = reference.follow(q, r, choices())
        state, info = kernel.step(target, state, tuning(eps, 1, one), seeded(seed))
        assert int(info.steps) == steps
        assert float(info.acceptance) == pytest.approx(acceptance, rel=1e-9)
        assert torch.allclose(state.point.q[0], torch.from_numpy(q), rtol=1e-9, atol=1e-9)


# Divergence


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["value", "gradient"])
def test_what_is_no_number_is_a_divergence(bad, where):
    """Beyond |x| = 1 there is none of it; the draws stay within, as the target cut there."""

    def target(q):
        is_out = (q.abs() > 1).any(-1)
        value, gradient = -0.5 * q.square().sum(-1), -q
        if where == "value":
            return torch.where(is_out, bad, value), gradient
        return value, torch.where(is_out[:, None], bad, gradient)

    one, C = torch.ones(1, dtype=torch.float64), 100
    x, infos = sample(NUTS(), target, torch.zeros(C, 1).double(), tuning(0.3, C, one), 40)
    assert (x.abs() <= 1).all()
    assert any(info.is_divergent.any() for info in infos)
    assert all(info.acceptance.isfinite().all() for info in infos)
    mass = math.erf(1 / math.sqrt(2))
    second = 1 - 2 * math.exp(-0.5) / math.sqrt(2 * math.pi) / mass  # of the normal cut at 1
    agree(x.square(), torch.full((1,), second, dtype=torch.float64))


def test_a_start_that_is_no_number_stays():
    def target(q):
        return torch.full((len(q),), math.nan, dtype=torch.float64), -q

    kernel, q = NUTS(), normal(3, 2)
    state = kernel.init(target, q)
    one = torch.ones(2, dtype=torch.float64)
    state, info = kernel.step(target, state, tuning(0.3, 3, one), seeded(17))
    assert torch.equal(state.point.q, q)
    assert info.is_divergent.all()
    assert not info.is_accepted.any()


def test_a_step_far_too_large_diverges():
    target, one = gaussian(torch.eye(2, dtype=torch.float64)), torch.ones(2, dtype=torch.float64)
    kernel, q = NUTS(), normal(10, 2)
    state = kernel.init(target, q)
    state, info = kernel.step(target, state, tuning(1e4, 10, one), seeded(18))
    assert torch.equal(state.point.q, q)
    assert info.is_divergent.all()
    assert (info.steps == 1).all()
    assert (info.acceptance == 0).all()
