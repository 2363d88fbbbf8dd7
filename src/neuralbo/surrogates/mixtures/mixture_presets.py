"""Mixture surrogates: ours, and with the settings of Kruse (2022), ch. 4 and Sec.

5.2 ("_kruse").
"""

from neuralbo.inference.expectation_maximization import ExpectationMaximization, MixtureEM
from neuralbo.surrogates.mixtures.gmr import GaussianMixtureRegression
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.mixtures.mixture_model import Background
from neuralbo.surrogates.mixtures.spn import SumProduct
from neuralbo.surrogates.surrogate import Surrogate

KRUSE = Background(std=10.0)  # Kruse (2022), Sec. 4.1

# Kruse (2022), Sec. 4.4, as coded: maximum likelihood from 20 starts. 24,000 of them in a fit.
GMR_KRUSE = GaussianMixtureRegression(
    KRUSE,
    em=MixtureEM(restarts=20, loop=ExpectationMaximization(1000, 1e-6)),
    search=CrossValidation(),
    clip=None,
)
# Kruse (2022), Sec. 4.5, as coded: 5 starts each of 1,200 networks
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
