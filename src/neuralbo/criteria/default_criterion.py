"""The criterion for those who name none: what does best with the model."""

from botorch.models.model import Model

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.class_probability import ClassProbability
from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.improvement import LogExpectedImprovement
from neuralbo.criteria.mixture_criteria import MixtureImprovement
from neuralbo.criteria.noisy import PluginImprovement
from neuralbo.engine.step import Step
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.random_features.rvfl import BayesianRVFLModel
from neuralbo.surrogates.surrogate import HasComponents

# The variance of a relu network grows without bound towards the corners of the cube, where
# expected improvement then spends its trials. The more corners, the worse.
MANY_CORNERS = 5  # columns


def usual_criterion(step: Step, model: Model) -> Criterion:
    """Return the upper bound for random-feature networks in many columns, else `log_ei`.

    Where the noise of observations was told it is `plugin_ei`, whose best is the best mean.
    Of a mixture of Gaussians the exact expected improvement is taken, of a classifier its
    probability.
    """
    if isinstance(model, ClassModel):
        return ClassProbability()
    if isinstance(model, HasComponents):
        return MixtureImprovement()
    if step.data.V.shape[-1]:  # the largest value seen may be the noisiest
        return PluginImprovement()
    if isinstance(model, BayesianRVFLModel) and step.domain.d >= MANY_CORNERS:
        return UpperBound(beta=1.0)
    return LogExpectedImprovement()
