"""Mixture surrogates: ours, and with the settings of 001 6 and 7 ("_kruse")."""

from neuralbo.inference.expectation_maximization import ExpectationMaximization, MixtureEM
from neuralbo.surrogates.mixtures.gmr import GaussianMixtureRegression
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.mixtures.mixture_model import Background
from neuralbo.surrogates.mixtures.spn import SumProduct
from neuralbo.surrogates.surrogate import Surrogate

KRUSE = Background(deviation=10.0)  # 001 6.1

# 001 6.4 and E10: maximum likelihood from 20 starts. 24,000 of them in a fit.
GMR_KRUSE = GaussianMixtureRegression(
    KRUSE,
    em=MixtureEM(restarts=20, loop=ExpectationMaximization(1000, 1e-6)),
    search=CrossValidation(),
    clip=None,
)
# 001 6.5 and E11: 5 starts each of 1,200 networks
SPN_KRUSE = SumProduct(
    channels=20,
    restarts=5,
    unevenness=1.0,
    loop=ExpectationMaximization(1000, 1e-3, patience=6),
    background=KRUSE,
    search=CrossValidation(),
    clip=None,
)

PRESETS: dict[str, Surrogate] = {
    "kde": KernelDensity(),
    "kde_kruse": KernelDensity(KRUSE, search=CrossValidation(), clip=None),
    "gmr": GaussianMixtureRegression(),
    "gmr_kruse": GMR_KRUSE,
    "spn": SumProduct(),
    "spn_kruse": SPN_KRUSE,
}
