"""The criterion for those who name none: what does best with the model."""

from botorch.models.model import Model

from neuralbo.criteria.base import Criterion
from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.improvement import LogExpectedImprovement
from neuralbo.surrogates.rvfl import BayesianRVFLModel

# The variance of a relu network grows without bound towards the corners of the cube, where
# expected improvement then spends its trials: on Levy-10, 50 trials, log_ei ended at twice the
# regret of the bound (docs/methods/brvfl.md).
RANDOM_FEATURES = UpperBound(beta=1.0)


def usual_criterion(model: Model) -> Criterion:
    """Return the upper bound for random-feature networks, `log_ei` for others."""
    return RANDOM_FEATURES if isinstance(model, BayesianRVFLModel) else LogExpectedImprovement()
