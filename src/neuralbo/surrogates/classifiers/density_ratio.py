"""Networks that learn to tell the best observations from the others.

Notation
    z_i, a_i, b_i  class of observation i, and how much it counts as either (`labels`)
    gamma  share of good ones      delta  precision of the prior of the weights
    s  networks that are trained: `members` for each delta      pi(x)  P(z = 1 | x)
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.inference.laplace import Laplace, LaplacePosterior
from neuralbo.inference.laplace_likelihoods import Bernoulli
from neuralbo.networks.bernoulli import BernoulliLoss, PrintedLoss
from neuralbo.networks.jacobian import sum_of
from neuralbo.networks.limited_memory import QuasiNewton
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent, Gradient
from neuralbo.surrogates.classifiers.class_model import CLASSIFIER, ClassModel, Undecided
from neuralbo.surrogates.classifiers.class_network import NetworkOdds
from neuralbo.surrogates.classifiers.labels import Labels, Weighting, label
from neuralbo.surrogates.surrogate import Facts, Scaling, Usual
from neuralbo.surrogates.trained.initial_weights import Start
from neuralbo.surrogates.trained.schedule import Schedule, value_at

EVIDENCE = Laplace("kronecker")  # by which delta is chosen, if the posterior is not asked for
LEAST_SHARE = 1e-3  # networks with a smaller part in the average are left out
TINY = 1e-300
UNIFORM = 0.1  # part of the rows that is drawn without regard to their importance


@final
@dataclass(frozen=True, slots=True)
class DensityRatio:
    """pi(x) = P(y among the best gamma | x) by networks, and with it gamma times a density ratio.

    theta* = argmin sum_i [-a_i log pi_i - b_i log(1 - pi_i)] + (delta/2) |theta|^2. Hassen and
    Rish (2021), Alg. 1, repaired. With `laplace` the probability is averaged over q(theta) =
    N(theta*, Sigma) of the linearized network (BOGGN); without, it is that of theta* (BORE, Tiao
    et al. 2021). With the weights "improvement" the odds are expected improvement (LFBO, Song
    et al. 2022). The printed algorithm has no labels in its loss and no expectation in its
    criterion (Eq. 3.4).

    Attributes:
        weighting: how much observations count, see `labels.label`.
        gamma: share of good ones; may change with the trials.
        delta: one, or several among which the log evidence decides: networks are averaged with
            weights in proportion to it. Hassen and Rish (2021) give no rule.
        members: networks for each delta, from starts of their own, averaged.
        laplace: how q is made; None for none.
        draws: of theta, by which pi is averaged; None takes the probit form. Hassen and Rish
            (2021), Sec. 7.5.
        loss: "bernoulli" is the repaired one.
        training: of the first weights.
        again: of weights that come from the fit to the last refit, see `neuralbo.engine.step`.
        batch: rows of a step of `Descent`; None for all.
        rows: train on so many rows at most, drawn by importance: half of each class, in
            proportion to how wrong the last weights are about them, and counted so often that
            the loss keeps its mean. Katharopoulos and Fleuret (2018). None for all.
    """

    weighting: Weighting = "equal"
    gamma: float | Schedule = 1 / 3
    delta: float | Schedule | tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0)
    members: int = 1
    widths: tuple[int, ...] = (32, 32)
    activation: str = "relu"
    laplace: Laplace | None = None
    draws: int | None = None
    loss: Literal["bernoulli", "printed"] = "bernoulli"
    start: Start = Start()  # noqa: RUF009
    training: QuasiNewton | Descent = QuasiNewton(200)  # noqa: RUF009
    again: QuasiNewton | Descent = QuasiNewton(60)  # noqa: RUF009
    batch: int | None = None
    rows: int | None = None

    scaling: ClassVar[Scaling] = "none"
    usual: ClassVar[Usual] = CLASSIFIER
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        deltas = self.delta if isinstance(self.delta, tuple) else (value_at(self.delta, 0),)
        gamma = value_at(self.gamma, 0)
        if not (0 < gamma < 1 and deltas and min(deltas) > 0 and self.members >= 1):
            raise ValueError(
                "DensityRatio needs 0 < gamma < 1, positive delta and members >= 1, got "
                f"gamma={self.gamma}, delta={self.delta}, members={self.members}."
            )
        if self.batch is not None and isinstance(self.training, QuasiNewton):
            raise ValueError("batches are for training by Descent; QuasiNewton needs all rows.")

    def fit(self, data: Data, rng: Generator) -> ClassModel:
        """Train networks; `rng` draws first weights, batches and what `draws` asks for."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> ClassModel:
        """Train on, beginning at the networks of `start`."""
        odds = start.odds if isinstance(start, ClassModel) else None
        return self._fit(data, rng, odds if isinstance(odds, Trained) else None)

    def _fit(self, data: Data, rng: Generator, before: "Trained | None") -> ClassModel:
        values = single_output(data)
        gamma = value_at(self.gamma, data.n)
        labels = label(values, gamma, self.weighting)
        facts: dict[str, float | str] = {
            "surrogate": "density_ratio",
            "good": float(labels.z.sum()),
        }
        if labels.is_constant:
            return ClassModel(Undecided(gamma), gamma, labels.threshold, facts)
        odds = self.learn(data.X, labels, gamma, rng, before)
        return ClassModel(odds, gamma, labels.threshold, {**facts, **odds.facts})

    def learn(
        self,
        X: Tensor,
        labels: Labels,
        gamma: float,
        rng: Generator,
        before: "Trained | None" = None,
    ) -> "Trained":
        """Train on points, n x d in the cube, and their classes, from earlier weights if any.

        Up to the next refit only the networks that matter are trained on.
        """
        net, Z = MLP(X.shape[-1], self.widths, 1, self.activation), 2 * X - 1
        delta = self._deltas(len(X)).repeat(self.members)
        weights, training = self.start.draw(net, len(delta), rng), self.training
        if before is not None and before.weights.shape == weights.shape:
            weights, training = before.weights, self.again
            if len(X) < before.n * 3 // 2:
                delta, weights = delta[before.chosen], weights[before.chosen]
        weights = training.run(self._loss(net, Z, labels, gamma, weights, delta, rng), weights)
        posterior = self._posterior(net, weights, Z, labels, delta)
        shares, facts = _shares(posterior, delta)
        (chosen,) = torch.where(shares > LEAST_SHARE)
        if posterior is not None and len(chosen) < len(delta):
            posterior = self._posterior(net, weights[chosen], Z, labels, delta[chosen])
        e = None if self.draws is None else torch.randn(self.draws, generator=rng).double()
        odds = NetworkOdds(
            net, weights[chosen], shares[chosen].log().log_softmax(0),
            None if self.laplace is None else posterior, e,
        )  # fmt: skip
        return Trained(odds, weights, chosen, len(X), facts)

    def _deltas(self, n: int) -> Tensor:
        delta = self.delta if isinstance(self.delta, tuple) else (value_at(self.delta, n),)
        return torch.tensor(delta, dtype=torch.float64)

    def _loss(  # noqa: PLR0913, PLR0917
        self,
        net: MLP,
        Z: Tensor,
        labels: Labels,
        gamma: float,
        weights: Tensor,
        delta: Tensor,
        rng: Generator,
    ) -> Gradient:
        if self.loss == "printed":
            return PrintedLoss(net, Z, gamma, delta)
        a, b = labels.a, labels.b
        if self.rows is not None and self.rows < len(Z):
            pi = net(weights, Z).squeeze(-1).sigmoid().mean(0)
            rows, times = important(a * (1 - pi), b * pi, self.rows, rng)
            Z, a, b = Z[rows], times * a[rows], times * b[rows]
        batches = None if self.batch is None else (self.batch, rng)
        return BernoulliLoss(net, Z, a, b, delta, batches)

    def _posterior(
        self, net: MLP, weights: Tensor, Z: Tensor, labels: Labels, delta: Tensor
    ) -> LaplacePosterior | None:
        """Return q of the networks, if it is asked for or evidence is needed to choose delta."""
        if self.laplace is None and not isinstance(self.delta, tuple):
            return None
        count = labels.a + labels.b
        likelihood = Bernoulli(labels.a / count.clamp(min=TINY), count)
        return (self.laplace or EVIDENCE).fit(net, weights, Z, likelihood, delta)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """Networks after training: the log odds, and where the next training begins.

    Attributes:
        odds: of the networks that matter.
        weights: of all networks, s x p.
        chosen: which of them matter.
        n: how many observations they were trained on.
    """

    odds: NetworkOdds
    weights: Tensor
    chosen: Tensor
    n: int
    facts: Facts

    def __call__(self, X: Tensor) -> Tensor:
        """Return log pi - log(1 - pi), ... x d to ...."""
        return self.odds(X)


def _shares(posterior: LaplacePosterior | None, delta: Tensor) -> tuple[Tensor, Facts]:
    """Return the part of each network in the average, s: by the evidence if there are several."""
    if posterior is None or len(delta.unique()) == 1:
        return torch.full_like(delta, 1 / len(delta)), {"delta": float(delta[0])}
    evidence = posterior.log_evidence
    shares = evidence.nan_to_num(-torch.inf).softmax(0)
    best = int(evidence.argmax())
    return shares, {"delta": float(delta[best]), "log_evidence": float(evidence[best])}


def important(good: Tensor, others: Tensor, most: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """Draw rows by the size of the loss's gradient there, and return how often each counts.

    Counted so often, a sum over the rows has the mean of the sum over all of them.

    Args:
        good: gradients of the part of class 1 in the loss, n, not negative.
        others: gradients of that of class 0.
        most: how many rows are drawn, with replacement.
        rng: draws them.
    """
    halves = (gradients / gradients.sum().clamp(min=TINY) for gradients in (good, others))
    p = (1 - UNIFORM) / 2 * sum_of(halves) + UNIFORM / len(good)
    rows = torch.multinomial(p, most, replacement=True, generator=rng)
    return rows, p.sum() / (most * p[rows])
