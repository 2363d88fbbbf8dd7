"""Which features of a real data set to use for nearest neighbours: a switch each.

The value is the share of errors in five-fold cross-validation, on scikit-learn's own data sets.
The minimum of the problems is 0, a lower bound.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Categorical, Parameter

from neuralbo_lab.problems.base import optional_module
from neuralbo_lab.problems.tuning import data

DATASETS = ("digits", "breast-cancer")
FOLDS, NEIGHBOURS = 5, 5


@final
@dataclass(frozen=True, slots=True)
class FeatureSelection:
    """A data set; without any feature every prediction is wrong."""

    name: str
    dataset: str
    minimum: float = 0.0

    def space(self) -> Mapping[str, Parameter]:
        """Return a switch for each feature that is not constant."""
        return {f"x{i}": Categorical([False, True]) for i in self._varying()}

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the share of errors."""
        from sklearn.model_selection import StratifiedKFold, cross_val_score
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        chosen = [i for i in self._varying() if params[f"x{i}"]]
        if not chosen:
            return 1.0
        X, Y = data(self.dataset)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        model = make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBOURS, n_jobs=1))
        return float(1 - cross_val_score(model, X[:, chosen], Y, cv=folds).mean())

    def _varying(self) -> list[int]:
        X, _ = data(self.dataset)
        return [int(i) for i in np.flatnonzero(X.std(0) > 0)]


def feature_selection(dataset: str) -> FeatureSelection:
    """Return a problem by its data set.

    Raises:
        ImportError: if scikit-learn is not installed.
    """
    optional_module("sklearn", "scikit-learn")
    return FeatureSelection(f"features-{dataset}", dataset)
