"""Any classifier in the place of a network."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, final, runtime_checkable

from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.surrogates.classifiers.class_model import CLASSIFIER, ClassModel, LogOdds, Undecided
from neuralbo.surrogates.classifiers.labels import Labels, Weighting, label
from neuralbo.surrogates.surrogate import Facts, Scaling, Usual
from neuralbo.surrogates.trained.schedule import Schedule, value_at


@runtime_checkable
class Classifier(Protocol):
    """A way to learn P(z = 1 | x). It holds settings only.

    Attributes:
        is_smooth: whether the probability is differentiable in x.
    """

    @property
    def is_smooth(self) -> bool: ...  # noqa: D102

    def learn(self, X: Tensor, labels: Labels, rng: Generator) -> LogOdds:
        """Learn from points, n x d in the cube, and their classes; either may be empty."""
        ...


@final
@dataclass(frozen=True, slots=True)
class ClassifierRatio:
    """pi(x) = P(y among the best gamma | x) by any classifier: BORE with what one likes.

    Hassen and Rish (2021), Sec. 3.1 and 5.1; Tiao et al. (2021). See `DensityRatio` for networks.

    Attributes:
        classifier: learns the classes.
        gamma, weighting: see `labels.label`.
    """

    classifier: Classifier
    gamma: float | Schedule = 1 / 3
    weighting: Weighting = "equal"

    scaling: ClassVar[Scaling] = "none"
    usual: ClassVar[Usual] = CLASSIFIER

    @property
    def is_smooth(self) -> bool:
        """Whether the classifier is."""
        return self.classifier.is_smooth

    def fit(self, data: Data, rng: Generator) -> ClassModel:
        """Part the values and learn the parts; `rng` is the classifier's."""
        values, gamma = single_output(data), value_at(self.gamma, data.n)
        labels = label(values, gamma, self.weighting)
        name, good = type(self.classifier).__name__, float(labels.z.sum())
        odds = (
            Undecided(gamma) if labels.is_constant else self.classifier.learn(data.X, labels, rng)
        )
        facts: Facts = {"surrogate": name, "good": good}
        return ClassModel(odds, gamma, labels.threshold, facts)
