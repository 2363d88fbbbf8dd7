"""Criteria by name: for noise, for targets, for information, and those of Högger (2021)."""

from typing import Any

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.entropy import EntropySearch, MaxValueEntropy, PredictiveEntropy
from neuralbo.criteria.improvement import ExpectedImprovement
from neuralbo.criteria.knowledge_gradient import KnowledgeGradient
from neuralbo.criteria.mean_width import MeanWidth
from neuralbo.criteria.noisy import (
    AugmentedImprovement,
    PluginImprovement,
    QuantileImprovement,
)
from neuralbo.criteria.targets import GoalSeeking, ProbabilityOfTargets

PRESETS: dict[str, Criterion] = {
    "plugin_ei": PluginImprovement(),
    "augmented_ei": AugmentedImprovement(),
    "expected_quantile_improvement": QuantileImprovement(),
    "pi_targets": ProbabilityOfTargets(),
    "goal_seeking": GoalSeeking(),
    "entropy_search": EntropySearch(),
    "predictive_entropy": PredictiveEntropy(),
    "max_value_entropy": MaxValueEntropy(),
    "knowledge_gradient": KnowledgeGradient(),
}

# The settings of Högger (2021), Sec. 6.3.2, whose values go from -1 to 1: mean_width_0.05,
# mean_width_ei_0.05, ...
_BUDGETS = ("0.05", "0.1", "0.25", "0.5", "1.0", "2.0")
_INNER: dict[str, Any] = {"": UpperBound(beta=1.0), "ei_": ExpectedImprovement()}
HOEGGER: dict[str, MeanWidth] = {
    f"mean_width_{prefix}{budget}": MeanWidth(inner, float(budget), scaling="none")
    for prefix, inner in _INNER.items()
    for budget in _BUDGETS
}
