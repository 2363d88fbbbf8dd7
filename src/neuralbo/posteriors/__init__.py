"""Distributions of function values that BoTorch lacks.

Importing them registers their sampler with it.
"""

from neuralbo.posteriors.function_draws import FunctionDraws
from neuralbo.posteriors.gaussian_functions import GaussianFunctions
from neuralbo.posteriors.gaussian_mixture import GaussianMixture
from neuralbo.posteriors.marginals import Field, Marginals
from neuralbo.posteriors.posterior_sampler import SharedDraws

__all__ = [
    "Field",
    "FunctionDraws",
    "GaussianFunctions",
    "GaussianMixture",
    "Marginals",
    "SharedDraws",
]
