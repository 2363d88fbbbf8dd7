"""Checks that any surrogate, classifier, criterion, maximizer, policy or space can inherit.

They are pytest classes: a test class inherits one and supplies the fixture that its docstring
names. Nothing else in neuralbo imports this package, which needs pytest.
"""

from neuralbo.testing.classifier_checks import ClassifierChecks
from neuralbo.testing.criterion_checks import CriterionChecks
from neuralbo.testing.maximizer_checks import MaximizerChecks
from neuralbo.testing.policy_checks import PolicyChecks
from neuralbo.testing.space_checks import SpaceChecks
from neuralbo.testing.surrogate_checks import EpistemicChecks, SurrogateChecks

__all__ = [
    "ClassifierChecks",
    "CriterionChecks",
    "EpistemicChecks",
    "MaximizerChecks",
    "PolicyChecks",
    "SpaceChecks",
    "SurrogateChecks",
]
