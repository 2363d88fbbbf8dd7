"""What a surrogate is, and what its fitted model is."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, final, runtime_checkable

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.posteriors import Posterior, TransformedPosterior
from torch import Generator, Tensor

from neuralbo.data import Data
from neuralbo.posteriors.joint_gaussian import gaussian_posterior
from neuralbo.surrogates.model import Around
from neuralbo.surrogates.model import DrawsFunctions as DrawsFunctions

Scaling = Literal["standard", "range", "none"]
Facts = Mapping[str, float | str]
# of mean and variance of f: the value, and its derivatives by both
OfMoments = Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
LEAST_VARIANCE = 1e-18  # in the model's units; the variance at a noiseless observation is not 0


@runtime_checkable
class Surrogate(Protocol):
    """A way to fit a model to data. It holds settings only: `fit` leaves it as it was.

    Attributes:
        scaling: how it scales Y for itself; its model answers in the units of `data.Y`.
        is_smooth: whether the posterior is differentiable in X.
    """

    scaling: ClassVar[Scaling]

    @property
    def is_smooth(self) -> bool: ...  # noqa: D102

    def fit(self, data: Data, rng: Generator) -> Model:
        """Fit a model; equal data and an equal state of `rng` give equal models."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Usual:
    """How the next point is best looked for with a surrogate, as `default_policy` does it.

    Attributes:
        trust_region: in a box around the best point, see `policies.TrustRegion`.
        exploration: the share of points that are drawn uniformly, see `policies.Exploring`.
        restarts, rounds: of the local searches from the best candidates; more gain nothing where
            a criterion has kinks, or nearly the best place teaches as much.
        sweeps: over continuous parameters, integers and categories in turn.
    """

    trust_region: bool = False
    exploration: float = 0.0
    restarts: int = 10
    rounds: int = 40
    sweeps: int = 8


@runtime_checkable
class StatesUsual(Protocol):
    """A surrogate that says how points are best looked for with it.

    Attributes:
        usual: without it the criterion is maximized over the whole space.
    """

    @property
    def usual(self) -> Usual: ...  # noqa: D102


@runtime_checkable
class UsesNoise(Protocol):
    """A surrogate that takes the noise of single observations into account, `Data.V`."""

    uses_noise: ClassVar[bool]


@runtime_checkable
class WarmStarts(Protocol):
    """A surrogate that can begin where an earlier fit on fewer data ended."""

    def fit_from(self, data: Data, rng: Generator, start: Model) -> Model:
        """Fit a model, beginning at `start`, which this recipe fitted to the first trials."""
        ...


@runtime_checkable
class AddsUp(Protocol):
    """A surrogate that learns from sums over the observations, so that old ones cost nothing.

    `fit` must give what these give, one after the other, to the last bit: `fit_by_blocks`.
    """

    def begin(self, data: Data, rng: Generator) -> Any:
        """Return empty sums; what is not a sum, such as units, is learnt from these data."""
        ...

    def add(self, sums: Any, X: Tensor, Y: Tensor) -> Any:
        """Return the sums with further rows."""
        ...

    def solve(self, sums: Any) -> Model:
        """Return the model of what was summed up."""
        ...


@runtime_checkable
class Chooses(Protocol):
    """A surrogate that is one of several others, by the data."""

    def choice(self, data: Data) -> Surrogate:
        """Return the surrogate for these data."""
        ...


def fit_by_blocks(
    recipe: AddsUp, data: Data, rng: Generator, cache: MutableMapping[Any, Any], name: Any
) -> Model:
    """Fit to data with at least one full block of trial numbers.

    Sums are taken over the blocks in order, and begun anew, with units of the first 1, 2, 4, 8,
    ... blocks, whenever the number of blocks has doubled: so the result is a function of the
    data. What was summed up before is taken from the cache.
    """
    ends, digests = data.block_ends(), data.digests()
    known = 2 ** (len(ends).bit_length() - 1)
    first = (name, "units", digests[known - 1])
    if first not in cache:
        cache[first] = recipe.begin(data.first(ends[known - 1]), rng)
    sums, done = cache[first], 0
    for k in range(len(ends), 0, -1):
        if (name, first, digests[k - 1]) in cache:
            sums, done = cache[name, first, digests[k - 1]], k
            break
    for k in range(done, len(ends)):
        rows = slice(ends[k - 1] if k else 0, ends[k])
        sums = recipe.add(sums, data.X[rows], data.Y[rows])
    cache[name, first, digests[-1]] = sums
    if ends[-1] < data.n:
        sums = recipe.add(sums, data.X[ends[-1] :], data.Y[ends[-1] :])
    return recipe.solve(sums)


@runtime_checkable
class StatesFacts(Protocol):
    """A model that has something to say for the record of the trial."""

    facts: Facts


@runtime_checkable
class HasComponents(Protocol):
    """A model whose distribution of f at a point is a mixture of K Gaussians."""

    def components(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log weights, means and standard deviations, ... x d to K x ... each.

        Any of them may have dimensions of one, and log weights none beyond K, where they are the
        same at all points.
        """
        ...


@runtime_checkable
class AnalyticGradients(Protocol):
    """A model with analytic gradients: on a few points autograd takes longer than the numbers.

    Attributes:
        has_gradients: whether it has them; it may depend on the kernel.
    """

    @property
    def has_gradients(self) -> bool: ...  # noqa: D102

    def criterion_and_gradient(self, X: Tensor, criterion: OfMoments) -> tuple[Tensor, Tensor]:
        """Return a function of the moments at points, N x d to N, and its gradient, N x d."""
        ...


class GaussianModel(DrawsFunctions):
    """A fitted model of one output whose posterior is Gaussian, in the units of the data.

    Attributes:
        facts: what is worth recording with a trial, such as the log evidence.
        noise_variance: variance of the observation noise, in the units of the data squared.
    """

    noise_variance: Tensor
    facts: Facts
    num_outputs = 1

    @abstractmethod
    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point, ... x d to ... and ...."""

    @abstractmethod
    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points, b x q x d to b x q and b x q x q."""

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        mean, covariance = self.joint(X)
        noise = (
            observation_noise.squeeze(-1)
            if isinstance(observation_noise, Tensor)
            else self.noise_variance * observation_noise
        )
        return gaussian_posterior(mean, covariance + torch.diag_embed(noise.expand_as(mean)))

    def conditioned(self, X: Tensor, Y: Tensor) -> "GaussianModel":
        """Return the model after further observations, n x d and n x 1."""
        return self.fantasies(X, Y, None)

    def fantasies(self, X: Tensor, Y: Tensor, noise: Tensor | None) -> "GaussianModel":
        """Return the model after further observations, for each batch of them."""
        from neuralbo.surrogates.conditioned import ConditionedGaussian

        return ConditionedGaussian(self, X, Y, noise)


def moments_of(posterior: Posterior) -> tuple[Tensor, Tensor]:
    """Return mean and variance, b x q x m; botorch's base class does not promise them."""
    mean: Tensor = posterior.mean  # type: ignore[attr-defined]
    variance: Tensor = posterior.variance  # type: ignore[attr-defined]
    return mean, variance


@final
class Negated(Around):
    """A model of -y, for those who minimize."""

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Return the distribution of -f."""
        inner = self.model.posterior(X, output_indices, observation_noise)
        posterior = TransformedPosterior(
            inner,
            sample_transform=torch.neg,
            mean_transform=lambda mean, _: -mean,
            variance_transform=lambda _, variance: variance,
        )
        return posterior if posterior_transform is None else posterior_transform(posterior)
