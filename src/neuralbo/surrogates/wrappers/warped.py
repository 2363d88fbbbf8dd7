"""Bend the axes before a surrogate sees them.

Notation
    w(u) = 1 - (1 - u^a)^b   Kumaraswamy's distribution function, one (a, b) for each column
    t    2d  logarithms of all a, then of all b; at t = 0 nothing is warped
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, final

import torch
from botorch.models.model import Model
from botorch.posteriors import Posterior
from torch import Generator, Tensor

from neuralbo.data import Data, in_order, single_output
from neuralbo.inference.quasi_newton import minimize
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess, GaussianProcessModel, Search
from neuralbo.surrogates.gp.kernels import Between
from neuralbo.surrogates.surrogate import DrawsFunctions, Facts, GaussianModel, Scaling, Surrogate

EDGE = 1e-9  # keeps the gradient of w finite at the faces of the cube
MOST = 2.5  # the largest |t|: a and b from 1/12 to 12
FEWEST = 5  # observations from which a warp is learnt


@final
@dataclass(frozen=True, slots=True, eq=False)
class Warp:
    """w for each column; beyond the cube, where a trust region may look, axes go on straight."""

    t: Tensor

    def __call__(self, X: Tensor) -> Tensor:
        """Return warped points, ... x d to ... x d."""
        a, b = self.t.exp().chunk(2, -1)
        U = X.clamp(EDGE, 1 - EDGE)
        return 1 - (1 - U**a) ** b + (X - U)


@final
@dataclass(frozen=True, slots=True)
class Warped:
    """`inner` on w(x): for functions that change faster in one part of an axis than in another.

    Snoek et al. (2014), "Input warping for Bayesian optimization of non-stationary functions".
    log a, log b ~ N(0, spread^2). The t of a Gaussian process is found by its evidence, in turns
    with its other hyper-parameters; any other surrogate sees the axes as a Gaussian process
    would bend them. Departures: the authors integrate over t and the others by slice sampling;
    their warp is the distribution function of the Beta distribution, which this one comes near to.

    Attributes:
        score: the Gaussian process whose evidence bends the axes.
        spread: of the prior.
        turns: fits of the score, each followed by a search for t.
        rounds: the most steps of a search.
    """

    inner: Surrogate = field(default_factory=GaussianProcess)
    judge: GaussianProcess = field(default_factory=GaussianProcess)
    spread: float = 0.75
    turns: int = 2
    rounds: int = 20

    scaling: ClassVar[Scaling] = "standard"

    def __post_init__(self) -> None:
        if not self.spread > 0 or self.turns < 1:
            raise ValueError(f"Warped needs spread > 0 and turns >= 1, got {self}.")

    @property
    def is_smooth(self) -> bool:
        """Whether the inner surrogate is smooth."""
        return self.inner.is_smooth

    def fit(self, data: Data, rng: Generator) -> "WarpedModel | WarpedGaussian":
        """Bend the axes, then fit."""
        return self._fit(data, rng, torch.zeros(2 * data.X.shape[-1], dtype=torch.float64))

    def fit_from(self, data: Data, rng: Generator, start: Model) -> "WarpedModel | WarpedGaussian":
        """Begin at the warp of a fit to fewer trials."""
        if not isinstance(start, WarpedModel | WarpedGaussian):
            return self.fit(data, rng)
        t = start.warp.t
        return self._fit(data, rng, t) if len(t) == 2 * data.X.shape[-1] else self.fit(data, rng)

    def _fit(self, data: Data, rng: Generator, t: Tensor) -> "WarpedModel | WarpedGaussian":
        single_output(data)
        if data.n >= FEWEST:
            for _ in range(self.turns):
                model = self.judge.fit(_warped(data, Warp(t)), rng)
                t = self._search(data.X, model, t)
        warp = Warp(t)
        fitted = self.inner.fit(_warped(data, warp), rng)
        if isinstance(fitted, GaussianModel):
            return WarpedGaussian(fitted, warp)
        if isinstance(fitted, DrawsFunctions):
            return WarpedModel(fitted, warp)
        raise TypeError(
            f"Warped needs a surrogate that draws functions, and {type(fitted).__name__} does not."
        )

    def _search(self, X: Tensor, model: GaussianProcessModel, t: Tensor) -> Tensor:
        """Return the t of the largest evidence, the other hyper-parameters as they are."""
        recipe, units = model.recipe, model.units[0]
        settings = [*recipe.kernel.settings(X.shape[-1]), recipe.noise]

        def value(t: Tensor) -> tuple[Tensor, Tensor]:  # B x 2d
            with torch.enable_grad():
                t = t.detach().requires_grad_()
                losses = [0.5 * (row / self.spread).square().sum() for row in t]
                for i, row in enumerate(t):
                    Z = units.numbers(Warp(row)(X))
                    search = Search(recipe, Between(Z, Z), model.y, settings)
                    losses[i] = losses[i] + search.loss(model.theta[None])[0]
                total = torch.stack(losses)
                (g,) = torch.autograd.grad(total.sum(), t)
            return total.detach(), g

        starts = torch.stack([t, torch.zeros_like(t)]) if t.any() else t[None]
        bound = torch.full_like(t, MOST)
        found, losses = minimize(
            value, starts, (-bound, bound), rounds=self.rounds, gradient_tolerance=1e-3,
            value_tolerance=1e-5,
        )  # fmt: skip
        losses = losses.nan_to_num(torch.inf, torch.inf, torch.inf)
        best = int(losses.argmin())
        return found[best] if losses[best].isfinite() else t


def _warped(data: Data, warp: Warp) -> Data:
    assert data.numbers is not None
    return in_order(warp(data.X), data.Y, data.numbers)


@final
class WarpedGaussian(GaussianModel):
    """A Gaussian model of warped points, as one of points of the cube."""

    def __init__(self, model: GaussianModel, warp: Warp) -> None:
        super().__init__()
        self.model, self.warp = model, warp
        self.noise_variance = model.noise_variance
        self.facts = _facts(model.facts, warp)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        return self.model.moments(self.warp(X))

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        return self.model.joint(self.warp(X))

    def conditioned(self, X: Tensor, Y: Tensor) -> "WarpedGaussian":
        """Return the model after further observations; the axes stay as they are."""
        return WarpedGaussian(self.model.conditioned(self.warp(X), Y), self.warp)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function."""
        f = self.model.draw(rng)
        return lambda X: f(self.warp(X))


@final
class WarpedModel(DrawsFunctions):
    """Another model of warped points, as one of points of the cube."""

    def __init__(self, model: DrawsFunctions, warp: Warp) -> None:
        super().__init__()
        self.model, self.warp = model, warp
        self.facts = _facts(getattr(model, "facts", {}), warp)

    @property
    def num_outputs(self) -> int:
        """The outputs of the model."""
        outputs: int = self.model.num_outputs
        return outputs

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of the model at the warped points."""
        return self.model.joint_distribution(self.warp(X), observation_noise)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function."""
        f = self.model.draw(rng)
        return lambda X: f(self.warp(X))


def _facts(facts: Facts, warp: Warp) -> Facts:
    return {**facts, "warp": float(warp.t.abs().max())}
