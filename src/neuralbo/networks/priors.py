"""Priors over the weights of networks, and the positions at which a sampler sees them.

A prior is a recipe; `over(net)` makes it the density of one network's positions.

Notation
    C  chains       p  weights of a network      e  hyper-parameters (extras) of the prior
    q  positions, C x (p + e): the weights w, or what stands for them, then the extras
    G  groups: W and b of each layer, input to output      l_g  log scale of group g
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, final

import torch
from torch import Generator, Tensor

from neuralbo.networks.gamma_draws import log_gamma_draws
from neuralbo.networks.mlp import MLP

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


class WeightDensity(Protocol):
    """A normalized density of positions, and the map from positions to weights."""

    @property
    def extras(self) -> int:
        """The number e of hyper-parameters among the positions, behind those of the weights."""
        ...

    def weights(self, q: Tensor) -> Tensor:
        """Return the weights of the networks at q; C x (p + e) to C x p."""
        ...

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density at q, C, and its gradient with g led back to q added.

        Args:
            q: C x (p + e).
            g: Gradient of something else, the log likelihood, by the weights; C x p.
        """
        ...

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw s positions, s x (p + e)."""
        ...


class Prior(ABC):
    """A distribution of the weights of any network; holds settings only."""

    __slots__ = ()

    @abstractmethod
    def over(self, net: MLP) -> WeightDensity:
        """Return the density of the positions of `net`."""

    def draw(self, net: MLP, s: int, rng: Generator) -> Tensor:
        """Draw the weights of s networks, s x p."""
        density = self.over(net)
        return density.weights(density.draw(s, rng))


@final
@dataclass(frozen=True, slots=True)
class Gaussian(Prior):
    """w_i ~ N(0, sd^2), weights and biases alike. Agrawal (2016), Sec. 5.1."""

    sd: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("sd", self.sd)

    def over(self, net: MLP) -> "FixedScales":
        """Return N(0, sd^2 I)."""
        return FixedScales(torch.full((net.parameters,), self.sd, dtype=torch.float64))


@final
@dataclass(frozen=True, slots=True)
class PerLayer(Prior):
    """W_l ~ N(0, sds[l][0]^2), b_l ~ N(0, sds[l][1]^2). Agrawal (2016), Sec. 5.1, an option.

    Args:
        sds: (weight sd, bias sd) of each layer, input to output.
    """

    sds: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        for pair in self.sds:
            _check_positive("sds", *pair)

    def over(self, net: MLP) -> "FixedScales":
        """Return the Gaussian; raise ValueError where the number of layers is another."""
        layers = len(net.widths) + 1
        if len(self.sds) != layers:
            raise ValueError(
                f"sds must have a (weight sd, bias sd) for each of the {layers} layers of the "
                f"network, the output's included; got {len(self.sds)}."
            )
        return _layered(net, self.sds)


@final
@dataclass(frozen=True, slots=True)
class FanIn(Prior):
    """W_l ~ N(0, sd^2 / fan-in), b_l ~ N(0, sd^2): the variance of f is that of any width.

    Neal (1996), Sec. 2.1.1, for the output layer; here for every layer.
    """

    sd: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("sd", self.sd)

    def over(self, net: MLP) -> "FixedScales":
        """Return the Gaussian."""
        return _layered(net, [(self.sd / math.sqrt(into), self.sd) for into in _fans_in(net)])


@final
@dataclass(frozen=True, slots=True)
class Hierarchical(Prior):
    """w_i ~ N(0, s_g^2) for i in group g,  s_g ~ Gamma(shape, rate).  HBNN.

    Positions: v = w / s, then l_g = log s_g; with `is_centred` w itself, as Agrawal (2016) has it.
    Both are the same distribution of w; the first spares samplers the funnel w has where s_g is
    small. Aryan (2020), Eq. (3.3), four groups for one hidden layer; here two for each layer.
    """

    shape: float = 2.0
    rate: float = 0.02
    is_centred: bool = False

    def __post_init__(self) -> None:
        _check_positive("shape and rate", self.shape, self.rate)

    def over(self, net: MLP) -> "GroupScales":
        """Return the density of (v, l) or (w, l)."""
        layers = net.layers(torch.empty(1, net.parameters))
        sizes = tuple(part.numel() for layer in layers for part in layer)
        return GroupScales(sizes, self.shape, self.rate, self.is_centred)


@final
@dataclass(frozen=True, slots=True)
class Cauchy(Prior):
    """W ~ Cauchy(scale / h), b ~ Cauchy(scale) in the output layer; N(0, sd^2) before it.

    h is the output layer's fan-in: a sum of h Cauchy variables is h times as wide, where h
    Gaussians are sqrt(h) times. Functions keep their jumps at any width.
    Neal (1996), Sec. 2.2.1; Agrawal (2016), Sec. 1 and Fig. 1, with step units.
    """

    scale: float = 1.0
    sd: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("scale and sd", self.scale, self.sd)

    def over(self, net: MLP) -> "CauchyOutput":
        """Return the density of w."""
        h, m = _fans_in(net)[-1], net.outputs
        hidden = torch.full((net.parameters - m * (h + 1),), self.sd, dtype=torch.float64)
        scale = torch.full((m * (h + 1),), self.scale / h, dtype=torch.float64)
        scale[m * h :] = self.scale
        return CauchyOutput(FixedScales(hidden), scale)


@final
@dataclass(frozen=True, slots=True)
class Mixture(Prior):
    """p(w_i) = sum_k weights[k] N(w_i; 0, sds[k]^2). Blundell et al. (2015), Eq. (7).

    Args:
        weights: Probabilities of the components; they sum to 1.
        sds: Their standard deviations.
    """

    weights: tuple[float, ...] = (0.5, 0.5)
    sds: tuple[float, ...] = (1.0, 0.1)

    def __post_init__(self) -> None:
        _check_positive("weights and sds", *self.weights, *self.sds)
        if len(self.weights) != len(self.sds) or not math.isclose(sum(self.weights), 1.0):
            raise ValueError(
                "weights and sds must be equally many and the weights sum to 1, "
                f"got {self.weights} and {self.sds}."
            )

    def over(self, net: MLP) -> "ScaleMixture":
        """Return the density of w."""
        as_tensor = torch.tensor((self.weights, self.sds), dtype=torch.float64)
        return ScaleMixture(net.parameters, *as_tensor)


@final
class FixedScales:
    """w_i ~ N(0, sd_i^2); positions are the weights.

    Args:
        sd: p of them.
    """

    extras = 0

    def __init__(self, sd: Tensor) -> None:
        self.sd = sd
        self._half = -0.5 / sd.square()
        self._constant = -float(sd.log().sum()) - len(sd) * LOG_SQRT_2PI

    def weights(self, q: Tensor) -> Tensor:
        """Return q."""
        return q

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Log density and gradient: -sum w_i^2 / (2 sd_i^2) + constant, g_i - w_i / sd_i^2."""
        half = q * self._half
        return torch.linalg.vecdot(q, half) + self._constant, torch.add(g, half, alpha=2)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw weights, s x p."""
        return torch.randn(s, len(self.sd), generator=rng, dtype=torch.float64) * self.sd


@final
class GroupScales:
    """w_i = s_g v_i,  v_i ~ N(0, 1),  s_g ~ Gamma(shape, rate); positions (v, l) or (w, l).

    log p(v, l) = sum_i log N(v_i; 0, 1) + sum_g log Gamma(e^l_g) + l_g, the last the Jacobian;
    log p(w, l) = log p(v, l) - sum_g n_g l_g, n_g the size of group g.

    Args:
        sizes: Weights in each group, in their order; 0 leaves a scale without weights.
        shape: Of the Gamma distribution.
        rate: Of the Gamma distribution.
        is_centred: Positions hold w, not v.
    """

    def __init__(
        self, sizes: tuple[int, ...], shape: float, rate: float, is_centred: bool
    ) -> None:
        self.sizes, self.shape, self.rate, self.is_centred = sizes, shape, rate, is_centred
        self.extras, self._p = len(sizes), sum(sizes)
        self._n = torch.tensor(sizes, dtype=torch.float64)
        self._group = torch.repeat_interleave(torch.tensor(sizes))
        self._constant = (
            self.extras * (shape * math.log(rate) - math.lgamma(shape)) - self._p * LOG_SQRT_2PI
        )

    def without(self, groups: int) -> "GroupScales":
        """Return the density without the weights of the last groups, their scales kept."""
        sizes = self.sizes[: len(self.sizes) - groups] + (0,) * groups
        return GroupScales(sizes, self.shape, self.rate, self.is_centred)

    def scales(self, q: Tensor) -> Tensor:
        """Return s_g, C x G."""
        return q[:, self._p :].exp()

    def weights(self, q: Tensor) -> Tensor:
        """Return w = s_g v, or w itself."""
        w = q[:, : self._p]
        return w if self.is_centred else w * self._of_each(self.scales(q))

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Log density and gradient.

        By v_i:  s_g g_i - v_i          by l_g:  shape - rate s_g + sum_i g_i w_i
        By w_i:  g_i - v_i / s_g        by l_g:  shape - rate s_g + sum_i v_i^2 - n_g
        """
        s, x, log_scales = self.scales(q), q[:, : self._p], q[:, self._p :]
        each = self._of_each(s)
        v = x / each if self.is_centred else x
        hyper = (self.shape * log_scales - self.rate * s).sum(-1)
        value = hyper - 0.5 * v.square().sum(-1) + self._constant
        by_scale = self.shape - self.rate * s
        if self.is_centred:
            value = value - log_scales @ self._n
            by_weight = g - v / each
            by_scale = (by_scale - self._n).index_add_(1, self._group, v.square())
        else:
            led_back = g * each
            by_weight = led_back - v
            by_scale = by_scale.index_add_(1, self._group, led_back * v)
        return value, torch.cat((by_weight, by_scale), -1)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw positions, s x (p + G)."""
        shape = torch.full((s, self.extras), self.shape, dtype=torch.float64)
        log_scales = log_gamma_draws(shape, rng) - math.log(self.rate)
        v = torch.randn(s, self._p, generator=rng, dtype=torch.float64)
        x = v * self._of_each(log_scales.exp()) if self.is_centred else v
        return torch.cat((x, log_scales), -1)

    def _of_each(self, s: Tensor) -> Tensor:
        """Give each weight the value of its group; C x G to C x p."""
        return s.index_select(1, self._group)


@final
class CauchyOutput:
    """Gaussian hidden weights, then output weights w_i ~ Cauchy(scale_i); no extras.

    Args:
        hidden: Law of the first p - k weights.
        scale: Of the last k.
    """

    extras = 0

    def __init__(self, hidden: FixedScales, scale: Tensor) -> None:
        self.hidden, self.scale = hidden, scale
        self._from = len(hidden.sd)
        self._constant = -float((math.pi * scale).log().sum())

    def weights(self, q: Tensor) -> Tensor:
        """Return q."""
        return q

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Log density and gradient; for the output -log1p((w/scale)^2), -2 w/(scale^2 + w^2)."""
        k = self._from
        value, by_hidden = self.hidden.combine(q[:, :k], g[:, :k])
        u = q[:, k:] / self.scale
        tail = u.square().add_(1)
        by_output = torch.addcdiv(g[:, k:], u / self.scale, tail, value=-2)
        return value - tail.log().sum(-1) + self._constant, torch.cat((by_hidden, by_output), -1)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw weights, s x p; Cauchy by inversion, scale tan(pi (u - 1/2))."""
        hidden = self.hidden.draw(s, rng)
        u = torch.rand(s, len(self.scale), generator=rng, dtype=torch.float64)
        return torch.cat((hidden, self.scale * (math.pi * (u - 0.5)).tan()), -1)


@final
class ScaleMixture:
    """w_i ~ sum_k weight_k N(0, sd_k^2); no extras.

    Args:
        p: The number of weights.
        probabilities: weight_k, k of them.
        sd: sd_k, k of them.
    """

    extras = 0

    def __init__(self, p: int, probabilities: Tensor, sd: Tensor) -> None:
        self.p, self.probabilities, self.sd = p, probabilities, sd
        self._log_height = probabilities.log() - sd.log() - LOG_SQRT_2PI
        self._minus_precision = -1 / sd.square()

    def weights(self, q: Tensor) -> Tensor:
        """Return q."""
        return q

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Log density and gradient, -w_i sum_k r_ik / sd_k^2 with responsibilities r."""
        terms = self._log_height + 0.5 * q.square()[..., None] * self._minus_precision
        logs = terms.logsumexp(-1)  # C x p
        derivative = (terms - logs[..., None]).exp() @ self._minus_precision
        return logs.sum(-1), torch.addcmul(g, q, derivative)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw weights, s x p."""
        k = torch.multinomial(self.probabilities, s * self.p, replacement=True, generator=rng)
        e = torch.randn(s, self.p, generator=rng, dtype=torch.float64)
        return e * self.sd[k].reshape(s, self.p)


def _layered(net: MLP, sds: Iterable[tuple[float, float]]) -> FixedScales:
    """Return the Gaussian of a (weight sd, bias sd) per layer."""
    sd = torch.empty(1, net.parameters, dtype=torch.float64)
    for (W, b), (of_weights, of_biases) in zip(net.layers(sd), sds, strict=True):
        W.fill_(of_weights)
        b.fill_(of_biases)
    return FixedScales(sd[0])


def _fans_in(net: MLP) -> list[int]:
    """Inputs of each layer."""
    return [W.shape[-1] for W, _ in net.layers(torch.empty(1, net.parameters))]


def _check_positive(name: str, *values: float) -> None:
    """Raise ValueError unless all values are above zero and finite."""
    if not all(0 < value < math.inf for value in values):
        raise ValueError(f"{name} must be positive and finite, got {values}.")
