"""Models of whether a point is among the best, not of its value.

Notation
    z  1 if a point is good, that is y >= tau with tau a quantile of the values, else 0
    gamma  the share of good points among the observations
    pi(x)  P(z = 1 | x)      l, g  densities of the good points and of the others
    r(x) = l / (gamma l + (1 - gamma) g), the relative density ratio
"""

from typing import NoReturn, Protocol, final

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from torch import Tensor

from neuralbo.surrogates.surrogate import Facts, Usual

# A classifier that is sure and wrong about a region would never look there again (Hassen and Rish
# 2021, Alg. 1). A place that is nearly the best teaches as much, so local searches are short.
CLASSIFIER = Usual(exploration=0.1, restarts=5, rounds=25, sweeps=3)
MOST_ODDS = 34.0  # log odds beyond which a probability is rounded to 0 or 1


class LogOdds(Protocol):
    """What a classifier has learnt. It survives pickle and never changes."""

    def __call__(self, X: Tensor) -> Tensor:
        """Return log pi - log(1 - pi) at each point, ... x d to ...."""
        ...


@final
class ClassModel(Model):
    """pi(x) = P(z = 1 | x), averaged over what is not known about the classifier.

    pi/gamma = r, which never exceeds 1/gamma: Bayes' rule with P(z = 1) = gamma. Hassen and Rish
    (2021), Sec. 3.1. If p(x | y) depends on y only by the side of tau, r is expected improvement
    over tau up to a factor (Bergstra et al. 2011); without that, pi is the probability of
    improvement over tau and no more (Hassen and Rish 2021, sec. 2).

    Attributes:
        odds: what the classifier has learnt.
        gamma: the share of good observations that was asked for.
        threshold: tau.
        facts: what is worth recording with a trial.
    """

    num_outputs = 1

    def __init__(self, odds: LogOdds, gamma: float, threshold: float, facts: Facts) -> None:
        super().__init__()
        self.odds, self.gamma, self.threshold, self.facts = odds, gamma, threshold, facts

    @property
    def batch_shape(self) -> torch.Size:
        """The model is a single one: the empty shape."""
        return torch.Size([])

    def log_odds(self, X: Tensor) -> Tensor:
        """Return log pi - log(1 - pi) at each point, ... x d to ...."""
        return self.odds(X)

    def probability(self, X: Tensor) -> Tensor:
        """Return pi at each point, ... x d to ...; between 0 and 1 and neither of them."""
        return self.odds(X).clamp(-MOST_ODDS, MOST_ODDS).sigmoid()

    def density_ratio(self, X: Tensor) -> Tensor:
        """Return r = pi/gamma at each point, ... x d to ...; at most 1/gamma.

        It is the ratio of a classifier whose observations all count the same.
        """
        return self.probability(X) / self.gamma

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> NoReturn:
        """Refuse: a classifier has no distribution of the values.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            "a classifier says how likely a point is good and nothing of its value: the only "
            "criterion for it is 'class_probability'."
        )


@final
class Undecided:
    """pi(x) = a constant: what there is to say when all values are equal."""

    def __init__(self, probability: float) -> None:
        self.log_odds = torch.tensor(probability, dtype=torch.float64).logit()

    def __call__(self, X: Tensor) -> Tensor:
        """Return the constant; its gradient is there, and zero."""
        return self.log_odds + 0 * X.sum(-1)
