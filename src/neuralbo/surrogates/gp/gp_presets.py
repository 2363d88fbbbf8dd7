"""Gaussian processes by name: the default, and those of the publications."""

from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.gp.kernels import Constant, Matern, Positive, SquaredExponential
from neuralbo.surrogates.surrogate import Surrogate


def _flat(start: float, low: float, high: float) -> Positive:
    return Positive(start, low, high)


# Aryan (2020), Sec. 3.5: constant trend, anisotropic squared exponential, ML, 50 random restarts.
# The bounds are not given; its nugget is 10 machine epsilons, here the smallest stable.
GP_GPO = GaussianProcess(
    Constant(_flat(1.0, 1e-3, 1e3)) * SquaredExponential(length=_flat(0.5, 1e-2, 1e2)),
    noise=_flat(1e-8, 1e-8, 1e-8), restarts=49, rounds=200, clip=None,
)  # fmt: skip
# Kruse (2022), Sec. 5.2.1: all in (1e-3, 2), no priors, zero mean, 20 starts, standard units.
GP_KRUSE = GaussianProcess(
    Constant(_flat(1.0, 1e-3, 2.0)) * Matern(2.5, ard=False, length=_flat(1.0, 1e-3, 2.0)),
    noise=_flat(1.0, 1e-3, 2.0), restarts=18, mean="zero", inputs="standard", rounds=1000,
    clip=None,
)  # fmt: skip
# Agrawal (2016), Sec. 5.2, GPyOpt's defaults: isotropic Matern-5/2, noise from 0.01, five starts.
GP_GPYOPT = GaussianProcess(
    Constant(_flat(1.0, 1e-5, 1e5)) * Matern(2.5, ard=False, length=_flat(1.0, 1e-5, 1e5)),
    noise=_flat(1e-2, 1e-10, 1e2), restarts=3, mean="zero", rounds=1000, clip=None,
)  # fmt: skip
# Högger (2021), Sec. 4.2: constant times isotropic squared exponential on [-1,1], 11 starts.
GP_PURE = GaussianProcess(
    Constant(_flat(1.0, 1e-5, 1e5))
    * SquaredExponential(ard=False, length=_flat(1.0, 1e-5, 1e5)),
    noise=_flat(1e-7, 1e-7, 1e-7), restarts=9, mean="zero", inputs="symmetric", rounds=1000,
    clip=None,
)  # fmt: skip
# Aryan (2020), Sec. 5.2: a correlation, no variance; the nugget is against ill-conditioning.
GP_CORRELATION = GaussianProcess(
    SquaredExponential(length=_flat(0.5, 1e-2, 1e2)), noise=_flat(1e-6, 1e-6, 1e-6), clip=None
)


PRESETS: dict[str, Surrogate] = {
    "gp": GaussianProcess(),
    "gp_gpo": GP_GPO,
    "gp_kruse": GP_KRUSE,
    "gp_gpyopt": GP_GPYOPT,
    "gp_pure": GP_PURE,
}
