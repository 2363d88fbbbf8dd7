"""NeuralSearchCV, beside scikit-learn's own searches."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import neuralbo as nb
from neuralbo.sklearn import NeuralSearchCV

X, y = make_classification(80, 5, random_state=0)
SPACE = {"C": nb.Real(1e-3, 1e3, log=True)}


def search(**options):
    options = {"n_iter": 4, "surrogate": "random", "random_state": 0, "cv": 3} | options
    estimator = options.pop("estimator", LogisticRegression())
    return NeuralSearchCV(estimator, options.pop("space", SPACE), **options)


class Fussy(DummyClassifier):
    """Fails for some values of a parameter."""

    def __init__(self, level=0.0):
        super().__init__()
        self.level = level

    def fit(self, X, y):
        if self.level > 0.5:
            raise ArithmeticError("too large")
        return super().fit(X, y)


def test_a_choice_of_values_gives_what_a_grid_gives():
    grid = GridSearchCV(LogisticRegression(), {"C": [0.01, 0.1, 1.0]}, cv=3).fit(X, y)
    ours = search(space={"C": [0.01, 0.1, 1.0]}, n_iter=3, surrogate="gp").fit(X, y)
    assert ours.best_score_ == grid.best_score_
    found = dict(
        zip(ours.cv_results_["param_C"], ours.cv_results_["mean_test_score"], strict=True)
    )
    theirs = dict(
        zip(grid.cv_results_["param_C"], grid.cv_results_["mean_test_score"], strict=True)
    )
    assert found == theirs
    assert ours.cv_results_.keys() == grid.cv_results_.keys()


def test_the_score_is_that_of_cross_validation():
    ours = search().fit(X, y)
    scores = cross_val_score(LogisticRegression(**ours.best_params_), X, y, cv=3)
    assert ours.best_score_ == pytest.approx(scores.mean())


def test_it_predicts_with_the_refitted_estimator():
    ours = search().fit(X, y)
    alone = LogisticRegression(**ours.best_params_).fit(X, y)
    assert (ours.predict(X) == alone.predict(X)).all()
    assert ours.score(X, y) == alone.score(X, y)


def test_without_refit_there_is_no_estimator():
    ours = search(refit=False).fit(X, y)
    assert not hasattr(ours, "best_estimator_")
    assert ours.best_params_["C"] > 0


@pytest.mark.slow
def test_a_model_of_the_scores_finds_what_a_fine_grid_finds():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 20))
    b = A @ rng.normal(size=20) + 5 * rng.normal(size=60)
    cv, values = KFold(3), np.logspace(-3, 5, 60)
    grid = GridSearchCV(Ridge(), {"alpha": values}, cv=cv).fit(A, b)
    space = {"alpha": nb.Real(1e-3, 1e5, log=True)}
    ours = search(estimator=Ridge(), space=space, n_iter=14, surrogate="gp", cv=cv).fit(A, b)
    assert ours.best_score_ > grid.best_score_ - 1e-3


def test_equal_states_give_equal_searches():
    first, second = (search(surrogate="gp", n_iter=6).fit(X, y) for _ in range(2))
    assert list(first.cv_results_["param_C"]) == list(second.cv_results_["param_C"])


def test_parameters_of_a_pipeline_may_have_conditions():
    space = {
        "logisticregression__C": nb.Real(1e-2, 10, log=True),
        "standardscaler__with_mean": [True, False],
    }
    ours = search(estimator=make_pipeline(StandardScaler(), LogisticRegression()), space=space)
    assert set(ours.fit(X, y).best_params_) == set(space)


def test_candidates_come_in_batches():
    ours = search(n_iter=5, n_points=2, n_jobs=1).fit(X, y)
    assert len(ours.cv_results_["params"]) == 5


def test_of_several_scores_refit_names_one():
    ours = search(scoring=["accuracy", "roc_auc"], refit="roc_auc").fit(X, y)
    assert ours.best_score_ == max(ours.cv_results_["mean_test_roc_auc"])
    assert ours.optimizer_.best.value == ours.best_score_
    with pytest.raises(ValueError, match="refit= must name"):
        search(scoring=["accuracy", "roc_auc"], refit=False).fit(X, y)


def test_a_candidate_that_fails_does_not_end_the_search():
    with pytest.warns(nb.FailedTrialWarning, match="error_score='raise'"):
        ours = search(estimator=Fussy(), space={"level": nb.Real(0, 1)}, n_iter=6).fit(X, y)
    assert all(level <= 0.5 for level in ours.cv_results_["param_level"])
    assert len(ours.optimizer_.trials) == 6
    assert len(ours.optimizer_.step().data.X_failed) == 6 - len(ours.cv_results_["params"])


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_folds_that_fail_in_a_batch_are_scores_of_no_number():
    space = {"level": nb.Real(0, 1)}
    with pytest.warns(FitFailedWarning):
        ours = search(estimator=Fussy(), space=space, n_iter=6, n_points=6).fit(X, y)
    assert np.isnan(ours.cv_results_["mean_test_score"]).any()


def test_errors_can_be_raised():
    with pytest.raises(ArithmeticError, match="too large"):
        search(estimator=Fussy(), space={"level": nb.Real(0.6, 1)}, error_score="raise").fit(X, y)


@pytest.mark.filterwarnings("ignore::neuralbo.FailedTrialWarning")
def test_when_all_fail_the_error_says_why():
    with pytest.raises(ValueError, match="too large"):
        search(estimator=Fussy(), space={"level": nb.Real(0.6, 1)}).fit(X, y)


def test_it_can_be_cloned_and_pickled():
    ours = search()
    assert clone(ours).get_params()["n_iter"] == 4
    fitted = ours.fit(X, y)
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()


@pytest.mark.parametrize("options", [{"n_iter": 0}, {"n_points": 0}])
def test_numbers_below_one_are_refused(options):
    with pytest.raises(ValueError, match="at least 1"):
        search(**options).fit(X, y)
