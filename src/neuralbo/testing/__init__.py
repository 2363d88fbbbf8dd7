"""Checks that any surrogate, classifier, criterion, maximizer, policy or space can inherit.

They are pytest classes: a test class inherits one and supplies the fixture that its docstring
names. Nothing else in neuralbo imports this package, which needs pytest.
"""

from neuralbo.testing.classifiers import ClassifierChecks
from neuralbo.testing.criteria import CriterionChecks
from neuralbo.testing.maximizers import MaximizerChecks
from neuralbo.testing.policies import PolicyChecks
from neuralbo.testing.spaces import SpaceChecks
from neuralbo.testing.surrogates import EpistemicChecks, SurrogateChecks

__all__ = [
    "ClassifierChecks",
    "CriterionChecks",
    "EpistemicChecks",
    "MaximizerChecks",
    "PolicyChecks",
    "SpaceChecks",
    "SurrogateChecks",
]
