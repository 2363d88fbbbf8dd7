"""The log posterior of a network's weights and its gradient, by hand, many chains at once.

A sampler asks for them some hundred thousand times, at sizes where each call of torch counts: the
passes work in memory that is kept from one call to the next.

Notation
    C  chains       n  rows of the data      m  outputs       p  weights of a network
    q  positions, C x P: those of the weights, the prior's extras, the noise's
    z_l  activations of layer l, C x n x out       delta  gradient by them, C x n x out
    r = f(X) - Y, C x n x m       sigma  sd of the noise, C
"""

import copy
import math
from collections.abc import Callable
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import Noise
from neuralbo.networks.priors import LOG_SQRT_2PI, Prior

# Without dimensions, so that the others' dtype is kept.
_ONE = torch.tensor(1.0, dtype=torch.float64)
_MINUS_ONE = torch.tensor(-1.0, dtype=torch.float64)


def _tanh_of_half(x: Tensor) -> Tensor:
    """tanh(x/2) = 2 sigmoid(x) - 1 in place: half the time of torch.tanh, and as exact."""
    return torch.add(_MINUS_ONE, x.sigmoid_(), alpha=2, out=x)


# In place. Those of _HALVED take twice their argument, which the layer's product gives for free.
_ACTIVATE: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": _tanh_of_half,
    "relu": Tensor.relu_,
    "sigmoid": Tensor.sigmoid_,
    "elu": lambda x: torch.nn.functional.elu(x, inplace=True),
    "step": lambda x: x.sign_().clamp_(min=0.0),
}
_HALVED = frozenset({"tanh"})

# The derivative of the activation as a function of its value z, in place of z.
_DERIVATIVE: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": lambda z: torch.addcmul(_ONE, z, z, value=-1, out=z),
    "relu": Tensor.sign_,
    "sigmoid": lambda z: torch.addcmul(z, z, z, value=-1, out=z),
    "elu": lambda z: z.add_(1).clamp_(max=1.0),
    "step": Tensor.zero_,
}


@final
class Passes:
    """Forward and backward pass of C networks over n rows, in memory of their own.

    z_l = a(W_l z_(l-1) + b_l);   dW_l = delta_l' z_(l-1),  db_l = sum of delta_l,
    delta_(l-1) = (delta_l W_l) a'(z_(l-1)).

    Args:
        net: The network.
        C: The number of chains.
        X: n x d, in the dtype to work in.

    Attributes:
        X: C x n x d, the same for all chains; may be replaced by other rows, as many.
        weights: C x p, to be filled in before a pass.
        gradient: C x p, filled in by the backward pass.
        r: C x n x m, filled in by `residuals`.
    """

    def __init__(self, net: MLP, C: int, X: Tensor) -> None:
        n = len(X)
        self.X = X.expand(C, -1, -1)
        self.weights, self.gradient = X.new_zeros(2, C, net.parameters)
        self.r = X.new_empty(C, n, net.outputs)
        self.flat_r = self.r.view(C, -1)
        self._layers, self._gradients = net.layers(self.weights), net.layers(self.gradient)
        self._z = [X.new_empty(C, n, out) for out in net.widths]
        self._delta = [torch.empty_like(z) for z in self._z]
        # Views that each pass needs, made once
        self._affine = [(W.mT, b.unsqueeze(1)) for W, b in self._layers]
        self._transposed = [delta.mT for delta in (*self._delta, self.r)]
        W, _ = self._layers[-1]
        self._has_features = net.skip or not self._z
        self._features = X.new_empty(C, n, W.shape[-1]) if self._has_features else self._z[-1]
        # X beside the last hidden layer has no weights behind it
        self._to_hidden = W[..., : W.shape[-1] - net.skip * net.inputs]
        self._activate, self._derivative = _ACTIVATE[net.activation], _DERIVATIVE[net.activation]
        self._factor = 2 if net.activation in _HALVED else 1

    def features(self) -> Tensor:
        """Evaluate z_L, with X beside it if `skip`; C x n x h. The next pass overwrites it."""
        z, factor = self.X, self._factor
        for out, (W, b) in zip(self._z, self._affine, strict=False):  # the output layer is left
            z = self._activate(torch.baddbmm(b, z, W, beta=factor, alpha=factor, out=out))
        if self._has_features:
            torch.cat((z, self.X) if self._z else (z,), -1, out=self._features)
        return self._features

    def residuals(self, Y: Tensor) -> Tensor:
        """Evaluate r = f(X) - Y, C x n x m."""
        features, (W, b) = self.features(), self._affine[-1]
        return torch.sub(b, Y, out=self.r).baddbmm_(features, W)

    def output_backward(self) -> None:
        """Fill in the gradient of all layers, that by the outputs standing in r."""
        by_W, by_b = self._gradients[-1]
        torch.bmm(self._transposed[-1], self._features, out=by_W)
        torch.sum(self.r, 1, out=by_b)
        if self._delta:
            torch.bmm(self.r, self._to_hidden, out=self._delta[-1])
            self._hidden_backward()

    def features_backward(self, delta: Tensor) -> None:
        """Fill in the gradient of the hidden layers; delta by z_L, more columns are ignored."""
        if self._delta:
            self._delta[-1].copy_(delta[..., : self._delta[-1].shape[-1]])
            self._hidden_backward()

    def input_gradient(self, row: int) -> Tensor:
        """Return the gradient by one row of X, C x d, after a backward pass."""
        return torch.bmm(self._delta[0][:, None, row], self._layers[0][0])[:, 0]

    def _hidden_backward(self) -> None:
        """Go from delta by z_L through all hidden layers; the activations are used up."""
        for at in range(len(self._z) - 1, -1, -1):
            delta = self._delta[at].mul_(self._derivative(self._z[at]))
            by_W, by_b = self._gradients[at]
            torch.bmm(self._transposed[at], self._z[at - 1] if at else self.X, out=by_W)
            torch.sum(delta, 1, out=by_b)
            if at:
                torch.bmm(delta, self._layers[at][0], out=self._delta[at - 1])


@final
class LogPosterior:
    """log p(q | D) up to log p(D), and its gradient: a `Target` of the samplers.

    = log p(q) + power sum_ij log N(Y_ij; f_j(x_i), sigma^2).
    Agrawal (2016), Eq. (5.1) and (5.4), the inner logarithm restored; several outputs share
    the network and the noise. One object serves one thread: it keeps memory between calls.

    Args:
        net: The network.
        X: n x d.
        Y: n x m.
        prior: Of the weights.
        noise: Of the observations.
        single: Run the passes in float32; the log density is still summed in float64. The smaller
            sigma, and the worse the fit, the more it is off.
    """

    def __init__(
        self, net: MLP, X: Tensor, Y: Tensor, prior: Prior, noise: Noise, *, single: bool = False
    ) -> None:
        check_data(net, X, Y)
        self.net, self.prior, self.noise, self.power = net, prior, noise, 1.0
        dtype = torch.float32 if single else torch.float64
        self._X, self._Y = X.to(dtype), Y.to(dtype)
        self._density = prior.over(net)
        self._end = net.parameters + self._density.extras
        known = torch.empty(1, 0, dtype=torch.float64)
        self._log_sd = None if noise.extras else float(noise.log_sd(known))
        self._passes: dict[tuple[int, int], Passes] = {}

    def __getstate__(self) -> dict[str, object]:  # memory is not worth a copy, nor its views
        return {**self.__dict__, "_passes": {}}

    @property
    def dimension(self) -> int:
        """The number P of positions of a chain."""
        return self._end + self.noise.extras

    def tempered(self, power: float) -> "LogPosterior":
        """Return the same with its likelihood raised to `power`."""
        other = copy.copy(self)
        other.power = power
        return other

    def weights(self, q: Tensor) -> Tensor:
        """Return the weights of the networks at q, C x P; C x p."""
        return self._density.weights(q[:, : self._end])

    def noise_sd(self, q: Tensor) -> Tensor:
        """Return sigma at q, C x P; C."""
        return self.noise.log_sd(q[:, self._end :]).exp()

    def draw_prior(self, s: int, rng: Generator) -> Tensor:
        """Draw positions of s chains from the prior, s x P."""
        return torch.cat((self._density.draw(s, rng), self.noise.draw(s, rng)), -1)

    def __call__(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density, C, and its gradient, C x P."""
        return self.value_and_gradient(q)

    def value_and_gradient(self, q: Tensor, rows: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the log density, C, and its gradient, C x P; both new tensors.

        Args:
            q: C x P.
            rows: Indices of a mini-batch, whose log likelihood counts n / batch times: an
                unbiased estimate of both where each row is as likely as any other.
        """
        q = q.detach()
        passes, Y, scale = self._rows(len(q), rows)
        own = q if self._log_sd is not None else q.narrow(1, 0, self._end)
        passes.weights.copy_(self._density.weights(own))
        r, flat = passes.residuals(Y), passes.flat_r.double()
        sse, count = torch.linalg.vecdot(flat, flat), scale * Y.numel()
        if self._log_sd is not None:
            precision = scale * math.exp(-2 * self._log_sd)
            r.mul_(-precision)
            passes.output_backward()
            value, gradient = self._density.combine(own, passes.gradient.double())
            value.add_(sse, alpha=-0.5 * precision)
            return value.sub_(count * (LOG_SQRT_2PI + self._log_sd)), gradient
        log_sd = q.select(1, -1)
        precisions = (log_sd * -2).exp_()
        r.mul_((precisions * -scale).to(r.dtype).view(-1, 1, 1))
        passes.output_backward()
        value, gradient = self._density.combine(own, passes.gradient.double())
        log_prior, derivative = self.noise.value_and_derivative(log_sd)
        misfit = sse.mul_(precisions)
        value.add_(log_prior).add_(misfit, alpha=-0.5 * scale).add_(log_sd, alpha=-count)
        by_noise = torch.add(derivative, misfit, alpha=scale).sub_(count)
        return value.sub_(count * LOG_SQRT_2PI), torch.cat((gradient, by_noise[:, None]), -1)

    def _rows(self, C: int, rows: Tensor | None) -> tuple[Passes, Tensor, float]:
        """Return passes over all rows or some, their Y, and how often they count."""
        n = 0 if rows is None else len(rows)
        passes = self._passes.get((C, n))
        if passes is None:
            passes = Passes(self.net, C, self._X if rows is None else self._X[rows])
            self._passes[C, n] = passes
        if rows is None:
            return passes, self._Y, self.power
        passes.X = self._X[rows].expand(C, -1, -1)
        return passes, self._Y[rows], self.power * len(self._X) / n


def check_data(net: MLP, X: Tensor, Y: Tensor) -> None:
    """Raise ValueError unless X is n x inputs and Y is n x outputs, n > 0."""
    is_right = X.ndim == Y.ndim == 2 and len(X) == len(Y) > 0
    if not is_right or (X.shape[1], Y.shape[1]) != (net.inputs, net.outputs):
        raise ValueError(
            f"X and Y must have shapes n x {net.inputs} and n x {net.outputs}, n > 0 the same, "
            f"got {tuple(X.shape)} and {tuple(Y.shape)}."
        )
