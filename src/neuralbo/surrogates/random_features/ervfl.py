"""An ensemble of random vector functional-link networks, each a draw of its posterior.

Notation: that of `neuralbo.inference.evidence`, and
    s  members, i one of them     xi_1, xi_2  h and n standard normal numbers of a member
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.inference.evidence import RANK_TOLERANCE, Decomposition, learn_precisions
from neuralbo.surrogates.random_features.hidden_layer import (
    Activation,
    HiddenLayer,
    Initialization,
)
from neuralbo.surrogates.random_features.linear_ensemble import (
    LinearEnsembleModel,
    chunks,
    members_of,
)
from neuralbo.surrogates.random_features.rvfl_precisions import (
    Prior,
    Spectra,
    given_precision,
    learn_member_precisions,
)
from neuralbo.surrogates.surrogate import Scaling

Precisions = tuple[Tensor, Tensor]  # alpha and beta, s each


@final
@dataclass(frozen=True, slots=True)
class EnsembleRVFL:
    """f(x) = w_i'psi_i(x) with probability 1/s: features and weights of a member of its own.

    w_i = argmax log N(y | Psi_i w, I/beta) + log N(w | anchor_i, I/alpha)
        = inv(alpha I + beta Psi_i'Psi_i) (alpha anchor_i + beta Psi_i'y),
    anchor_i ~ N(0, lambda I + lambda^2 beta Psi_i'Psi_i), lambda = 1/alpha; Aryan (2020) prints
    alpha/beta, which makes the members far too alike (Aryan 2020, Eq. 4.6-4.7). Then w_i is
    an exact draw of the posterior of member i. Sampled as alpha anchor_i = sqrt(alpha) xi_1 +
    sqrt(beta) Psi_i'xi_2, which is a draw of the prior and noise on the values.

    Random numbers belong to the member and to the row, so that members change little from one
    trial to the next. Values are standardized, inputs are scaled by the box (Aryan 2020,
    sec. 4.3).

    Attributes:
        members: how many; Aryan (2020) does not say (Aryan 2020, sec. 4.3).
        units: hidden units of each.
        skip: whether the inputs are features, too.
        noise_precision: beta, in units of Y's variance, or None to learn it.
        prior_precision: alpha; None to learn it by the evidence; "printed" or "precision" for
            the two readings of what Aryan (2020) fixes, see `fixed_precision`.
        shares_precision: learn the precisions on the first member and use them for all, which is
            what Aryan (2020) does and calls ineffective; else each member learns its own.
        adds_noise: whether the variance that criteria see has 1/beta in it (Aryan 2020, sec. 4.3):
            that of an observation instead of that of f. Draws and empirical improvement are
            without it.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
        initialization: of the hidden units, see `HiddenLayer`; so is `offsets`.
    """

    members: int = 100
    units: int = 300
    activation: Activation = "relu"
    skip: bool = True
    noise_precision: float | None = 1000.0
    prior_precision: Prior = None
    shares_precision: bool = False
    adds_noise: bool = False
    clip: float | None = 4.0
    initialization: Initialization = "even"
    offsets: tuple[float, float] = (0.0, 1.0)

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.members < 1 or self.units < 1:
            raise ValueError(f"EnsembleRVFL needs members >= 1 and units >= 1, got {self}.")

    @property
    def name(self) -> str:
        """Its name in Table 4.1 of Aryan (2020)."""
        return f"ervfl{1 + self.skip + 2 * (self.activation == 'relu')}"

    def fit(self, data: Data, rng: Generator) -> LinearEnsembleModel:
        """Draw hidden layers, anchors and noise from `rng`, then solve for all members."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        units = data.standard_units()
        y = units.numbers(data.Y).squeeze(-1)
        features = self._layer.draw(data.X.shape[-1], rng, (self.members,))
        xi = _normals(self.members, features.h, data.n, rng)
        given = given_precision(self.prior_precision, features), self.noise_precision
        if self.shares_precision:
            first = Decomposition.of(members_of(features, 0)(data.X), y)
            given = learn_precisions(first, *given)
        weights, alpha, beta = [], [], []
        for chunk in chunks(self.members, data.n * features.h):
            Psi = members_of(features, chunk)(data.X)
            gram = smaller_gram(Psi)
            a, b = member_precisions(Psi, gram, y, given)
            weights.append(anchored_weights(Psi, gram, y, (a, b), (xi[0][chunk], xi[1][chunk])))
            alpha.append(a)
            beta.append(b)
        noise = 1 / torch.cat(beta)
        facts: dict[str, float | str] = {
            "surrogate": self.name,
            "prior_precision": float(torch.cat(alpha).log().mean().exp()),
            "noise_precision": float(1 / noise.mean()),
            "clipped": clipped,
        }
        return LinearEnsembleModel(
            features, torch.cat(weights), noise, units, facts, self.adds_noise
        )

    @property
    def _layer(self) -> HiddenLayer:
        return HiddenLayer(
            self.units, self.activation, self.skip, self.initialization, self.offsets
        )


def _normals(s: int, h: int, n: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """Draw xi_1, s x h, and xi_2, s x n; a row's numbers stay when others come after it."""
    xi_1 = torch.randn(s, h, generator=rng, dtype=torch.float64)
    # One row at a time: a longer call of randn does not begin with a shorter one.
    rows = [torch.randn(s, generator=rng, dtype=torch.float64) for _ in range(n)]
    return xi_1, torch.stack(rows, -1)


def smaller_gram(Psi: Tensor) -> Tensor:
    """Return Psi Psi' if n < h, else Psi'Psi, for each member."""
    n, h = Psi.shape[-2:]
    return Psi @ Psi.mT if n < h else Psi.mT @ Psi


def member_precisions(
    Psi: Tensor, gram: Tensor, y: Tensor, given: tuple[float | None, float | None]
) -> Precisions:
    """Return alpha and beta of each member: those given, or its own by the evidence."""
    alpha, beta = given
    if alpha is None or beta is None:
        return learn_member_precisions(Spectra.of(Psi, gram, y), alpha, beta)
    one = Psi.new_ones(len(Psi))
    return alpha * one, beta * one


def anchored_weights(
    Psi: Tensor, gram: Tensor, y: Tensor, precisions: Precisions, xi: tuple[Tensor, Tensor]
) -> Tensor:
    """Return the weights of all members in one batched solve, s x h.

    With w0 = xi_1/sqrt(alpha), e = xi_2/sqrt(beta) and r = alpha/beta the maximum is
    w = w0 + Psi' inv(Psi Psi' + r I) (y + e - Psi w0)      if n < h, else
    w = w0 + inv(Psi'Psi + r I) Psi' (y + e - Psi w0).

    Args:
        Psi: s x n x h.
        gram: of the smaller side.
        y: n.
        precisions: alpha and beta, s each.
        xi: standard normal numbers, s x h and s x n.
    """
    n, h = Psi.shape[-2:]
    alpha, beta = precisions
    w0 = xi[0] / alpha.sqrt()[:, None]
    rest = (y + xi[1] / beta.sqrt()[:, None])[..., None] - Psi @ w0[..., None]
    size = gram.diagonal(dim1=-2, dim2=-1).sum(-1)
    r = (alpha / beta).maximum(RANK_TOLERANCE * size)  # below it the factor is rounding
    L = torch.linalg.cholesky(gram + torch.diag_embed(r[:, None].expand(-1, gram.shape[-1])))
    if n < h:
        step = Psi.mT @ torch.cholesky_solve(rest, L)
    else:
        step = torch.cholesky_solve(Psi.mT @ rest, L)
    return w0 + step.squeeze(-1)
