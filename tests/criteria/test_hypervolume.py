"""Hypervolume improvement: against closed forms, BoTorch on the joint distribution, and loops."""

import math

import pytest
import torch
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.models.model import ModelList
from botorch.utils.multi_objective.hypervolume import Hypervolume
from scipy.special import ndtr

from neuralbo.criteria.front_draws import DrawsGivenBaseline
from neuralbo.criteria.hypervolume import HypervolumeImprovement, _spread, without_compiling
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.testing.toys import SQUARE, OneNumber, no_global_randomness, seeded, uniform

X = uniform(12, 2, seed=3)
Y = torch.stack([-(X - 0.2).square().sum(-1), -(X - 0.8).square().sum(-1)], -1)
DATA = Data(X, Y)


def step_of(data=DATA):
    return Step.of(data, SQUARE, seed=1, number=data.n)


def fitted(surrogate, data=DATA):
    return ModelList(*(surrogate.fit(data.output(j), seeded()) for j in range(2)))


@pytest.fixture(scope="module")
def gp():
    return fitted(GaussianProcess())


def normal_improvement(mean, std, best):
    """Return E max(f - best, 0)."""
    z = (mean - best) / std
    return std * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) + (mean - best) * ndtr(z)


def test_with_one_certain_point_it_is_the_product_formula():
    """Beyond the only point of the front two strips remain, and f of two outputs is independent.

    E[HV(p and f) - HV(p)] = E[(f1 - r1)+ (f2 - r2)+] - E[(min(f1, p1) - r1)+ (min(f2, p2) - r2)+].
    """
    p, r = (0.5, 0.5), (0.0, 0.0)
    data = Data(torch.tensor([[0.5, 0.0]]), torch.tensor([list(p)]))
    mean, std = 0.4, 0.6
    criterion = HypervolumeImprovement(reference=r, samples=2**13)
    a = criterion(step_of(data), ModelList(OneNumber(), OneNumber()))
    x = torch.tensor([[[mean, std]]], dtype=torch.float64)
    whole = normal_improvement(mean, std, r[0])
    capped = whole - normal_improvement(mean, std, p[0])
    # The distribution of values: independent of the value at the point of the front, which is
    # certain.
    expected = whole**2 - capped**2
    # 8192 quasi-random draws; BoTorch smooths the corners of the boxes by about 1e-3.
    assert float(a(x).exp()) == pytest.approx(expected, rel=0.02)


def test_it_is_botorchs_on_the_joint_distribution(gp):
    """The same distribution by another way.

    BoTorch samples jointly over baseline and point, 4096 times.
    """
    step = step_of()
    ours = HypervolumeImprovement(reference=(-2.0, -2.0), samples=2**12)(step, gp)
    with without_compiling():
        theirs = qLogNoisyExpectedHypervolumeImprovement(
            gp, torch.tensor([-2.0, -2.0]).double(), X, prune_baseline=False,
            sampler=_list_sampler(gp, 2**12),
        )  # fmt: skip
    points = uniform(5, 1, 2, seed=9)
    scale = float(DATA.standard_units().scale.prod())  # ours is in standardized units
    left, right = ours(points).exp() * scale, theirs(points).exp()
    # both have the error of 4096 draws; improvements here have standard deviations like their
    # means
    torch.testing.assert_close(left, right, rtol=0.15, atol=1e-3)


def _list_sampler(model, n):
    from botorch.sampling.list_sampler import ListSampler
    from botorch.sampling.normal import IIDNormalSampler

    return ListSampler(*(IIDNormalSampler(torch.Size([n]), seed=j) for j in range(2)))


class TestDrawsGivenBaseline:
    @pytest.mark.parametrize("j", [0, 1])
    def test_they_have_the_distribution_of_the_model(self, gp, j):
        z = torch.randn(4000, len(X) + 1, generator=seeded(5), dtype=torch.float64)
        draws = DrawsGivenBaseline(gp.models[j], X, z, 0)
        x = uniform(1, 2, seed=8)
        values = draws.posterior(torch.cat([X, x])[None]).values[:, 0, :, 0]  # s x (b + 1)
        mean, C = gp.models[j].joint(torch.cat([X, x]))
        error = (values.mean(0) - mean).abs()
        assert (error <= 5 * (C.diagonal() / 4000).sqrt() + 1e-6).all()
        spread = values.T.cov()
        # five standard errors of a covariance of 4000 draws
        bound = 5 * (torch.outer(C.diagonal(), C.diagonal()) * 2 / 4000).sqrt()
        assert ((spread - C).abs() <= bound + 1e-9).all()

    @pytest.mark.parametrize(
        "surrogate",
        [GaussianProcess(), BayesianRVFL(), ExtremeLearning(members=20), KernelDensity()],
    )
    def test_a_point_of_the_baseline_has_its_value(self, surrogate):
        model = surrogate.fit(DATA.output(0), seeded())
        z = torch.randn(16, len(X) + 1, generator=seeded(5), dtype=torch.float64)
        draws = DrawsGivenBaseline(model, X, z, 3)
        again = draws.posterior(torch.cat([X, X[4:5]])[None]).values[:, 0, :, 0]
        # a jitter of 1e-8 of the variance, under a square root
        torch.testing.assert_close(again[:, 4], again[:, -1], atol=2e-3, rtol=0)

    def test_a_batch_is_a_loop(self, gp):
        z = torch.randn(8, len(X) + 1, generator=seeded(5), dtype=torch.float64)
        draws = DrawsGivenBaseline(gp.models[0], X, z, 0)
        points = torch.cat([X.expand(3, -1, -1), uniform(3, 1, 2, seed=8)], 1)
        together = draws.posterior(points).values
        for i in range(3):
            torch.testing.assert_close(
                draws.posterior(points[i : i + 1]).values[:, 0], together[:, i]
            )


def test_values_have_gradients(gp):
    a = HypervolumeImprovement(samples=8)(step_of(), gp)
    points = uniform(2, 1, 2, seed=9).requires_grad_()
    assert torch.autograd.gradcheck(a, points, atol=1e-4)  # of logarithms that may be large


def test_it_is_the_same_in_pieces(gp):
    a = HypervolumeImprovement()(step_of(), gp)
    points = uniform(7, 1, 2, seed=9)
    whole = a(points)
    a.rows = 2
    torch.testing.assert_close(a(points), whole)


@pytest.mark.parametrize(("a", "b"), [(1e6, 3e6), (1e-9, 0.0), (1e100, 0.0)])
def test_units_do_not_matter(gp, a, b):
    factors = torch.tensor([a, 1.0], dtype=torch.float64)
    data = Data(X, Y * factors + b)
    points = uniform(5, 1, 2, seed=9)
    left = HypervolumeImprovement()(step_of(), gp)(points)
    right = HypervolumeImprovement()(step_of(data), fitted(GaussianProcess(), data))(points)
    # the search for hyper-parameters amplifies rounding; logarithms of small numbers do as well
    torch.testing.assert_close(left, right, atol=0.05, rtol=0.02)


def test_nothing_is_drawn_from_global_generators(gp):
    with no_global_randomness():
        HypervolumeImprovement()(step_of(), gp)(X[:2, None])


def test_a_pending_point_is_not_worth_a_second_visit(gp):
    point = torch.tensor([[0.5, 0.5]], dtype=torch.float64)  # in the middle of the front
    free = HypervolumeImprovement()(step_of(), gp)(point[None])
    taken = HypervolumeImprovement()(step_of(DATA.with_pending(point)), gp)(point[None])
    assert float(taken) < float(free) - 2


def reference_of(rows):
    units = Data(torch.zeros(2, 1), torch.tensor([[-1.0, -1.0], [1.0, 1.0]])).standard_units()
    means = torch.tensor(rows, dtype=torch.float64)
    return HypervolumeImprovement()._reference(means, units).tolist()


def test_the_reference_is_a_little_below_all_means_so_that_a_front_can_grow_at_its_ends():
    # the front is the first two rows; a point at (1.0, 1.0) or (0.8, 1.2) must be worth something
    found = reference_of([[0.9, 1.1], [1.1, 0.9], [0.0, 0.2], [0.2, 0.0]])
    assert found == pytest.approx([-0.11, -0.11])


def test_outliers_do_not_move_the_reference():
    few = [[0.9, 1.1], [1.1, 0.9], [0.0, 0.2], [0.2, 0.0]]
    (first, second), (far, same) = reference_of(few), reference_of([*few, [-1e6, 0.1]])
    assert same == pytest.approx(second)
    assert first - 6 < far < first


def test_an_end_of_the_front_is_above_the_reference_however_far_away_it_is():
    rows = [[1.0, 1.0], [0.9, 0.9], [0.8, 0.8], [1.1, -100.0]]
    assert reference_of(rows)[1] < -100


def test_equal_means_have_a_reference_below_them():
    assert max(reference_of([[0.5, 0.5], [0.5, 0.5]])) < 0.5


def test_of_many_points_those_far_apart_are_kept():
    F = torch.linspace(0, 1, 11, dtype=torch.float64)[:, None].expand(-1, 2)
    assert _spread(F, 3).tolist() == [0, 5, 10]
    assert _spread(F, 20).tolist() == list(range(11))


def test_the_volume_that_is_added_is_that_of_botorchs_sweep():
    """Certain values: no draw differs, and the improvement is a difference of two volumes."""
    data = Data(torch.tensor([[0.2, 0.0], [0.7, 0.0]]), torch.tensor([[0.2, 0.2], [0.7, 0.7]]))
    a = HypervolumeImprovement(reference=(0.0, 0.0), samples=4)(
        step_of(data), ModelList(OneNumber(), OneNumber())
    )
    x = torch.tensor([[[0.9, 0.0]]], dtype=torch.float64)
    units = data.standard_units()
    sweep = Hypervolume(units.numbers(torch.zeros(2).double()))
    before = sweep.compute(units.numbers(torch.tensor([[0.7, 0.7]]).double()))
    after = sweep.compute(units.numbers(torch.tensor([[0.9, 0.9]]).double()))
    # BoTorch's smooth minimum and maximum of the boxes move it by about 1e-3
    assert float(a(x).exp()) == pytest.approx(after - before, rel=0.02)
