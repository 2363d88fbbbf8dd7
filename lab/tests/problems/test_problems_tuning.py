"""Real trainings, against scikit-learn by hand."""

import sys
import warnings

import numpy as np
import pytest
import torch
from neuralbo.space import Space
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from neuralbo_lab import problems
from neuralbo_lab.problems import tuning

NAMES = [f"tune-{learner}-{data}" for learner in tuning.LEARNERS for data in tuning.DATASETS]
each = pytest.mark.parametrize("name", NAMES)
MIDDLING = {  # quick, and what a person would begin with
    "svm": {"kernel": "rbf", "C": 1.0, "gamma": 0.02},
    "mlp": {"layers": 1, "width": 16, "activation": "relu", "alpha": 1e-3, "solver": "lbfgs"},
    "boosting": {
        "learning_rate": 0.3,
        "n_estimators": 10,
        "max_depth": 2,
        "min_samples_leaf": 2,
        "max_features": 0.3,
        "subsample": 0.8,
    },
    "forest": {
        "n_estimators": 10,
        "max_depth": 8,
        "min_samples_leaf": 1,
        "max_features": 0.3,
        "bootstrap": False,
        "criterion": "gini",
    },
}


def middling(name):
    learner = name.split("-")[1]
    space = problems.find(name).space()
    params = {k: v for k, v in MIDDLING[learner].items() if k in space}
    return params | ({"epsilon": 0.1} if "epsilon" in space else {})


@each
def test_a_usual_setting_does_better_than_no_model(name):
    problem = problems.find(name)
    params = Space(problem.space()).validate(middling(name))
    value = problem.evaluate(params)
    guess = {"digits": 0.89, "wine": 0.6, "cancer": 0.37, "diabetes": 1.0}
    assert problem.minimum == 0
    assert 0 < value < 0.75 * guess[name.split("-")[-1]]


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("wine")])
def test_the_value_is_a_function_of_the_parameters(name):
    problem = problems.find(name)
    params = middling(name)
    values = {problem.evaluate(params, number=n, seed=n) for n in range(2)}
    assert values == {problem.truth(params)}


@pytest.mark.parametrize("learner", tuning.LEARNERS)
@pytest.mark.parametrize("dataset", ["wine", "diabetes"])
def test_random_settings_can_be_trained(learner, dataset):
    problem = problems.find(f"tune-{learner}-{dataset}")
    space = Space(problem.space())
    rows = space.decode(space.domain.sample(4, torch.Generator().manual_seed(3)))
    assert [space.validate(row) for row in rows] == rows
    values = [problem.truth(row) for row in rows]
    assert np.isfinite(values).all()
    assert min(values) >= problem.minimum


@each
def test_settings_are_legal_through_the_unit_cube_and_back(name):
    space = Space(problems.find(name).space())
    rows = space.decode(space.domain.sample(50, torch.Generator().manual_seed(0)))
    for before, after in zip(rows, space.decode(space.encode(rows)), strict=True):
        assert space.validate(after) == pytest.approx(before)


def test_svm_on_wine_by_hand():
    X, Y = datasets.load_wine(return_X_y=True)
    errors = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y):
        scaler = StandardScaler().fit(X[train])
        model = SVC(C=2.0, kernel="poly", degree=3, gamma=0.1, coef0=0.5)
        model.fit(scaler.transform(X[train]), Y[train])
        errors.append((model.predict(scaler.transform(X[test])) != Y[test]).mean())
    params = {"kernel": "poly", "C": 2.0, "gamma": 0.1, "degree": 3, "coef0": 0.5}
    problem = problems.find("tune-svm-wine")
    assert problem.evaluate(params) == pytest.approx(np.mean(errors), abs=1e-12)


def test_mlp_on_diabetes_by_hand():
    X, Y = datasets.load_diabetes(return_X_y=True)
    Y = (Y - Y.mean()) / Y.std()
    rest = []
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        scaler = StandardScaler().fit(X[train])
        model = MLPRegressor(
            hidden_layer_sizes=(9, 9), solver="lbfgs", alpha=0.5, max_iter=60, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(scaler.transform(X[train]), Y[train])
        wrong = Y[test] - model.predict(scaler.transform(X[test]))
        rest.append((wrong**2).sum() / ((Y[test] - Y[test].mean()) ** 2).sum())
    params = {"layers": 2, "width": 9, "activation": "relu", "alpha": 0.5, "solver": "lbfgs"}
    problem = problems.find("tune-mlp-diabetes")
    # another number of threads adds in another order
    assert problem.evaluate(params) == pytest.approx(np.mean(rest), rel=1e-6)


def test_a_linear_svm_on_diabetes_is_about_as_good_as_least_squares():
    X, Y = datasets.load_diabetes(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=0).split(X)
    least = np.mean([1 - LinearRegression().fit(X[a], Y[a]).score(X[b], Y[b]) for a, b in folds])
    value = problems.find("tune-svm-diabetes").evaluate(
        {"kernel": "linear", "C": 1.0, "epsilon": 0.3}
    )
    assert value == pytest.approx(least, abs=0.05)


def test_parameters_exist_under_their_conditions_only():
    svm = Space(problems.find("tune-svm-digits").space())
    with pytest.raises(ValueError, match="'degree' exists only when"):
        svm.validate({"kernel": "rbf", "C": 1.0, "gamma": 0.1, "degree": 3})
    forest = Space(problems.find("tune-forest-digits").space())
    params = middling("tune-forest-digits")
    with pytest.raises(ValueError, match="'max_samples' exists only when"):
        forest.validate(params | {"max_samples": 0.5})


def test_trainings_that_are_cut_short_do_not_warn():
    params = middling("tune-mlp-wine") | {
        "solver": "adam",
        "learning_rate_init": 1e-4,
        "batch_size": 64,
    }
    problems.find("tune-mlp-wine").evaluate(params)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"scikit-learn: pip install neuralbo-lab"):
        problems.find("tune-svm-wine")


def test_an_unknown_pair_names_the_near_ones():
    with pytest.raises(ValueError, match=r"unknown problem 'tune-svm-iris'.* 'tune-svm-"):
        problems.find("tune-svm-iris")
