"""Sum-product networks with Gaussian leaves, without state and many at once; all in logarithms.

Notation
    s  networks      n  rows      V  variables: the d inputs, then y     Z  rows, s x n x V
    T  tracks        C  channels  P  pairs of a level    O  sums of a pair: C, at the root 1
    i, j  channels of the left and of the right side of a pair     o  a sum of it
    K  leaves of y, T C           psi  logarithms of leaves, s x T x V x n x C
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.networks.priors import LOG_SQRT_2PI
from neuralbo.networks.sum_product_build import Structure

# log weights of the tracks, s x T; means and variances of the leaves, s x T x V x C; then for each
# level the log weights of its sums, s x T x P x C x O x C for i, o, j
Parameters = tuple[Tensor, ...]

LOST = 1e-140  # a scaled sum below this is taken again, term by term; its square is not yet zero
NOTHING = 1e-200  # a sum of responsibilities below this has lost its digits
AT_ONCE = 2**20  # numbers in the largest temporary: 8 MiB
FIRST_VARIANCE = 0.1


class Conditional(NamedTuple):
    """p(y | x) = sum_k w_k(x) N(y; mu_k, sigma_k^2), and p(x)."""

    log_marginal: Tensor  # s x n
    log_weights: Tensor  # s x n x K, normalized
    means: Tensor  # s x 1 x K
    standard_deviations: Tensor  # s x 1 x K


class VariancePrior(NamedTuple):
    """sigma^2 ~ InverseGamma(shape, scale) for every leaf; both are V or s x V numbers."""

    shape: Tensor
    scale: Tensor

    def log_density(self, variances: Tensor) -> Tensor:
        """Return the sum of the log densities of all leaves, s x T x V x C to s."""
        a, b = self.by_leaf
        constant = a * b.log() - a.lgamma()
        return (constant - (a + 1) * variances.log() - b / variances).sum((-3, -2, -1))

    @property
    def by_leaf(self) -> tuple[Tensor, Tensor]:
        """Shape and scale, to be broadcast against s x T x V x C."""
        return self.shape[..., None, :, None], self.scale[..., None, :, None]


@final
@dataclass(frozen=True, slots=True)
class SumProductNetwork:
    """A density of (x, y): leaves N(z_v; mu, sigma^2), products of two sides, weighted sums.

    A pair of a level: S_o = sum_ij w_ioj L_i R_j, with L and R the channels of its two sides.
    The root: sum_t w_t S_t over the tracks. Kruse (2022), Sec. 4.5, after Peharz et al. (2018);
    every track has leaves of its own. Parameters are an argument, as in `MLP`.

    Attributes:
        channels: C leaves of each variable and C sums of each pair in a track.
    """

    structure: Structure
    channels: int = 20

    def __post_init__(self) -> None:
        if self.channels < 1:
            raise ValueError(f"a network needs at least one channel, got {self.channels}.")

    @classmethod
    def random(
        cls, inputs: int, rng: Generator, *, channels: int = 20, tracks: int = 2
    ) -> "SumProductNetwork":
        """Draw pairings for d inputs and y.

        Kruse (2022), Sec. 4.5 has 20 channels and 2 tracks.
        """
        return cls(Structure.random(inputs + 1, tracks, rng), channels)

    def initial(self, s: int, rng: Generator, unevenness: float = 1.0) -> Parameters:
        """Draw first parameters: mu ~ N(0, 1), sigma^2 = 0.1, w uniform and then normalized.

        Args:
            s: How many networks.
            rng: Draws them.
            unevenness: w is uniform to this power. Sums of even weights are nearly equal, which
                EM takes many steps to leave.
        """
        T, C = self.structure.tracks, self.channels
        leaves = (s, T, self.structure.variables, C)
        means = torch.randn(leaves, generator=rng, dtype=torch.float64)
        tracks = torch.rand(s, T, generator=rng, dtype=torch.float64)
        levels = []
        for pairs, nodes in zip(self.structure.levels, self.structure.nodes, strict=True):
            sums = self._sums(pairs)
            w = torch.rand(s, *pairs.shape[:2], C, sums, C, generator=rng, dtype=torch.float64)
            # the empty set has one channel
            is_there = (pairs < nodes)[..., None] | (torch.arange(C) == 0)  # T x P x 2 x C
            w = w * is_there[:, :, 0, :, None, None] * is_there[:, :, 1, None, None, :]
            log_w = unevenness * w.log()
            levels.append(log_w - log_w.logsumexp((-3, -1), keepdim=True))
        variances = torch.full_like(means, FIRST_VARIANCE)
        return ((tracks / tracks.sum(-1, keepdim=True)).log(), means, variances, *levels)

    def log_density(self, parameters: Parameters, Z: Tensor) -> Tensor:
        """Return log p(x, y), s x n, or log p(x) where Z has no column for y.

        Z is n x V or s x n x V. A variable is integrated out by leaves of 1.
        """
        self._check_columns(Z, self.structure.variables - 1, self.structure.variables)
        parts = []
        for part in Z.split(self.at_once(len(parameters[0])), -2):
            psi = _log_leaves(parameters, part)
            ones = torch.zeros_like(psi[:, :, : self.structure.variables - Z.shape[-1]])
            parts.append(self._log_root(parameters, torch.cat([psi, ones], 2)))
        return torch.cat(parts, -1)

    def conditional(self, parameters: Parameters, X: Tensor) -> Conditional:
        """Return the distribution of y given x; X is n x d or s x n x d.

        The network is linear in the leaves of y: w_k = d log p(x) / d psi_k, where the leaves of y
        are 1. Kruse (2022), Sec. 4.5. Differentiable once more, in X.
        """
        self._check_columns(X, self.structure.variables - 1)
        rows = self.at_once(len(parameters[0]))
        parts = [self._weights(parameters, part) for part in X.split(rows, -2)]
        marginal, weights = (torch.cat(part, 1) for part in zip(*parts, strict=True))
        means, variances = (p[:, :, -1].flatten(1)[:, None] for p in parameters[1:3])
        return Conditional(marginal, weights, means, variances.sqrt())

    def draw(self, parameters: Parameters, count: int, rng: Generator) -> Tensor:
        """Draw rows (x, y) independently, s x count x V: from the root down, child by child."""
        log_tracks, means, variances, *levels = parameters
        s, C = len(means), self.channels
        track = _draw_index(log_tracks[:, None].expand(-1, count, -1), rng)  # s x count
        network = torch.arange(s)[:, None]
        channel = torch.zeros(s, count, 1, dtype=torch.int64)
        for log_w, pairs, nodes in zip(
            levels[::-1], self.structure.levels[::-1], self.structure.nodes[::-1], strict=True
        ):
            pair = torch.arange(pairs.shape[1])
            chosen = (network[..., None], track[..., None], pair, channel)
            both = log_w.movedim(-2, 3)[chosen].flatten(-2)  # s x count x P x CC
            product = _draw_index(both, rng)
            sides = torch.stack([product // C, product % C], -1).flatten(-2)
            below = torch.zeros(s, count, nodes + 1, dtype=torch.int64)
            channel = below.scatter(-1, pairs[track].flatten(-2), sides)[..., :nodes]
        leaf = (network[..., None], track[..., None], torch.arange(channel.shape[-1]), channel)
        e = torch.randn(channel.shape, generator=rng, dtype=means.dtype)
        return means[leaf] + variances[leaf].sqrt() * e

    def update(
        self, Z: Tensor, row_weights: Tensor, prior: VariancePrior
    ) -> Callable[[Parameters, Tensor], tuple[Tensor, Parameters]]:
        """Return the E-step and the M-step towards the MAP, for `ExpectationMaximization`.

        Responsibilities r are the derivatives of the log density by psi and by the log weights,
        and with R = sum_n r for a leaf of variable v:
        w ~ r of the edge,  mu = sum_n r z_n / R,
        sigma^2 = (2 scale_v + sum_n r (z_n - mu)^2) / (R + 2 shape_v + 2).
        Kruse (2022), Sec. 4.5; flat on mu and on w. Kruse's code divides by R + 2 shape + 3, which
        is this with half a unit more of shape.

        Args:
            Z: s x n x V, finite, also where the weight is zero.
            row_weights: s x n.
            prior: Its numbers are broadcast to s x V.
        """
        self._check_columns(Z, self.structure.variables)
        shape, scale = (p.expand(len(Z), self.structure.variables) for p in prior)
        if not ((shape > 0) & (scale > 0)).all():
            raise ValueError("shape and scale of the prior of variances must be positive.")

        def update(parameters: Parameters, members: Tensor) -> tuple[Tensor, Parameters]:
            own = VariancePrior(shape[members], scale[members])
            rows, c = Z[members], row_weights[members]
            log_tracks, means, variances, *levels = (p.detach() for p in parameters)
            psi = _log_leaves(parameters, rows).detach()
            by = [psi, log_tracks, *levels]
            with torch.enable_grad():
                for leaf in by:
                    leaf.requires_grad_()
                log_rows = self._log_root((log_tracks, means, variances, *levels), psi)
                value = (c * log_rows).sum(-1)
                r, *counts = torch.autograd.grad(value.sum(), by)
            shares = [
                _shares(n, old, (-1,) if old is parameters[0] else (-3, -1))
                for n, old in zip(counts, (parameters[0], *parameters[3:]), strict=True)
            ]
            moved = _moved_leaves(means, rows, r, own)
            log_posterior = value.detach() + own.log_density(variances)
            return log_posterior, (shares[0], *moved, *shares[1:])

        return update

    def at_once(self, rows: int) -> int:
        """Return how many networks fit in one batch of `rows`, or rows in one of networks."""
        levels = self.structure.levels
        widest = max(self.structure.variables, *(p.shape[1] * self._sums(p) for p in levels))
        return max(1, AT_ONCE // (rows * widest * self.channels * self.structure.tracks))

    def _check_columns(self, Z: Tensor, *allowed: int) -> None:
        if Z.shape[-1] not in allowed:
            numbers = " or ".join(map(str, allowed))
            raise ValueError(f"expected rows of {numbers} columns, got {tuple(Z.shape)}.")

    def _sums(self, pairs: Tensor) -> int:
        """Return O of a level."""
        return 1 if pairs is self.structure.levels[-1] else self.channels

    def _weights(self, parameters: Parameters, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return log p(x), s x n, and the log weights of the leaves of y, s x n x K."""
        psi = _log_leaves(parameters, X)
        with torch.enable_grad():
            of_y = torch.zeros_like(psi[:, :, :1]).requires_grad_()
            log_p = self._log_root(parameters, torch.cat([psi, of_y], 2))
            (weights,) = torch.autograd.grad(log_p.sum(), of_y, create_graph=psi.requires_grad)
        if not psi.requires_grad:
            log_p = log_p.detach()
        # a weight that underflows has no gradient, rather than one that is no number
        logs = weights[:, :, 0].clamp(min=torch.finfo(psi.dtype).tiny).log()
        return log_p, logs.transpose(1, 2).flatten(2)

    def _log_root(self, parameters: Parameters, psi: Tensor) -> Tensor:
        """Evaluate the network on the logarithms of its leaves, to s x n."""
        log_tracks, _, _, *levels = parameters
        values, T = psi, self.structure.tracks
        for log_w, pairs, nodes in zip(
            levels, self.structure.levels, self.structure.nodes, strict=True
        ):
            if (pairs == nodes).any():
                one = torch.full_like(values[:, :, :1], -math.inf).detach()
                one[..., 0] = 0.0
                values = torch.cat([values, one], 2)
            node = torch.arange(T)[:, None, None] * values.shape[2] + pairs  # T x P x 2
            flat = values.flatten(1, 2)
            sides = [flat.index_select(1, node[..., side].flatten()) for side in (0, 1)]
            left, right = (side.unflatten(1, (T, -1)) for side in sides)
            values = _log_sums(left, right, log_w)
        return (values[:, :, 0, :, 0] + log_tracks[..., None]).logsumexp(1)


def _log_leaves(parameters: Parameters, Z: Tensor) -> Tensor:
    """Return log N(z_v; mu, sigma^2) for the variables that Z has, s x T x v x n x C."""
    z, v = Z.expand(len(parameters[1]), *Z.shape[-2:]).mT[:, None, :, :, None], Z.shape[-1]
    means, variances = (p[:, :, :v, None] for p in parameters[1:3])
    return -0.5 * ((z - means).square() / variances + variances.log()) - LOG_SQRT_2PI


def _log_sums(left: Tensor, right: Tensor, log_w: Tensor) -> Tensor:
    """Return log sum_ij w_ioj exp(left_i + right_j); twice ... x n x C to ... x n x O.

    The sums are products of matrices, scaled by the largest left and right: the trick of Peharz
    et al. (2020). Where all that is large has no weight, such a sum would lose its digits; there
    the terms are summed one by one.
    """
    a, b = (x.detach().amax(-1, keepdim=True) for x in (left, right))
    w = log_w.exp()
    partial = ((left - a).exp() @ w.flatten(-2)).unflatten(-1, w.shape[-2:])  # ... x n x O x C
    sums = (partial * (right - b).exp().unsqueeze(-2)).sum(-1)
    logs: Tensor = sums.clamp(min=LOST).log() + a + b
    is_lost = sums < LOST
    if is_lost.any():
        *pair, row, o = is_lost.nonzero(as_tuple=True)
        sides = left[(*pair, row)][..., None] + right[(*pair, row)][..., None, :]
        terms = log_w.movedim(-2, -3)[(*pair, o)] + sides
        logs = logs.index_put((*pair, row, o), terms.logsumexp((-2, -1)))
    return logs


def _moved_leaves(
    means: Tensor, Z: Tensor, r: Tensor, prior: VariancePrior
) -> tuple[Tensor, Tensor]:
    """Return the means and variances of the M-step. A leaf without rows keeps its mean."""
    z, R = Z.mT[:, None, :, :, None], r.sum(-2)  # s x 1 x V x n x 1, s x T x V x C
    moved = torch.where(R > NOTHING, (r * z).sum(-2) / R.clamp(min=NOTHING), means)
    squares = (r * (z - moved[..., None, :]).square()).sum(-2)
    a, b = prior.by_leaf
    return moved, (2 * b + squares) / (R + 2 * a + 2)


def _shares(counts: Tensor, old: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Return the logarithms of counts over their sum; where there are none, the old ones."""
    total = counts.sum(dims, keepdim=True)
    return torch.where(total > NOTHING, (counts / total.clamp(min=NOTHING)).log(), old)


def _draw_index(log_weights: Tensor, rng: Generator) -> Tensor:
    """Draw from ... x k normalized weights, ...."""
    flat = log_weights.exp().flatten(0, -2)
    return torch.multinomial(flat, 1, generator=rng).reshape(log_weights.shape[:-1])
