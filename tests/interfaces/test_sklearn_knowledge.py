"""Guesses, fixed values and costs of a search in the manner of scikit-learn."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy.stats import gamma
from sklearn.linear_model import Ridge

from neuralbo import NeuralSearchCV, Real, around

X = np.random.default_rng(0).normal(size=(30, 2))
Y = X @ [1.0, -2.0] + 0.1


def search(space, **options):
    options = {"n_iter": 5, "surrogate": "sobol", "random_state": 0, "cv": 2} | options
    return NeuralSearchCV(Ridge(), space, **options).fit(X, Y)


def test_guesses_come_first_in_the_values_of_the_estimator():
    space = {"alpha": gamma(2.0), "solver": ["svd", "lsqr"], "tol": Real(1e-5, 1e-2, log=True)}
    guess = {"alpha": 1.5, "solver": "lsqr", "tol": 1e-3}
    found = search(space, guesses=[guess]).cv_results_["params"][0]
    assert found["solver"] == "lsqr"
    assert [found["alpha"], found["tol"]] == pytest.approx([1.5, 1e-3])


def test_fixed_values_stay():
    space = {"alpha": Real(1e-3, 10, log=True), "fit_intercept": [True, False]}
    found = search(space, fixed={"fit_intercept": False}).cv_results_["params"]
    assert {params["fit_intercept"] for params in found} == {False}


def test_beliefs_are_part_of_the_space():
    found = search({"alpha": Real(1e-3, 10, log=True, prior=around(0.1))})
    assert found.cv_results_["params"][0]["alpha"] == pytest.approx(0.1)


@pytest.mark.parametrize("cost", ["seconds", lambda params: 1 + params["alpha"]])
def test_costs_are_seconds_or_a_function_of_the_values(cost):
    space = {"alpha": gamma(2.0)}
    found = search(space, cost=cost, surrogate="gp", maximizer="random", n_iter=7)
    costs = found.optimizer_._columns.costs
    assert len(costs) == 7
    if cost != "seconds":
        alphas = [params["alpha"] for params in found.cv_results_["params"]]
        assert [costs[i] for i in range(7)] == pytest.approx([1 + alpha for alpha in alphas])


def test_what_is_not_legal_is_said():
    with pytest.raises(ValueError, match="unknown parameter 'beta'"):
        search({"alpha": Real(1e-3, 10)}, guesses=[{"beta": 1.0}])
    with pytest.raises(TypeError, match="guesses must be a list of dictionaries"):
        search({"alpha": Real(1e-3, 10)}, guesses={"alpha": 1.0})
