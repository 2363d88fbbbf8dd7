"""A Gaussian process while there are few trials, a random-feature network later."""

from dataclasses import dataclass, field
from typing import ClassVar, final

from botorch.models.model import Model
from torch import Generator

from neuralbo.data import Data
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import Scaling, Surrogate


@final
@dataclass(frozen=True, slots=True)
class BySize:
    """`few` up to `most` observations, `many` beyond; the model's facts say which it was.

    The cost of a Gaussian process grows with the cube of the number of trials, that of a
    random-feature network does not grow with its square.
    """

    few: Surrogate = field(default_factory=GaussianProcess)
    many: Surrogate = field(default_factory=BayesianRVFL)
    most: int = 300

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def choice(self, data: Data) -> Surrogate:
        """Return the surrogate for these data."""
        return self.few if data.n <= self.most else self.many

    def fit(self, data: Data, rng: Generator) -> Model:
        """Fit the surrogate that the number of observations asks for."""
        return self.choice(data).fit(data, rng)
