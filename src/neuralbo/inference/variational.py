"""Variational inference: the Gaussian, or mixture of Gaussians, that is nearest to a target.

Notation
    p  numbers      k  components      M  samples of a component      x  a place, p
    m, s  means and standard deviations, k x p       w  weights of the components, k, sum 1
    q(x) = sum_k w_k N(x; m_k, diag(s_k^2))           e  standard normal noise, k x M x p
    ELBO = E_q[log target - log q] <= log Z, Z the integral of the target; equal if q = target / Z
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.inference.chains import Point, Target, evaluate
from neuralbo.networks.train import train

FIRST_SD = 0.1  # narrow, so that the first samples see the place they were told to begin at
# The gradient is noisy at first, while q is narrow, by e/s: with the usual 0.999 Adam would take
# small steps for that for a thousand steps.
BETAS = (0.9, 0.99)
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


class Parameters(NamedTuple):
    """What is learnt; any real numbers will do."""

    mean: Tensor  # k x p
    log_sd: Tensor  # k x p
    logits: Tensor  # k; the weights are their softmax


class Estimate(NamedTuple):
    """The ELBO by samples, with the gradient of its parameters."""

    elbo: Tensor
    missing: Tensor  # the part of the samples where the target was no number


@final
@dataclass(frozen=True, slots=True, eq=False)
class VariationalPosterior:
    """q, and how it was found.

    Attributes:
        mean: m, k x p.
        sd: s, k x p.
        weights: w, k.
        elbo: the estimate at each step, which is as noisy as M samples are; NaN where the target
            was no number at all samples.
        missing: the part of the samples left out at each step.
    """

    mean: Tensor
    sd: Tensor
    weights: Tensor
    elbo: Tensor
    missing: Tensor

    def draw(self, n: int, rng: Generator) -> Tensor:
        """Draw n independent places, n x p."""
        which = torch.multinomial(self.weights, n, replacement=True, generator=rng)
        noise = torch.randn(
            n, self.mean.shape[-1], generator=rng, dtype=self.mean.dtype, device=self.mean.device
        )
        return self.mean[which] + self.sd[which] * noise

    def log_density(self, q: Tensor) -> Tensor:
        """Return log q(x) of each row, C x p to C."""
        return _log_density(q, Parameters(self.mean, self.sd.log(), self.weights.log()))


@final
@dataclass(frozen=True, slots=True)
class Variational:
    """Maximize the ELBO by Adam, with reparametrized samples x = m_k + s_k e of all components.

    Aryan (2020), Eq. (2.21)-(2.27), with the log on p(D) that is missing there. Kingma and Welling
    (2014), Sec. 2.4. The samples are stratified: M of each component, weighted by w_k, so that
    the weights have an exact gradient too. The score of q, of mean zero, is left out of the
    gradient, which then has no noise where q is the target: Roeder et al. (2017). The step size
    falls to zero along a line, so that the last step is no worse than an average.

    Samples where the target is no number are left out. So a target which is zero outside of a
    region is not felt from the outside, and q may grow over its border: the ELBO is -inf there,
    and the cure is a map of the region to all numbers. `VariationalPosterior.missing` tells.

    Args:
        components: k.
        samples: M, of each component at each step.
        lr: of the first step, in units of the numbers and of log s.
    """

    components: int = 1
    steps: int = 1000
    samples: int = 8
    lr: float = 0.02

    def fit(self, target: Target, start: Tensor, rng: Generator) -> VariationalPosterior:
        """Find q; the target is asked once a step, at all k M samples.

        Args:
            target: k M x p to log densities and gradients.
            start: first means, k x p; or 1 x p, about which they are drawn.
            rng: draws all noise.
        """
        parameters = self._first(start, rng)
        optimizer = torch.optim.Adam(parameters, lr=self.lr, betas=BETAS)
        elbo, missing = start.new_empty(self.steps), start.new_empty(self.steps)
        shape = (self.components, self.samples, start.shape[-1])
        for t in range(self.steps):
            deadline.check()
            optimizer.param_groups[0]["lr"] = self.lr * (1 - t / self.steps)
            noise = torch.randn(shape, generator=rng, dtype=start.dtype, device=start.device)
            elbo[t], missing[t] = _ascend(parameters, estimate(target, parameters, noise))
            optimizer.step()
        mean, log_sd, logits = (value.detach() for value in parameters)
        return VariationalPosterior(mean, log_sd.exp(), logits.softmax(0), elbo, missing)

    def _first(self, start: Tensor, rng: Generator) -> Parameters:
        if start.ndim != 2 or len(start) not in (1, self.components):
            raise ValueError(
                f"start must be 1 x p or {self.components} x p, one row a component, "
                f"got shape {tuple(start.shape)}."
            )
        mean = start.detach().expand(self.components, -1).clone()
        if len(start) < self.components:  # equal components would see nothing of each other
            noise = torch.randn(mean.shape, generator=rng, dtype=mean.dtype, device=mean.device)
            mean = mean + FIRST_SD * noise
        log_sd = torch.full_like(mean, math.log(FIRST_SD))
        logits = mean.new_zeros(self.components)
        return Parameters(*(value.requires_grad_() for value in (mean, log_sd, logits)))


def estimate(target: Target, parameters: Parameters, noise: Tensor) -> Estimate:
    """Estimate the ELBO at x = m + s e; its derivative is the one without the score of q.

    sum_k w_k mean_M [log target(x_kM) - log q(x_kM)], with equal weight for all that is there:
    sum w f / sum w over the samples where the target is a number, NaN if there are none.
    """
    x = parameters.mean[:, None] + parameters.log_sd.exp()[:, None] * noise  # k x M x p
    x = x.flatten(0, 1)
    log_target, is_there = _evaluated(target, x)
    fixed = Parameters(*(value.detach() for value in parameters))  # no score
    weights = parameters.logits.softmax(0).repeat_interleave(noise.shape[1]) * is_there
    terms = torch.where(is_there, log_target - _log_density(x, fixed), 0.0)
    return Estimate((weights * terms).sum() / weights.sum(), 1 - is_there.to(x).mean())


def _ascend(parameters: Parameters, value: Estimate) -> tuple[Tensor, Tensor]:
    """Leave the gradient of -ELBO with the parameters, zero if it is no number; return values."""
    gradients = torch.autograd.grad(-value.elbo, parameters)
    is_number = all(bool(gradient.isfinite().all()) for gradient in gradients)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient if is_number else torch.zeros_like(gradient)
    return value.elbo.detach(), value.missing


def map_estimate(target: Target, start: Tensor, steps: int, lr: float) -> Point:
    """Ascend to a mode from each row of start, C x p, by Adam.

    Return the best place of all, 1 x p.

    The cheapest end of the same interface: q without width. It is the best of all that was seen,
    start included; a row whose gradient is no number stops there.
    """

    def loss(q: Tensor) -> Tensor:
        value, is_there = _evaluated(target, q)
        return torch.where(is_there, -value, math.inf)

    seen = evaluate(target, train(loss, start, steps=steps, lr=lr))
    best = seen.log_density.argmax()[None]
    return Point(seen.q[best], seen.log_density[best], seen.gradient[best])


def _evaluated(target: Target, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return log target(x), which autograd can differentiate once, and where it is a number."""
    point = evaluate(target, x.detach())
    is_there = point.log_density.isfinite()
    value = torch.where(is_there, point.log_density, 0.0)
    # Nothing is added to the value; to the derivative, the gradient the target gave.
    return value + ((x - x.detach()) * point.gradient).sum(-1), is_there


def _log_density(x: Tensor, parameters: Parameters) -> Tensor:
    """Return log q(x) of each row: log sum_k w_k N(x; m_k, diag(s_k^2))."""
    mean, log_sd, logits = parameters
    z = (x[:, None] - mean) * (-log_sd).exp()  # rows x k x p
    normal = -(0.5 * z.square() + log_sd + LOG_SQRT_2PI).sum(-1)
    return (normal + logits.log_softmax(0)).logsumexp(-1)
