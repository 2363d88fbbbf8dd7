"""Classifiers other than networks: the checks, and each against something independent."""

import math

import numpy as np
import pytest
import torch
from ratio_toy import GRID, REACH, in_cube, toy_log_odds, toy_sample

from neuralbo.data import Data
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.classifiers.class_ratio import KernelDensities, RatioClassifier
from neuralbo.surrogates.classifiers.class_sklearn import TreeClassifier
from neuralbo.surrogates.classifiers.class_support_vectors import SupportVectors, platt
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.surrogates.classifiers.labels import Labels, label
from neuralbo.testing import ClassifierChecks
from neuralbo.testing.toys import DOMAINS, observed, seeded, uniform

CLASSIFIERS = {
    "forest": TreeClassifier("forest", trees=20),
    "boosting": TreeClassifier("boosting", trees=20),
    "svm": SupportVectors(),
    "kde": KernelDensities(),
    "kliep": RatioClassifier("kliep"),
    "ulsif": RatioClassifier("ulsif"),
    "rulsif": RatioClassifier("rulsif"),
}
GAMMA = 1 / 3


def classes(z):
    return Labels(z, 0.0, z, 1 - z, False)


def learner(classifier):
    def learn(X, z, rng):
        odds = classifier.learn(X, classes(z), rng)
        return ClassModel(odds, GAMMA, 0.0, {}).probability

    return learn


class _Checks(ClassifierChecks):
    name = ""

    @pytest.fixture
    def learn(self):
        return learner(CLASSIFIERS[self.name])


class TestForest(_Checks):
    name, is_smooth = "forest", False


class TestBoosting(_Checks):
    name, is_smooth = "boosting", False


class TestSupportVectors(_Checks):
    name = "svm"


class TestKernelDensities(_Checks):
    name = "kde"


class TestKliep(_Checks):
    name = "kliep"


class TestUlsif(_Checks):
    name = "ulsif"


class TestRulsif(_Checks):
    name = "rulsif"


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("kind", ["mixed", "conditional"])
def test_categories_and_conditions_are_fine(name, kind):
    data = observed(DOMAINS[kind], 20)
    model = ClassifierRatio(CLASSIFIERS[name]).fit(data, seeded())
    p = model.probability(data.X)
    z = label(data.Y[:, 0], GAMMA).z
    assert p[z == 1].mean() > p[z == 0].mean()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_rows_that_count_as_both_classes_are_fine(name):
    data = Data(uniform(30, 2), uniform(30, 1, seed=1))
    model = ClassifierRatio(CLASSIFIERS[name], weighting="improvement").fit(data, seeded())
    assert model.log_odds(uniform(9, 2)).isfinite().all()


def test_trees_are_those_of_scikit_learn_drawn_to_the_share():
    from sklearn.ensemble import RandomForestClassifier

    X, z = uniform(40, 2), (uniform(40, seed=3) < 0.3).double()
    odds = CLASSIFIERS["forest"].learn(X, classes(z), seeded(4))
    seed = int(torch.randint(2**31, (1,), generator=seeded(4)))
    forest = RandomForestClassifier(20, min_samples_leaf=2, random_state=seed)
    q = forest.fit(X.numpy(), z.numpy(), np.ones(40)).predict_proba(X.numpy())[:, 1]
    expected = (40 * torch.from_numpy(q) + z.mean()) / 41
    torch.testing.assert_close(odds(X).sigmoid(), expected)


def test_the_decision_is_that_of_scikit_learn():
    from sklearn.svm import SVC

    X = uniform(40, 2)
    z = (X.sum(-1) < 1).double()
    odds = SupportVectors().learn(X, classes(z), seeded())
    machine = SVC(C=10.0).fit(X.numpy(), z.numpy())
    h = torch.from_numpy(machine.decision_function(uniform(9, 2, seed=2).numpy()))
    found = odds(uniform(9, 2, seed=2))
    slope, constant = np.polyfit(h.numpy(), found.numpy(), 1)
    assert slope > 0
    # libsvm's own tolerance is 1e-3
    torch.testing.assert_close(found, slope * h + constant, atol=1e-3, rtol=0)


def test_platts_sigmoid_is_a_logistic_regression_on_his_targets():
    from scipy.optimize import minimize

    h = 4 * uniform(60) - 2
    z = (uniform(60, seed=1) < (1.5 * h - 0.5).sigmoid()).double()
    good, others = float(z.sum()), float((1 - z).sum())
    target = torch.where(z > 0, (good + 1) / (good + 2), 1 / (others + 2))

    def loss(w):
        f = w[0] * h + w[1]
        return float((torch.nn.functional.softplus(f) - target * f).sum())

    expected = minimize(loss, [0.0, 0.0], method="Nelder-Mead").x
    found = platt(h, z, torch.ones_like(h))
    assert found == pytest.approx(tuple(expected), abs=5e-3)  # the ridge of 1e-3 is in it


@pytest.mark.parametrize(("name", "off"), [("kliep", 0.4), ("ulsif", 0.6), ("rulsif", 0.6)])
def test_odds_are_the_ratio_of_the_densities_where_it_is_not_small(name, off):
    """Kernels cannot be exact; a classifier that knew nothing would be 1.2 off."""
    x, z = toy_sample(1)
    odds = CLASSIFIERS[name].learn(in_cube(x), classes(z), seeded())(in_cube(GRID))
    exact = toy_log_odds(GRID)
    assert float((odds - exact)[exact > -1].abs().mean()) < off


@pytest.mark.parametrize("name", ["svm", "ulsif", "rulsif"])
def test_the_mode_of_the_toy_is_found(name):
    """The toy of BORE: within 0.15 of -3.20."""
    x, z = toy_sample(0)
    odds = CLASSIFIERS[name].learn(in_cube(x), classes(z), seeded())(in_cube(GRID))
    assert abs(float(GRID[odds.argmax()]) + 3.2) < 0.15


def test_kernel_densities_move_the_mode():
    """The toy of BORE: to about -3.71, with a std of 0.27 over samples; five standard errors."""
    found = []
    for seed in range(8):
        x, z = toy_sample(seed)
        odds = KernelDensities().learn(in_cube(x), classes(z), seeded())(in_cube(GRID))
        found.append(float(GRID[odds.argmax()]))
    assert abs(np.median(found) + 3.71) < 5 * 1.25 * 0.27 / math.sqrt(8)
    assert np.median(found) < -3.4


def test_the_widths_are_those_of_the_normal_reference():
    """The toy of BORE: 0.77 for the good points, 0.57 for the others.

    5 standard errors of a standard deviation.
    """
    x, z = toy_sample(0)
    odds = KernelDensities().learn(in_cube(x), classes(z), seeded())
    assert 2 * REACH * float(odds.good.width) == pytest.approx(0.77, rel=0.15)
    assert 2 * REACH * float(odds.others.width) == pytest.approx(0.57, rel=0.15)
