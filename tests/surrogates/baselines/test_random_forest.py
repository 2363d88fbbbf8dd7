"""The random forest, against scikit-learn's trees and the law of total variance."""

import sys

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestRegressor

from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.surrogates import RandomForest
from neuralbo.surrogates.baselines.random_forest import GRAIN
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform


class TestRandomForest(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return RandomForest()


class TestWideLeaves(SurrogateChecks):
    """Leaves that hold several values, so that their own variance counts."""

    @pytest.fixture
    def surrogate(self):
        return RandomForest(trees=10, min_leaf=4)


@pytest.fixture
def data():
    X = uniform(40, 3, seed=1)
    return Data(X, 5 + 2 * multimodal(X) + uniform(40, 1, seed=2))


def reference(recipe, data):
    """Return scikit-learn's forest on the values that the model sees, and their units."""
    units = data.standard_units()
    y = (units.numbers(data.Y).squeeze(-1) / GRAIN).round() * GRAIN
    forest = RandomForestRegressor(
        recipe.trees,
        min_samples_leaf=recipe.min_leaf,
        random_state=int(torch.randint(2**31, (1,), generator=seeded())),
    )
    return forest.fit(data.X.numpy(), y.numpy()), units


@pytest.mark.parametrize("recipe", [RandomForest(), RandomForest(min_leaf=3)], ids=str)
def test_the_moments_are_those_of_the_law_of_total_variance(recipe, data):
    forest, units = reference(recipe, data)
    X = uniform(50, 3, seed=3)
    trees = [tree.tree_ for tree in forest.estimators_]
    leaves = [tree.apply(X.numpy().astype(np.float32)) for tree in trees]
    mu = np.stack([t.value[leaf, 0, 0] for t, leaf in zip(trees, leaves, strict=True)])
    v = np.stack([t.impurity[leaf] for t, leaf in zip(trees, leaves, strict=True)])
    mean, variance = moments_of(recipe.fit(data, seeded()).posterior(X[:, None]))
    expected = units.values(torch.from_numpy(mu.mean(0))[:, None])
    torch.testing.assert_close(mean.squeeze(-1), expected)
    expected = torch.from_numpy(v.mean(0) + mu.var(0))[:, None] * units.square
    torch.testing.assert_close(variance.squeeze(-1), expected)


def test_the_mean_is_that_of_scikit_learn(data):
    forest, units = reference(RandomForest(), data)
    X = uniform(50, 3, seed=3)
    mean = moments_of(RandomForest().fit(data, seeded()).posterior(X[:, None]))[0]
    expected = units.values(torch.from_numpy(forest.predict(X.numpy()))[:, None])
    torch.testing.assert_close(mean.squeeze(-1), expected)


def test_it_learns(data):
    mean = moments_of(RandomForest().fit(data, seeded()).posterior(data.X[:, None]))[0]
    assert (mean.squeeze(-1) - data.Y).square().mean() < 0.2 * data.Y.var()


def test_wide_leaves_have_a_variance_of_their_own(data):
    narrow, wide = (
        RandomForest(min_leaf=k).fit(data, seeded()).facts["leaf_variance"] for k in (1, 5)
    )
    assert narrow == 0
    assert wide > 0.01


def test_a_draw_is_constant_where_no_tree_splits(data):
    """Points nearer to each other than any threshold is to them."""
    f = RandomForest(min_leaf=5).fit(data, seeded()).draw(seeded(1))
    X = uniform(20, 1, 3, seed=4).expand(-1, 2, -1).clone()
    X[:, 1] += 1e-9
    assert torch.equal(f(X)[:, 0], f(X)[:, 1])


def test_it_is_in_the_catalog():
    assert SURROGATES["random_forest"] == RandomForest(trees=30)


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ImportError, match=r"neuralbo\[sklearn\]"):
        RandomForest().fit(smooth_data(), seeded())


@pytest.mark.parametrize("settings", [{"trees": 0}, {"min_leaf": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="needs trees"):
        RandomForest(**settings)


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        RandomForest().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())
