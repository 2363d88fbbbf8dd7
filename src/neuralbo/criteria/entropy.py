"""How much an observation teaches about the best point, or about its value.

Notation: that of `neuralbo.criteria.optima`, and
    y  an observation at x: f(x) and noise of standard deviation t       H  entropy, in nats
    s  standard deviation of f(x)      gamma = (f* - m)/s      rho = s/sqrt(s^2 + t^2)
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import mean_and_std, single_points
from neuralbo.criteria.improvement import LOG_SQRT_2PI
from neuralbo.criteria.noisy import noise_std
from neuralbo.criteria.optima import Draws, Groups, representers
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import GaussianModel

NODES = 5  # of Gauss and Hermite, for y in a group
HALF_NODES = 16  # of Gauss and Legendre, on either side of the knee that noise makes round
END = 8.0  # standard deviations, beyond which a normal distribution has nothing
HALF = END / 2  # where the knee is looked for; farther out there is nothing to be warped
QUIET = 1e-2  # t below this part of s matters less than the draws of f* do


class _OfGroups(AcquisitionFunction):
    noise: Tensor

    def __init__(self, model: Model, groups: Groups, noise: Tensor) -> None:
        super().__init__(model)
        self.groups = groups
        self.register_buffer("noise", noise)


@final
class _Predictive(_OfGroups):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, variance = self.groups.moments(X, self.noise)
        whole = self.groups.total(mean, variance)
        return 0.5 * (whole.log() - variance.log() @ self.groups.p)


@final
class _Search(_OfGroups):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, variance = self.groups.moments(X, self.noise)
        std = variance.sqrt()
        z, w = (X.new_tensor(part) for part in np.polynomial.hermite_e.hermegauss(NODES))
        y = mean[..., None] + std[..., None] * z  # b x g x nodes
        u = (y[:, :, :, None] - mean[:, None, None]) / std[:, None, None]  # ... x g
        log_p = self.groups.p.log() - std.log()[:, None, None] - 0.5 * u.square()
        all_groups = log_p.logsumexp(-1)  # of y, up to the constant that both have
        own = -std.log()[..., None] - 0.5 * z.square()
        return ((own - all_groups) @ (w / w.sum()) * self.groups.p).sum(-1)


@final
@dataclass(frozen=True, slots=True)
class PredictiveEntropy:
    """H[y | x] - E_{x*} H[y | x, x*], each distribution of y taken as the Gaussian of its moments.

    Hernandez-Lobato et al. (2014); Aryan (2020), Eq. (2.45); Kruse (2022), Sec. 2.3.2. Departure:
    x* is the best of some points R, and the moments given x* are those of the draws of f that have
    it, where the paper has expectation propagation. So it is the same for Gaussian models and for
    sets of functions. Noise enters: an observation that is mostly noise teaches little, however
    often it is made.

    Attributes:
        places: of x* that are told apart, the most likely; the others are one.
    """

    places: int = 24

    is_log: ClassVar[bool] = False
    replicates: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Draw f and build it."""
        groups = Draws.of(step, model, representers(step)).by_place(self.places)
        return _Predictive(model, groups, noise_std(model, step.data.X))


@final
@dataclass(frozen=True, slots=True)
class EntropySearch:
    """H[x* | D] - E_y H[x* | D, (x, y)]: how much y is expected to tell of the best place.

    Hennig and Schuler (2012); Aryan (2020), Eq. (2.44); Kruse (2022), Sec. 2.3.2, note. With p(i |
    y) proportional to p_i N(y; m_i, v_i + t^2) it is sum_i p_i E[log N(y; m_i, v_i + t^2) - log
    p(y)], by Gauss and Hermite in each group. p_i, m_i and v_i are those of the draws of f whose
    best point is i; the paper has expectation propagation and its derivatives. The same as
    `predictive_entropy` but for the distribution of y, which is the mixture itself.

    Attributes:
        places: as in `PredictiveEntropy`.
    """

    places: int = 24

    is_log: ClassVar[bool] = False
    replicates: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Draw f and build it."""
        groups = Draws.of(step, model, representers(step)).by_place(self.places)
        return _Search(model, groups, noise_std(model, step.data.X))


@final
class _MaxValue(AcquisitionFunction):
    maxima: Tensor
    noise: Tensor

    def __init__(self, model: Model, maxima: Tensor, noise: Tensor, is_quiet: bool) -> None:
        super().__init__(model)
        self.is_quiet = is_quiet
        self.register_buffer("maxima", maxima)
        self.register_buffer("noise", noise)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        gamma = (self.maxima - mean[:, None]) / std[:, None]  # b x K
        if self.is_quiet:
            return known_maximum_gain(gamma).mean(-1)
        rho = (std / torch.hypot(std, self.noise))[:, None]
        return noisy_maximum_gain(gamma, rho).mean(-1)


def known_maximum_gain(gamma: Tensor) -> Tensor:
    """H[f(x)] - H[f(x) | f(x) <= f*] = gamma pdf/(2 cdf) - log cdf at gamma, without noise.

    Wang and Jegelka (2017), Eq. (6).
    """
    log_cdf: Tensor = torch.special.log_ndtr(gamma)
    ratio = (-0.5 * gamma.square() - LOG_SQRT_2PI - log_cdf).exp()  # pdf/cdf
    return 0.5 * gamma * ratio - log_cdf


def noisy_maximum_gain(gamma: Tensor, rho: Tensor) -> Tensor:
    """H[y] - H[y | f(x) <= f*], with z = (y - m)/sqrt(s^2 + t^2).

    z given f* has the density pdf(z) r(z), r(z) = cdf((gamma - rho z)/sqrt(1 - rho^2))/cdf(gamma),
    so that the gain is 1/2 - E[z^2]/2 + E[log r],  E[z^2] = 1 - rho^2 gamma pdf(gamma)/cdf(gamma).
    The last mean is an integral over z, on both sides of where r falls. At rho = 1 this is
    `known_maximum_gain`. Takeno et al. (2020) have it with fidelities.
    """
    log_cdf: Tensor = torch.special.log_ndtr(gamma)
    ratio = (-0.5 * gamma.square() - LOG_SQRT_2PI - log_cdf).exp()
    nodes, weights = (
        gamma.new_tensor(part) for part in np.polynomial.legendre.leggauss(HALF_NODES)
    )
    part, width = ((nodes + 1) / 2).square(), (nodes + 1) / 2 * weights  # dz = 2 t dt, t in [0,1]
    knee = (gamma / rho).detach().clamp(-HALF, HALF)[..., None]
    z = torch.cat([knee - (knee + END) * part, knee + (END - knee) * part], -1)
    w = torch.cat([(knee + END) * width, (END - knee) * width], -1)
    left = (1 - rho.square()).clamp(min=1e-12).sqrt()[..., None]
    log_r = torch.special.log_ndtr((gamma[..., None] - rho[..., None] * z) / left)
    log_r = log_r - log_cdf[..., None]
    density = (log_r - 0.5 * z.square() - LOG_SQRT_2PI).exp()
    gain: Tensor = 0.5 * rho.square() * gamma * ratio + (w * density * log_r).sum(-1)
    return gain


@final
@dataclass(frozen=True, slots=True)
class MaxValueEntropy:
    """H[y | x] - E_{f*} H[y | x, f*]: how much y is expected to tell of the best value.

    Wang and Jegelka (2017), "Max-value entropy search". Of Gaussian models f(x) given f* is taken
    as f(x) <= f*, in closed form, and with noise by an integral over y. Of other models the draws
    themselves say what f(x) is when f* is high or low: in `slices`, each a Gaussian of its
    moments. f* are the largest values of draws of f over some points R (BoTorch's criterion of
    that name wants fantasies of a GPyTorch model, which ours are not).

    Attributes:
        maxima: values of f* in the closed form.
        slices: of the distribution of f*, otherwise.
    """

    maxima: int = 10
    slices: int = 8

    is_log: ClassVar[bool] = False
    replicates: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Draw f* and build it."""
        R = representers(step)
        draws, noise = Draws.of(step, model, R), noise_std(model, step.data.X)
        if not isinstance(model, GaussianModel):
            return _Predictive(model, draws.by_value(self.slices), noise)
        with torch.no_grad():
            mean, std = mean_and_std(model, R[:, None])
        scale = std.median()
        # what is the best for sure is no maximum to come: gamma would be 0 there, or below
        maxima = draws.maxima(self.maxima).maximum(mean.amax() + QUIET * scale)
        return _MaxValue(model, maxima, noise, bool(noise < QUIET * scale))
