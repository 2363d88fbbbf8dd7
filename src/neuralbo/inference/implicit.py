"""Implicit distributions: samples without a density, fitted with a critic that learns a log ratio.

Notation
    theta = G(z, e)  samples of q, M x P      p  the target, or the prior if there is a likelihood
    C(theta)         the critic: log p - log q      u  costs, by which samples are ordered
    kappa            weight of the order
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.errors import FitError
from neuralbo.inference.divergences import KL, Divergence
from neuralbo.inference.order import all_pairs, order_loss, random_pairs
from neuralbo.networks.hypernetwork import DeepImplicit, Inputs
from neuralbo.networks.mlp import MLP

MOST_RATIO = 1e5  # a critic that says more has lost its way
SMALLER = 0.3  # what the steps are multiplied with at the second attempt


@final
@dataclass(frozen=True, slots=True, eq=False)
class ImplicitDistribution:
    """A fitted q.

    Attributes:
        net: the shape of the generator.
        parameters: of it.
        sd: of Gaussian noise that is added to each number, P; None without any.
        losses: the generator's at each step.
        gap: mean of the critic over samples of p minus that over samples of q, at each step.
        attempts: how often training began.
    """

    net: DeepImplicit
    parameters: tuple[Tensor, ...]
    sd: Tensor | None
    losses: Tensor
    gap: Tensor
    attempts: int = 1

    def at(self, inputs: Inputs) -> Tensor:
        """Return G of given codes and noise, M x P, without what `sd` would add."""
        with torch.no_grad():
            return self.net(self.parameters, inputs).double()

    def draw(self, n: int, rng: Generator) -> Tensor:
        """Draw n samples, n x P."""
        theta = self.at(self.net.draw(n, rng))
        if self.sd is None:
            return theta
        return theta + self.sd * torch.randn(theta.shape, generator=rng, dtype=theta.dtype)


class Contrast(NamedTuple):
    """What q is compared with.

    Attributes:
        reference: draws samples of p, n x P.
        log_likelihood: of samples, M x P to M, when the part t of the training is over, 0 to 1;
            None if p is the target itself.
        cost: u of samples, M x P to M; None for -C - log likelihood, Aryan (2020), Eq. (6.14),
            which carries no order any more where q is the posterior.
    """

    reference: Callable[[int, Generator], Tensor]
    log_likelihood: Callable[[Tensor, float], Tensor] | None = None
    cost: Callable[[Tensor], Tensor] | None = None


@final
@dataclass(frozen=True, slots=True)
class Implicit:
    """Train generator and critic in turns, both by Adam. Aryan (2020), Sec. 6.3 to 6.5.

    critic      min -E_p[log s(C)] - E_q[log s(-C)], s the logistic function: C = log p/q
    generator   min E_q[h(C)] - E_q[log likelihood] + kappa order loss; h(C) = -C for KL(q | p)

    As printed the two signs contradict each other. With a likelihood p is the prior, the
    sum is -ELBO (Eq. 6.13) and the divergence must be KL, of which alone the likelihood is a
    summand. The critic is as wide as told, or as the samples are long, three layers of relu.

    A loss that is no number, or a critic beyond 1e5, ends an attempt; a second one follows with
    smaller steps.

    Attributes:
        batch: M, of each distribution.
        critic_steps: for one of the generator.
        kappa: 0 for a plain implicit model.
        warms: let kappa grow from 0, in proportion to the steps made: samples find the modes
            first. Ordered from the start, they stay at the modes that they meet first.
        compares_all: take all pairs of the batch, not M/2 of them.
        anneals: let the rate of the generator fall to 0 in the second half.
    """

    steps: int = 1000
    batch: int = 100
    lr: float = 3e-5
    critic_lr: float = 3e-5
    critic_steps: int = 40
    critic_widths: tuple[int, ...] | None = None
    kappa: float = 2.0
    divergence: Divergence = KL
    betas: tuple[float, float] = (0.9, 0.999)
    warms: bool = False
    compares_all: bool = False
    anneals: bool = False

    def __post_init__(self) -> None:
        if min(self.steps, self.critic_steps) < 1 or self.batch < 2 or self.kappa < 0:
            raise ValueError(
                "Implicit needs steps and critic_steps of at least 1, a batch of at least 2 and "
                f"kappa >= 0, got {self}."
            )

    def fit(self, net: DeepImplicit, contrast: Contrast, rng: Generator) -> ImplicitDistribution:
        """Find q.

        Raises:
            ValueError: if there is a likelihood and the divergence is not KL.
            FitError: if both attempts diverged.
        """
        if contrast.log_likelihood is not None and self.divergence is not KL:
            raise ValueError(
                f"with a likelihood the divergence must be KL, got {self.divergence.name}: only "
                "there the critic of the prior and the likelihood add up."
            )
        for attempt in (1, 2):
            factor = SMALLER ** (attempt - 1)
            slower = replace(self, lr=self.lr * factor, critic_lr=self.critic_lr * factor)
            found = _Training(slower, net, contrast, rng).run()
            if found is not None:
                return replace(found, attempts=attempt)
        raise FitError(
            "generator or critic diverged twice, the second time with smaller steps; take a "
            "smaller lr or critic_lr."
        )


@final
class _Training:
    """One attempt. Networks are in float32."""

    def __init__(
        self, recipe: Implicit, net: DeepImplicit, contrast: Contrast, rng: Generator
    ) -> None:
        self.recipe, self.net, self.contrast, self.rng = recipe, net, contrast, rng
        widths = recipe.critic_widths or (net.outputs,) * 3
        self.critic = MLP(net.outputs, widths, 1, "relu")
        self.judge = self.critic.initial(1, rng).float().requires_grad_()
        self.parameters = tuple(p.float().requires_grad_() for p in net.initial(rng))
        self.of_critic = _adam([self.judge], recipe.critic_lr, recipe.betas)
        self.of_generator = _adam(self.parameters, recipe.lr, recipe.betas)
        self.every_pair = all_pairs(recipe.batch) if recipe.compares_all else None

    def run(self) -> ImplicitDistribution | None:
        """Train; None if it diverged."""
        losses, gaps = [], []
        for step in range(self.recipe.steps):
            for _ in range(self.recipe.critic_steps):
                deadline.check()
                gap = self._teach_critic()
            loss = self._teach_generator(step / max(self.recipe.steps - 1, 1))
            losses.append(loss)
            gaps.append(gap)
            if not math.isfinite(loss) or not abs(gap) < MOST_RATIO:
                return None
        parameters = tuple(p.detach().double() for p in self.parameters)
        if not all(bool(p.isfinite().all()) for p in parameters):
            return None
        return ImplicitDistribution(
            self.net, parameters, None, torch.tensor(losses), torch.tensor(gaps)
        )

    def _samples(self) -> tuple[Tensor, Inputs]:
        inputs = self.net.draw(self.recipe.batch, self.rng)
        return self.net(self.parameters, inputs), inputs

    def _ratio(self, theta: Tensor) -> Tensor:
        """C of samples, M."""
        return self.critic(self.judge, theta)[0, :, 0]

    def _teach_critic(self) -> float:
        """Make one step of the critic; return E_p[C] - E_q[C]."""
        with torch.no_grad():
            theirs, _ = self._samples()
        ours = self.contrast.reference(self.recipe.batch, self.rng).float()
        of_p, of_q = self._ratio(torch.cat([ours, theirs])).split(self.recipe.batch)
        softplus = torch.nn.functional.softplus
        _descend(softplus(-of_p).mean() + softplus(of_q).mean(), [self.judge], self.of_critic)
        return float(of_p.detach().mean() - of_q.detach().mean())

    def _teach_generator(self, t: float) -> float:
        """Make one step of the generator; return its loss."""
        recipe = self.recipe
        if recipe.anneals:
            self.of_generator.param_groups[0]["lr"] = recipe.lr * min(1.0, 2 * (1 - t))
        theta, inputs = self._samples()
        C = self._ratio(theta)
        loss, cost = recipe.divergence.loss(C).mean(), -C
        if self.contrast.log_likelihood is not None:
            likelihood = self.contrast.log_likelihood(theta, t)
            loss, cost = loss - likelihood.mean(), cost - likelihood
        if recipe.kappa:
            cost = cost if self.contrast.cost is None else self.contrast.cost(theta)
            pairs = self.every_pair or random_pairs(len(theta), self.rng)
            kappa = recipe.kappa * (t if recipe.warms else 1.0)
            loss = loss + kappa * order_loss(cost, inputs.log_density, pairs)
        _descend(loss, self.parameters, self.of_generator)
        return float(loss.detach())


def _adam(parameters: Sequence[Tensor], lr: float, betas: tuple[float, float]) -> torch.optim.Adam:
    return torch.optim.Adam(list(parameters), lr=lr, betas=betas, fused=True)


def _descend(loss: Tensor, parameters: Sequence[Tensor], optimizer: torch.optim.Adam) -> None:
    """Make one step down a loss, on these parameters only."""
    gradients = torch.autograd.grad(loss, list(parameters))
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    optimizer.step()
