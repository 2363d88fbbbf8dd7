"""Models of the objective: recipes, and what `fit` makes of them."""

from neuralbo.surrogates.auto import Auto
from neuralbo.surrogates.base import DrawsFunctions, GaussianModel, Surrogate, WarmStarts
from neuralbo.surrogates.empirical import Empirical
from neuralbo.surrogates.gp import GaussianProcess
from neuralbo.surrogates.random_forest import RandomForest
from neuralbo.surrogates.rvfl import BayesianRVFL

__all__ = [
    "Auto",
    "BayesianRVFL",
    "DrawsFunctions",
    "Empirical",
    "GaussianModel",
    "GaussianProcess",
    "RandomForest",
    "Surrogate",
    "WarmStarts",
]
