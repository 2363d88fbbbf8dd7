"""The rest of the catalogue of criteria by name: for noise, for targets, for information."""

from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.entropy import EntropySearch, MaxValueEntropy, PredictiveEntropy
from neuralbo.criteria.knowledge_gradient import KnowledgeGradient
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
