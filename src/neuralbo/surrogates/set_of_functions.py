"""Models that are a finite set of equally likely functions."""

from abc import abstractmethod
from typing import NamedTuple

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.posteriors import Posterior
from torch import Tensor

from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates.base import DrawsFunctions


class Functions(NamedTuple):
    """All functions of a set at some points.

    Attributes:
        values: s x ... x 1.
        variance: of f about each of them; broadcasts to `values`.
        noise: variance of an observation, likewise.
    """

    values: Tensor
    variance: Tensor
    noise: Tensor


class SetOfFunctions(DrawsFunctions):
    """f = f_k with probability 1/s, in the units of the data; one output."""

    num_outputs = 1

    @abstractmethod
    def functions(self, X: Tensor) -> Functions:
        """Return all functions at each point, ... x d."""

    @property
    def batch_shape(self) -> torch.Size:
        """The model is a single one: the empty shape."""
        return torch.Size([])

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Return the law of f, or of y if `observation_noise`, joint over q: b x q x d."""
        if output_indices not in (None, [0]):
            raise ValueError(f"this model has one output, got output_indices={output_indices}.")
        values, variance, noise = self.functions(X)
        if isinstance(observation_noise, Tensor):
            variance = variance + observation_noise
        elif observation_noise:
            variance = variance + noise
        posterior = FunctionDraws(values, variance)
        return posterior if posterior_transform is None else posterior_transform(posterior)
