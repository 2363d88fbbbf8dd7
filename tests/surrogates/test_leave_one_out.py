"""What models say of observations left out, against models that were not shown them."""

import pytest
import torch

from neuralbo.data import Data
from neuralbo.surrogates import BayesianRVFL, GaussianProcess, NeuralLinear
from neuralbo.surrogates.baselines.empirical import Empirical
from neuralbo.surrogates.gp.gaussian_process import GaussianProcessModel
from neuralbo.surrogates.leave_one_out import FOLDS, LeftOut, leave_one_out_predictions, said
from neuralbo.surrogates.random_features.bayesian_linear import BayesianLinearModel
from neuralbo.testing.toys import seeded, smooth_data


def without(data, i):
    rows = torch.arange(data.n) != i
    return data.X[rows], data.Y[rows]


@pytest.mark.parametrize("mean", ["zero", "constant"])
def test_a_gaussian_process_says_what_it_would_without_the_row(mean):
    data = smooth_data(12, 2)
    model = GaussianProcess(mean=mean, clip=None).fit(data, seeded())
    found = model.left_out(data)
    for i in range(data.n):
        X, Y = without(data, i)
        y = model.units[1].numbers(Y).squeeze(-1)
        other = GaussianProcessModel(model.recipe, model.theta, (X, y), model.units)
        distribution, variance = other.moments(data.X[i : i + 1])
        variance = variance + other.noise_variance
        if mean == "constant":  # what the estimated mean is unsure of
            k = other._cross(data.X[i : i + 1])[0]
            w = torch.cholesky_solve(torch.ones(len(y), 1).double(), other.L)[:, 0]
            variance = variance + (1 - w @ k) ** 2 / w.sum() * model.units[1].square
        assert torch.allclose(found.means[i], distribution[0], rtol=1e-6)
        assert torch.allclose(found.stds[i], variance[0].sqrt(), rtol=1e-6)


def test_a_linear_model_says_what_it_would_without_the_row():
    data = smooth_data(15, 2)
    model = BayesianRVFL(units=20, clip=None).fit(data, seeded())
    found = model.left_out(data)
    for i in range(data.n):
        X, Y = without(data, i)
        y = model.units.numbers(Y).squeeze(-1)
        known = type(model.decomposed).of(model.features(X), y)
        other = BayesianLinearModel(model.features, known, model.precisions, model.units)
        mean, variance = other.moments(data.X[i : i + 1])
        assert torch.allclose(found.means[i], mean[0], rtol=1e-5, atol=1e-8)
        wanted = (variance + other.noise_variance).sqrt()
        assert torch.allclose(found.stds[i], wanted[0], rtol=1e-5)


def test_a_trained_network_predicts_a_fold_by_one_that_has_not_seen_it():
    data = smooth_data(20, 1)
    recipe = NeuralLinear(steps=50, clip=None)
    model = recipe.fit(data, seeded())
    spoilt = data.Y.clone()
    spoilt[3] += 0.5 * spoilt.std()
    y = model.units.numbers(spoilt)
    # the features stay those that were trained, so the row itself does not matter, others do
    first, second = (
        model.left_out(Data(data.X, Y, numbers=data.numbers)) for Y in (data.Y, spoilt)
    )
    fold = torch.arange(20) % FOLDS == 3 % FOLDS
    assert torch.equal(first.means[fold], second.means[fold])
    assert not torch.allclose(first.means[~fold], second.means[~fold])
    assert y.shape == (20, 1)


def test_others_are_fitted_without_each_fold():
    data = smooth_data(11, 1)
    recipe = Empirical()
    found = leave_one_out_predictions(recipe, data, seeded(), recipe.fit(data, seeded()))
    for fold in range(FOLDS):
        is_out = torch.arange(11) % FOLDS == fold
        mean = data.Y[~is_out, 0].mean()
        assert torch.allclose(found.means[is_out], mean.expand(int(is_out.sum())))


def test_a_mixture_is_scored_by_its_own_density():
    from neuralbo.surrogates.mixtures.kde import KernelDensity

    data = smooth_data(12, 1)
    model = KernelDensity().fit(data, seeded())
    found = said(model, data.X, data.Y[:, 0])
    assert not found.is_gaussian
    assert torch.allclose(found.log_densities, model.log_density(data.X, data.Y[:, 0]))


def test_densities_of_a_gaussian_are_those_of_torch():
    y, m, s = torch.randn(3, 7, generator=seeded()).double().unbind()
    s = s.exp()
    wanted = torch.distributions.Normal(m, s).log_prob(y)
    assert torch.allclose(LeftOut.gaussian(y, m, s).log_densities, wanted)
