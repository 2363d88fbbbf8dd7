"""A prior under which a network looks at few of its inputs.

Notation: that of `neuralbo.networks.priors`, and
    d  inputs      h  units of the first layer      l_j = log s_j  log scale of input j
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.networks.mlp import MLP
from neuralbo.networks.priors import LOG_SQRT_2PI, Prior

FARTHEST = 1e-12  # of the interval of a uniform number, so that scales are finite


@final
@dataclass(frozen=True, slots=True)
class SparseInputs(Prior):
    """W_1[i,j] ~ N(0, (sd s_j)^2),  s_j ~ half-Cauchy(scale);  all other weights ~ N(0, sd^2).

    The horseshoe of Carvalho et al. (2010), one scale for all weights of an input: most inputs
    have next to no effect, some have any. Neal (1996), Sec. 4.3, has a scale for each input too,
    with Gamma precisions. Positions: v = w/(sd s), then l_j; so samplers meet no funnel.

    Args:
        scale: of the s_j: about the share of the inputs that matter.
        sd: of the other weights.
    """

    scale: float = 0.1
    sd: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.scale < math.inf and 0 < self.sd < math.inf):
            raise ValueError(f"scale and sd must be positive and finite, got {self}.")

    def over(self, net: MLP) -> "InputScales":
        """Return the density of (v, l)."""
        return InputScales(net, self)


@final
class InputScales:
    """log p(v, l) = sum_i log N(v_i; 0, 1) + sum_j log HC(e^l_j) + l_j, the last the Jacobian.

    log HC(s) = log(2 / (pi scale)) - log(1 + (s/scale)^2).

    Args:
        net: whose first h d weights are those of the inputs, unit by unit.
        prior: the settings.
    """

    def __init__(self, net: MLP, prior: SparseInputs) -> None:
        self.extras, self._p = net.inputs, net.parameters
        self._first = net.inputs * (*net.widths, net.outputs)[0]
        self._sd, self._scale = prior.sd, prior.scale
        each_scale = math.log(2 / (math.pi * prior.scale))
        self._constant = net.inputs * each_scale - net.parameters * LOG_SQRT_2PI

    def weights(self, q: Tensor) -> Tensor:
        """Return w = sd s v, or sd v."""
        return q[:, : self._p] * self._of_each(q)

    def combine(self, q: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Log density and gradient.

        By v_i: sd s g_i - v_i.   By l_j: 1 - 2u^2/(1 + u^2) + sum_i g_i w_i,  u = s_j/scale.
        """
        v, log_scales, each = q[:, : self._p], q[:, self._p :], self._of_each(q)
        log_u2 = 2 * (log_scales - math.log(self._scale))
        log_cauchy = log_scales - torch.nn.functional.softplus(log_u2)
        value = log_cauchy.sum(-1) - 0.5 * v.square().sum(-1) + self._constant
        led_back = g * each
        first = (led_back * v)[:, : self._first].unflatten(-1, (-1, self.extras)).sum(-2)
        by_scale = 1 - 2 * log_u2.sigmoid() + first
        return value, torch.cat((led_back - v, by_scale), -1)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw positions, s x (p + d); half-Cauchy by inversion, scale tan(pi u / 2)."""
        v = torch.randn(s, self._p, generator=rng, dtype=torch.float64)
        u = torch.rand(s, self.extras, generator=rng, dtype=torch.float64)
        u = u.clamp(FARTHEST, 1 - FARTHEST)
        return torch.cat((v, (self._scale * (0.5 * math.pi * u).tan()).log()), -1)

    def _of_each(self, q: Tensor) -> Tensor:
        """Return what each v is multiplied with, C x p."""
        scales = self._sd * q[:, self._p :].exp()
        each = q.new_full((len(q), self._p), self._sd)
        each[:, : self._first] = scales.repeat(1, self._first // self.extras)
        return each
