"""Models of the objective: recipes, and what `fit` makes of them."""

from neuralbo.surrogates.baselines.empirical import Empirical
from neuralbo.surrogates.baselines.random_forest import RandomForest
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio
from neuralbo.surrogates.gp.additive import Additive
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.gp.gp_mcmc import SampledGaussianProcess
from neuralbo.surrogates.mixtures.gmr import GaussianMixtureRegression
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.mixtures.spn import SumProduct
from neuralbo.surrogates.random_features.elm import ExtremeLearning
from neuralbo.surrogates.random_features.ervfl import EnsembleRVFL
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import (
    DrawsFunctions,
    GaussianModel,
    Surrogate,
    Usual,
    WarmStarts,
)
from neuralbo.surrogates.trained.deep_ensemble import DeepEnsemble
from neuralbo.surrogates.trained.laplace_network import LaplaceNetwork
from neuralbo.surrogates.trained.mc_dropout import MCDropout
from neuralbo.surrogates.trained.neural_linear import NeuralLinear
from neuralbo.surrogates.trained.nomu import Nomu
from neuralbo.surrogates.wrappers.by_size import BySize
from neuralbo.surrogates.wrappers.warped import Warped

__all__ = [
    "Additive",
    "BayesianRVFL",
    "BySize",
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
    "Usual",
    "WarmStarts",
    "Warped",
]
