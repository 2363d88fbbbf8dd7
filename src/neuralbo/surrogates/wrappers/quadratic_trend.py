"""A bowl, and another surrogate for what it leaves.

Notation
    b  the best observation      r2(x) = |x - b|^2      c >= 0  how steep the bowl is
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, in_order, single_output
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import GaussianModel, Scaling, Surrogate


@final
@dataclass(frozen=True, slots=True)
class Bowl:
    """f(x) = -c r2(x) + g(x),  g as `inner` has it;  c by least squares of y on r2, at least 0.

    In many columns far points are worse than the best one whatever their direction, and c is what
    a handful of trials can tell. `inner` then has to learn directions only, and its uncertainty is
    about them: the bowl counts as known.

    Attributes:
        inner: a surrogate whose model is Gaussian.
        clip: raise values that lie below the median by more than so many times the way from there
            to the best; None for never.
    """

    inner: Surrogate = field(default_factory=BayesianRVFL)
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"

    @property
    def is_smooth(self) -> bool:
        """Whether the inner surrogate is smooth."""
        return self.inner.is_smooth

    def fit(self, data: Data, rng: Generator) -> "BowlModel":
        """Fit the bowl, then `inner` to the rest."""
        data, clipped = data.clipped(self.clip)
        y = single_output(data)
        assert data.numbers is not None
        best = data.X[y.argmax()]
        r2 = (data.X - best).square().sum(-1)
        away = r2 - r2.mean()
        size = y.abs().amax().clamp(min=torch.finfo(y.dtype).tiny)  # squares may overflow
        slope = size * (away @ (y / size)) / (away @ away).clamp(min=torch.finfo(y.dtype).tiny)
        c = (-slope).clamp(min=0.0)
        rest = in_order(data.X, data.Y + (c * r2)[:, None], data.numbers)
        model = self.inner.fit(rest, rng)
        if not isinstance(model, GaussianModel):
            raise TypeError(
                f"Bowl needs a surrogate with a Gaussian model, and {self.inner!r} has none."
            )
        return BowlModel(model, best, c, clipped)


@final
class BowlModel(GaussianModel):
    """The distribution of g, with -c r2 added to its mean."""

    best: Tensor
    c: Tensor

    def __init__(self, model: GaussianModel, best: Tensor, c: Tensor, clipped: int) -> None:
        super().__init__()
        self.model, self.clipped = model, clipped
        self.register_buffer("best", best)
        self.register_buffer("c", c)
        self.noise_variance = model.noise_variance
        self.facts = {**model.facts, "bowl": float(c), "clipped": clipped}

    def trend(self, X: Tensor) -> Tensor:
        """Return -c r2, ... x d to ...."""
        return -self.c * (X - self.best).square().sum(-1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        mean, variance = self.model.moments(X)
        return mean + self.trend(X), variance

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        mean, covariance = self.model.joint(X)
        return mean + self.trend(X), covariance

    def conditioned(self, X: Tensor, Y: Tensor) -> "BowlModel":
        """Return the model after further observations; the bowl stays."""
        inner = self.model.conditioned(X, Y - self.trend(X)[:, None])
        return BowlModel(inner, self.best, self.c, self.clipped)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function."""
        g = self.model.draw(rng)
        return lambda X: g(X) + self.trend(X)[..., None]
