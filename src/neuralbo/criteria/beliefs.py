"""Beliefs of the user about where good values lie, which fade, or are dropped if they are wrong.

Notation
    pi(x)  what is believed of a point, the product over its parameters    n  observations
    m, s   mean and standard deviation of f under the model
"""

from dataclasses import dataclass
from typing import final

import torch
from botorch.models.model import Model

from neuralbo.criteria.criterion import mean_and_std
from neuralbo.engine.step import FIT, LogWeight, Step, generator
from neuralbo.surrogates.classifiers.class_model import ClassModel

DRAWS = 256  # points of the belief that the model is asked about
# Standard deviations: the most optimistic value that a belief is still held to. On two
# development seeds of hartmann3 and branin wrong beliefs were overcome sooner with 1 than with 2,
# and right ones lost nothing; likewise with a beta of 3 (a tenth of 30 trials, as Hvarfner et al.
# advise) in the place of 10.
SURE = 1.0
FEWEST = 8  # observations, before which nothing contradicts a belief


@final
@dataclass(frozen=True, slots=True)
class Belief:
    """Log pi(x) beta/n: the criterion is weighed with pi^(beta/n).

    Hvarfner et al. (2022): the weight fades with the observations. It is left out where
    the data contradict the belief: where even m + s at the best of `DRAWS` points drawn from it
    is below the best m at the observed points. Then the model is sure that nothing as good lies
    there. That is a function of the trials, so nothing has to be remembered.

    Attributes:
        beta: how many observations weigh as much as the belief.
    """

    beta: float = 3.0

    def at(self, step: Step, model: Model | None) -> LogWeight | None:
        """Return the weight of points; None if the belief is dropped."""
        if model is not None and self.is_contradicted(step, model):
            step.record["belief"] = "dropped: the model expects nothing as good where it lies"
            return None
        share = self.beta / max(step.data.n, 1)
        step.record["belief_weight"] = share
        return lambda X: share * step.domain.log_belief(X)

    def is_contradicted(self, step: Step, model: Model) -> bool:
        """Return whether the model is sure that the best is not where it is believed to be."""
        if isinstance(model, ClassModel) or step.data.n < FEWEST:
            return False
        domain = step.domain
        V = domain.uniform(DRAWS, generator(step.seed, FIT))
        X = domain.expand(domain.enforce(domain.believed(V)))
        with torch.no_grad():
            m, s = mean_and_std(model, X[:, None])
            best, _ = mean_and_std(model, step.data.X[:, None])
        return bool((m + SURE * s).amax() < best.amax())
