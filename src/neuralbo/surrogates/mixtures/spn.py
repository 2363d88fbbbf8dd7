"""A sum-product network as the joint density of (x, y).

Notation
    V = d + 1 variables, standardized: x, then y     C  channels     T  tracks     T C leaves of y
    s  networks: settings, starts, folds             p  rows that the prior of a leaf counts for
    P  variances of the prior, V numbers             sigma^2 ~ InverseGamma(p/2 - 1, p P/2)
"""

import math
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar, NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, single_output
from neuralbo.inference.expectation_maximization import ExpectationMaximization
from neuralbo.networks.sum_product import Parameters, SumProductNetwork, VariancePrior
from neuralbo.posteriors import Field
from neuralbo.surrogates.mixtures.held_out import (
    CrossValidation,
    between,
    blended,
    held,
    log_normal,
)
from neuralbo.surrogates.mixtures.mixture_model import (
    MOST_NUMBERS,
    Background,
    Blend,
    MixtureModel,
    Parts,
)
from neuralbo.surrogates.surrogate import Scaling

WIDTHS, HEIGHTS = (0.1, 0.3), (0.03, 0.1, 0.3)  # standard deviations of the prior, of x and of y
USUAL_X, USUAL_Y, SPREAD = 0.15, 0.1, 1.5
PRIOR_ROWS = 4.0
FOLDS = 8
AGAIN = ExpectationMaximization(6, 1e-3)  # from the fit to all rows on, without those of a fold
KRUSE_SHAPES, KRUSE_DEFAULT = (1.0, 200.0), 100.0  # Kruse (2022), Sec. 4.5; the scale is 1
KRUSE_WEIGHTS = (1e-6, 1.0)
KRUSE_MORE = 0.5  # of shape: the author's code divides by R + 2 alpha + 3


@final
@dataclass(frozen=True, slots=True)
class SumProduct:
    """p(x, y) is a sum-product network,  p(y | x) = sum_k w_k(x) N(y; m_k, s_k^2), k up to T C.

    Kruse (2022), Sec. 4.5. Leaves are Gaussians of single variables, trained by expectation
    maximization to the MAP with a prior on their variances. y is drawn from at most T C Gaussians
    that do not depend on x: the function is cut into levels, and which of them x belongs to is
    learnt.

    Networks with different P are fitted side by side and averaged, with weights from the log
    densities of the observations of `FOLDS` folds that were left out (`held_out.Held`); without a
    fold a network begins at the fit to all rows. The average is again a mixture.

    Attributes:
        channels: C.
        tracks: T.
        restarts: starts of each setting, of which the best is kept.
        unevenness: of the first weights; even sums take expectation maximization many steps.
        loop: of expectation maximization.
        background: what takes over far from the data.
        search: None for the above, or Kruse's cross-validation: shapes of the priors of x
            and of y from 1 to 200 with scale 1, w from 1e-6 to 1.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    channels: int = 10
    tracks: int = 2
    restarts: int = 2
    unevenness: float = 4.0
    loop: ExpectationMaximization = field(
        default_factory=lambda: ExpectationMaximization(25, 1e-3)
    )
    background: Background = field(default_factory=Background)
    search: CrossValidation | None = None
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if min(self.channels, self.tracks, self.restarts) < 1:
            raise ValueError(
                f"SumProduct needs channels, tracks and restarts of at least 1, got {self}."
            )

    def fit(self, data: Data, rng: Generator) -> MixtureModel:
        """Fit; `rng` draws the field, pairings and starts, and places of a search."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        units = input_units("standard", data.X), data.standard_units()
        Z = torch.cat([units[0].numbers(data.X), units[1].numbers(data.Y)], -1)
        points = Field.draw(Z.shape[-1] - 1, rng)
        net = SumProductNetwork.random(
            Z.shape[-1] - 1, rng, channels=self.channels, tracks=self.tracks
        )
        find = self._averaged if self.search is None else self._of_the_document
        found = find(net, Z, rng)
        facts: dict[str, float | str] = {
            "surrogate": "spn", "clipped": clipped, "components": found.joint.size,
            "log_weight": found.log_w, "score": found.score,
        }  # fmt: skip
        blend = Blend(self.background, math.log(len(Z)) - found.log_w)
        return MixtureModel(found.joint, blend, units, points, facts)

    def _averaged(self, net: SumProductNetwork, Z: Tensor, rng: Generator) -> "Found":
        stds = Z.new_tensor(list(product(WIDTHS, HEIGHTS)))
        s, n = len(stds), len(Z)
        x, y = stds.unbind(-1)
        variances = torch.cat([x[:, None].expand(-1, Z.shape[-1] - 1), y[:, None]], -1).square()
        shape = Z.new_full(variances.shape, PRIOR_ROWS / 2 - 1)
        prior = VariancePrior(shape, PRIOR_ROWS * variances / 2)
        fitted = self._fit(net, Z.expand(s, -1, -1), Z.new_ones(s, n), prior, rng)
        log_n = math.log(n)
        typical = net.log_density(fitted, Z[:, :-1]).mean(-1) + log_n
        folds = CrossValidation(folds=FOLDS)
        if n < 2:
            a = b = Z.new_full((s, n), -math.inf)
        else:
            a, b = _left_out(net, fitted, Z, prior, folds.fold_of(n))
        scores = held(
            a, b, typical, self.background.log_density(Z[:, -1]),
            log_normal(x, USUAL_X, SPREAD) + log_normal(y, USUAL_Y, SPREAD),
        )  # fmt: skip
        shares = scores.shares(rng)
        some = shares > 0
        joint = SumProductJoint(net, tuple(p[some] for p in fitted), shares[some].log())
        log_w = float((shares * scores.log_w).sum())
        return Found(joint, log_w, float(scores.totals.max()) / n)

    def _fit(
        self, net: SumProductNetwork, Z: Tensor, row_weights: Tensor, prior: VariancePrior,
        rng: Generator,
    ) -> Parameters:  # fmt: skip
        """Return the best of the starts of each of s networks; Z is s x n x V."""
        often = self.restarts
        start = net.initial(often * len(Z), rng, self.unevenness)
        rows, c = Z.repeat(often, 1, 1), row_weights.repeat(often, 1)
        whole = (len(Z), Z.shape[-1])
        all_priors = VariancePrior(*(p.expand(whole).repeat(often, 1) for p in prior))
        update = net.update(rows, c, all_priors)
        ascent = self.loop.run(update, start, c.sum(-1), net.at_once(Z.shape[-2]))
        return ascent.best(often).parameters

    def _of_the_document(self, net: SumProductNetwork, Z: Tensor, rng: Generator) -> "Found":
        assert self.search is not None
        n, V = Z.shape
        shapes, log_w = Z.new_full((2,), KRUSE_DEFAULT), math.log(KRUSE_WEIGHTS[0])
        score = -math.inf
        if n >= self.search.least:
            shapes, log_w, score = self._best_place(net, Z, self.search, rng)
        fitted = self._fit(net, Z[None], Z.new_ones(1, n), _document_prior(shapes[None], V), rng)
        return Found(SumProductJoint(net, fitted, Z.new_zeros(1)), log_w, score)

    def _best_place(
        self, net: SumProductNetwork, Z: Tensor, search: CrossValidation, rng: Generator
    ) -> tuple[Tensor, float, float]:
        """Return shapes, log w and mean score of the best place; all folds of some at once."""
        n, V = Z.shape
        fold, units = search.fold_of(n), search.units(Z)
        k, row = len(units.scale), torch.arange(n)
        rows = (Z - units.shift[:, None]) / units.scale[:, None]  # k x n x V
        is_in = (fold != torch.arange(k)[:, None]).to(Z.dtype)
        shares = search.places(3, rng)
        shapes = between(*KRUSE_SHAPES, shares[:, :2])
        log_w = between(*KRUSE_WEIGHTS, shares[:, 2]).log()
        log_p0 = self.background.log_density(rows[fold, row, -1])
        numbers = k * self.restarts * sum(p.numel() for p in net.initial(1, rng))
        scores = []
        for some in torch.arange(len(shapes)).split(max(1, MOST_NUMBERS // numbers)):
            m = len(some)
            prior = _document_prior(shapes[some].repeat_interleave(k, 0), V)
            every, c = rows.repeat(m, 1, 1), is_in.repeat(m, 1)
            fitted = self._fit(net, every, c, prior, rng)
            log_n = c.sum(-1, keepdim=True).log()
            a, b = (
                (net.log_density(fitted, columns) + log_n).reshape(m, k, n)[:, fold, row]
                for columns in (every, every[..., :-1])
            )
            scores.append(blended(a, b, log_w[some, None], log_p0).sum(-1))
        score = torch.cat(scores)
        best = int(score.argmax())
        return shapes[best], float(log_w[best]), float(score[best]) / n


@final
@dataclass(frozen=True, slots=True, eq=False)
class SumProductJoint:
    """sum_m shares_m p_m(x, y), each p_m one of s networks of one shape."""

    net: SumProductNetwork
    parameters: Parameters
    log_shares: Tensor  # s

    @property
    def size(self) -> int:
        """The leaves of y in all networks."""
        return len(self.log_shares) * self.net.channels * self.net.structure.tracks

    def parts(self, Z: Tensor) -> Parts:
        """Return the leaves of y at points, N x d: their means are the same everywhere."""
        distribution = self.net.conditional(self.parameters, Z)
        log_p = distribution.log_marginal + self.log_shares[:, None]
        logs = distribution.log_weights + log_p[..., None]  # s x N x K
        means, stds = (
            part.reshape(1, -1) for part in (distribution.means, distribution.standard_deviations)
        )
        return Parts(logs.movedim(0, 1).flatten(1), means, stds)


class Found(NamedTuple):
    """What a search found; `score` is the mean log density of what was left out."""

    joint: SumProductJoint
    log_w: float
    score: float


def _document_prior(shapes: Tensor, V: int) -> VariancePrior:
    """Return the prior with shapes for x and for y, s x 2, and the scale 1."""
    x, y = shapes[:, :1], shapes[:, 1:]
    shape = torch.cat([x.expand(-1, V - 1), y], -1) + KRUSE_MORE
    return VariancePrior(shape, torch.ones_like(shape))


def _left_out(
    net: SumProductNetwork, fitted: Parameters, Z: Tensor, prior: VariancePrior, fold: Tensor
) -> tuple[Tensor, Tensor]:
    """Return log n p(x, y) and log n p(x) of the rows of each fold without it, s x n each."""
    s, n, k = len(fitted[0]), len(Z), int(fold.max()) + 1
    is_in = (fold != torch.arange(k)[:, None]).to(Z.dtype).repeat(s, 1)  # sk x n
    start = tuple(p.repeat_interleave(k, 0) for p in fitted)
    priors = VariancePrior(*(p.repeat_interleave(k, 0) for p in prior))
    update = net.update(Z.expand(s * k, -1, -1), is_in, priors)
    found = AGAIN.run(update, start, is_in.sum(-1), net.at_once(n)).parameters
    log_n, row = is_in.sum(-1, keepdim=True).log(), torch.arange(n)
    a, b = (
        (net.log_density(found, columns) + log_n).reshape(s, k, n)[:, fold, row]
        for columns in (Z, Z[:, :-1])
    )
    return a, b
