"""Semi-implicit distributions.

An implicit distribution and a little Gaussian noise, which gives it a density.

Notation
    mu = G(z, e)      theta = mu + s n, n standard normal      samples, M x P;  s, P
    q(theta) = E_(z,e)[N(theta; G(z, e), diag(s^2))]
    q_M(theta_i) = mean over the M mu_k of the batch of N(theta_i; mu_k, diag(s^2)), mu_i included
"""

import math
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.errors import FitError
from neuralbo.inference.chains import Target, evaluate
from neuralbo.inference.implicit import ImplicitDistribution
from neuralbo.inference.order import order_loss, random_pairs
from neuralbo.networks.hypernetwork import DeepImplicit

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
BETAS = (0.9, 0.99)  # hundreds of steps are too few for the usual 0.999
SMALLER = 0.3  # what the steps are multiplied with at the second attempt


def log_density_bound(theta: Tensor, mu: Tensor, log_sd: Tensor) -> Tensor:
    """Return log q_M of each sample, M: in expectation at least log q, and equal in the limit.

    Yin and Zhou (2018), "Semi-implicit variational inference", Sec. 2.3.

    Args:
        theta: M x P; row i was drawn about row i of mu.
        mu: M x P.
        log_sd: log s, P.
    """
    a, b = theta * (-log_sd).exp(), mu * (-log_sd).exp()
    center = b.mean(0)
    a, b = a - center, b - center  # differences of large numbers lose digits
    squares = a.square().sum(-1)[:, None] + b.square().sum(-1) - 2 * a @ b.mT
    constant = log_sd.sum() + len(log_sd) * LOG_SQRT_2PI + math.log(len(mu))
    return torch.logsumexp(-0.5 * squares, -1) - constant


@final
@dataclass(frozen=True, slots=True)
class SemiImplicit:
    """Maximize E_q[log target - log q_M] by Adam, a lower bound of the ELBO; no critic.

    The samples of an implicit distribution fill a few dimensions of the P, those of z and e. It
    has no density there: its divergence from any prior is infinite, a critic tells the two apart
    without error, and what it then says grows with its training and has no meaning. With noise in
    all P dimensions the distribution has a density, and a bound of it is known.

    The order loss has u = -log target, the other cost of A28, in units of sqrt(P/2), by which the
    log density of P numbers varies.

    Attributes:
        batch: M.
        sd: s at first; it is learnt.
        spread: of G at first, as a part of the usual initialization.
        kappa: weight of the order; 0 for none.
    """

    steps: int = 300
    batch: int = 16
    lr: float = 1e-2
    sd: float = 0.3
    spread: float = 0.5
    kappa: float = 2.0

    def __post_init__(self) -> None:
        if self.steps < 1 or self.batch < 2 or min(self.lr, self.sd, self.spread) <= 0:
            raise ValueError(
                "SemiImplicit needs steps >= 1, a batch of at least 2 and positive lr, sd and "
                f"spread, got {self}."
            )
        if self.kappa < 0:
            raise ValueError(f"SemiImplicit needs kappa >= 0, got {self.kappa}.")

    def fit(self, net: DeepImplicit, target: Target, rng: Generator) -> ImplicitDistribution:
        """Find q; the target is asked once a step, at M places.

        Args:
            net: the shape of the generator.
            target: M x P to log densities and gradients.
            rng: draws parameters, codes and noise.

        Raises:
            FitError: if two attempts, the second with smaller steps, diverged.
        """
        for attempt in (1, 2):
            slower = replace(self, lr=self.lr * SMALLER ** (attempt - 1))
            found = _attempt(slower, net, target, rng)
            if found is not None:
                return replace(found, attempts=attempt)
        raise FitError(
            "the generator diverged twice, the second time with smaller steps; take a smaller lr."
        )


def _attempt(
    recipe: SemiImplicit, net: DeepImplicit, target: Target, rng: Generator
) -> ImplicitDistribution | None:
    """Train once; None if it diverged."""
    parameters = net.initial(rng, spread=recipe.spread)
    log_sd = torch.full((net.outputs,), math.log(recipe.sd), dtype=torch.float64)
    learnt = [p.requires_grad_() for p in (*parameters, log_sd)]
    optimizer = torch.optim.Adam(learnt, lr=recipe.lr, betas=BETAS)
    losses = []
    for step in range(recipe.steps):
        deadline.check()
        optimizer.param_groups[0]["lr"] = recipe.lr * (1 - step / recipe.steps)
        inputs = net.draw(recipe.batch, rng)
        mu = net(parameters, inputs)
        n = torch.randn(mu.shape, generator=rng, dtype=mu.dtype)
        theta = mu + log_sd.exp() * n
        log_target = _evaluated(target, theta)
        loss = (log_density_bound(theta, mu, log_sd) - log_target).mean()
        if recipe.kappa:
            cost = -log_target / math.sqrt(net.outputs / 2)
            pairs = random_pairs(recipe.batch, rng)
            loss = loss + recipe.kappa * order_loss(cost, inputs.log_density, pairs)
        losses.append(float(loss.detach()))
        if not math.isfinite(losses[-1]):
            return None
        for parameter, gradient in zip(learnt, torch.autograd.grad(loss, learnt), strict=True):
            parameter.grad = gradient
        optimizer.step()
    if not all(bool(p.isfinite().all()) for p in learnt):
        return None
    weights, sd = tuple(p.detach() for p in parameters), log_sd.detach().exp()
    return ImplicitDistribution(net, weights, sd, torch.tensor(losses), torch.zeros(0))


def _evaluated(target: Target, theta: Tensor) -> Tensor:
    """Return log target, which autograd can differentiate once."""
    point = evaluate(target, theta.detach())
    return point.log_density + ((theta - theta.detach()) * point.gradient).sum(-1)
