"""Where to look next."""

from neuralbo.criteria.base import Criterion
from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.class_probability import ClassProbability
from neuralbo.criteria.empirical import EmpiricalImprovement, LogEmpiricalImprovement
from neuralbo.criteria.hypervolume import HypervolumeImprovement
from neuralbo.criteria.improvement import (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
)
from neuralbo.criteria.mean_width import MeanWidth, Scaled
from neuralbo.criteria.mixture import MixtureImprovement, UpperQuantile
from neuralbo.criteria.thompson import Thompson

__all__ = [
    "ClassProbability",
    "Criterion",
    "EmpiricalImprovement",
    "ExpectedImprovement",
    "HypervolumeImprovement",
    "LogEmpiricalImprovement",
    "LogExpectedImprovement",
    "MeanWidth",
    "MixtureImprovement",
    "ProbabilityOfImprovement",
    "Scaled",
    "Thompson",
    "UpperBound",
    "UpperQuantile",
]
