"""Models that are a finite set of equally likely functions."""

from abc import abstractmethod

import torch
from botorch.posteriors import Posterior
from torch import Tensor

from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates.conditioned import ConditionedFunctions
from neuralbo.surrogates.conditioned import Functions as Functions
from neuralbo.surrogates.model import DrawsFunctions
from neuralbo.surrogates.surrogate import Facts


class SetOfFunctions(DrawsFunctions):
    """f = f_k with probability 1/s, in the units of the data; one output."""

    facts: Facts
    num_outputs = 1

    @abstractmethod
    def functions(self, X: Tensor) -> Functions:
        """Return all functions at each point, ... x d."""

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        values, variance, noise = self.functions(X)
        if isinstance(observation_noise, Tensor):
            variance = variance + observation_noise
        elif observation_noise:
            variance = variance + noise
        return FunctionDraws(values, variance)

    def fantasies(self, X: Tensor, Y: Tensor, noise: Tensor | None) -> ConditionedFunctions:
        """Return the functions moved towards further observations, for each batch of them."""
        s = len(self.functions(X).values)
        weights = torch.full((s,), 1 / s, dtype=X.dtype)
        return ConditionedFunctions(self.functions, weights, (X, Y), noise, self.facts)
