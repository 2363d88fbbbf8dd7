"""Training that begins where a fit to fewer trials ended."""

from dataclasses import dataclass
from typing import ClassVar, final

from botorch.models.model import Model
from torch import Generator

from neuralbo.data import Data
from neuralbo.networks.train import Descent
from neuralbo.surrogates.surrogate import Scaling
from neuralbo.surrogates.trained.deep_ensemble import DeepEnsemble
from neuralbo.surrogates.trained.nomu import Nomu


@final
@dataclass(frozen=True, slots=True)
class Warm:
    """A trained surrogate whose weights go on from the refit before, see `engine.step`.

    Attributes:
        recipe: trains the first weights.
        again: the descent that leads them to more data.
    """

    recipe: Nomu | DeepEnsemble
    again: Descent

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> Model:
        """Train anew."""
        return self.recipe.fit(data, rng)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> Model:
        """Train by `again`, beginning at the weights of `start`."""
        return self.recipe.fit_on(data, rng, start, self.again)
