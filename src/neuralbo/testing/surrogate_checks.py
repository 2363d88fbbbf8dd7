"""What every surrogate promises.

A test class inherits `SurrogateChecks`, and `EpistemicChecks` if the surrogate claims to know
what it does not know, and supplies one fixture:

    class TestMine(SurrogateChecks, EpistemicChecks):
        @pytest.fixture
        def surrogate(self):
            return Mine(width=20)
"""

import copy
import pickle
from functools import lru_cache
from typing import Any

import pytest
import torch
from botorch.acquisition.analytic import LogExpectedImprovement
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.models.model import Model
from botorch.optim import optimize_acqf
from botorch.posteriors import Posterior
from botorch.sampling.base import MCSampler
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.sampling import manual_seed
from torch import Tensor

from neuralbo.data import Data
from neuralbo.surrogates.surrogate import (
    DrawsFunctions,
    GaussianModel,
    StatesFacts,
    Surrogate,
    moments_of,
)
from neuralbo.testing.botorch_checks import CUBE, BotorchChecks
from neuralbo.testing.toys import multimodal, no_global_randomness, seeded, smooth_data, uniform

SAMPLES = 2**12  # of a posterior
DRAWS = 150  # of whole functions
ERRORS = 5  # standard errors that a statistical tolerance allows


@lru_cache(maxsize=8)
def _fit_once(surrogate: Any, n: int, d: int) -> Model:
    model: Model = surrogate.fit(smooth_data(n, d), seeded(1))
    return model


def fitted(surrogate: Surrogate, n: int, d: int) -> Model:
    """Fit to `smooth_data`, once for all checks that only read the model."""
    recipe: Any = surrogate  # recipes can be hashed, which the protocol does not say
    return _fit_once(recipe, n, d)


def sample(posterior: Posterior, n: int = SAMPLES) -> Tensor:
    """Draw as Monte Carlo criteria do, n x b x q x m."""
    drawn: Tensor = _sampler(posterior, n)(posterior)
    return drawn


def _sampler(posterior: Posterior, n: int) -> MCSampler:
    return get_sampler(posterior, torch.Size([n]), seed=7)  # type: ignore[arg-type]


def assert_moments(samples: Tensor, mean: Tensor, variance: Tensor) -> None:
    """Compare the moments of independent samples with a distribution's, within `ERRORS` errors.

    An error below the rounding of the values themselves cannot be asked for.
    """
    n, rounding = len(samples), 1e-6 * (mean.abs() + variance.sqrt())
    assert ((samples.mean(0) - mean).abs() <= ERRORS * (variance / n).sqrt() + rounding).all()
    squares = (samples - mean).square()
    error = ERRORS * squares.std(0) / n**0.5
    assert ((squares.mean(0) - variance).abs() <= error + rounding.square()).all()


def assert_usable(model: Model, X: Tensor) -> None:
    """Ask for finite means and positive finite variances of the right shape."""
    mean, variance = moments_of(model.posterior(X))
    assert mean.shape == variance.shape == (*X.shape[:-1], 1)
    assert mean.isfinite().all()
    assert variance.isfinite().all()
    assert (variance > 0).all()


def gaussian(model: Model) -> GaussianModel:
    """Return a Gaussian model, or skip the check for others."""
    if not isinstance(model, GaussianModel):
        pytest.skip("not a GaussianModel")
    return model


def drawing(model: Model) -> DrawsFunctions:
    """Return a model that draws functions, or skip the check for others."""
    if not isinstance(model, DrawsFunctions):
        pytest.skip("draws no functions")
    return model


class SurrogateChecks(BotorchChecks):
    """Checks for a surrogate of one output; the subclass supplies the fixture `surrogate`.

    Attributes:
        units_tolerance: how far, in standard deviations of Y, the posterior may move when Y
            changes its units. Rounding is amplified by the search for hyper-parameters.
    """

    units_tolerance: float = 1e-4

    @pytest.fixture
    def data(self) -> Data:
        return smooth_data()

    @pytest.fixture
    def model(self, surrogate: Surrogate) -> Model:
        return fitted(surrogate, 20, 2)

    @pytest.fixture
    def X(self) -> Tensor:
        return uniform(4, 3, 2, seed=11)

    def test_it_declares_its_scaling_and_smoothness(self, surrogate: Surrogate) -> None:
        assert isinstance(surrogate, Surrogate)
        assert surrogate.scaling in ("standard", "range", "none")
        assert isinstance(surrogate.is_smooth, bool)

    def test_mean_and_variance_have_a_row_for_each_point(self, model: Model, X: Tensor) -> None:
        for points in (X, X[0], X[:, :1], X[None]):
            assert_usable(model, points)

    def test_a_batch_is_a_loop(self, model: Model, X: Tensor) -> None:
        together = moments_of(model.posterior(X))
        alone = [moments_of(model.posterior(x)) for x in X]
        for i, moment in enumerate(together):
            torch.testing.assert_close(moment, torch.stack([pair[i] for pair in alone]))

    def test_a_point_has_the_same_variance_alone_and_in_company(
        self, model: Model, X: Tensor
    ) -> None:
        alone = moments_of(model.posterior(X[:, :1]))[1]
        torch.testing.assert_close(moments_of(model.posterior(X))[1][:, :1], alone)

    def test_a_point_given_twice_is_one_point(self, model: Model, X: Tensor) -> None:
        samples = sample(model.posterior(X[0, [0, 0]]), 8)
        # A jitter of 1e-8 of the variance lets two samples of unit scale differ by 1e-4 or so.
        torch.testing.assert_close(samples[:, 0], samples[:, 1], atol=1e-3, rtol=0)

    def test_the_gradient_is_right(self, surrogate: Surrogate, model: Model, X: Tensor) -> None:
        """Differences over 1e-6: the few kinks of a relu network are not that near to X."""
        if not surrogate.is_smooth:
            pytest.skip("says that it is not smooth")
        for i in (0, 1):
            assert torch.autograd.gradcheck(
                lambda x, i=i: moments_of(model.posterior(x))[i], X[:2].clone().requires_grad_()
            )

    def test_samples_have_the_posterior_moments(self, model: Model, X: Tensor) -> None:
        posterior = model.posterior(X)
        assert_moments(sample(posterior), *moments_of(posterior))

    def test_a_second_fit_is_the_first_and_changes_nothing_else(
        self, surrogate: Surrogate, data: Data, model: Model, X: Tensor
    ) -> None:
        """One seed, one fit; no other randomness; settings and data are left as they were."""
        settings = copy.deepcopy(surrogate)
        before = data.X.clone(), data.Y.clone()
        with no_global_randomness():
            again = surrogate.fit(data, seeded(1))
            moments = moments_of(again.posterior(X))
            sample(again.posterior(X), 4)
        for moment, other in zip(moments_of(model.posterior(X)), moments, strict=True):
            assert torch.equal(moment, other)
        assert surrogate == settings
        assert torch.equal(data.X, before[0])
        assert torch.equal(data.Y, before[1])

    def test_recipes_can_be_compared_and_hashed(self, surrogate: Surrogate) -> None:
        assert hash(surrogate) == hash(copy.deepcopy(surrogate))

    def test_float64_in_float64_out(self, model: Model, X: Tensor) -> None:
        posterior = model.posterior(X)
        for tensor in (*moments_of(posterior), sample(posterior, 2)):
            assert tensor.dtype == torch.float64

    def test_one_observation_is_enough(self, surrogate: Surrogate, X: Tensor) -> None:
        assert_usable(surrogate.fit(smooth_data(1), seeded(1)), X)

    def test_no_observation_is_an_error_that_says_so(self, surrogate: Surrogate) -> None:
        nothing = Data(torch.empty(0, 2), torch.empty(0, 1))
        with pytest.raises(ValueError, match="at least one observation"):
            surrogate.fit(nothing, seeded(1))

    def test_constant_values_are_fine(self, surrogate: Surrogate, data: Data, X: Tensor) -> None:
        model = surrogate.fit(Data(data.X, torch.full_like(data.Y, 3.0)), seeded(1))
        assert_usable(model, X)
        mean = moments_of(model.posterior(data.X))[0]
        # Y has no spread, so the model works in units of 1; it need not interpolate exactly.
        torch.testing.assert_close(mean, torch.full_like(mean, 3.0), atol=0.1, rtol=0)

    def test_one_point_with_different_values_is_fine(
        self, surrogate: Surrogate, data: Data, X: Tensor
    ) -> None:
        noise = 0.1 * uniform(20, 1, seed=2)
        twice = Data(torch.cat([data.X, data.X]), torch.cat([data.Y, data.Y + noise]))
        assert_usable(surrogate.fit(twice, seeded(1)), X)

    def test_one_point_many_times_is_fine(self, surrogate: Surrogate, X: Tensor) -> None:
        same = Data(X.new_full((6, 2), 0.5), uniform(6, 1, seed=2))
        assert_usable(surrogate.fit(same, seeded(1)), X)

    @pytest.mark.parametrize("d", [1, 20])
    def test_it_fits_in_other_dimensions(self, surrogate: Surrogate, d: int) -> None:
        assert_usable(fitted(surrogate, 20, d), uniform(4, 2, d))

    def test_the_order_of_the_rows_does_not_matter(
        self, surrogate: Surrogate, data: Data, model: Model, X: Tensor
    ) -> None:
        order = torch.randperm(data.n, generator=seeded(3))
        other = surrogate.fit(Data(data.X[order], data.Y[order]), seeded(1))
        pairs = zip(moments_of(model.posterior(X)), moments_of(other.posterior(X)), strict=True)
        for moment, again in pairs:
            assert torch.equal(moment, again)

    def test_it_survives_pickle_and_deepcopy(self, model: Model, X: Tensor) -> None:
        mean, variance = moments_of(model.posterior(X))
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            again = moments_of(other.posterior(X))
            assert torch.equal(again[0], mean)
            assert torch.equal(again[1], variance)

    def test_recipes_survive_pickle(self, surrogate: Surrogate) -> None:
        assert pickle.loads(pickle.dumps(surrogate)) == surrogate

    @pytest.mark.parametrize(("a", "b"), [(1e6, 5e6), (1e-6, 5e-6)])
    def test_the_model_answers_in_the_units_of_the_data(
        self, surrogate: Surrogate, data: Data, model: Model, X: Tensor, a: float, b: float
    ) -> None:
        other = surrogate.fit(Data(data.X, a * data.Y + b), seeded(1))
        mean, variance = moments_of(model.posterior(X))
        mean_there, variance_there = moments_of(other.posterior(X))
        tolerance: dict[str, Any] = {"atol": self.units_tolerance, "rtol": 0.0}
        torch.testing.assert_close((mean_there - b) / a, mean, **tolerance)
        torch.testing.assert_close(variance_there.sqrt() / a, variance.sqrt(), **tolerance)

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_huge_and_tiny_values_are_fine(
        self, surrogate: Surrogate, data: Data, X: Tensor, scale: float
    ) -> None:
        """The square of 1e300 is no float64: such a variance may be at the end of the range."""
        assert_usable(surrogate.fit(Data(data.X, scale * data.Y), seeded(1)), X)

    # At an optimum a line search that finds nothing lower ends "ABNORMAL" or well, by rounding;
    # BoTorch then warns and begins anew.
    @pytest.mark.filterwarnings("ignore:Optimization failed:RuntimeWarning")
    @pytest.mark.parametrize("q", [1, 2])
    def test_it_goes_through_optimize_acqf(self, model: Model, data: Data, q: int) -> None:
        best = data.best[0]
        acquisition = (
            LogExpectedImprovement(model, best)
            if q == 1
            else qLogExpectedImprovement(model, best, sampler=_sampler(model.posterior(CUBE), 16))
        )
        with manual_seed(0):
            points, value = optimize_acqf(
                acquisition, CUBE, q=q, num_restarts=2, raw_samples=8, options={"maxiter": 10}
            )
        assert points.shape == (q, 2)
        assert ((points >= 0) & (points <= 1)).all()
        assert value is not None
        assert value.isfinite()

    def test_observation_noise_adds_variance(self, model: Model, X: Tensor) -> None:
        without = moments_of(model.posterior(X))
        within = moments_of(model.posterior(X, observation_noise=True))
        torch.testing.assert_close(within[0], without[0])
        assert (within[1] > without[1]).all()

    def test_given_observation_noise_is_added(self, model: Model, X: Tensor) -> None:
        noise = 0.5 + uniform(4, 3, 1)
        without = moments_of(gaussian(model).posterior(X))[1]
        within = moments_of(model.posterior(X, observation_noise=noise))[1]
        torch.testing.assert_close(within, without + noise)

    def test_facts_are_numbers_and_words(self, model: Model) -> None:
        if not isinstance(model, StatesFacts):
            pytest.skip("states no facts")
        assert all(isinstance(value, float | int | str) for value in model.facts.values())

    def test_moments_are_those_of_the_posterior(self, model: Model, X: Tensor) -> None:
        mean, variance = gaussian(model).moments(X)
        posterior = moments_of(model.posterior(X))
        torch.testing.assert_close(mean[..., None], posterior[0])
        torch.testing.assert_close(variance[..., None], posterior[1])

    def test_joint_is_symmetric_and_not_negative(self, model: Model, X: Tensor) -> None:
        covariance = gaussian(model).joint(X)[1]
        torch.testing.assert_close(covariance, covariance.mT)
        assert (torch.linalg.eigvalsh(covariance) > -1e-9 * covariance.abs().max()).all()

    def test_an_observation_lowers_the_variance(self, model: Model, X: Tensor) -> None:
        more = gaussian(model).conditioned(X[0], multimodal(X[0]))
        before, after = moments_of(model.posterior(X))[1], moments_of(more.posterior(X))[1]
        assert (after <= before * (1 + 1e-6)).all()
        assert (after[0] < before[0]).all()

    def test_observations_one_by_one_are_observations_at_once(
        self, model: Model, X: Tensor
    ) -> None:
        Y = multimodal(X[0])
        at_once = gaussian(model).conditioned(X[0], Y)
        one_by_one = gaussian(model)
        for x, y in zip(X[0], Y, strict=True):
            one_by_one = one_by_one.conditioned(x[None], y[None])
        for left, right in zip(at_once.moments(X[1]), one_by_one.moments(X[1]), strict=True):
            torch.testing.assert_close(left, right)

    def test_conditioning_leaves_the_model_as_it_was(self, model: Model, X: Tensor) -> None:
        before = gaussian(model).moments(X)
        gaussian(model).conditioned(X[0], multimodal(X[0]))
        for left, right in zip(before, gaussian(model).moments(X), strict=True):
            assert torch.equal(left, right)

    def test_a_drawn_function_is_a_function(self, model: Model, X: Tensor) -> None:
        f, again = drawing(model).draw(seeded(3)), drawing(model).draw(seeded(3))
        assert f(X).shape == (*X.shape[:-1], 1)
        assert torch.equal(f(X), f(X))
        assert torch.equal(f(X), again(X))
        torch.testing.assert_close(f(X)[1, 2], f(X[1, 2:])[0])

    def test_two_drawn_functions_differ(self, model: Model, X: Tensor) -> None:
        rng = seeded(3)
        assert not torch.equal(drawing(model).draw(rng)(X), drawing(model).draw(rng)(X))

    def test_a_drawn_function_has_the_right_gradient(self, model: Model, X: Tensor) -> None:
        f = drawing(model).draw(seeded(3))
        assert torch.autograd.gradcheck(f, X[:2].clone().requires_grad_())

    def test_drawn_functions_have_the_posterior_moments(
        self, surrogate: Surrogate, X: Tensor
    ) -> None:
        """With few data, where the posterior is wide enough to be told from its mean."""
        model, rng = drawing(fitted(surrogate, 6, 2)), seeded(4)
        values = torch.stack([model.draw(rng)(X[:2]) for _ in range(DRAWS)])
        assert_moments(values, *moments_of(model.posterior(X[:2])))


class EpistemicChecks:
    """Checks for a surrogate that learns, and knows where it has not; used beside the others."""

    def test_it_learns(self, model: Model, data: Data) -> None:
        error = (moments_of(model.posterior(data.X))[0] - data.Y).square().mean()
        assert error < 0.05  # data.Y has variance 1

    def test_it_generalizes(self, surrogate: Surrogate) -> None:
        data, X = smooth_data(30), 0.1 + 0.8 * uniform(50, 2, seed=21)
        Y = multimodal(data.X)
        mean = moments_of(surrogate.fit(Data(data.X, Y), seeded(1)).posterior(X))[0]
        assert (mean - multimodal(X)).square().mean() < 0.1 * Y.var()

    def test_it_is_less_sure_far_from_the_data(self, surrogate: Surrogate) -> None:
        X = 0.3 * uniform(20, 2, seed=1)
        model = surrogate.fit(Data(X, multimodal(X)), seeded(1))
        far = torch.ones(1, 2, dtype=torch.float64)
        near = moments_of(model.posterior(X))[1].mean()
        assert moments_of(model.posterior(far))[1] > 4 * near

    def test_more_data_less_variance(self, surrogate: Surrogate) -> None:
        X = uniform(100, 2, seed=22)
        all_data = smooth_data(40)
        few = Data(all_data.X[::8], all_data.Y[::8])
        unsure, sure = (
            moments_of(surrogate.fit(data, seeded(1)).posterior(X))[1].sqrt().mean()
            for data in (few, all_data)
        )
        assert sure < unsure
