"""The Laplace approximation of networks: a Gaussian around trained weights.

Notation
    s  networks      n  rows of the data      p  weights that are uncertain: all, or the last layer
    w  those of the networks, s x p           J  derivative of f by them, at the rows s x n x p
    Lambda  curvature of the log likelihood by f, s x n       rho  its gradient, s x n
    delta   precision of the prior w ~ N(0, I / delta), s     H = J' Lambda J + delta I
    g = J' rho - delta w, the gradient of log p(D, w); zero at the mode
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.inference.laplace_covariances import Covariance, Form, Structure, covariance_of
from neuralbo.inference.laplace_likelihoods import Likelihood
from neuralbo.networks.jacobian import Linearization, linearize
from neuralbo.networks.mlp import MLP


@final
@dataclass(frozen=True, slots=True)
class Laplace:
    """q(w) = N(w*, H^-1), and f(x) as if it were linear in w: f(x; w*) + J(x) (w - w*).

    H has the generalized Gauss-Newton matrix in the place of the Hessian, which is exact for
    models linear in w. Hassen and Rish (2021), Sec. 3.3, with the prior's term that is left out
    there; MacKay (1992), Immer et al. (2021), *Improving predictions of Bayesian neural nets via
    local linearization*.

    Attributes:
        structure: what is kept of H: all, its diagonal, or Kronecker factors of each layer.
        form: of the full structure: p x p ("weights") or n x n ("functions"), equal but for
            rounding; the smaller if None.
        last_layer: take all but the output layer as known.
    """

    structure: Structure = "full"
    form: Form | None = None
    last_layer: bool = False

    def fit(
        self,
        net: MLP,
        weights: Tensor,
        X: Tensor,
        likelihood: Likelihood,
        delta: Tensor | float,
    ) -> "LaplacePosterior":
        """Approximate the posterior around weights that were trained before.

        Args:
            net: The network; f is its only output.
            weights: w*, s x p: modes of the log posterior, or nearly so.
            X: n x d, the rows of the data.
            likelihood: Of the values there.
            delta: One for all networks, or s.
        """
        if net.outputs != 1:
            raise ValueError(f"the network must have one output, got {net.outputs}.")
        rows = self.linearize(net, weights, X)
        value, derivative, curvature = likelihood.terms(rows.f)
        return LaplacePosterior(
            self,
            net,
            weights,
            torch.as_tensor(delta, dtype=weights.dtype).expand(len(weights)),
            covariance_of(rows, curvature, self.structure, self.form),
            value.sum(-1),
            rows.back(derivative),
        )

    def linearize(self, net: MLP, weights: Tensor, X: Tensor) -> Linearization:
        """Linearize the networks at points, N x d, in the weights that are uncertain."""
        at = linearize(net, weights, X)
        return at.last_layer() if self.last_layer else at


@final
@dataclass(frozen=True, slots=True, eq=False)
class LaplacePosterior:
    """The distribution of s linearized networks. Differentiable in the points.

    Attributes:
        recipe: how it was made.
        net: the network.
        weights: w*, s x all weights.
        delta: precision of the prior, s.
        covariance: H^-1, for any delta.
        log_likelihood: log p(D | w*), s.
        derivative: J' rho, s x p.
    """

    recipe: Laplace
    net: MLP
    weights: Tensor
    delta: Tensor
    covariance: Covariance
    log_likelihood: Tensor
    derivative: Tensor

    @property
    def uncertain(self) -> Tensor:
        """The weights that are uncertain, s x p: all, or those of the output layer."""
        return self.weights[:, -self.derivative.shape[-1] :]

    @property
    def log_evidence(self) -> Tensor:
        """Log p(D | delta), s."""
        return self.log_evidences(self.delta)

    def log_evidences(self, delta: Tensor) -> Tensor:
        """Return log p(D | delta) for other delta too, ... x s, with one decomposition.

        = log p(D | w) - delta |w|^2 / 2 + g' H^-1 g / 2 - log det(I + G / delta) / 2,
        G = J' Lambda J. Hassen and Rish (2021), Sec. 3.2. The term of the gradient makes it
        independent of w where the model is linear and the likelihood Gaussian: then it is exact at
        any delta, whatever w was trained with. In other models it is so up to the change of J and
        Lambda between w and the mode at delta. It is left out if the structure is not full: the
        step H^-1 g is then a wrong one, and may promise any height.
        """
        w = self.uncertain
        value = self.log_likelihood - 0.5 * delta * w.square().sum(-1)
        value = value - 0.5 * self.covariance.log_determinant(delta)
        return value + 0.5 * self._gain(delta) if self.recipe.structure == "full" else value

    @property
    def effective_weights(self) -> Tensor:
        """How many weights the data determine, trace(G H^-1), s."""
        return self.covariance.effective(self.delta)

    def with_precision(self, delta: Tensor) -> "LaplacePosterior":
        """Return the posterior with another precision of the prior, s, at the same weights."""
        return replace(self, delta=delta)

    def with_likeliest(self, deltas: Tensor) -> "LaplacePosterior":
        """Return the posterior at that of some deltas, k, which is likeliest for each network.

        The weights stay: they are not the mode at the new delta, so train them again.
        """
        best = self.log_evidences(deltas[:, None].expand(-1, len(self.weights))).argmax(0)
        return self.with_precision(deltas[best])

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean f(x; w*) and variance of f at each point, ... x d to s x ... each."""
        at = self._at(X)
        shape = (len(self.weights), *X.shape[:-1])
        variance = self.covariance.variance(at, self.delta)
        return at.f.reshape(shape), variance.reshape(shape)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points, b x q x d to s x b x q and s x b x q x q."""
        q = X.shape[-2]
        at = self._at(X).grouped(q)
        shape = (len(self.weights), *X.shape[:-1])
        covariance = self.covariance.between(at, at, self.delta)
        return at.f.reshape(shape), covariance.reshape(*shape, q)

    def between(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the covariance of f between points, N x d and M x d; s x N x M."""
        return self.covariance.between(self._at(left), self._at(right), self.delta)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function of each network, ... x d to s x ...."""
        e = torch.randn(self.derivative.shape, generator=rng, dtype=self.derivative.dtype)
        v = self.covariance.root(e, self.delta)

        def function(X: Tensor) -> Tensor:
            at = self._at(X)
            return (at.f + at.times(v)).reshape(len(v), *X.shape[:-1])

        return function

    def _gain(self, delta: Tensor) -> Tensor:
        """Return g' H^-1 g."""
        w, derivative, inner = self.uncertain, self.derivative, self.covariance.inner
        mixed = inner(derivative, w, delta)
        squares = inner(derivative, derivative, delta), inner(w, w, delta)
        return squares[0] - 2 * delta * mixed + delta.square() * squares[1]

    def _at(self, X: Tensor) -> Linearization:
        return self.recipe.linearize(self.net, self.weights, X.reshape(-1, X.shape[-1]))
