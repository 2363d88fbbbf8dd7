"""Classes by their densities, or by the ratio of these, instead of by their probability.

Notation
    l, g  densities of the good points and of the others      r_alpha = l / (alpha l + (1-alpha) g)
    pi    the probability that follows: odds = gamma l / ((1 - gamma) g), gamma the share of z = 1
    k_j(x) = exp(-|x - c_j|^2 / (2 h^2)), centers c_j among the good points
    P, Q  k_j at the good points, n_1 x c, and at the others, n_0 x c
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import torch
from torch import Generator, Tensor

from neuralbo.surrogates.classifiers.class_model import LogOdds
from neuralbo.surrogates.classifiers.class_sklearn import one_class
from neuralbo.surrogates.classifiers.labels import Labels

MOST_CENTERS = 100
FOLDS = 5
WIDTHS = (
    0.025,
    0.05,
    0.1,
    0.2,
    0.4,
    0.8,
)  # times sqrt(d), h of the cube, among which folds decide
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
STEPS = 200  # of the ascent of KLIEP
LEAST = 1e-3  # below which a ratio is not believed


@final
@dataclass(frozen=True, slots=True)
class KernelDensities:
    """l and g by kernels of the normal-reference width, Silverman (1986): the route of TPE.

    Hassen and Rish (2021), Sec. 2 and 5.2, after Bergstra et al. (2011). The width of a column is
    sd n^(-1/(d+4)) (4/(d+2))^(1/(d+4)); a uniform density that counts as one observation is mixed
    in, so that neither is zero. l is too wide if it has several modes, which moves the maximum
    (Hassen and Rish 2021, sec. 5.1).
    """

    is_smooth: ClassVar[bool] = True

    def learn(self, X: Tensor, labels: Labels, rng: Generator) -> LogOdds:
        """Take the points of both classes; nothing is drawn."""
        good, others = labels.a > 0, labels.b > 0
        if not (good.any() and others.any()):
            return one_class(float(good.any()), len(X))
        share = labels.a.sum() / labels.b.sum()
        return _Densities(
            _Density.of(X[good], labels.a[good]),
            _Density.of(X[others], labels.b[others]),
            float(share.log()),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Density:
    """A sum of kernels, and a uniform density."""

    X: Tensor
    log_shares: Tensor
    width: Tensor
    log_uniform: float

    @staticmethod
    def of(X: Tensor, counts: Tensor) -> "_Density":
        n, d = X.shape
        factor = (4 / ((d + 2) * n)) ** (1 / (d + 4))
        width = factor * X.std(0, correction=0).clamp(min=1e-2)
        return _Density(X, (counts / (counts.sum() + 1)).log(), width, -math.log(n + 1))

    def log(self, X: Tensor) -> Tensor:
        """Return log density, ... x d to ...."""
        e = ((X[..., None, :] - self.X) / self.width).square().sum(-1)
        constant = self.width.log().sum() + 0.5 * len(self.width) * math.log(2 * math.pi)
        near = torch.logsumexp(self.log_shares - 0.5 * e, -1) - constant
        return torch.logaddexp(near, torch.full_like(near, self.log_uniform))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Densities:
    good: _Density
    others: _Density
    log_share: float

    def __call__(self, X: Tensor) -> Tensor:
        return self.log_share + self.good.log(X) - self.others.log(X)


@final
@dataclass(frozen=True, slots=True)
class RatioClassifier:
    """r(x) = sum_j w_j k_j(x), w fitted to the ratio itself. Hassen and Rish (2021), Sec. 4.

    ulsif:  least mean square of r - l/g under g: w = (Q'Q/n_0 + ridge I)^-1 mean of P, negative
            ones set to zero. Kanamori et al. (2009), Eq. (4) and (6). The ridge makes r too
            small; it is scaled to the mean 1 that l/g has.
    rulsif: the same for r_alpha, which is at most 1/alpha. Yamada et al. (2011).
    kliep:  the largest mean of log r over the good points, w >= 0, mean of r over the others 1.
            Sugiyama et al. (2008), by multiplicative steps, which keep w positive.
    The width of the kernel, and the ridge, are those that predict left-out fifths best, by the
    criterion of the method itself.

    Attributes:
        alpha: of rulsif.
    """

    kind: Literal["ulsif", "rulsif", "kliep"]
    alpha: float = 0.1
    centers: int = MOST_CENTERS

    is_smooth: ClassVar[bool] = True

    def learn(self, X: Tensor, labels: Labels, rng: Generator) -> LogOdds:
        """Fit w; `rng` draws the centers, if there are more good points than that."""
        good, others = X[labels.a > 0], X[labels.b > 0]
        if len(good) == 0 or len(others) == 0:
            return one_class(float(len(good) > 0), len(X))
        counts = labels.a[labels.a > 0], labels.b[labels.b > 0]
        shares = tuple(c / c.sum() for c in counts)
        chosen = torch.randperm(len(good), generator=rng)[: self.centers].sort().values
        c = good[chosen]
        alpha = self.alpha if self.kind == "rulsif" else 0.0
        ridges = (0.0,) if self.kind == "kliep" else RIDGES
        best = (math.inf, 0.0, 0.0)
        for width in (w * math.sqrt(X.shape[-1]) for w in WIDTHS):
            P, Q = _kernel(good, c, width), _kernel(others, c, width)
            for ridge in ridges:
                best = min(best, (self._left_out(P, Q, shares, alpha, ridge), width, ridge))
        _, width, ridge = best
        P, Q = _kernel(good, c, width), _kernel(others, c, width)
        w = self._weights(P, Q, shares, alpha, ridge)
        share = float(counts[0].sum() / (counts[0].sum() + counts[1].sum()))
        return _Ratio(c, w, width, alpha, share)

    def _weights(
        self, P: Tensor, Q: Tensor, shares: tuple[Tensor, ...], alpha: float, ridge: float
    ) -> Tensor:
        p, q = shares
        if self.kind == "kliep":
            return _kliep(P, Q, p, q)
        H = (1 - alpha) * Q.mT @ (q[:, None] * Q) + alpha * P.mT @ (p[:, None] * P)
        H = H + ridge * torch.eye(len(H), dtype=H.dtype)
        w = torch.linalg.solve(H, P.mT @ p).clamp(min=0.0)
        mean = (1 - alpha) * q @ (Q @ w) + alpha * p @ (P @ w)
        return w / mean if float(mean) > 0 else torch.ones_like(w)

    def _left_out(
        self, P: Tensor, Q: Tensor, shares: tuple[Tensor, ...], alpha: float, ridge: float
    ) -> float:
        """Return the loss of the method on rows that were not in its fit; small is good."""
        folds = min(FOLDS, len(P), len(Q))
        if folds < 2:
            return 0.0
        total = 0.0
        for fold in range(folds):
            outs = [torch.arange(len(K)) % folds == fold for K in (P, Q)]
            inside = tuple(_normalized(s[~out]) for s, out in zip(shares, outs, strict=True))
            w = self._weights(P[~outs[0]], Q[~outs[1]], inside, alpha, ridge)
            p, q = (_normalized(s[out]) for s, out in zip(shares, outs, strict=True))
            at_good, at_others = P[outs[0]] @ w, Q[outs[1]] @ w
            if self.kind == "kliep":
                total -= float((p * at_good.clamp(min=LEAST).log()).sum())
                continue
            square = (1 - alpha) * (q * at_others.square()).sum()
            square = square + alpha * (p * at_good.square()).sum()
            total += float(0.5 * square - (p * at_good).sum())
        return total


def _kliep(P: Tensor, Q: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """Maximize sum p log(P w) subject to w >= 0 and q'Q w = 1."""
    b = (Q.mT @ q).clamp(min=1e-12)
    w = 1 / (b.sum() * torch.ones_like(b))
    for _ in range(STEPS):  # expectation maximization of a mixture with components k_j / b_j
        responsible = w * P / (P @ w).clamp(min=1e-300)[:, None]
        w = (p @ responsible) / b
    return w


def _kernel(X: Tensor, centers: Tensor, width: float) -> Tensor:
    return (-0.5 * ((X[..., None, :] - centers) / width).square().sum(-1)).exp()


def _normalized(shares: Tensor) -> Tensor:
    return shares / shares.sum().clamp(min=1e-300)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Ratio:
    """log odds that follow from r_alpha; alpha zero is l/g."""

    centers: Tensor
    w: Tensor
    width: float
    alpha: float
    share: float

    def __call__(self, X: Tensor) -> Tensor:
        r = (_kernel(X, self.centers, self.width) @ self.w).clamp(min=0.0) + LEAST
        if self.alpha:  # l/g = r (1 - alpha)/(1 - alpha r)
            bounded = r.clamp(max=(1 - LEAST) / self.alpha)
            r = r * (1 - self.alpha) / (1 - self.alpha * bounded)
        return r.log() + math.log(self.share / (1 - self.share))
