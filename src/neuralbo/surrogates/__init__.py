"""Models of the objective: recipes, and what `fit` makes of them."""

from neuralbo.surrogates.additive import Additive
from neuralbo.surrogates.auto import Auto
from neuralbo.surrogates.base import DrawsFunctions, GaussianModel, Surrogate, WarmStarts
from neuralbo.surrogates.classifier_ratio import ClassifierRatio
from neuralbo.surrogates.deep_ensemble import DeepEnsemble
from neuralbo.surrogates.density_ratio import DensityRatio
from neuralbo.surrogates.elm import ExtremeLearning
from neuralbo.surrogates.empirical import Empirical
from neuralbo.surrogates.ervfl import EnsembleRVFL
from neuralbo.surrogates.gmr import GaussianMixtureRegression
from neuralbo.surrogates.gp import GaussianProcess
from neuralbo.surrogates.gp_mcmc import SampledGaussianProcess
from neuralbo.surrogates.kde import KernelDensity
from neuralbo.surrogates.laplace import LaplaceNetwork
from neuralbo.surrogates.mc_dropout import MCDropout
from neuralbo.surrogates.neural_linear import NeuralLinear
from neuralbo.surrogates.nomu import Nomu
from neuralbo.surrogates.random_forest import RandomForest
from neuralbo.surrogates.rvfl import BayesianRVFL
from neuralbo.surrogates.spn import SumProduct
from neuralbo.surrogates.warped import Warped

__all__ = [
    "Additive",
    "Auto",
    "BayesianRVFL",
    "ClassifierRatio",
    "DeepEnsemble",
    "DensityRatio",
    "DrawsFunctions",
    "Empirical",
    "EnsembleRVFL",
    "ExtremeLearning",
    "GaussianMixtureRegression",
    "GaussianModel",
    "GaussianProcess",
    "KernelDensity",
    "LaplaceNetwork",
    "MCDropout",
    "NeuralLinear",
    "Nomu",
    "RandomForest",
    "SampledGaussianProcess",
    "SumProduct",
    "Surrogate",
    "WarmStarts",
    "Warped",
]
