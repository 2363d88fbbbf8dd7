"""What every classifier promises: P(z = 1 | x) as a function of x."""

import pickle
from collections.abc import Callable
from typing import ClassVar

import pytest
import torch
from torch import Generator, Tensor

from neuralbo.testing.toys import no_global_randomness, seeded, uniform

Probability = Callable[[Tensor], Tensor]
Learn = Callable[[Tensor, Tensor, Generator], Probability]


class ClassifierChecks:
    """Checks for a classifier; the subclass supplies the fixture `learn`.

    `learn(X, z, rng)` takes points, n x d, their classes, n zeros and ones, and a generator; it
    returns the function P(z = 1 | x), ... x d to ....

    Attributes:
        is_smooth: whether the probability is differentiable in x.
        is_kept: whether it outlives the suggestion, so that it must survive pickle.
    """

    is_smooth: ClassVar[bool] = True
    is_kept: ClassVar[bool] = True

    @pytest.fixture
    def points(self) -> Tensor:
        return uniform(40, 2, seed=1)

    @pytest.fixture
    def classes(self, points: Tensor) -> Tensor:
        return (points.sum(-1) < 1).double()

    @pytest.fixture
    def probability(self, learn: Learn, points: Tensor, classes: Tensor) -> Probability:
        return learn(points, classes, seeded(1))

    @pytest.fixture
    def X(self) -> Tensor:
        return uniform(4, 3, 2, seed=11)

    def test_it_is_a_probability_for_each_point(self, probability: Probability, X: Tensor) -> None:
        for there in (X, X[0], X[0, 0], X[None]):
            p = probability(there)
            assert p.shape == there.shape[:-1]
            assert p.dtype == torch.float64
            assert ((p > 0) & (p < 1)).all()

    def test_a_batch_is_a_loop(self, probability: Probability, X: Tensor) -> None:
        torch.testing.assert_close(probability(X), torch.stack([probability(x) for x in X]))

    def test_the_gradient_is_right(self, probability: Probability, X: Tensor) -> None:
        if not self.is_smooth:
            pytest.skip("says that it is not smooth")
        assert torch.autograd.gradcheck(probability, X.clone().requires_grad_())

    def test_one_seed_one_fit_and_no_other_randomness(
        self, learn: Learn, points: Tensor, classes: Tensor, probability: Probability, X: Tensor
    ) -> None:
        with no_global_randomness():
            again = learn(points, classes, seeded(1))
            assert torch.equal(again(X), probability(X))

    def test_learning_leaves_the_data_as_they_were(
        self, learn: Learn, points: Tensor, classes: Tensor
    ) -> None:
        copies = points.clone(), classes.clone()
        learn(points, classes, seeded(1))
        assert torch.equal(points, copies[0])
        assert torch.equal(classes, copies[1])

    def test_it_learns_two_halves(self, probability: Probability) -> None:
        X = uniform(400, 2, seed=12)
        is_right = (probability(X) > 0.5) == (X.sum(-1) < 1)
        assert is_right.double().mean() > 0.85

    def test_it_is_surer_far_from_the_border(self, probability: Probability) -> None:
        inside, border, outside = torch.tensor(
            [[0.15, 0.15], [0.5, 0.5], [0.85, 0.85]], dtype=torch.float64
        )
        assert probability(inside) > probability(border) > probability(outside)

    @pytest.mark.parametrize("label", [0.0, 1.0])
    def test_one_class_is_enough(
        self, learn: Learn, points: Tensor, X: Tensor, label: float
    ) -> None:
        p = learn(points, torch.full_like(points[:, 0], label), seeded(1))(X)
        assert ((p > 0) & (p < 1)).all()
        assert ((p > 0.5) == (label > 0.5)).all()

    def test_one_point_in_both_classes_is_fine(self, learn: Learn, X: Tensor) -> None:
        same = X.new_full((6, 2), 0.5)
        p = learn(same, torch.tensor([0.0, 1, 0, 1, 0, 1]).double(), seeded(1))(X)
        assert ((p > 0) & (p < 1)).all()

    @pytest.mark.parametrize("d", [1, 20])
    def test_it_learns_in_other_dimensions(self, learn: Learn, d: int) -> None:
        points = uniform(30, d, seed=1)
        p = learn(points, (points[:, 0] < 0.5).double(), seeded(1))(uniform(5, d))
        assert ((p > 0) & (p < 1)).all()

    def test_it_survives_pickle(self, probability: Probability, X: Tensor) -> None:
        if not self.is_kept:
            pytest.skip("lives within a suggestion")
        again = pickle.loads(pickle.dumps(probability))
        assert torch.equal(again(X), probability(X))
