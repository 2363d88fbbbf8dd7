"""What BoTorch asks of a model; a surrogate inherits it with `SurrogateChecks`."""

from typing import Any

import pytest
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.generation.sampling import MaxPosteriorSampling
from botorch.models.model import Model, ModelList
from botorch.optim import optimize_acqf
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.sampling import manual_seed
from torch import Tensor

from neuralbo.criteria.hypervolume import without_compiling
from neuralbo.data import Data
from neuralbo.surrogates.surrogate import Surrogate, moments_of
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform

CUBE = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
FANTASIES = 3


def after(model: Model, X: Tensor, Y: Tensor, **options: Tensor) -> Model:
    """Return the model after observations, or skip the check if it has to be fitted anew."""
    try:
        return model.condition_on_observations(X, Y, **options)
    except NotImplementedError as error:
        assert "fit" in str(error)
        pytest.skip("has to be fitted anew")


def fantasies(model: Model, X: Tensor) -> Any:
    """Return models that have seen draws at X, or skip the check likewise."""
    posterior: Any = model.posterior(X, observation_noise=True)
    sampler = get_sampler(posterior, torch.Size([FANTASIES]), seed=3)
    fantasizing: Any = model
    try:
        return fantasizing.fantasize(X, sampler)
    except NotImplementedError as error:
        assert "fit" in str(error)
        pytest.skip("has to be fitted anew")


class BotorchChecks:
    """The contract of a model of one output; `model` is fitted to 20 points of the square."""

    def test_it_is_one_model_of_one_output(self, model: Model) -> None:
        assert model.batch_shape == torch.Size([])
        assert model.num_outputs == 1

    def test_outputs_can_be_named(self, model: Model, X: Tensor) -> None:
        mean = moments_of(model.posterior(X))[0]
        for index in ([0], [-1]):
            assert torch.equal(moments_of(model.posterior(X, output_indices=index))[0], mean)
            assert model.subset_output(index) is model

    def test_there_is_no_second_output(self, model: Model, X: Tensor) -> None:
        with pytest.raises(ValueError, match="one output"):
            model.subset_output([1])
        with pytest.raises(ValueError, match="one output"):
            model.posterior(X, output_indices=[1])

    def test_a_posterior_can_be_transformed(self, model: Model, X: Tensor) -> None:
        transform = ScalarizedPosteriorTransform(torch.tensor([-2.0], dtype=X.dtype), offset=3.0)
        mean, variance = moments_of(model.posterior(X))
        transformed = moments_of(model.posterior(X, posterior_transform=transform))
        torch.testing.assert_close(transformed[0], 3 - 2 * mean)
        # gpytorch raises variances to 1e-10 or so
        torch.testing.assert_close(transformed[1], 4 * variance, atol=1e-8, rtol=1e-5)

    def test_its_state_makes_another_fit_the_same(
        self, surrogate: Surrogate, model: Model, X: Tensor
    ) -> None:
        other = surrogate.fit(smooth_data(14, seed=5), seeded(2))
        other.load_state_dict(model.state_dict())
        pairs = zip(moments_of(model.posterior(X)), moments_of(other.posterior(X)), strict=True)
        for left, right in pairs:
            assert torch.equal(left, right)

    def test_equal_batches_have_equal_values_in_noisy_improvement(
        self, model: Model, data: Data, X: Tensor
    ) -> None:
        """BoTorch's own ensembles fail here: they draw anew for each batch."""
        baseline = data.X[:6]
        posterior: Any = model.posterior(baseline)
        sampler = get_sampler(posterior, torch.Size([16]), seed=1)
        with manual_seed(0):
            criterion = qLogNoisyExpectedImprovement(
                model, baseline, sampler=sampler, prune_baseline=False, cache_root=False
            )
        values = criterion(X[:1].expand(3, -1, -1))
        assert values.isfinite().all()
        torch.testing.assert_close(values, values[:1].expand(3))

    @pytest.mark.filterwarnings("ignore:Optimization failed:RuntimeWarning")  # by rounding
    def test_it_goes_through_hypervolume_improvement(
        self, model: Model, data: Data, X: Tensor
    ) -> None:
        both, reference = ModelList(model, model), torch.full((2,), -3.0, dtype=X.dtype)
        posterior: Any = both.posterior(data.X[:4])
        sampler = get_sampler(posterior, torch.Size([8]), seed=1)
        with without_compiling(), manual_seed(0):
            criterion = qLogNoisyExpectedHypervolumeImprovement(
                both, reference, data.X[:4], sampler=sampler, cache_root=False
            )
            points, _ = optimize_acqf(
                criterion, CUBE, q=1, num_restarts=1, raw_samples=4, options={"maxiter": 3}
            )
        values = criterion(X[:1, :1].expand(3, -1, -1))
        torch.testing.assert_close(values, values[:1].expand(3))
        assert ((points >= 0) & (points <= 1)).all()

    def test_its_draws_can_be_maximized_over_candidates(self, model: Model, X: Tensor) -> None:
        with manual_seed(0):
            chosen = MaxPosteriorSampling(model, replacement=False)(X[0], num_samples=2)
        assert all(any(torch.equal(row, x) for x in X[0]) for row in chosen)

    def test_an_observation_moves_the_mean_towards_it(self, model: Model, X: Tensor) -> None:
        x = X[0, :1]
        mean, variance = moments_of(model.posterior(x))
        Y = mean + 2 * variance.sqrt()
        moved, rest = moments_of(after(model, x, Y).posterior(x))
        assert mean < moved < Y + 1e-6 * variance.sqrt()
        assert rest < variance

    def test_fantasies_are_models_in_batches(self, model: Model, X: Tensor) -> None:
        several = fantasies(model, X[:2, :1])
        assert several.batch_shape == torch.Size([FANTASIES, 2])
        mean, variance = moments_of(several.posterior(X[:2]))
        assert mean.shape == variance.shape == (FANTASIES, 2, 3, 1)
        assert mean.isfinite().all()
        assert (variance > 0).all()

    def test_a_batch_of_observations_is_a_loop(self, model: Model, X: Tensor) -> None:
        x, Y = X[0], torch.stack([multimodal(X[0]), -multimodal(X[0])])
        together = moments_of(after(model, x, Y).posterior(X[1]))
        for i in range(2):
            alone = after(model, x[None], Y[i : i + 1]).posterior(X[1:2])
            for moment, other in zip(together, moments_of(alone), strict=True):
                torch.testing.assert_close(moment[i], other[0])

    def test_given_noise_makes_an_observation_count_less(self, model: Model) -> None:
        x = uniform(1, 2, seed=31)
        before = moments_of(model.posterior(x))[1]
        loud = after(model, x, torch.zeros(1, 1, dtype=x.dtype), noise=100 * before)
        assert moments_of(loud.posterior(x))[1] > 0.9 * before
