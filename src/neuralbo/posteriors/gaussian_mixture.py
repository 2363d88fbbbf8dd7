"""A mixture of Gaussians at each of many points.

Notation
    w_k, mu_k, s_k  weight, mean and standard deviation of component k; ... x k together
    y, p            a value and a probability, broadcast against ...
    Phi             the cdf of N(0, 1)
"""

import math
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import MOST_SQUARE

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Narrower components cannot be told from atoms: their cdf would jump between neighbouring floats.
NARROWEST = 1e-12  # of the largest |mu_k|
ROUNDING = 1e-14  # relative error to be expected of ndtr, ndtri and a sum of them
# Bisection alone needs about 53 + 40 halvings in the worst case; Newton's steps about 8 in all.
SEARCH_STEPS = 128
STEPS_TOGETHER = 12  # then those that are done are left alone
MODE_STEP = 1e-7  # of the narrowest standard deviation: the search has ended
MODE_STARTS, MODE_STEPS = 4, 200  # the largest mode is seldom not above one of the highest means


@final
class GaussianMixture:
    """The distribution with density sum_k w_k N(y; mu_k, s_k^2), one at each index of `...`.

    Args:
        log_weights: ... x k, up to a constant; they are normalized here. -inf is weight zero.
        means: ... x k.
        standard_deviations: ... x k. Those below 1e-12 of the largest |mean| of their mixture,
            zero among them, are raised to it.

    Raises:
        ValueError: The three cannot be broadcast together, or a standard deviation is negative.
    """

    def __init__(self, log_weights: Tensor, means: Tensor, standard_deviations: Tensor) -> None:
        try:
            log_weights, means, standard_deviations = torch.broadcast_tensors(
                log_weights, means, standard_deviations
            )
        except RuntimeError as error:
            shapes = [tuple(x.shape) for x in (log_weights, means, standard_deviations)]
            raise ValueError(
                "log_weights, means and standard_deviations must have one shape ... x k, "
                f"got {shapes}."
            ) from error
        if (standard_deviations < 0).any():
            raise ValueError(
                "standard_deviations must not be negative, got "
                f"{standard_deviations.min().item():g}: give standard deviations, not their "
                "logarithms."
            )
        self.log_weights = log_weights.log_softmax(-1)
        self.means = means
        floor = NARROWEST * means.detach().abs().amax(-1, keepdim=True)
        floor = floor.clamp(min=math.sqrt(torch.finfo(means.dtype).tiny))
        self.standard_deviations = standard_deviations.maximum(floor)

    @property
    def mean(self) -> Tensor:
        """The mean, sum_k w_k mu_k."""
        return (self.log_weights.exp() * self.means).sum(-1)

    @property
    def variance(self) -> Tensor:
        """The variance, sum_k w_k (s_k^2 + (mu_k - mean)^2); squares are kept within float64."""
        spread = (self.means - self.mean.unsqueeze(-1)).square()
        squares = (self.standard_deviations.square() + spread).clamp(1 / MOST_SQUARE, MOST_SQUARE)
        return (self.log_weights.exp() * squares).sum(-1)

    def log_density(self, y: Tensor) -> Tensor:
        """The log of the density at y."""
        log_densities = -0.5 * self._z(y).square() - LOG_SQRT_2PI - self.standard_deviations.log()
        return (self.log_weights + log_densities).logsumexp(-1)

    def cdf(self, y: Tensor) -> Tensor:
        """P(Y <= y) = sum_k w_k Phi((y - mu_k)/s_k)."""
        cdfs: Tensor = torch.special.ndtr(self._z(y))
        return (self.log_weights.exp() * cdfs).sum(-1)

    def log_cdf(self, y: Tensor) -> Tensor:
        """The log of P(Y <= y), finite where the probability itself underflows."""
        log_cdfs: Tensor = torch.special.log_ndtr(self._z(y))
        return (self.log_weights + log_cdfs).logsumexp(-1)

    def quantile(self, p: Tensor) -> Tensor:
        """The y with cdf(y) = p, for 0 < p < 1.

        Found by Newton's method kept inside a bracket. Its derivatives in p and in the
        parameters theta are those of the implicit function theorem,
        dy = (dp - d_theta cdf(y)) / density(y); they are of first order only.

        Raises:
            ValueError: A probability is not strictly between 0 and 1.
        """
        if not ((p > 0) & (p < 1)).all():
            raise ValueError(
                "probabilities must lie strictly between 0 and 1, got values from "
                f"{p.min().item():g} to {p.max().item():g}."
            )
        with torch.no_grad():
            y = self._root(p)
            # Between two narrow components the density underflows while the quantile jumps.
            density = self._cdf_and_density(y)[1].clamp(min=torch.finfo(y.dtype).tiny)
        gap = p - self.cdf(y)
        return y + (gap - gap.detach()) / density

    def mode(self) -> Tensor:
        """The y of the largest density, without derivatives.

        From the means at which the density is largest, by the rule
        y = sum_k r_k mu_k/s_k^2 / sum_k r_k/s_k^2, r_k the responsibilities at y, which never
        lowers the density. Carreira-Perpinan (2000), Sec. 4.
        """
        with torch.no_grad():
            log_densities = torch.stack(
                [self.log_density(mean) for mean in self.means.unbind(-1)], -1
            )
            few = log_densities.topk(min(MODE_STARTS, self.means.shape[-1]), -1).indices
            starts = self.means.gather(-1, few).movedim(-1, 0)
            narrowest = self.standard_deviations.amin(-1, keepdim=True)
            precisions = (narrowest / self.standard_deviations).square()
            y, logs = starts, self.log_weights - self.standard_deviations.log()
            for _ in range(MODE_STEPS):
                pull = (logs - 0.5 * self._z(y).square()).softmax(-1) * precisions
                last, y = y, (pull * self.means).sum(-1) / pull.sum(-1)
                if ((y - last).abs() <= MODE_STEP * narrowest.squeeze(-1)).all():
                    break
            best = self.log_density(y).argmax(0, keepdim=True)
            return y.gather(0, best).squeeze(0)

    def sample(self, shape: torch.Size, rng: Generator) -> Tensor:
        """Draw independently at every index; shape x ....

        Differentiable in means and standard deviations; the choice of a component is not.
        """
        full = shape + self.means.shape[:-1]
        u = torch.rand(full, generator=rng, dtype=self.means.dtype, device=rng.device)
        e = torch.randn(full, generator=rng, dtype=self.means.dtype, device=rng.device)
        cumulated = self.log_weights.detach().exp().cumsum(-1)
        cumulated = cumulated / cumulated[..., -1:]
        component = (u.to(cumulated).unsqueeze(-1) >= cumulated).sum(-1, keepdim=True)
        parts = (self.means, self.standard_deviations)
        mean, std = (x.expand(*full, -1).gather(-1, component).squeeze(-1) for x in parts)
        return mean + std * e.to(mean)

    def _z(self, y: Tensor) -> Tensor:
        return (y.unsqueeze(-1) - self.means) / self.standard_deviations

    def _cdf_and_density(self, y: Tensor) -> tuple[Tensor, Tensor]:
        z, weights = self._z(y), self.log_weights.exp()
        densities = (-0.5 * z.square() - LOG_SQRT_2PI).exp() / self.standard_deviations
        cdfs: Tensor = torch.special.ndtr(z)
        return (weights * cdfs).sum(-1), (weights * densities).sum(-1)

    def _root(self, p: Tensor) -> Tensor:
        """Solve cdf(y) = p; the root lies among the components' own quantiles.

        Press et al. (2007), Sec. 9.4, `rtsafe`: a Newton step that leaves the bracket or is more
        than half as long as the step before is replaced by bisection.
        """
        z: Tensor = torch.special.ndtri(p).unsqueeze(-1)
        slack = ROUNDING * self.standard_deviations
        low = (self.means + self.standard_deviations * z - slack).amin(-1)
        high = (self.means + self.standard_deviations * z + slack).amax(-1)
        tolerance = 2 * torch.finfo(low.dtype).eps * low.abs().maximum(high.abs())
        y, step = low + (high - low) / 2, high - low
        return self._search(p.expand_as(y), (y, step, low, high, tolerance), SEARCH_STEPS)

    def _search(self, p: Tensor, state: tuple[Tensor, ...], steps: int) -> Tensor:
        """Search from y, the last step and a bracket; the few slow ones go on by themselves."""
        y, step, low, high, tolerance = state
        done = torch.zeros_like(y, dtype=torch.bool)
        for _ in range(min(steps, STEPS_TOGETHER)):
            cdf, density = self._cdf_and_density(y)
            gap = cdf - p
            low, high = torch.where(gap < 0, y, low), torch.where(gap > 0, y, high)
            newton = gap / density
            inside = (y - newton >= low) & (y - newton <= high)
            accepted = inside & (2 * newton.abs() <= step.abs())
            step = torch.where(accepted, newton, y - (low + (high - low) / 2))
            done = done | (gap.abs() <= ROUNDING * p)
            y = torch.where(done, y, y - step)
            done = done | (step.abs() <= tolerance)
            if done.all():
                return y
        if steps <= STEPS_TOGETHER:
            return y
        slow = ~done
        parts = (self.log_weights, self.means, self.standard_deviations)
        marginal = GaussianMixture(*(part.expand(*y.shape, -1)[slow] for part in parts))
        rest = tuple(part[slow] for part in (y, step, low, high, tolerance))
        return y.masked_scatter(slow, marginal._search(p[slow], rest, steps - STEPS_TOGETHER))
