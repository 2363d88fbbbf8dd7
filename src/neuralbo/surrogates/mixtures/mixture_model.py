"""Models of p(x, y), as a distribution of y at each x that is a mixture of Gaussians.

Notation
    lambda_z p_z(x)   weight of component z of K times its density at x; p(x) is their sum
    m_z(x), s_z(x)    mean and standard deviation of y within component z
    n                 observations
    w, p_0            weight of the background, and its density of y: N(0, std^2)
    alpha(x)          n p(x)/(n p(x) + w), the weight of the data

All but the answers of the model is in the units of the model, in which x and y are standardized.
Kruse (2022), Sec. 5.3, 4.1 and 4.2.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, final

import torch
from botorch.posteriors import Posterior
from torch import Generator, Tensor
from torch.nn.functional import logsigmoid, pad

from neuralbo.data import Units
from neuralbo.posteriors import Field, GaussianMixture, Marginals
from neuralbo.surrogates.surrogate import DrawsFunctions, Facts

MOST_NUMBERS = 2**22  # of one temporary: 32 MiB, of which a handful exist at a time
NOISE_PART = 1e-6  # of the variance is the observation's own, so that f and y can be told apart
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


class Parts(NamedTuple):
    """What K components say at N points; means and stds may be the same at all of them."""

    log_weights: Tensor  # N x K, log lambda_z p_z(x)
    means: Tensor  # N x K or 1 x K
    stds: Tensor  # N x K or 1 x K


class Joint(Protocol):
    """A density p(x, y) that is a mixture of K components."""

    @property
    def size(self) -> int:
        """K."""
        ...

    def parts(self, Z: Tensor) -> Parts:
        """Return the components at points, N x d."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Background:
    """A vague distribution of y that takes over where p(x) is small. Kruse (2022), Sec. 4.1.

    mixture: alpha p(y | x) + (1 - alpha) p_0(y): one more component, of weight 1 - alpha.
    moments: component z has mean alpha m_z and variance alpha s_z^2 + (1 - alpha) std^2.

    The first is the default, since it leaves the components as sharp as they are: the second moves
    and widens all of them where alpha is as large as 0.9, so that branches and steps of a
    function are lost between the data as well as far from them. The first is also the one in which
    settings can be scored without the components (`held_out`); of both kinds they are scored so.

    Attributes:
        std: of p_0, in standard deviations of y: with 1 it is the distribution of `empirical`.
            Kruse (2022) has 10, so that a heavy background is no way out for cross-validation. But
            the expected improvement of so wide a distribution is several standard deviations of y:
            unless its weight is tiny it drowns that of the data, and the search fills space.
        kind: see above.
    """

    std: float = 1.0
    kind: Literal["mixture", "moments"] = "mixture"

    def __post_init__(self) -> None:
        if not 0 < self.std < math.inf or self.kind not in ("mixture", "moments"):
            raise ValueError(
                "Background needs a positive standard deviation and the kind 'mixture' or "
                "'moments', "
                f"got {self}."
            )

    def log_density(self, y: Tensor) -> Tensor:
        """Return log p_0(y)."""
        return -0.5 * (y / self.std).square() - math.log(self.std) - LOG_SQRT_2PI

    def blend(self, parts: Parts, log_ratio: Tensor) -> Parts:
        """Put the background into a mixture; `log_ratio` is log(n/w)."""
        logs = parts.log_weights + log_ratio
        if self.kind == "mixture":
            return Parts(
                pad(logs, (0, 1)),
                pad(parts.means, (0, 1)),
                pad(parts.stds, (0, 1), value=self.std),
            )
        alpha = torch.sigmoid(logs.logsumexp(-1, keepdim=True))
        variances = alpha * parts.stds.square() + (1 - alpha) * self.std**2
        return Parts(parts.log_weights, alpha * parts.means, variances.sqrt())


class Blend(NamedTuple):
    """A background with its weight.

    Attributes:
        log_ratio: log(n/w).
    """

    background: Background
    log_ratio: float


@final
class MixtureModel(DrawsFunctions):
    """y | x ~ alpha(x) sum_z gamma_z(x) N(m_z(x), s_z(x)^2) + (1 - alpha(x)) p_0, in Y's units.

    gamma_z(x) = lambda_z p_z(x)/p(x). Nothing here replaces the mixture by one Gaussian: mean and
    variance are two of its numbers, and criteria that want the whole have `components`. The model
    does not tell f from y: all but `NOISE_PART` of a component's variance is taken to be f's.
    How values at different points hang together it does not say either: `Marginals` does.

    Args:
        joint: p(x, y).
        blend: the background.
        units: of the inputs and of the values.
        field: ties the points together.
        facts: for the record of the trial.
    """

    num_outputs = 1

    def __init__(
        self, joint: Joint, blend: Blend, units: tuple[Units, Units], field: Field, facts: Facts
    ) -> None:
        super().__init__()
        self.joint, self.blend, self.units = joint, blend, units
        self.field, self.facts = field, facts

    def marginal(self, X: Tensor, *, observation_noise: bool = True) -> GaussianMixture:
        """Return the distribution of y, or of f, at each point, ...

        X d to a mixture at each of ....
        """
        parts = self._parts(X.reshape(-1, X.shape[-1]), 0.0 if observation_noise else NOISE_PART)
        shape = (*X.shape[:-1], -1)
        return GaussianMixture(*(part.expand(len(parts[0]), -1).reshape(shape) for part in parts))

    def components(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log weights, means and standard deviations of f, ... x d to K x ... each.

        Means and standard deviations that are the same at all points are K x 1 x ... x 1.
        """
        log_weights, means, stds = self._parts(X.reshape(-1, X.shape[-1]), NOISE_PART)
        ones = [1] * (X.ndim - 1)
        found = [log_weights.log_softmax(-1).mT.reshape(-1, *X.shape[:-1])]
        for part in (means, stds):
            is_same = len(part) == 1
            found.append(part.mT.reshape(-1, *(ones if is_same else X.shape[:-1])))
        return found[0], found[1], found[2]

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point, ... x d to ... and ...."""
        rows = X.reshape(-1, X.shape[-1])
        marginals = [self.marginal(piece, observation_noise=False) for piece in self._pieces(rows)]
        if not marginals:
            return X.new_empty(X.shape[:-1]), X.new_empty(X.shape[:-1])
        mean, variance = (
            torch.cat(part).reshape(X.shape[:-1])
            for part in zip(
                *((marginal.mean, marginal.variance) for marginal in marginals), strict=True
            )
        )
        return mean, variance

    def evidence_weight(self, X: Tensor) -> Tensor:
        """Return alpha(x), ... x d to ...: the weight of the data; the background has the rest."""
        return self.log_evidence_weight(X).exp()

    def log_evidence_weight(self, X: Tensor) -> Tensor:
        """Return log alpha(x), finite where alpha underflows."""
        rows = self.units[0].numbers(X.reshape(-1, X.shape[-1]))
        logs = [self.joint.parts(piece).log_weights.logsumexp(-1) for piece in self._pieces(rows)]
        log_p = torch.cat(logs) if logs else rows.new_empty(0)
        return logsigmoid(log_p + self.blend.log_ratio).reshape(X.shape[:-1])

    def log_density(self, X: Tensor, Y: Tensor) -> Tensor:
        """Return log p(y | x) in the units of Y, the Jacobian included: ... x d and ... to ...."""
        return self.marginal(X).log_density(Y)

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        if isinstance(observation_noise, Tensor):
            marginal = self.marginal(X, observation_noise=False)
            stds = torch.hypot(marginal.standard_deviations, observation_noise.sqrt())
            marginal = GaussianMixture(marginal.log_weights, marginal.means, stds)
        else:
            marginal = self.marginal(X, observation_noise=observation_noise)
        return Marginals(marginal, self.field.features(X))

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function: f(x) = F_x^-1(Phi(g(x))), F_x the marginal at x, g a drawn field."""
        a = torch.randn(2 * len(self.field.frequencies), generator=rng, dtype=torch.float64)
        edge = torch.finfo(a.dtype).eps

        def f(X: Tensor) -> Tensor:
            p = torch.special.ndtr(self.field.features(X) @ a).clamp(edge, 1 - edge)
            return self.marginal(X, observation_noise=False).quantile(p)[..., None]

        return f

    def _parts(self, rows: Tensor, noise_part: float) -> Parts:
        """Return the components with the background, N x d to N x K, in the units of the data."""
        found = self.joint.parts(self.units[0].numbers(rows))
        ratio = found.log_weights.new_tensor(self.blend.log_ratio)
        blended = self.blend.background.blend(found, ratio)
        shift, scale = self.units[1].shift, self.units[1].scale
        return Parts(
            blended.log_weights,
            shift + scale * blended.means,
            scale * math.sqrt(1 - noise_part) * blended.stds,
        )

    def _pieces(self, rows: Tensor) -> tuple[Tensor, ...]:
        most = max(1, MOST_NUMBERS // (self.joint.size + 1))
        return rows.split(most) if len(rows) else ()
