"""Sum-product networks against naive recursion, induced trees, quadrature and closed forms."""

import math
from itertools import product

import pytest
import torch
from torch.distributions import Categorical, MixtureSameFamily, MultivariateNormal, Normal

from neuralbo.inference.expectation_maximization import ExpectationMaximization
from neuralbo.networks import sum_product
from neuralbo.networks.sum_product import SumProductNetwork, VariancePrior
from neuralbo.networks.sum_product_build import Structure
from neuralbo.posteriors.gaussian_mixture import GaussianMixture
from neuralbo.testing.toys import seeded

ALL_d = [1, 2, 3, 5]


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def network(d, s=2, channels=3, tracks=2, seed=0):
    """Pairings and parameters at random, weights less even than those of a start."""
    rng = seeded(seed)
    net = SumProductNetwork.random(d, rng, channels=channels, tracks=tracks)
    first = net.initial(s, rng)
    variances = 0.1 + torch.rand(first[2].shape, generator=rng, dtype=torch.float64)
    uneven = (4 * w - (4 * w).logsumexp((-3, -1), keepdim=True) for w in first[3:])
    return net, (*first[:2], variances, *uneven)


def level(*pairs):
    """A level of one track."""
    return torch.tensor([pairs])


def wave(n=40, d=2, seed=0):
    """Standardized rows (x, y)."""
    X = torch.rand(n, d, generator=seeded(seed), dtype=torch.float64)
    Z = torch.cat([X, (torch.sin(6 * X[:, :1]) + X.sum(-1, keepdim=True))], -1)
    return (Z - Z.mean(0)) / Z.std(0, correction=0)


def prior(shape=3.0, scale=0.2):
    return VariancePrior(numbers(shape), numbers(scale))


def one_channel(net, level, track, pair, o, member, parameters, leaf):
    """Evaluate a channel by recursion, in plain numbers; `leaf` gives those of the leaves."""
    if level < 0:
        return leaf(track, pair, o)
    left, right = net.structure.levels[level][track, pair].tolist()
    nodes, w = net.structure.nodes[level], parameters[3 + level][member, track, pair].exp()

    def side(node, channel):
        if node == nodes:
            return 1.0 if channel == 0 else 0.0
        return one_channel(net, level - 1, track, node, channel, member, parameters, leaf)

    rights = [side(right, j) for j in range(net.channels)]
    lefts = [side(left, i) for i in range(net.channels)]
    return sum(
        float(w[i, o, j]) * lefts[i] * rights[j] for i, j in product(range(net.channels), repeat=2)
    )


def by_recursion(net, parameters, z, member):
    """p(z) of one row, from the definition. A variable that is None is integrated out."""
    distributions = [
        Normal(p, v.sqrt()) for p, v in zip(parameters[1], parameters[2], strict=True)
    ]

    def leaf(track, v, channel):
        if z[v] is None:
            return 1.0
        return float(distributions[member].log_prob(z[v])[track, v, channel].exp())

    top = len(net.structure.levels) - 1
    return sum(
        float(parameters[0][member, t].exp())
        * one_channel(net, top, t, 0, 0, member, parameters, leaf)
        for t in range(net.structure.tracks)
    )


def trees_below(net, level, track, pair, o, logs):
    """All induced trees below a channel: log weight, and the channel of each variable."""
    if level < 0:
        return [(0.0, {pair: o})]
    left, right = net.structure.levels[level][track, pair].tolist()
    nodes, found = net.structure.nodes[level], []
    for i, j in product(range(net.channels), repeat=2):
        weight = float(logs[level][track, pair, i, o, j])
        sides = [
            [(0.0, {})] if node == nodes else trees_below(net, level - 1, track, node, c, logs)
            for node, c in ((left, i), (right, j))
        ]
        if weight > -math.inf:
            found += [(weight + u + v, a | b) for (u, a), (v, b) in product(*sides)]
    return found


def induced_trees(net, parameters, member):
    """Log weights, Z, and the chosen leaves' tracks and channels, Z and Z x V."""
    logs, top = [p[member] for p in parameters[3:]], len(net.structure.levels) - 1
    trees = [
        (float(parameters[0][member, t]) + weight, t, [leaves[v] for v in sorted(leaves)])
        for t in range(net.structure.tracks)
        for weight, leaves in trees_below(net, top, t, 0, 0, logs)
    ]
    weights, tracks, channels = zip(*trees, strict=True)
    return numbers(*weights), torch.tensor(tracks), torch.tensor(channels)


def tree_logs(net, parameters, Z, member):
    """The log of weight and leaves of each tree at each row, n x Z; columns that Z lacks are 1."""
    weights, tracks, channels = induced_trees(net, parameters, member)
    columns = torch.arange(Z.shape[-1])
    chosen = (tracks[:, None], columns, channels[:, : Z.shape[-1]])
    distribution = Normal(parameters[1][member][chosen], parameters[2][member][chosen].sqrt())
    return weights + distribution.log_prob(Z[:, None]).sum(-1)


# --- The density


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_layers_are_the_naive_recursion(d):
    net, parameters = network(d, channels=2)
    Z = normal(3, d + 1, seed=1)
    got, marginal = net.log_density(parameters, Z), net.log_density(parameters, Z[:, :-1])
    for member, (row, z) in product(range(2), enumerate(Z)):
        joint = by_recursion(net, parameters, list(z), member)
        alone = by_recursion(net, parameters, [*z[:-1], None], member)
        assert float(got[member, row]) == pytest.approx(math.log(joint))
        assert float(marginal[member, row]) == pytest.approx(math.log(alone))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_it_is_the_mixture_of_its_induced_trees(d):
    net, parameters = network(d, channels=2)
    Z = normal(6, d + 1, seed=1)
    weights, _, _ = induced_trees(net, parameters, 1)
    assert float(weights.logsumexp(0)) == pytest.approx(0, abs=1e-12)
    expected = tree_logs(net, parameters, Z, 1).logsumexp(-1)
    torch.testing.assert_close(net.log_density(parameters, Z)[1], expected)


def test_one_input_and_one_track_are_a_grid_of_gaussians():
    """Kruse (2022), Sec. 4.5."""
    net, parameters = network(1, s=1, channels=4, tracks=1)
    x, y = (int(net.structure.levels[0][0, 0, k] == 1) for k in (0, 1))
    w = parameters[3][0, 0, 0, :, 0].exp()  # left x right
    w = w.mT if x > y else w  # to x by y
    means = torch.cartesian_prod(*parameters[1][0, 0])
    covariances = torch.cartesian_prod(*parameters[2][0, 0]).diag_embed()
    grid = MixtureSameFamily(Categorical(w.flatten()), MultivariateNormal(means, covariances))
    Z = normal(9, 2, seed=1)
    torch.testing.assert_close(net.log_density(parameters, Z)[0], grid.log_prob(Z))


def test_one_channel_and_one_track_are_a_product_of_gaussians():
    net, parameters = network(4, channels=1, tracks=1)
    Z = normal(9, 5, seed=1)
    distributions = Normal(parameters[1][:, 0, :, 0], parameters[2][:, 0, :, 0].sqrt())
    torch.testing.assert_close(
        net.log_density(parameters, Z), distributions.log_prob(Z[:, None]).sum(-1).mT
    )


def test_no_digit_is_lost_where_all_that_is_near_has_no_weight():
    structure = Structure(3, (level((0, 2), (1, 3)), level((0, 1))))  # (x_1, y) and x_2
    net = SumProductNetwork(structure, channels=2)
    same = torch.eye(2, dtype=torch.float64)
    first = torch.zeros(1, 1, 2, 2, 2, 2, dtype=torch.float64)  # i, o, j: i is o ...
    first[:, :, 0] = same[:, :, None] * numbers(0.3, 0.7)
    first[:, :, 1, :, :, 0] = same
    root = numbers(0.0, 0.5, 0.3, 0.2).reshape(1, 1, 1, 2, 1, 2)  # ... and no two of channel 0
    means = numbers(0.0, 3.0).expand(1, 1, 3, 2)
    sharp = (torch.zeros(1, 1).double(), means, torch.full((1, 1, 3, 2), 0.005).double(),
             first.log(), root.log())  # fmt: skip
    Z = torch.cat([torch.zeros(1, 3), torch.full((1, 3), 50.0), normal(4, 3)]).double()
    Z.requires_grad_()
    expected, got = tree_logs(net, sharp, Z, 0).logsumexp(-1), net.log_density(sharp, Z)[0]
    assert float(got[0].detach()) < math.log(sum_product.LOST)
    torch.testing.assert_close(got, expected)
    gradients = [torch.autograd.grad(value.sum(), Z)[0] for value in (got, expected)]
    torch.testing.assert_close(*gradients)
    distribution = net.conditional(sharp, Z[:, :2])
    marginal = tree_logs(net, sharp, Z[:, :2], 0).logsumexp(-1)
    torch.testing.assert_close(distribution.log_marginal[0], marginal)
    torch.testing.assert_close(distribution.log_weights.exp()[0], numbers(0.3, 0.7).expand(6, 2))
    (gradient,) = torch.autograd.grad(distribution.log_weights.sum(), Z)
    torch.testing.assert_close(gradient, torch.zeros_like(gradient), rtol=0, atol=1e-9)


# --- y given x


@pytest.mark.parametrize("d", ALL_d)
def test_the_conditional_is_the_joint_over_the_marginal(d):
    net, parameters = network(d)
    X, y = normal(4, d, seed=1), torch.linspace(-12, 12, 2401).double()
    distribution = GaussianMixture(*net.conditional(parameters, X)[1:])
    got = distribution.log_density(y[:, None, None])  # 2401 x s x 4
    Z = torch.cat([X.expand(2401, 4, d), y[:, None, None].expand(2401, 4, 1)], -1)
    joint = net.log_density(parameters, Z.flatten(0, 1)).reshape(2, 2401, 4).movedim(0, 1)
    # narrowest leaf 0.3: at steps of 0.01 the trapezoidal rule is exact to rounding
    log_marginal = torch.trapezoid(joint.exp(), y, dim=0).log()
    torch.testing.assert_close(got, joint - log_marginal)
    torch.testing.assert_close(net.conditional(parameters, X).log_marginal, log_marginal)
    torch.testing.assert_close(net.log_density(parameters, X), log_marginal)
    torch.testing.assert_close(
        torch.trapezoid(got.exp(), y, dim=0), torch.ones(2, 4, dtype=torch.float64)
    )
    mean = torch.trapezoid(got.exp() * y[:, None, None], y, dim=0)
    torch.testing.assert_close(distribution.mean, mean)
    spread = (y[:, None, None] - mean).square()
    torch.testing.assert_close(
        distribution.variance, torch.trapezoid(got.exp() * spread, y, dim=0)
    )


def test_the_joint_integrates_to_one():
    net, parameters = network(1)
    grid = torch.linspace(-12, 12, 481).double()
    joint = net.log_density(parameters, torch.cartesian_prod(grid, grid)).exp()
    volume = torch.trapezoid(torch.trapezoid(joint.reshape(2, 481, 481), grid), grid)
    torch.testing.assert_close(volume, numbers(1, 1))


@pytest.mark.parametrize("d", ALL_d[1:])
@pytest.mark.parametrize("tracks", [1, 3])
def test_every_input_changes_the_distribution_of_y(d, tracks):
    """Unlike in the published code of Kruse (2022), also within one track."""
    for seed in range(5):
        net, parameters = network(d, tracks=tracks, seed=seed)
        X = normal(10, 1, d, seed=1)
        moved = (X + torch.eye(d, dtype=torch.float64)).flatten(0, 1)
        before, after = (
            net.conditional(parameters, x).log_weights.exp() for x in (X.squeeze(1), moved)
        )
        change = after.unflatten(1, (10, d)) - before[:, :, None]  # s x 10 x d x K
        assert (change.abs().amax((1, 3)) > 1e-6).all()  # far above rounding


def test_weights_of_the_leaves_of_y_are_those_of_the_trees():
    net, parameters = network(3, channels=2)
    X = normal(5, 3, seed=1)
    distribution = net.conditional(parameters, X)
    for member in range(2):
        _, tracks, channels = induced_trees(net, parameters, member)
        gamma = tree_logs(net, parameters, X, member).softmax(-1)  # n x Z
        leaf = tracks * net.channels + channels[:, -1]
        expected = torch.zeros(5, 4).double().index_add(1, leaf, gamma)
        torch.testing.assert_close(distribution.log_weights[member].exp(), expected)
    torch.testing.assert_close(distribution.means[:, 0], parameters[1][:, :, -1].flatten(1))
    assert distribution.standard_deviations.shape == (2, 1, 4)


def test_its_gradients_are_right():
    net, parameters = network(3)
    X = normal(3, 3, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: net.conditional(parameters, x)[:2], X)


def test_without_gradients_nothing_is_recorded():
    net, parameters = network(2)
    X = normal(3, 2).requires_grad_()
    assert not any(part.requires_grad for part in net.conditional(parameters, X.detach()))
    with torch.no_grad():
        assert not any(part.requires_grad for part in net.conditional(parameters, X))


def test_many_points_in_parts_are_the_same_points(monkeypatch):
    net, parameters = network(2)
    X = normal(2, 50, 2)  # of each network its own
    whole = net.conditional(parameters, X)
    monkeypatch.setattr(sum_product, "AT_ONCE", 500)
    assert net.at_once(2) < 50
    for a, b in zip(whole, net.conditional(parameters, X), strict=True):
        torch.testing.assert_close(a, b)
    torch.testing.assert_close(net.log_density(parameters, X), whole.log_marginal)


def test_draws_have_the_moments_of_the_trees():
    net, parameters = network(2, channels=2)
    n = 20_000
    Z = net.draw(parameters, n, seeded(3))
    assert Z.shape == (2, n, 3)
    for member in range(2):
        weights, tracks, channels = induced_trees(net, parameters, member)
        chosen = (tracks[:, None], torch.arange(3), channels)
        mu, variance = (p[member][chosen] for p in parameters[1:3])
        first = weights.exp() @ mu
        second = torch.einsum("z,zu,zv->uv", weights.exp(), mu, mu)
        second += (weights.exp() @ variance).diag()
        outer = Z[member][:, :, None] * Z[member][:, None]
        for draws, expected in ((Z[member], first), (outer, second)):
            error = 5 * draws.std(0) / math.sqrt(n)
            assert ((draws.mean(0) - expected).abs() < error).all()


# --- Learning


def ascended(net, Z, c, distribution, start, steps):
    """Log posteriors along the way, steps x s, and the last parameters."""
    update, values, here = net.update(Z, c, distribution), [], start
    for _ in range(steps):
        value, here = update(here, torch.arange(len(c)))
        values.append(value)
    return torch.stack(values), here


@pytest.mark.parametrize("d", ALL_d)
def test_the_log_posterior_never_falls(d):
    net, s = SumProductNetwork.random(d, seeded(), channels=4), 6
    c = (torch.arange(40) % 6 != torch.arange(s)[:, None]).double()
    shapes = numbers(1, 3, 10, 50, 100, 200)[:, None].expand(s, d + 1)
    distribution = VariancePrior(shapes, torch.ones_like(shapes))
    Z = wave(d=d).expand(s, -1, -1)
    values, last = ascended(net, Z, c, distribution, net.initial(s, seeded(1)), 60)
    assert values.isfinite().all()
    # rounding of a sum of n terms of about the size of the whole
    assert (values.diff(dim=0) > -1e-11 * values.abs().max()).all()
    assert (values[-1] > values[0] + 10).all()
    for logs, dims in zip(last[3:], [(-3, -1)] * len(last[3:]), strict=True):
        total = logs.exp().sum(dims)
        torch.testing.assert_close(total, torch.ones_like(total))


def test_the_log_posterior_is_likelihood_and_prior():
    net, parameters = network(2)
    Z, c = wave(10), torch.rand(2, 10, generator=seeded(1), dtype=torch.float64)
    distribution = VariancePrior(numbers(2.0, 3.0, 9.0), numbers(0.5, 1.0, 2.0))
    value, _ = net.update(Z.expand(2, -1, -1), c, distribution)(parameters, torch.arange(2))
    of_precision = torch.distributions.Gamma(
        distribution.shape[:, None], distribution.scale[:, None]
    )
    # log p(v) = log p(1/v) - 2 log v
    logs = of_precision.log_prob(1 / parameters[2]) - 2 * parameters[2].log()
    likelihood = (c * net.log_density(parameters, Z)).sum(-1)
    torch.testing.assert_close(value, likelihood + logs.sum((1, 2, 3)))


def test_at_the_end_no_parameter_can_be_improved():
    """The gradient of the log posterior is zero.

    In the leaves, and along the simplex of weights.
    """
    net = SumProductNetwork.random(2, seeded(), channels=2)
    Z, c = wave(15)[None], torch.ones(1, 15, dtype=torch.float64)
    _, last = ascended(net, Z, c, prior(), net.initial(1, seeded(1)), 500)
    free = [p.clone().requires_grad_() for p in last]
    normalized = [
        free[0].log_softmax(-1), free[1], free[2],
        *(p - p.logsumexp((-3, -1), keepdim=True) for p in free[3:]),
    ]  # fmt: skip
    value = net.log_density(tuple(normalized), Z).sum() + prior().log_density(free[2]).sum()
    for gradient in torch.autograd.grad(value, free):
        # EM converges like a geometric series; what is left after 2000 steps
        torch.testing.assert_close(gradient, torch.zeros_like(gradient), rtol=0, atol=1e-4)


def test_responsibilities_are_those_of_the_trees():
    """One update from the mixture of trees, by plain sums."""
    net, parameters = network(2, s=1, channels=2)
    Z, c, distribution = wave(8), torch.linspace(0.1, 2, 8).double(), prior()
    _, moved = net.update(Z[None], c[None], distribution)(parameters, torch.arange(1))
    _, tracks, channels = induced_trees(net, parameters, 0)
    gamma = tree_logs(net, parameters, Z, 0).softmax(-1) * c[:, None]  # n x Z
    for t in range(2):
        share = gamma[:, tracks == t].sum() / gamma.sum()
        torch.testing.assert_close(moved[0][0, t].exp(), share)
    for t, v, channel in product(range(2), range(3), range(2)):
        r = gamma[:, (tracks == t) & (channels[:, v] == channel)].sum(-1)
        mean = (r * Z[:, v]).sum() / r.sum()
        squares = (r * (Z[:, v] - mean).square()).sum()
        torch.testing.assert_close(moved[1][0, t, v, channel], mean)
        variance = (2 * 0.2 + squares) / (r.sum() + 2 * 3.0 + 2)
        torch.testing.assert_close(moved[2][0, t, v, channel], variance)


def test_one_channel_learns_the_moments():
    net = SumProductNetwork.random(2, seeded(), channels=1, tracks=1)
    Z = wave(20) + 1.5
    _, last = ascended(
        net, Z[None], torch.ones(1, 20).double(), prior(), net.initial(1, seeded()), 1
    )
    torch.testing.assert_close(last[1][0, 0, :, 0], Z.mean(0))
    squares = (Z - Z.mean(0)).square().sum(0)
    torch.testing.assert_close(last[2][0, 0, :, 0], (0.4 + squares) / (20 + 6 + 2))


def test_rows_without_weight_are_not_there():
    net, Z = SumProductNetwork.random(2, seeded(), channels=3), wave(30)
    c = (torch.arange(30) >= 10).double()[None]
    start, loop = net.initial(1, seeded(1)), ExpectationMaximization(gain=1e-4)
    holes = loop.run(net.update(Z[None], c, prior()), start, c.sum(-1))
    fewer = loop.run(net.update(Z[None, 10:], c[:, 10:], prior()), start, c.sum(-1))
    assert torch.equal(holes.steps, fewer.steps)
    torch.testing.assert_close(holes.log_posterior, fewer.log_posterior)


def test_a_batch_is_a_loop():
    net, s = SumProductNetwork.random(2, seeded(), channels=3), 3
    Z = torch.stack([wave(25, seed=k) for k in range(s)])
    c, shapes = torch.ones(s, 25).double(), numbers(1, 10, 100)[:, None].expand(s, 3)
    start = net.initial(s, seeded(1))
    distribution = VariancePrior(shapes, torch.ones_like(shapes))
    loop = ExpectationMaximization(gain=1e-3, patience=3)
    together = loop.run(net.update(Z, c, distribution), start, c.sum(-1))
    for k in range(s):
        own = VariancePrior(shapes[k], torch.ones(3).double())
        update = net.update(Z[k : k + 1], c[:1], own)
        alone = loop.run(update, tuple(p[k : k + 1] for p in start), c[:1].sum(-1))
        assert int(together.steps[k]) == int(alone.steps)
        torch.testing.assert_close(together.log_posterior[k : k + 1], alone.log_posterior)


def test_a_leaf_that_nothing_reaches_keeps_its_mean():
    net, parameters = network(1, s=1, channels=2, tracks=1)
    means = parameters[1].clone()
    means[..., 1] = 1e6
    start = (parameters[0], means, *parameters[2:])
    _, last = ascended(net, wave(9, 1)[None], torch.ones(1, 9).double(), prior(), start, 3)
    assert torch.equal(last[1][..., 1], means[..., 1])
    mode = torch.full((1, 1, 2), 0.2 / (3.0 + 1)).double()
    torch.testing.assert_close(last[2][..., 1], mode)
    assert not any(p.isnan().any() for p in last)


def test_it_learns_a_wave():
    """The mean it predicts beats the mean of y."""
    net, Z = SumProductNetwork.random(1, seeded(), channels=10), wave(60, 1)
    c, restarts = torch.ones(3, 60).double(), 3
    loop = ExpectationMaximization(gain=1e-3, patience=6)
    update = net.update(Z.expand(3, -1, -1), c, prior(20.0, 1.0))
    best = loop.run(update, net.initial(restarts, seeded(1)), c.sum(-1)).best(restarts)
    distribution = GaussianMixture(*net.conditional(best.parameters, Z[:, :1])[1:])
    error = (distribution.mean[0] - Z[:, 1]).square().mean()
    assert float(error) < 0.2  # y has variance 1


def test_one_seed_one_network_and_no_other_randomness():
    before = torch.get_rng_state()
    (one, first), (two, second) = (network(4, seed=3) for _ in range(2))
    assert all(
        torch.equal(a, b) for a, b in zip(one.structure.levels, two.structure.levels, strict=True)
    )
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert torch.equal(one.draw(first, 5, seeded()), two.draw(second, 5, seeded()))
    assert torch.equal(torch.get_rng_state(), before)


def test_uneven_weights_are_powers_of_even_ones():
    net = SumProductNetwork.random(3, seeded())
    even, uneven = (net.initial(2, seeded(1), power) for power in (1.0, 3.0))
    for a, b in zip(even[3:], uneven[3:], strict=True):
        powers = a.exp() ** 3
        torch.testing.assert_close(b.exp(), powers / powers.sum((-3, -1), keepdim=True))
    assert all(torch.equal(a, b) for a, b in zip(even[:3], uneven[:3], strict=True))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda net, p: net.log_density(p, normal(4, 5)), "2 or 3 columns"),
        (lambda net, p: net.conditional(p, normal(4, 3)), "2 columns"),
        (lambda net, p: net.update(normal(1, 4, 2), torch.ones(1, 4), prior()), "3 columns"),
        (lambda net, p: net.update(normal(1, 4, 3), torch.ones(1, 4), prior(0.0)), "positive"),
    ],
)
def test_what_does_not_fit_is_said(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(*network(2))


# --- The structure


@pytest.mark.parametrize("variables", [2, 3, 4, 5, 6, 7, 11])
def test_a_random_structure_joins_all_variables_in_few_levels(variables):
    structure = Structure.random(variables, 4, seeded())
    assert len(structure.levels) == math.ceil(math.log2(variables))
    everything = frozenset(range(variables))
    for track in range(4):
        scopes = structure.scopes(track)
        assert scopes[-1] == [everything]
        # the scopes of a level are a partition
        assert all(sum(map(len, level)) == variables for level in scopes)


def test_tracks_have_pairings_of_their_own():
    pairs = Structure.random(6, 10, seeded()).levels[0].sort(-1).values
    sets = {frozenset(map(tuple, track)) for track in pairs.tolist()}
    assert len(sets) > 5  # of 15 that are equally likely


@pytest.mark.parametrize(
    ("variables", "levels", "message"),
    [
        (3, [level((0, 1), (1, 2)), level((0, 1))], r"level 1 in track 0 .*share \[1\]"),
        (2, [level((1, 1))], "not decomposable"),
        (3, [level((0, 1))], r"not complete: track 0 .* without \[2\]"),
        (3, [level((0, 1), (2, 3))], "the last level must be one pair"),
        (2, [level((0, 4))], "joins nodes 0 and 4 of 2"),
        (2, [torch.zeros(2, 1, 2).long(), torch.zeros(1, 1, 2).long()], "tracks x pairs x 2"),
        (2, [], "at least one level"),
        (3, [torch.tensor([[(0, 1), (2, 3)], [(0, 3), (1, 3)]]), torch.tensor([[(0, 1)]] * 2)],
         r"track 1 has the scope \[0, 1\]"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_structure_is_said(variables, levels, message):
    with pytest.raises(ValueError, match=message):
        Structure(variables, tuple(levels))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Structure.random(1, 1, seeded()),
        lambda: Structure.random(3, 0, seeded()),
        lambda: SumProductNetwork.random(2, seeded(), channels=0),
    ],
)
def test_impossible_sizes_are_errors(make):
    with pytest.raises(ValueError, match="needs"):
        make()
