"""Where to look next."""

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.class_probability import ClassProbability
from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.empirical_improvement import EmpiricalImprovement, LogEmpiricalImprovement
from neuralbo.criteria.entropy import EntropySearch, MaxValueEntropy, PredictiveEntropy
from neuralbo.criteria.hypervolume import HypervolumeImprovement
from neuralbo.criteria.improvement import (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
)
from neuralbo.criteria.knowledge_gradient import KnowledgeGradient
from neuralbo.criteria.mean_width import MeanWidth, Scaled
from neuralbo.criteria.mixture_criteria import MixtureImprovement, UpperQuantile
from neuralbo.criteria.noisy import (
    AugmentedImprovement,
    PluginImprovement,
    QuantileImprovement,
)
from neuralbo.criteria.targets import GoalSeeking, ProbabilityOfTargets
from neuralbo.criteria.thompson import Thompson

__all__ = [
    "AugmentedImprovement",
    "ClassProbability",
    "Criterion",
    "EmpiricalImprovement",
    "EntropySearch",
    "ExpectedImprovement",
    "GoalSeeking",
    "HypervolumeImprovement",
    "KnowledgeGradient",
    "LogEmpiricalImprovement",
    "LogExpectedImprovement",
    "MaxValueEntropy",
    "MeanWidth",
    "MixtureImprovement",
    "PluginImprovement",
    "PredictiveEntropy",
    "ProbabilityOfImprovement",
    "ProbabilityOfTargets",
    "QuantileImprovement",
    "Scaled",
    "Thompson",
    "UpperBound",
    "UpperQuantile",
]
