"""Gaussian mixture regression: K Gaussians of (x, y) with full covariances.

Notation
    v = (x, y)              D = d + 1 numbers, standardized; y is the last
    lambda_z, mu_z, S_z     weight, mean and covariance of component z of K
    L                       Cholesky factor of S_z; its first d rows and columns are x's
    r_zi, N_z               responsibility of z for observation i, and its sum over i
    p, P                    rows that the prior of S_z counts for, and its variances, D numbers
    q_zi                    (v_i - mu_z)' inv(p P + scatter_z) (v_i - mu_z)
"""

import math
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar, NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, single_output
from neuralbo.inference.expectation_maximization import (
    ExpectationMaximization,
    MixtureEM,
    Mixtures,
)
from neuralbo.posteriors import Field
from neuralbo.surrogates.mixtures.held_out import (
    CrossValidation,
    Held,
    between,
    blended,
    held,
    log_normal,
)
from neuralbo.surrogates.mixtures.mixture_model import (
    LOG_SQRT_2PI,
    MOST_NUMBERS,
    Background,
    Blend,
    MixtureModel,
    Parts,
)
from neuralbo.surrogates.surrogate import Scaling

COUNTS = ((1, 2, 3, 4), (6, 8), (12, 16), (24, 32))  # components that are tried,
ROWS_EACH = 3  # as long as each has so many observations
# standard deviations of the prior, of x and of y
WIDTHS, HEIGHTS = (0.05, 0.15, 0.5), (0.02, 0.1, 0.4)
USUAL_X, USUAL_Y, SPREAD = 0.15, 0.1, 1.5
LEAST_LEFT = 1e-12  # of the scatter when an observation is left out
KRUSE_WEIGHTS = (1e-6, 1.0)  # Kruse (2022), Sec. 4.4


@final
@dataclass(frozen=True, slots=True)
class GaussianMixtureRegression:
    """p(x, y) = sum_z lambda_z N(v; mu_z, S_z),  p(y | x) = p(x, y)/p(x). Kruse (2022), Sec. 4.4.

    S_z ~ inverse Wishart, of `prior_rows` rows with the variances P: Kruse's maximum
    likelihood overfits with few data, as it says itself. Mixtures with different K and P are
    averaged, with weights from the log densities of left-out observations (`held_out.Held`); the
    average is a mixture of Gaussians as well. Responsibilities are kept as they are when
    observation i is left out; what is left then follows from q_zi alone:

        N' = N - r,  c = r N/N',
        (v - mu')' inv(scatter') (v - mu') = (N/N')^2 q/(1 - c q),
        log det scatter' = log det scatter + log(1 - c q).

    Settings and starts are fitted side by side.

    Attributes:
        background: what takes over far from the data.
        em: number of starts, and the loop.
        search: None for the above, or Kruse's cross-validation: K from 1 to the rows of a
            training set, w from 1e-6 to 1, maximum likelihood from 20 starts.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    background: Background = field(default_factory=Background)
    em: MixtureEM = field(
        default_factory=lambda: MixtureEM(restarts=2, loop=ExpectationMaximization(30, 1e-3))
    )
    search: CrossValidation | None = None
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> MixtureModel:
        """Fit; `rng` draws the field, the starts, and places of a search."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        units = input_units("standard", data.X), data.standard_units()
        V = torch.cat([units[0].numbers(data.X), units[1].numbers(data.Y)], -1)
        points = Field.draw(V.shape[-1] - 1, rng)
        if self.search is None:
            found = _by_leaving_one_out(V, self.background, self.em, rng)
        else:
            found = _by_cross_validation(V, self.background, self.em, self.search, rng)
        facts: dict[str, float | str] = {
            "surrogate": "gmr", "clipped": clipped, "components": len(found.joint.log_weights),
            "log_weight": found.log_w, "score": found.score,
        }  # fmt: skip
        blend = Blend(self.background, math.log(len(V)) - found.log_w)
        return MixtureModel(found.joint, blend, units, points, facts)


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianJoint:
    """K Gaussians of (x, y), factored once."""

    log_weights: Tensor  # K
    means: Tensor  # K x D
    L: Tensor  # K x D x D
    inverse: Tensor  # K x d x d, of the factors of x

    @classmethod
    def of(cls, log_weights: Tensor, means: Tensor, covariances: Tensor) -> "GaussianJoint":
        """Factor covariances, K x D x D, and leave out what has no weight."""
        is_there = log_weights > -math.inf
        L = torch.linalg.cholesky(covariances[is_there])
        d = L.shape[-1] - 1
        eye = torch.eye(d, dtype=L.dtype)
        inverse = torch.linalg.solve_triangular(L[:, :d, :d], eye, upper=False)
        return cls(log_weights[is_there], means[is_there], L, inverse)

    @property
    def size(self) -> int:
        """K."""
        return len(self.log_weights)

    def parts(self, Z: Tensor) -> Parts:
        """Return the components at points, N x d.

        With u = inv(L_x) (x - mu_x): y has mean mu_y + L_yx u and standard deviation L_y in
        component z.
        """
        d = Z.shape[-1]
        u = (Z - self.means[:, None, :d]) @ self.inverse.mT  # K x N x d
        heights = self.L.diagonal(dim1=-2, dim2=-1)[:, :d].log().sum(-1) + d * LOG_SQRT_2PI
        logs = (self.log_weights - heights)[:, None] - 0.5 * u.square().sum(-1)
        means = self.means[:, None, d] + (u @ self.L[:, d, :d, None]).squeeze(-1)
        return Parts(logs.mT, means.mT, self.L[:, d, d][None])


class Found(NamedTuple):
    """What a search found; `score` is the mean log density of what was left out."""

    joint: GaussianJoint
    log_w: float
    score: float


def _by_leaving_one_out(V: Tensor, background: Background, em: MixtureEM, rng: Generator) -> Found:
    """Average over numbers of components at the usual P, and over P for the best number.

    The second search begins at what the first one found.
    """
    em = MixtureEM(em.restarts, em.loop, prior_rows=V.shape[-1] + 1.0)
    most, scores = max(1, len(V) // ROWS_EACH), None
    joints: list[GaussianJoint] = []
    for counts in COUNTS:  # those of a group are padded to the largest of them
        some = torch.tensor([K for K in counts if most >= K])
        if not len(some):
            break
        settings = _Settings.of(V, V.new_tensor([[USUAL_X, USUAL_Y]]).expand(len(some), 2))
        mixtures, _ = em.fit(settings.rows, settings.ones, some, rng)
        scores = settings.held(mixtures, background, em.prior_rows).joined(scores)
        joints += settings.joints(mixtures)
    assert scores is not None
    settings = _Settings.of(V, V.new_tensor(list(product(WIDTHS, HEIGHTS))))
    again = settings.begin(joints[int(scores.totals.argmax())])
    ascent = em.loop.run(em.update(settings.rows, settings.ones), again, settings.ones.sum(-1))
    mixtures = Mixtures(*ascent.parameters)
    scores = settings.held(mixtures, background, em.prior_rows).joined(scores)
    joints += settings.joints(mixtures)
    shares = scores.shares(rng)
    log_w = float((shares * scores.log_w).sum())
    return Found(averaged(joints, shares), log_w, float(scores.totals.max()) / len(V))


def averaged(joints: list[GaussianJoint], shares: Tensor) -> GaussianJoint:
    """Return sum_m shares_m p_m(x, y), which has the components of all."""
    some = [(joint, share) for joint, share in zip(joints, shares, strict=True) if share > 0]
    return GaussianJoint(
        torch.cat([joint.log_weights + share.log() for joint, share in some]),
        torch.cat([joint.means for joint, _ in some]),
        torch.cat([joint.L for joint, _ in some]),
        torch.cat([joint.inverse for joint, _ in some]),
    )


class _Settings(NamedTuple):
    """Standard deviations of the prior, s x D, and the observations in units of them, s x n x D.

    In those units P is the identity, so that mixtures with different P are fitted side by side.
    """

    V: Tensor
    scales: Tensor
    rows: Tensor
    ones: Tensor  # s x n

    @classmethod
    def of(cls, V: Tensor, stds: Tensor) -> "_Settings":
        """Take standard deviations of x and of y, s x 2."""
        x, y = stds[:, :1], stds[:, 1:]
        scales = torch.cat([x.expand(-1, V.shape[-1] - 1), y], -1)
        return cls(V, scales, V / scales[:, None], V.new_ones(len(scales), len(V)))

    def begin(self, joint: GaussianJoint) -> Mixtures:
        """Return one mixture in the units of each setting."""
        s, scales = len(self.scales), self.scales[:, None]
        covariances = joint.L @ joint.L.mT / (scales[..., None] * scales[..., None, :])
        return Mixtures(joint.log_weights.expand(s, -1), joint.means / scales, covariances)

    def held(self, mixtures: Mixtures, background: Background, prior_rows: float) -> Held:
        """Score the mixtures."""
        a, b, typical = left_out(mixtures, self.rows, prior_rows)
        size = self.scales.log()
        of_x, x, y = size[:, :-1].sum(-1), self.scales[:, 0], self.scales[:, -1]
        return held(
            a - size.sum(-1, keepdim=True), b - of_x[:, None], typical - of_x,
            background.log_density(self.V[:, -1]),
            log_normal(x, USUAL_X, SPREAD) + log_normal(y, USUAL_Y, SPREAD),
        )  # fmt: skip

    def joints(self, mixtures: Mixtures) -> list[GaussianJoint]:
        """Return the mixtures in the units of the model."""
        scales = self.scales[:, None]
        means = mixtures.means * scales
        covariances = mixtures.covariances * scales[..., None] * scales[..., None, :]
        both = zip(mixtures.log_weights, means, covariances, strict=True)
        return [GaussianJoint.of(*parts) for parts in both]


def left_out(mixtures: Mixtures, V: Tensor, prior_rows: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return log n p(v_i) and log n p(x_i) without observation i, and the mean of the latter with.

    s mixtures of V, s x n x D, to s x n, s x n and s; `prior_rows` as in the fit.
    """
    n, D = V.shape[-2:]
    L = torch.linalg.cholesky(mixtures.covariances)  # s x k x D x D
    inverse = torch.linalg.solve_triangular(L, torch.eye(D, dtype=V.dtype), upper=False)
    u = ((V[:, None] - mixtures.means[:, :, None]) @ inverse.mT).square()  # s x k x n x D
    halves = L.diagonal(dim1=-2, dim2=-1).log().cumsum(-1)[..., None]  # s x k x D x 1
    log_weights = mixtures.log_weights[..., None]
    squares = u.sum(-1), u[..., :-1].sum(-1)  # s x k x n
    logs = log_weights - 0.5 * squares[0] - halves[..., -1, :]
    r = logs.softmax(-2)
    N = (mixtures.log_weights.exp() * n)[..., None]
    rest = (N - r).clamp(min=torch.finfo(V.dtype).tiny)  # N', zero where i was all there was
    log_shares = torch.where(log_weights > -math.inf, rest.log(), -math.inf)
    total, left = N + prior_rows, rest + prior_rows
    found = []
    for square, half, columns in (
        (squares[0], halves[..., -1, :], D), (squares[1], halves[..., D - 2, :], D - 1)
    ):  # fmt: skip
        q = square / total  # of the scatter, which is the covariance times `total`
        kept = (1 - r * N / rest * q).clamp(min=LEAST_LEFT)
        distance = left * (N / rest).square() * q / kept
        log_det = 2 * half + kept.log() + columns * (total / left).log()
        log_density = -0.5 * (distance + log_det) - columns * LOG_SQRT_2PI
        found.append((log_shares + log_density.nan_to_num(-math.inf)).logsumexp(-2))
    typical = log_weights - 0.5 * squares[1] - halves[..., D - 2, :] - (D - 1) * LOG_SQRT_2PI
    return found[0], found[1], typical.logsumexp(-2).mean(-1) + math.log(n)


def _by_cross_validation(
    V: Tensor, background: Background, em: MixtureEM, search: CrossValidation, rng: Generator
) -> Found:
    """Return the mixture with the best number of components and w among the places."""
    n = len(V)
    if n < search.least:
        K, log_w, score = min(2, n), math.log(KRUSE_WEIGHTS[0]), -math.inf
    else:
        K, log_w, score = _best_place(V, background, em, search, rng)
    found, _ = em.fit(V, V.new_ones(1, n), K, rng)
    return Found(GaussianJoint.of(*(part[0] for part in found)), log_w, score)


def _best_place(
    V: Tensor, background: Background, em: MixtureEM, search: CrossValidation, rng: Generator
) -> tuple[int, float, float]:
    """Return K, log w and the mean score of the best place; one K at a time, all folds at once."""
    n, D = V.shape
    fold, units = search.fold_of(n), search.units(V)
    k = len(units.scale)
    rows = (V - units.shift[:, None]) / units.scale[:, None]  # k x n x D
    is_in = (fold != torch.arange(k)[:, None]).to(V.dtype)
    shares = search.places(2, rng)
    most = n * (k - 1) // k
    counts = (1 + (shares[:, 0] * most).long()).clamp(max=most)
    log_w = between(*KRUSE_WEIGHTS, shares[:, 1]).log()
    log_p0 = background.log_density(rows[fold, torch.arange(n), -1])
    a, b = {}, {}
    for K in counts.unique().tolist():
        some = max(1, MOST_NUMBERS // (em.restarts * n * K * D))
        logs = [
            _fold_densities(em, rows[folds], is_in[folds], K, rng)
            for folds in torch.arange(k).split(some)
        ]
        a[K], b[K] = (torch.cat(part)[fold, torch.arange(n)] for part in zip(*logs, strict=True))
    A, B = (torch.stack([logs[K] for K in counts.tolist()]) for logs in (a, b))
    scores = blended(A, B, log_w[:, None], log_p0).sum(-1)
    best = int(scores.argmax())
    return int(counts[best]), float(log_w[best]), float(scores[best]) / n


def _fold_densities(
    em: MixtureEM, rows: Tensor, is_in: Tensor, K: int, rng: Generator
) -> tuple[Tensor, Tensor]:
    """Return log n p(v) and log n p(x) of mixtures that are fitted to some rows, at all rows."""
    found, _ = em.fit(rows, is_in, K, rng)
    log_n = is_in.sum(-1, keepdim=True).log()
    of_x = Mixtures(found.log_weights, found.means[..., :-1], found.covariances[..., :-1, :-1])
    return (
        found.log_densities(rows).logsumexp(-1) + log_n,
        of_x.log_densities(rows[..., :-1]).logsumexp(-1) + log_n,
    )
