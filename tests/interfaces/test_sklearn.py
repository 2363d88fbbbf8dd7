"""NeuralSearchCV, beside scikit-learn's own searches."""

import pickle

import numpy as np
import pytest
import torch
from optuna.distributions import FloatDistribution
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import neuralbo as nb
from neuralbo.interfaces.sklearn import NeuralSearchCV
from neuralbo.interfaces.sklearn_space import SearchSpace

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


def parameter_of(form):
    return SearchSpace({"p": form}).space.parameters["p"]


LOG = nb.Real(1e-3, 1e3, log=True)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ((1e-3, 1e3, "log-uniform"), LOG),
        ((1e-3, 1e3, "log-uniform", 10), LOG),
        ((0.0, 1.0), nb.Real(0, 1)),
        ((0, 2.5), nb.Real(0, 2.5)),
        ((0.0, 1.0, "uniform"), nb.Real(0, 1)),
        ((1, 9), nb.Integer(1, 9)),
        ((np.int64(1), np.int64(9)), nb.Integer(1, 9)),
        ((1, 512, "log-uniform"), nb.Integer(1, 512, log=True)),
        (("rbf", "poly"), nb.Categorical(["rbf", "poly"])),
        ((True, False), nb.Categorical([True, False])),
        ([0.1, 1.0], nb.Categorical([0.1, 1.0])),
        (np.array([1, 10, 100]), nb.Categorical([1, 10, 100])),
        (stats.uniform(1, 3), nb.Real(1, 4)),
        (stats.loguniform(1e-3, 1e3), LOG),
        (stats.reciprocal(1e-3, 1e3), LOG),
        (stats.randint(2, 9), nb.Integer(2, 8)),
        (stats.binom(5, 0.5), nb.Integer(0, 5)),
        (FloatDistribution(1e-3, 1e3, log=True), LOG),
    ],
)
def test_ranges_are_written_as_elsewhere(form, expected):
    assert parameter_of(form) == expected


def test_dimensions_of_scikit_optimize_are_known():
    space = pytest.importorskip("skopt.space")
    assert parameter_of(space.Real(1e-3, 1e3, prior="log-uniform")) == LOG
    assert parameter_of(space.Integer(1, 9)) == nb.Integer(1, 9)
    assert parameter_of(space.Categorical(["a", "b"])) == nb.Categorical(["a", "b"])


@pytest.mark.parametrize("frozen", [stats.norm(3, 2), stats.expon(scale=2), stats.beta(2, 5)])
def test_other_distributions_are_searched_by_their_quantiles(frozen):
    found = SearchSpace({"p": frozen})
    u = found.space.parameters["p"]
    ends = [found.values({"p": end})["p"] for end in (u.low, u.high)]
    assert np.isfinite(ends).all()
    assert ends == [frozen.ppf(u.low), frozen.ppf(u.high)]
    assert found.values({"p": 0.5}) == {"p": pytest.approx(frozen.median())}
    assert frozen.cdf(ends[1]) - frozen.cdf(ends[0]) > 0.99


def test_a_distribution_of_whole_numbers_without_an_end_is_a_range():
    assert parameter_of(stats.poisson(3)) == nb.Integer(0, int(stats.poisson(3).ppf(0.999)))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ((1, 10, 100), r"may be a range or choices; .* choices are \[1, 10, 100\]"),
        ((1e-3, 1e3, "log"), r'\(low, high, "log-uniform"\)'),
        ((1e-3, 1e3, [1]), "may be a range or choices"),
        ((1.0,), r"\(low, high\)"),
        ((), r"\(low, high\)"),
        ((None, 5), "is no range"),
        ((0.0, 1.0, "uniform", 10, 3), "is no range"),
        ((3.0, 1.0), "swap them"),
        ([], "at least one choice"),
        (stats.uniform, r"uniform\(0, 1\)"),
        (3.0, r"Real\(low, high\)"),
    ],
)
def test_what_is_ambiguous_is_refused_with_the_right_form(form, message):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        search(space={"C": form}).fit(X, y)
    assert "'C'" in str(caught.value)


def test_a_log_uniform_tuple_is_searched_as_a_range():
    ours = search(space={"C": (1e-3, 1e3, "log-uniform")}, n_iter=6).fit(X, y)
    assert len(set(ours.cv_results_["param_C"])) == 6
    assert all(1e-3 <= C <= 1e3 for C in ours.cv_results_["param_C"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tuples_are_choices():
    sizes = [(5,), (4, 3), None]
    space = SearchSpace({"hidden_layer_sizes": sizes})
    rows = space.space.decode(space.space.domain.cells())
    assert {space.values(row)["hidden_layer_sizes"] for row in rows} == set(sizes)
    ours = search(
        estimator=MLPClassifier(max_iter=3, random_state=0),
        space={"hidden_layer_sizes": sizes[:2]}, n_iter=2,
    ).fit(X, y)  # fmt: skip
    assert set(ours.cv_results_["param_hidden_layer_sizes"]) == set(sizes[:2])
    assert ours.best_params_["hidden_layer_sizes"] in sizes
    assert ours.best_estimator_.hidden_layer_sizes == ours.best_params_["hidden_layer_sizes"]


def test_steps_of_a_pipeline_are_choices_and_their_parameters_depend_on_them():
    logistic, ridge = LogisticRegression(), RidgeClassifier()
    scalers = [StandardScaler(), MinMaxScaler(), "passthrough", None]
    space = {
        "scale": scalers,
        "clf": [logistic, ridge],
        "clf__C": nb.Real(1e-2, 10, log=True, when={"clf": [logistic]}),
        "clf__alpha": nb.Real(1e-2, 10, log=True, when={"clf": [ridge]}),
    }
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", LogisticRegression())])
    ours = search(estimator=pipeline, space=space, n_iter=8, error_score="raise")
    ours = clone(ours).fit(X, y)  # which copies the estimators
    for params in ours.cv_results_["params"]:
        kind = type(params["clf"])
        assert kind in (LogisticRegression, RidgeClassifier)
        assert ("clf__C" in params) == (kind is LogisticRegression)
        assert ("clf__alpha" in params) == (kind is RidgeClassifier)
    kinds = {type(params["scale"]) for params in ours.cv_results_["params"]}
    assert kinds <= {type(scaler) for scaler in scalers}
    assert len(kinds) > 1
    assert type(ours.best_estimator_["clf"]) is type(ours.best_params_["clf"])
    assert (pickle.loads(pickle.dumps(ours)).predict(X) == ours.predict(X)).all()


def test_equal_texts_have_labels_of_their_own():
    choices = [LogisticRegression(), LogisticRegression()]
    found = SearchSpace({"clf": choices})
    labels = found.space.parameters["clf"].choices
    assert [found.values({"clf": label})["clf"] for label in labels] == choices


def test_a_condition_on_a_tuple_names_an_equal_one():
    found = SearchSpace({"layers": [(5,), (4, 3)], "a": nb.Real(0, 1, when={"layers": [(5,)]})})
    rows = found.space.decode(found.space.domain.sample(20, torch.Generator().manual_seed(0)))
    assert all(("a" in row) == (found.values(row)["layers"] == (5,)) for row in rows)
