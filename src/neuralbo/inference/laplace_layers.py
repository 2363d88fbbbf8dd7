"""Covariances of weights that keep each layer to itself: diagonal, or Kronecker factors.

Notation: that of `neuralbo.inference.laplace_covariances`.
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.networks.jacobian import Linearization, sum_of

TINY = 1e-300


@final
@dataclass(frozen=True, slots=True, eq=False)
class ByLayers:
    """G without what lies between layers, and within a layer diagonal in a basis.

    A layer's weights and biases are a matrix [W, b], and its part of J is delta [z, 1]'. In the
    basis Q of delta and P of [z, 1] the element i, j of G is E_ij.
    """

    bases: tuple[tuple[Tensor, Tensor], ...]  # Q, s x out x out, and P, s x in+1 x in+1
    E: tuple[Tensor, ...]  # s x out x in+1

    @staticmethod
    def diagonal(rows: Linearization, curvature: Tensor) -> "ByLayers":
        """Keep the diagonal of G: Q and P are the identity."""
        bases, E = [], []
        for delta, z in rows.layers:
            inputs = _with_one(z)
            weighted = curvature[..., None] * delta.square()
            E.append(weighted.mT @ inputs.square())
            bases.append((_identity(delta), _identity(inputs)))
        return ByLayers(tuple(bases), tuple(E))

    @staticmethod
    def kronecker(rows: Linearization, curvature: Tensor) -> "ByLayers":
        """Take each layer's G as B x A, B = sum Lambda delta delta', A the mean of [z,1][z,1]'.

        Martens and Grosse (2015), Eq. (1). delta is added to the products of the eigenvalues,
        which is exact, where Ritter et al. (2018) add a root of it to each factor. The mean is
        weighted with Lambda, so that a row without weight does not count and one layer is exact.
        """
        bases, E = [], []
        share = curvature / curvature.sum(-1, keepdim=True).clamp(min=TINY)
        for delta, z in rows.layers:
            inputs = _with_one(z)
            b, Q = torch.linalg.eigh((curvature[..., None] * delta).mT @ delta)
            a, P = torch.linalg.eigh((share[..., None] * inputs).mT @ inputs)
            E.append(b.clamp(min=0.0)[..., None] * a.clamp(min=0.0)[..., None, :])
            bases.append((Q, P))
        return ByLayers(tuple(bases), tuple(E))

    def log_determinant(self, delta: Tensor) -> Tensor:
        """Return the sum of log(1 + E / delta)."""
        return sum_of(torch.log1p(E / delta[..., None, None]).sum((-2, -1)) for E in self.E)

    def effective(self, delta: Tensor) -> Tensor:
        """Return the sum of E / (E + delta)."""
        return sum_of((E / (E + delta[..., None, None])).sum((-2, -1)) for E in self.E)

    def inner(self, u: Tensor, v: Tensor, delta: Tensor) -> Tensor:
        """Return the sum of the products of both in the bases, over E + delta."""
        pairs = zip(self._turned(u), self._turned(v), self.E, strict=True)
        return sum_of(
            (left * right / (E + delta[..., None, None])).sum((-2, -1)) for left, right, E in pairs
        )

    def root(self, e: Tensor, delta: Tensor) -> Tensor:
        """Return (E + delta)^(-1/2) e, taken as given in the bases, in those of the weights."""
        parts, begin = [], 0
        for (Q, P), E in zip(self.bases, self.E, strict=True):
            size = E[0].numel()
            scaled = e[:, begin : begin + size].reshape(E.shape)
            begin += size
            M = Q @ (scaled * (E + delta[:, None, None]).rsqrt()) @ P.mT
            parts += [M[..., :-1].flatten(-2), M[..., -1]]
        return torch.cat(parts, -1)

    def variance(self, at: Linearization, delta: Tensor) -> Tensor:
        """Return the sum of the squares of delta and z in the bases, over E + delta."""
        return sum_of(
            ((d.square() @ (1 / (E + delta[:, None, None]))) * z.square()).sum(-1)
            for d, z, E in self._factors(at)
        )

    def between(self, left: Linearization, right: Linearization, delta: Tensor) -> Tensor:
        """Return the products of the rows of J in the bases, over (E + delta)^(1/2) each."""
        return self._half(left, delta) @ self._half(right, delta).mT

    def _half(self, at: Linearization, delta: Tensor) -> Tensor:
        parts = []
        for d, z, E in self._factors(at):
            scale = (E + delta[:, None, None]).rsqrt()
            scale = scale.reshape(len(E), *[1] * (d.ndim - 2), *E.shape[1:])
            parts.append((d[..., :, None] * z[..., None, :] * scale).flatten(-2))
        return torch.cat(parts, -1)

    def _factors(self, at: Linearization) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Return delta and [z, 1] of each layer in its bases, and E."""
        found = []
        for (delta, z), (Q, P), E in zip(at.layers, self.bases, self.E, strict=True):
            inputs = _with_one(z)
            if delta.ndim > Q.ndim:  # groups
                found.append((delta @ Q[:, None], inputs @ P[:, None], E))
            else:
                found.append((delta @ Q, inputs @ P, E))
        return found

    def _turned(self, v: Tensor) -> list[Tensor]:
        """Return the parts Q' [W, b] P of a vector of weights, s x p."""
        parts, begin = [], 0
        for (Q, P), E in zip(self.bases, self.E, strict=True):
            out, into = E.shape[1:]
            middle, end = begin + out * (into - 1), begin + out * into
            W, b = v[:, begin:middle].unflatten(-1, (out, into - 1)), v[:, middle:end, None]
            parts.append(Q.mT @ torch.cat([W, b], -1) @ P)
            begin = end
        return parts


def _with_one(z: Tensor) -> Tensor:
    return torch.cat([z, torch.ones_like(z[..., :1])], -1)


def _identity(like: Tensor) -> Tensor:
    """Return one for each network, of the size of the last dimension."""
    one = torch.eye(like.shape[-1], dtype=like.dtype)
    return one.expand(len(like), -1, -1)
