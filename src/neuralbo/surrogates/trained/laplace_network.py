"""A network trained to the mode of its posterior, with a Gaussian around it.

Notation
    f(x; w)  the network      w  p  weights      X  n x d, y  n  rows of the data, in its units
    delta    precision of w's prior              beta  precision of the noise     s  restarts
    kappa = delta / beta      R(kappa)  least |y - f|^2 + kappa |w|^2 of the linearized network
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.inference.laplace import Laplace, LaplacePosterior
from neuralbo.inference.laplace_likelihoods import Gaussian
from neuralbo.inference.laplace_mode import mode
from neuralbo.networks.mlp import MLP
from neuralbo.surrogates.surrogate import Facts, Scaling, Surrogate, Usual
from neuralbo.surrogates.trained.initial_weights import Start
from neuralbo.surrogates.trained.laplace_model import LaplaceModel, scaled

LOG_2PI = math.log(2 * math.pi)
LEAST_BETA, HIGHEST_BETA = 10.0, 1e6  # below, few data are all noise to it
USUAL_BETA = 1e4  # most objectives have little noise; matters while there are few data
USUAL_DELTA = 1.0
# It is unsure of the corners of the cube, and would visit them all.
LOCAL = Usual(trust_region=True, rounds=20)
SPREAD = 2.0  # of the log-normal priors of both precisions
FIRST_DELTA, FIRST_BETA = 0.3, 100.0  # little noise from the beginning would fit every value
KAPPAS = torch.logspace(-8, 1.5, 60, dtype=torch.float64)
BETAS = torch.logspace(math.log10(LEAST_BETA), math.log10(HIGHEST_BETA), 31, dtype=torch.float64)


@final
@dataclass(frozen=True, slots=True)
class LaplaceNetwork:
    """f ~ N(f(x; w*), J H^-1 J'),  H = beta J'J + delta I,  y = f + e,  e ~ N(0, 1/beta).

    w* has the least beta |y - f|^2 + delta |w|^2, to which Gauss-Newton steps lead; between rounds
    of them delta and beta become those of the highest evidence of the linearized network.
    MacKay (1992), *A practical Bayesian framework for backpropagation networks*; Foresee and
    Hagan (1997). Several starts and shapes are trained, the one of the highest evidence is kept.
    Departures: the evidence is searched on a grid in the place of MacKay's updates, under weak
    log-normal priors of delta and beta.

    `fit_from` goes on from the weights of an earlier fit until the data have grown by half.

    Attributes:
        shapes: sizes of the hidden layers, of each network that competes.
        restarts: s, of each shape.
        rounds: times that the precisions are chosen.
        steps: Gauss-Newton steps in a round, at most; twice as many after the last.
        laplace: the structure of the covariance that is kept. The precisions are chosen with the
            full one.
        start: distribution of the first weights.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, since what is far worse need not be modelled; None for never.
        usual: how points are looked for where no policy is named.
    """

    shapes: tuple[tuple[int, ...], ...] = ((32, 32),)
    activation: str = "tanh"
    restarts: int = 4
    rounds: int = 4
    steps: int = 10
    laplace: Laplace = Laplace()  # noqa: RUF009
    start: Start = Start(scale=1.5)  # noqa: RUF009
    clip: float | None = 4.0
    usual: Usual = LOCAL

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> LaplaceModel:
        """Train networks of all shapes; `rng` draws their first weights."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> LaplaceModel:
        """Go on from the network of `start`, one round, unless the data outgrew it."""
        if not isinstance(start, LaplaceModel) or start.recipe != self:
            return self._fit(data, rng, None)
        is_outgrown = data.n >= start.trained_on * 3 // 2  # at the next refit
        return self._fit(data, rng, None if is_outgrown else start)

    def _fit(self, data: Data, rng: Generator, before: LaplaceModel | None) -> LaplaceModel:
        data, clipped = data.clipped(self.clip)
        values = single_output(data)
        units = data.standard_units()
        X, y = scaled(data.X), units.numbers(values[:, None]).squeeze(-1)
        best = self._trained(X, y, rng) if before is None else self._resumed(before, X, y)
        posterior = self.laplace.fit(
            best.net, best.weights, X, Gaussian(y, 1 / best.beta), best.delta
        )
        facts: Facts = {
            "surrogate": "laplace",
            "shape": " x ".join(map(str, best.net.widths)),
            "clipped": clipped,
            "log_evidence": best.log_evidence,
            "prior_precision": best.delta,
            "noise_precision": best.beta,
            "effective_weights": float(posterior.effective_weights[0]),
        }
        trained_on = data.n if before is None else before.trained_on
        return LaplaceModel(self, posterior, best.beta, units, trained_on, facts)

    def _trained(self, X: Tensor, y: Tensor, rng: Generator) -> "Trained":
        """Train all networks, and return the likeliest."""
        found = []
        for shape in self.shapes:
            net = MLP(X.shape[-1], shape, 1, self.activation)
            first = y.new_ones(self.restarts)
            start = self.start.draw(net, self.restarts, rng)
            found.append(
                ascend(
                    net,
                    start,
                    (X, y),
                    Precisions(FIRST_DELTA * first, FIRST_BETA * first),
                    rounds=self.rounds,
                    steps=self.steps,
                )
            )
        return max(found, key=lambda trained: trained.log_evidence)

    def _resumed(self, before: LaplaceModel, X: Tensor, y: Tensor) -> "Trained":
        """Go on from the weights and precisions of an earlier model."""
        posterior, first = before.posterior_of_weights, y.new_ones(1)
        precisions = Precisions(posterior.delta, before.beta * first)
        start = posterior.weights
        return ascend(posterior.net, start, (X, y), precisions, rounds=1, steps=self.steps)


class Precisions(NamedTuple):
    """Those of prior and noise, of each network."""

    delta: Tensor  # s
    beta: Tensor  # s


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The likeliest of some networks, at its mode."""

    net: MLP
    weights: Tensor  # 1 x p
    delta: float
    beta: float
    log_evidence: float


def ascend(
    net: MLP,
    start: Tensor,
    rows: tuple[Tensor, Tensor],
    precisions: Precisions,
    *,
    rounds: int,
    steps: int,
) -> Trained:
    """Go to the modes, s x p, and choose the precisions there, in turn; return the likeliest."""
    X, y = rows
    weights = start
    for _ in range(rounds):
        weights = _mode(net, weights, rows, precisions, steps)
        precisions = likeliest(Laplace().fit(net, weights, X, Gaussian(y, 1.0), 1.0), len(y))
    weights = _mode(net, weights, rows, precisions, 2 * steps)
    likelihood = Gaussian(y, 1 / precisions.beta[:, None])
    evidence = Laplace().fit(net, weights, X, likelihood, precisions.delta).log_evidence
    best = int(evidence.argmax())
    delta, beta = (float(precision[best]) for precision in precisions)
    return Trained(net, weights[best : best + 1], delta, beta, float(evidence[best]))


def likeliest(posterior: LaplacePosterior, n: int) -> Precisions:
    """Return the precisions, of a grid, of the highest evidence under their priors.

    2 log p(y | kappa, beta) = n log(beta / 2 pi) - beta R(kappa) - log det(I + J'J / kappa), and
    both functions of kappa come from the decomposition for noise of variance 1.

    Args:
        posterior: Of a Gaussian likelihood of variance 1, with full structure.
        n: Rows that it was fitted to.
    """
    kappa = KAPPAS[:, None].expand(-1, len(posterior.weights))  # grid x s
    log_determinant = posterior.covariance.log_determinant(kappa)
    R = -2 * posterior.log_evidences(kappa) - log_determinant - n * LOG_2PI
    beta = BETAS[:, None, None]
    delta = beta * kappa  # grid of beta x grid of kappa x s
    score = 0.5 * (n * beta.log() - beta * R.clamp(min=0.0) - log_determinant)
    score = score - 0.5 * ((delta / USUAL_DELTA).log() / SPREAD).square()
    score = score - 0.5 * ((beta / USUAL_BETA).log() / SPREAD).square()
    best = score.flatten(0, 1).argmax(0)
    j, i = best // len(KAPPAS), best % len(KAPPAS)
    return Precisions(KAPPAS[i] * BETAS[j], BETAS[j])


def _mode(
    net: MLP, weights: Tensor, rows: tuple[Tensor, Tensor], precisions: Precisions, steps: int
) -> Tensor:
    X, y = rows
    likelihood = Gaussian(y, 1 / precisions.beta[:, None])
    return mode(net, weights, X, likelihood, precisions.delta, steps=steps)


PRESETS: dict[str, Surrogate] = {
    "laplace": LaplaceNetwork(),
    "laplace_last_layer": LaplaceNetwork(laplace=Laplace(last_layer=True), usual=Usual()),
}
