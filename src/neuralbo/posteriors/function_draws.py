"""The posterior of models that are a finite set of functions: ensembles, chains, samples.

Notation
    f_k  function k of s, with weight w_k     b  t-batches     q  points     m  outputs
"""

from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import MOST_SQUARE
from neuralbo.posteriors.drawn import DrawnPosterior
from neuralbo.posteriors.gaussian_mixture import GaussianMixture
from neuralbo.posteriors.joint_gaussian import JointGaussian, joint_gaussian

LAST_BELOW_ONE = 1 - 2.0**-53  # so that a position that rounds to 1 still has a function


@final
class FunctionDraws(DrawnPosterior):
    """Function k with probability w_k, jointly over points and outputs.

    y(x) = f_k(x) + e,  k ~ w,  e ~ N(0, noise_variance_k(x)) if a noise variance is given.
    BoTorch's `EnsemblePosterior` picks anew in every t-batch, and its variance is not that of its
    samples; here a sample is one function, wherever it is evaluated.

    Args:
        values: f_k at the points, s x b x q x m; b may be empty or several dimensions.
        noise_variance: Of an observation of f_k, broadcast to the shape of values.
        weights: s, not negative; they are normalized here. None: all the same.

    Raises:
        ValueError: A shape does not fit, or a variance or weight is negative.
    """

    def __init__(
        self,
        values: Tensor,
        noise_variance: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> None:
        if values.ndim < 3 or len(values) == 0:
            raise ValueError(
                "values must have shape s x b x q x m with at least one function, "
                f"got {tuple(values.shape)}."
            )
        self.values = values
        self.weights = _normalized(weights, values)
        self._is_uniform = weights is None or bool((self.weights == self.weights[0]).all())
        self._noise = None if noise_variance is None else _expanded(noise_variance, values)

    @property
    def numbers(self) -> Tensor:
        """The values."""
        return self.values

    @property
    def mean(self) -> Tensor:
        """The mean over functions, b x q x m."""
        return self._average(self.values)

    @property
    def variance(self) -> Tensor:
        """The variance of a sample, b x q x m: that of the functions plus that of the noise."""
        if self._noise is None:
            return self.function_variance
        return self.function_variance + self.noise_variance

    @property
    def function_variance(self) -> Tensor:
        """sum_k w_k (f_k - mean)^2, b x q x m: what more data could remove."""
        return self._average((self.values - self.mean).square()).clamp(max=MOST_SQUARE)

    @property
    def noise_variance(self) -> Tensor:
        """The mean variance of the noise over functions, b x q x m; zero if none was given."""
        if self._noise is None:
            return torch.zeros_like(self.values[0])
        return self._average(self._noise)

    @property
    def marginal(self) -> GaussianMixture | None:
        """The distribution at each point, b x q x m; None without noise: then it is of atoms."""
        return None if self._noise is None else self._mixture(self._noise)

    @property
    def distribution(self) -> JointGaussian:
        """The Gaussian of the same joint moments, which BoTorch's posterior transforms read.

        Raises:
            AttributeError: There are several outputs; BoTorch takes it that there is none.
        """
        if self.values.shape[-1] > 1:
            raise AttributeError("the Gaussian of the same moments is that of one output.")
        mean = self.mean.squeeze(-1)
        A = self.values.squeeze(-1) - mean
        covariance = torch.einsum("s,s...i,s...j->...ij", self.weights, A, A)
        noise = torch.diag_embed(self.noise_variance.squeeze(-1))
        return joint_gaussian(mean, (covariance + noise).clamp(-MOST_SQUARE, MOST_SQUARE))

    def draw_with(self, rng: Generator, sample_shape: torch.Size) -> Tensor:
        """Draw functions, and noise if there is any; sample_shape x b x q x m.

        Which functions are drawn depends on `rng` and `sample_shape` only. As many equally
        likely functions as samples are used once each, in order. Otherwise systematic
        resampling: function k comes n w_k times, rounded up or down, in random order.
        Kitagawa (1996), Appendix. Noise is shared over b; the i-th of q points has the same
        noise whatever q is.
        """
        member = self._members(rng, sample_shape)
        drawn = self.values[member]
        if self._noise is None:
            return drawn
        # One point at a time: a longer call of randn does not begin with a shorter one.
        q, m = self.values.shape[-2:]
        shape = (*sample_shape, *[1] * (self.values.ndim - 3), m)
        points = [_normals(shape, rng, self.dtype) for _ in range(q)]
        std = self._noise[member].clamp(min=torch.finfo(self.dtype).tiny).sqrt()
        return drawn + std * torch.stack(points, -2).to(drawn) if points else drawn

    def quantile(self, value: Tensor) -> Tensor:
        """Quantiles at each point for the probabilities `value`; value.shape x b x q x m.

        Without noise the distribution is of atoms: the smallest f_k(x) with P(f(x) <= f_k(x)) >=
        p.
        """
        p = value.to(self.values).reshape(*value.shape, *[1] * (self.values.ndim - 1))
        if self.marginal is not None:
            return self.marginal.quantile(p)
        ordered, order = self.values.sort(0)
        rounding = len(ordered) * torch.finfo(self.dtype).eps
        reached = self.weights[order].cumsum(0) + rounding  # s x b x q x m
        index = (reached < p.unsqueeze(value.ndim)).sum(value.ndim).clamp(max=len(ordered) - 1)
        shape = index.shape
        return ordered.gather(0, index.reshape(-1, *shape[value.ndim :])).reshape(shape)

    def density(self, value: Tensor) -> Tensor:
        """The density at each point of the observations `value`; value.shape x b x q x m.

        Raises:
            NotImplementedError: There is no noise, so the distribution has atoms and no density.
        """
        if self.marginal is None:
            raise NotImplementedError(
                "FunctionDraws without noise_variance has atoms and no density: ask for "
                "posterior(X, observation_noise=True)."
            )
        y = value.to(self.values).reshape(*value.shape, *[1] * (self.values.ndim - 1))
        return self.marginal.log_density(y).exp()

    def _extended_shape(self, sample_shape: torch.Size = torch.Size()) -> torch.Size:  # noqa: B008
        return sample_shape + self.values.shape[1:]

    def _average(self, values: Tensor) -> Tensor:
        """The weighted mean over functions."""
        average: Tensor = torch.tensordot(self.weights, values, dims=1)
        return average

    def _members(self, rng: Generator, sample_shape: torch.Size) -> Tensor:
        """Indices of functions, of shape sample_shape."""
        n, s = sample_shape.numel(), len(self.values)
        if self._is_uniform and n == s:
            return torch.arange(s, device=self.device).reshape(sample_shape)
        return resampled(self.weights, n, rng).reshape(sample_shape)

    def _mixture(self, noise: Tensor) -> GaussianMixture:
        """The distribution of an observation at each point, a component for each function."""
        std = noise.clamp(min=torch.finfo(self.dtype).tiny).sqrt().movedim(0, -1)
        return GaussianMixture(self.weights.log(), self.values.movedim(0, -1), std)


def resampled(weights: Tensor, n: int, rng: Generator) -> Tensor:
    """Draw n indices: k comes n w_k times, rounded up or down, in random order.

    Systematic resampling; Kitagawa (1996), Appendix.
    """
    u = torch.rand(1, generator=rng, dtype=torch.float64, device=rng.device)
    order = torch.randperm(n, generator=rng, device=rng.device)
    positions = ((order + u) / n).clamp(max=LAST_BELOW_ONE).to(weights.device)
    reached = weights.detach().double().cumsum(0)
    # right: what has weight zero is stepped over
    return torch.searchsorted(reached / reached[-1], positions, right=True)


def _normals(shape: tuple[int, ...], rng: Generator, dtype: torch.dtype) -> Tensor:
    return torch.randn(shape, generator=rng, dtype=dtype, device=rng.device)


def _normalized(weights: Tensor | None, values: Tensor) -> Tensor:
    s = len(values)
    if weights is None:
        return values.new_full((s,), 1 / s)
    if weights.shape != (s,):
        raise ValueError(
            f"weights must have shape ({s},), one for each function, got {tuple(weights.shape)}."
        )
    total = weights.sum()
    if (weights < 0).any() or not (total > 0 and total.isfinite()):
        raise ValueError(
            f"weights must be finite, not negative and not all zero, got {weights.tolist()}: "
            "exponentiate them if they are logarithms."
        )
    return (weights / total).to(values)


def _expanded(noise_variance: Tensor, values: Tensor) -> Tensor:
    theirs, ours = noise_variance.shape, values.shape
    tail = ours[len(ours) - len(theirs) :]
    if len(theirs) > len(ours) or any(a not in (1, b) for a, b in zip(theirs, tail, strict=True)):
        raise ValueError(
            f"noise_variance must broadcast to the shape of values {tuple(ours)}, "
            f"got {tuple(theirs)}."
        )
    if not (noise_variance >= 0).all():
        raise ValueError(
            f"noise_variance must not be negative, got {noise_variance.min().item():g}: "
            "give variances, not their logarithms."
        )
    return noise_variance.to(values).expand(ours)
