"""Hyperparameters of small models that are trained while one waits; they need scikit-learn.

Four learners on four of scikit-learn's own data sets. The value is what three-fold
cross-validation says: the share of errors, or 1 - R² for diabetes, which has numbers to predict.
All random numbers are fixed, so it is a function of the parameters. Nobody knows the minimum:
that of the problems is 0, a lower bound, so regrets here are values.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Categorical, Integer, Parameter, Real
from numpy.typing import NDArray

from neuralbo_lab.problems.base import optional_module

FOLDS = 3
SEED = 0
DIGITS = 400  # rows of the 1797, so that an evaluation takes less than a second
SVM_STEPS = 20_000  # then the solver stops where it is, since a large C may take minutes
EPOCHS = 30  # of Adam
LBFGS_STEPS = 60

Params = Mapping[str, Any]
Space = dict[str, Parameter]


@final
@dataclass(frozen=True, slots=True)
class Learner:
    """A model with its hyperparameters; both are asked whether they are for numbers."""

    space: Callable[[bool], Space]
    model: Callable[[Params, bool], Any]


@final
@dataclass(frozen=True, slots=True)
class Tuning:
    """A learner on a data set; the minimum is a lower bound."""

    name: str
    learner: Learner
    dataset: str
    minimum: float = 0.0

    def space(self) -> Space:
        """Return the hyperparameters."""
        return self.learner.space(self._is_regression)

    def evaluate(self, params: Params, number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Params) -> float:
        """Return 1 - the mean score of the folds."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

        split = KFold if self._is_regression else StratifiedKFold
        folds = split(FOLDS, shuffle=True, random_state=SEED)
        model = self.learner.model(params, self._is_regression)
        threads = optional_module("threadpoolctl", "scikit-learn")
        with warnings.catch_warnings(), threads.threadpool_limits(1):
            # few steps are part of the problem
            warnings.simplefilter("ignore", ConvergenceWarning)
            scores = cross_val_score(model, *data(self.dataset), cv=folds, error_score="raise")
        return float(1 - scores.mean())

    @property
    def _is_regression(self) -> bool:
        return self.dataset == "diabetes"


def _svm_space(is_regression: bool) -> Space:
    C = Real(1e-3, 1e3, log=True)
    if is_regression:  # the other kernels predict numbers of any size, 1 - R² up to 1e17
        return {
            "kernel": Categorical(["linear", "rbf"]),
            "C": C,
            "gamma": Real(1e-5, 1, log=True, when={"kernel": ["rbf"]}),
            "epsilon": Real(1e-3, 1, log=True),
        }
    return {
        "kernel": Categorical(["linear", "rbf", "poly", "sigmoid"]),
        "C": C,
        "gamma": Real(1e-5, 1, log=True, when={"kernel": ["rbf", "poly", "sigmoid"]}),
        "degree": Integer(2, 5, when={"kernel": ["poly"]}),
        "coef0": Real(-1, 1, when={"kernel": ["poly", "sigmoid"]}),
    }


def _svm(params: Params, is_regression: bool) -> Any:
    from sklearn.svm import SVC, SVR

    return _scaled((SVR if is_regression else SVC)(max_iter=SVM_STEPS, **params))


def _mlp_space(is_regression: bool) -> Space:
    return {
        "layers": Integer(1, 3),
        "width": Integer(8, 128, log=True),
        "activation": Categorical(["relu", "tanh"]),
        "alpha": Real(1e-6, 10, log=True),
        "solver": Categorical(["adam", "lbfgs"]),
        "learning_rate_init": Real(1e-4, 1e-1, log=True, when={"solver": ["adam"]}),
        "batch_size": Integer(16, 64, log=True, when={"solver": ["adam"]}),
    }


def _mlp(params: Params, is_regression: bool) -> Any:
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    rest = {name: value for name, value in params.items() if name not in ("layers", "width")}
    return _scaled(
        (MLPRegressor if is_regression else MLPClassifier)(
            hidden_layer_sizes=(params["width"],) * params["layers"],
            max_iter=EPOCHS if params["solver"] == "adam" else LBFGS_STEPS,
            random_state=SEED,
            **rest,
        )
    )


def _boosting_space(is_regression: bool) -> Space:
    return {
        "learning_rate": Real(1e-2, 1, log=True),
        "n_estimators": Integer(5, 200 if is_regression else 50, log=True),
        "max_depth": Integer(1, 6),
        "min_samples_leaf": Integer(1, 20, log=True),
        "max_features": Real(0.05, 1, log=True),
        "subsample": Real(0.3, 1),
    }


def _boosting(params: Params, is_regression: bool) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    kind = GradientBoostingRegressor if is_regression else GradientBoostingClassifier
    return kind(random_state=SEED, **params)


def _forest_space(is_regression: bool) -> Space:
    space: Space = {
        "n_estimators": Integer(5, 100, log=True),
        "max_depth": Integer(2, 16, log=True),
        "min_samples_leaf": Integer(1, 20, log=True),
        "max_features": Real(0.05, 1, log=True),
        "bootstrap": Categorical([True, False]),
        "max_samples": Real(0.3, 1, when={"bootstrap": [True]}),
    }
    return space if is_regression else space | {"criterion": Categorical(["gini", "entropy"])}


def _forest(params: Params, is_regression: bool) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if is_regression else RandomForestClassifier
    return kind(random_state=SEED, n_jobs=1, **params)


LEARNERS = {
    "svm": Learner(_svm_space, _svm),
    "mlp": Learner(_mlp_space, _mlp),
    "boosting": Learner(_boosting_space, _boosting),
    "forest": Learner(_forest_space, _forest),
}
DATASETS = ("digits", "wine", "breast-cancer", "diabetes")


def tuning(learner: str, dataset: str) -> Tuning:
    """Return a problem by the names of its learner and its data set.

    Raises:
        ImportError: if scikit-learn is not installed.
    """
    optional_module("sklearn", "scikit-learn")
    return Tuning(f"tune-{learner}-{dataset}", LEARNERS[learner], dataset)


def _scaled(model: Any) -> Any:
    """Return the model behind a scaler that is fitted with it, fold by fold."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


@cache
def data(dataset: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return inputs and targets; those of diabetes in standard units, which R² does not see."""
    from sklearn import datasets

    X, Y = getattr(datasets, f"load_{dataset.replace('-', '_')}")(return_X_y=True)
    if dataset == "digits":
        return X[:DIGITS], Y[:DIGITS]
    return (X, (Y - Y.mean()) / Y.std()) if dataset == "diabetes" else (X, Y)
