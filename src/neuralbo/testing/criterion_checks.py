"""What every criterion promises, on a stub model with given moments: nothing is trained here."""

import copy
import pickle

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.criteria.criterion import Criterion
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.testing.toys import SQUARE, OneNumber, no_global_randomness, uniform

BEST = 0.7


class CriterionChecks:
    """Checks for a criterion; the subclass supplies the fixture `criterion` and `closed_form`.

    A point of the stub is its own mean and standard deviation, (mean, std).
    """

    def closed_form(self, mean: Tensor, std: Tensor, best: Tensor) -> Tensor:
        """Return what the criterion should be, from an independent source."""
        raise NotImplementedError

    @staticmethod
    def step(scale: float = 1.0) -> Step:
        """Return a step whose best value is `BEST` in units of `scale`."""
        Y = scale * torch.tensor([[0.1], [BEST], [-2.0]], dtype=torch.float64)
        return Step.of(Data(uniform(3, 2), Y), SQUARE, seed=3, number=4)

    @pytest.fixture
    def acquisition(self, criterion: Criterion) -> AcquisitionFunction:
        return criterion(self.step(), OneNumber())

    @pytest.fixture
    def X(self) -> Tensor:
        """Return points with means from -2 to 2 and deviations from 0.05 to 1, b x 1 x 2."""
        U = uniform(20, 1, 2, seed=2)
        return torch.stack([4 * U[..., 0] - 2, 0.05 + 0.95 * U[..., 1]], -1)

    def test_it_says_whether_it_is_a_logarithm(self, criterion: Criterion) -> None:
        assert isinstance(criterion, Criterion)
        assert isinstance(criterion.is_log, bool)

    def test_it_is_the_closed_form(self, acquisition: AcquisitionFunction, X: Tensor) -> None:
        best = torch.tensor(BEST, dtype=torch.float64)
        exact = self.closed_form(X[:, 0, 0], X[:, 0, 1], best)
        torch.testing.assert_close(acquisition(X), exact)

    def test_there_is_a_value_for_each_point(
        self, acquisition: AcquisitionFunction, X: Tensor
    ) -> None:
        assert acquisition(X).shape == (20,)
        assert acquisition(X[0]).shape == (1,)
        assert acquisition(X).dtype == torch.float64

    def test_it_is_deterministic(self, criterion: Criterion, X: Tensor) -> None:
        with no_global_randomness():
            acquisition = criterion(self.step(), OneNumber())
            value = acquisition(X)
        assert torch.equal(value, acquisition(X))
        assert torch.equal(value, criterion(self.step(), OneNumber())(X))

    def test_a_batch_is_a_loop(self, acquisition: AcquisitionFunction, X: Tensor) -> None:
        torch.testing.assert_close(acquisition(X), torch.cat([acquisition(x) for x in X]))

    def test_it_rises_with_the_mean(self, acquisition: AcquisitionFunction) -> None:
        mean = torch.linspace(-3, 3, 50, dtype=torch.float64)
        values = acquisition(torch.stack([mean, torch.full_like(mean, 0.5)], -1)[:, None])
        assert (values.diff() >= 0).all()
        assert values[-1] > values[0]

    def test_the_gradient_is_right(self, acquisition: AcquisitionFunction, X: Tensor) -> None:
        assert torch.autograd.gradcheck(acquisition, X.clone().requires_grad_())

    @pytest.mark.parametrize("scale", [1e-140, 1e-6, 1e6, 1e140])
    def test_it_is_finite_on_every_scale(
        self, criterion: Criterion, X: Tensor, scale: float
    ) -> None:
        """Variances are squares, so scales are tried as far as squares can be represented."""
        X = X.clone().requires_grad_()
        values = criterion(self.step(scale), OneNumber(scale))(X)
        assert values.isfinite().all()
        (gradient,) = torch.autograd.grad((values / values.detach().abs().max()).sum(), X)
        assert gradient.isfinite().all()

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_the_order_of_points_does_not_depend_on_units(
        self, criterion: Criterion, acquisition: AcquisitionFunction, X: Tensor, scale: float
    ) -> None:
        there = criterion(self.step(scale), OneNumber(scale))(X)
        assert torch.equal(there.argsort(), acquisition(X).argsort())

    @pytest.mark.parametrize("std", [1e-8, 1e-3, 1e3])
    def test_it_is_finite_where_the_model_is_sure_or_knows_nothing(
        self, acquisition: AcquisitionFunction, std: float
    ) -> None:
        mean = torch.linspace(-3, 3, 13, dtype=torch.float64)
        X = torch.stack([mean, torch.full_like(mean, std)], -1)[:, None].requires_grad_()
        values = acquisition(X)
        assert values.isfinite().all()
        assert torch.autograd.grad(values.sum(), X)[0].isfinite().all()

    def test_settings_can_be_compared_hashed_and_pickled(self, criterion: Criterion) -> None:
        other = pickle.loads(pickle.dumps(criterion))
        assert other == criterion
        assert hash(copy.deepcopy(criterion)) == hash(criterion)
