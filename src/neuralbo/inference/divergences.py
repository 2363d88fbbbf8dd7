"""f-divergences of two distributions of which only samples and a log ratio are known.

Notation
    p  the target     q  the distribution that is fitted     r = p/q     C = log r, what a critic
    learns D = E_q[f(r)], f convex with f(1) = 0

Of D with r held fixed the samples of q do not have the right gradient, since r depends on q as
well: dD = int dq (f(r) - r f'(r)). So the generator minimizes E_q[h(r)], h(r) = f(r) - r f'(r).
Nowozin et al. (2016), "f-GAN"; Aryan (2020), Sec. 6.3, which names them and uses the first.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor


@final
@dataclass(frozen=True, slots=True)
class Divergence:
    """f and h of a divergence, as functions of C.

    Attributes:
        value: f(e^C), whose mean over samples of q is D.
        loss: h(e^C) up to a constant, whose gradient by samples of q is that of D.
    """

    name: str
    value: Callable[[Tensor], Tensor]
    loss: Callable[[Tensor], Tensor]


def _softplus_half(C: Tensor) -> Tensor:
    return torch.nn.functional.softplus(C) - math.log(2)


def _minus(C: Tensor) -> Tensor:
    return -C


def _forward_value(C: Tensor) -> Tensor:
    return C * C.exp()


def _minus_ratio(C: Tensor) -> Tensor:
    return -C.exp()


def _jensen_shannon_value(C: Tensor) -> Tensor:
    return 0.5 * (C.exp() * (C - _softplus_half(C)) - _softplus_half(C))


def _jensen_shannon_loss(C: Tensor) -> Tensor:
    return -0.5 * _softplus_half(C)


def _hellinger_value(C: Tensor) -> Tensor:
    return torch.expm1(0.5 * C).square()


def _hellinger_loss(C: Tensor) -> Tensor:
    return -(0.5 * C).exp()


KL = Divergence("kl", _minus, _minus)  # KL(q | p): f = -log r
FORWARD_KL = Divergence("forward_kl", _forward_value, _minus_ratio)  # KL(p | q): f = r log r
JENSEN_SHANNON = Divergence("jensen_shannon", _jensen_shannon_value, _jensen_shannon_loss)
HELLINGER = Divergence("hellinger", _hellinger_value, _hellinger_loss)  # f = (sqrt(r) - 1)^2
DIVERGENCES = {d.name: d for d in (KL, FORWARD_KL, JENSEN_SHANNON, HELLINGER)}
