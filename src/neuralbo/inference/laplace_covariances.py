"""Covariances of weights, H^-1 = (G + delta I)^-1, by the structure that G is given.

Each holds G in a basis in which adding delta I is free: all delta cost one decomposition.

Notation
    s  networks      n  rows of the data      p  weights      N, M  points
    J  derivative of f by the weights, at the rows s x n x p, at a point N x p
    Lambda  curvature of the log likelihood at the rows, s x n
    G = J' Lambda J, s x p x p      K = Lambda^(1/2) J J' Lambda^(1/2), s x n x n
    delta  precision of the prior, ... x s: leading dimensions are those of a grid
"""

from typing import Literal, Protocol

from torch import Tensor

from neuralbo.inference.laplace_full import FullByFunctions, FullByWeights
from neuralbo.inference.laplace_layers import ByLayers
from neuralbo.networks.jacobian import Linearization

Structure = Literal["full", "diagonal", "kronecker"]
Form = Literal["weights", "functions"]


class Covariance(Protocol):
    """H^-1 for s networks, for any delta."""

    def log_determinant(self, delta: Tensor) -> Tensor:
        """Return log det(I + G / delta), ... x s."""
        ...

    def effective(self, delta: Tensor) -> Tensor:
        """Return trace(G H^-1), ... x s: how many weights the data determine."""
        ...

    def inner(self, u: Tensor, v: Tensor, delta: Tensor) -> Tensor:
        """Return u' H^-1 v for vectors of weights, s x p each; ... x s."""
        ...

    def root(self, e: Tensor, delta: Tensor) -> Tensor:
        """Return R e with R R' = H^-1, for vectors, s x p; delta is s."""
        ...

    def variance(self, at: Linearization, delta: Tensor) -> Tensor:
        """Return J H^-1 J' at single points, s x N; delta is s."""
        ...

    def between(self, left: Linearization, right: Linearization, delta: Tensor) -> Tensor:
        """Return J H^-1 J' between points, s x N x M, or within groups; delta is s."""
        ...


def covariance_of(
    rows: Linearization, curvature: Tensor, structure: Structure, form: Form | None
) -> Covariance:
    """Decompose G at the rows of the data.

    Args:
        rows: s x n.
        curvature: Lambda, s x n.
        structure: What is kept of G.
        form: Of the full structure; the smaller of n and p decides if None.
    """
    if structure == "diagonal":
        return ByLayers.diagonal(rows, curvature)
    if structure == "kronecker":
        return ByLayers.kronecker(rows, curvature)
    p = sum(delta.shape[-1] * (1 + z.shape[-1]) for delta, z in rows.layers)
    is_small = curvature.shape[-1] < p if form is None else form == "functions"
    return FullByFunctions.of(rows, curvature) if is_small else FullByWeights.of(rows, curvature)
