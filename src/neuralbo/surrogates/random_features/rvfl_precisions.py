"""Precisions of the output weights: those that a publication fixes, and those of an ensemble.

Notation: that of `neuralbo.inference.evidence`, and
    s  members, each with features Psi_i of its own     c2  s x r  squares of c
"""

from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor

from neuralbo.inference.evidence import (
    FIRST_BETA,
    HIGHEST_BETA,
    LEAST_PRIOR_VARIANCE,
    LOWEST_BETA,
    MOST_VARIANCE,
    RANK_TOLERANCE,
    ROUNDS,
    TOLERANCE,
    Decomposition,
)
from neuralbo.surrogates.random_features.hidden_layer import Activation, RandomFeatures

Reading = Literal["printed", "precision"]
Prior = float | Reading | None

SQUARE_VARIANCE = 0.8  # of z^2, z uniform with variance 1
LEAST_RELEVANCE = 0.03  # no column is ever lost
PRINTED = {"relu": 0.02, "tanh": 0.001}  # sigma-hat_w of Aryan (2020), Sec. 4.4.1


def fixed_precision(count: int, activation: Activation, reading: Reading) -> float:
    """Return the alpha that Aryan (2020), Sec. 4.4.1 fixes, in one of the two readings of A20.

    "printed": the prior standard deviation is 0.02 (relu) or 0.001 (tanh) over sqrt(|w|), so
    alpha = |w|/0.02^2: as tight as 7.5e5 and 3e8 for 300 weights, which hardly fit anything.
    "precision": the same numbers taken as precisions, alpha = 0.02 n_h or 0.001 n_h.

    Args:
        count: |w|, the output weights, for "printed"; n_h, the hidden units, for "precision".
        activation: "relu" or "tanh".
        reading: which of the two.
    """
    number = PRINTED[activation]
    return count / number**2 if reading == "printed" else count * number


def given_precision(prior: Prior, features: RandomFeatures) -> float | None:
    """Return alpha as a number; None if it is to be learnt."""
    if not isinstance(prior, str):
        return prior
    count = features.h if prior == "printed" else features.directions.shape[-2]
    activation: Activation = "relu" if features.activation == "relu" else "tanh"
    return fixed_precision(count, activation, prior)


def relevances(
    features: RandomFeatures, decomposed: Decomposition, precisions: tuple[float, float]
) -> Tensor:
    """Return the scales of the columns, d, that their own features ask for; mean square 1.

    r_j^2 is proportional to the expected variance of what column j adds by itself,
    r_j^2 E[u_j^2] + V r_j^4 k^2 E[v_j^2], u_j and v_j the weights of its input and of its square
    times k, V = 4/5 the variance of the square of a uniform variable of variance 1. One step of
    expectation maximization for a prior with a variance for each column (Tipping 2001, Sec. 3.1),
    taken over to the directions of the hidden units. Without data all are 1.
    """
    alpha, beta = precisions
    lam = beta * decomposed.s2
    V = decomposed.V
    mean = V @ (beta * decomposed.c / (alpha + lam))
    variance = (1 - V.square() @ (lam / (alpha + lam))).clamp(min=0.0) / alpha
    units, d = features.directions.shape
    second = (mean.square() + variance)[units:]
    r2 = torch.ones(d, dtype=V.dtype) if features.relevance is None else features.relevance**2
    effect = r2 * second[:d]
    if features.squares:
        effect = effect + SQUARE_VARIANCE * (r2 * features.squares).square() * second[d : 2 * d]
    share = effect / effect.mean().clamp(min=torch.finfo(effect.dtype).tiny)
    share = share.clamp(min=LEAST_RELEVANCE**2)
    return (share / share.mean()).sqrt()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Spectra:
    """What the data say about the precisions of each member: s2, c2, y'y and n."""

    s2: Tensor
    c2: Tensor
    yy: Tensor
    n: int

    @staticmethod
    def of(Psi: Tensor, gram: Tensor, y: Tensor) -> "Spectra":
        """Decompose the smaller side of Psi, s x n x h: Psi Psi' if n < h, else Psi'Psi.

        With Psi = U S V', c = V'Psi'y = S U'y, so that either side gives c^2.
        """
        n, h = Psi.shape[-2:]
        s2, Q = torch.linalg.eigh(gram)
        s2 = torch.where(s2 > RANK_TOLERANCE * s2[..., -1:], s2, 0.0)
        if n < h:
            c2 = s2 * (y @ Q).square()
        else:
            c2 = ((y @ Psi)[..., None, :] @ Q).squeeze(-2).square()
        return Spectra(s2, torch.where(s2 > 0, c2, 0.0), y @ y, n)


def learn_member_precisions(
    spectra: Spectra, alpha: float | None, beta: float | None
) -> tuple[Tensor, Tensor]:
    """Return each member's alpha and beta, s and s; those given stay as they are.

    `neuralbo.inference.evidence.learn_precisions` for all members at once; a member stops when
    its own precisions stay.
    """
    s2, c2, n = spectra.s2, spectra.c2, spectra.n
    per_row = (s2.sum(-1) / n).clamp(min=1e-300)  # mean of |psi|^2
    lowest, highest = per_row / MOST_VARIANCE, per_row / LEAST_PRIOR_VARIANCE
    a = per_row if alpha is None else torch.full_like(per_row, alpha)
    b = torch.full_like(per_row, FIRST_BETA if beta is None else beta)
    is_moving = torch.ones_like(per_row, dtype=torch.bool)
    for _ in range(ROUNDS):
        lam, new_a, new_b = b[:, None] * s2, a, b
        gap = a[:, None] + lam
        gamma = (lam / gap).sum(-1)
        explained = b[:, None] * c2 / gap.square()
        if alpha is None:
            size = (b * explained.sum(-1)).clamp(min=1e-300)  # mu'mu
            new_a = (gamma / size).clamp(lowest, highest)
        if beta is None:
            rest = spectra.yy - (explained * (a[:, None] + gap)).sum(-1)  # |y - Psi mu|^2
            new_b = ((n - gamma) / rest.clamp(min=1e-300)).clamp(LOWEST_BETA, HIGHEST_BETA)
        change = (new_a / a).log().abs() + (new_b / b).log().abs()
        a, b = torch.where(is_moving, new_a, a), torch.where(is_moving, new_b, b)
        is_moving = is_moving & (change >= TOLERANCE)
        if not is_moving.any():
            break
    return a, b
