"""FittedOnDemand: a model that is made before it is fitted."""

import pytest
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.models.transforms.input import Normalize
from botorch.models.transforms.outcome import Log, Standardize
from botorch.optim import optimize_acqf
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.sampling import manual_seed

import neuralbo as nb
from neuralbo.data import Data
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing.toys import multimodal, seeded, uniform

X = uniform(12, 2, seed=1)
Y = multimodal(X)
T = uniform(4, 3, 2, seed=2)


def test_it_is_the_model_of_its_recipe():
    ours = nb.FittedOnDemand(X, Y, "gp", seed=3)
    alone = GaussianProcess().fit(Data(X, Y), seeded(3))
    for left, right in zip(
        moments_of(ours.posterior(T)), moments_of(alone.posterior(T)), strict=True
    ):
        assert torch.equal(left, right)


def test_inputs_may_be_in_other_units():
    bounds = torch.tensor([[-5.0, 0.0], [10.0, 100.0]]).double()
    wide = bounds[0] + X * (bounds[1] - bounds[0])
    ours = nb.FittedOnDemand(wide, Y, "gp", input_transform=Normalize(2, bounds=bounds))
    alone = nb.FittedOnDemand(X, Y, "gp")
    mean = moments_of(ours.posterior(bounds[0] + T * (bounds[1] - bounds[0])))[0]
    torch.testing.assert_close(mean, moments_of(alone.posterior(T))[0], atol=1e-6, rtol=0)


def test_points_beyond_the_cube_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"Normalize\(d=2\)"):
        nb.FittedOnDemand(10 * X, Y).fit()


@pytest.mark.parametrize("recipe", [GaussianProcess(), BayesianRVFL(), KernelDensity()])
def test_standardized_outcomes_change_nothing(recipe):
    ours = nb.FittedOnDemand(X, 7 + 3 * Y, recipe, outcome_transform=Standardize(1))
    alone = recipe.fit(Data(X, 7 + 3 * Y), seeded())
    mean, variance = moments_of(ours.posterior(T))
    # rounding of the values is amplified by the search for hyper-parameters
    torch.testing.assert_close(mean, moments_of(alone.posterior(T))[0], atol=1e-3, rtol=1e-4)
    torch.testing.assert_close(variance, moments_of(alone.posterior(T))[1], atol=1e-3, rtol=1e-2)


def test_draws_of_transformed_outcomes_are_positive():
    """The exponential of draws that are shared over batches, and the same for the same seed."""
    ours = nb.FittedOnDemand(X, Y.exp(), KernelDensity(), outcome_transform=Log())
    posterior = ours.posterior(T)
    sampler = get_sampler(posterior, torch.Size([8]), seed=1)
    samples = sampler(posterior)
    assert (samples > 0).all()
    assert torch.equal(samples, sampler(ours.posterior(T)))
    torch.testing.assert_close(samples[:, 1], sampler(ours.posterior(T[1:2]))[:, 0])


@pytest.mark.filterwarnings("ignore:Optimization failed:RuntimeWarning")  # by rounding
def test_it_goes_through_noisy_improvement_and_optimize_acqf():
    ours = nb.FittedOnDemand(X, Y, "brvfl4")
    with manual_seed(0):
        criterion = qLogNoisyExpectedImprovement(ours, X, prune_baseline=False)
        point, _ = optimize_acqf(
            criterion, torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double(), q=1, num_restarts=1,
            raw_samples=4, options={"maxiter": 3},
        )  # fmt: skip
    assert point.shape == (1, 2)


def test_further_observations_keep_the_transforms():
    bounds = torch.tensor([[0.0, 0.0], [2.0, 2.0]]).double()
    ours = nb.FittedOnDemand(2 * X, Y, "gp", input_transform=Normalize(2, bounds=bounds))
    x = torch.tensor([[1.9, 1.9]]).double()
    more = ours.condition_on_observations(x, torch.tensor([[5.0]]).double())
    assert moments_of(more.posterior(x))[0].item() == pytest.approx(5, abs=0.1)
    several = ours.fantasize(x, get_sampler(ours.posterior(x), torch.Size([3]), seed=0))
    assert several.batch_shape == torch.Size([3])


def test_a_state_loads_before_the_fit():
    fitted, fresh = (nb.FittedOnDemand(X, Y, "gp") for _ in range(2))
    fitted.fit()
    fresh.load_state_dict(fitted.state_dict())
    assert torch.equal(fresh.posterior(T).mean, fitted.posterior(T).mean)


def test_a_data_set_gives_the_arguments():
    data = SupervisedDataset(X, Y, feature_names=["a", "b"], outcome_names=["y"])
    inputs = nb.FittedOnDemand.construct_inputs(data, recipe="gp", categorical_features=[1])
    assert nb.FittedOnDemand(**inputs).recipe == GaussianProcess()
    with pytest.raises(ValueError, match="fidelity_features"):
        nb.FittedOnDemand.construct_inputs(data, fidelity_features=[0])


def test_unknown_names_and_classifiers_are_refused():
    with pytest.raises(ValueError, match="Did you mean 'brvfl4'"):
        nb.FittedOnDemand(X, Y, "bvrfl4")
    with pytest.raises(TypeError, match="classifier"):
        nb.FittedOnDemand(X, Y, "bore").fit()
