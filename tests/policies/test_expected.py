"""What learning curves tell of pruned and pending points, and what is believed then."""

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Multistart
from neuralbo.policies import Standard, TrustRegion
from neuralbo.policies.box import Box
from neuralbo.policies.output_warp import OutputWarp
from neuralbo.policies.standard import believe, by_curves
from neuralbo.surrogates import BayesianRVFL
from neuralbo.surrogates.classifiers.classifier_presets import BORE
from neuralbo.testing.toys import SQUARE, multimodal, uniform


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def data_with(pruned, pending, expected):
    X = uniform(12, 2, seed=1)
    data = Data(X, multimodal(X), X_pending=pending, X_censored=pruned,
                Y_censored=torch.full((len(pruned), 1), -torch.inf))  # fmt: skip
    return data.with_expected(torch.cat([pending, pruned]), expected)


@pytest.fixture
def data():
    return data_with(numbers([0.2, 0.3]), numbers([0.7, 0.6]), numbers([2.0, 0.5], [-1.0, 1e-12]))


def test_model_and_curve_are_multiplied_as_two_normal_densities(data):
    X, Y = data.X_expected, numbers([5.0], [6.0])
    means, variances = numbers([1.0], [1.0]), numbers([1.5], [1.5])
    found = by_curves(data, X, Y, means, variances)
    # N(1, 1.5) N(2, 0.5): the mean of all of it, on a grid
    grid = torch.linspace(-20, 20, 200_001).double()
    log_density = -((grid - 1) ** 2) / 3 - (grid - 2) ** 2
    weights = torch.softmax(log_density, 0)
    assert float(found[0]) == pytest.approx(float((weights * grid).sum()), abs=1e-6)
    assert float(found[1]) == pytest.approx(-1.0, abs=1e-6)  # the curve is certain


def test_points_without_a_curve_keep_what_they_had(data):
    X = torch.cat([numbers([0.9, 0.9]), data.X_expected[:1]])
    found = by_curves(data, X, numbers([5.0], [6.0]))
    assert found.flatten().tolist() == [5.0, 2.0]
    bare = data.with_expected(data.X_expected[:0], data.expected[:0])
    assert torch.equal(by_curves(bare, X, numbers([5.0], [6.0])), numbers([5.0], [6.0]))


def test_the_believed_values_are_those_of_the_curves(data):
    surrogate = BayesianRVFL(units=20)
    step = Step.of(data, SQUARE, seed=0, number=12)
    believing, _ = believe(surrogate, step, step.fit(surrogate, data))
    assert len(believing.data.believed) == 2
    assert float(believing.data.believed[1]) == pytest.approx(-1.0, abs=1e-6)


def test_to_a_classifier_a_curve_is_its_mean(data):
    step = Step.of(data, SQUARE, seed=0, number=12)
    believing, _ = believe(BORE, step, step.fit(BORE, data))
    assert believing.data.Y[-2:].flatten().tolist() == [2.0, -1.0]


def test_a_warp_of_the_outputs_bends_expectations_with_them(data):
    warp = OutputWarp.of(data.Y, 3.0)
    mean, variance = numbers([0.5], [-1.0]), 1e-6
    warped = warp.warped(data.with_expected(
        data.X_expected, torch.cat([mean, torch.full_like(mean, variance)], -1)
    ))  # fmt: skip
    assert torch.equal(warped.expected[:, :1], warp(mean))
    sides = (warp(mean + 1e-4) - warp(mean - 1e-4)) / 2e-4
    torch.testing.assert_close(
        warped.expected[:, 1:], variance * sides.square(), rtol=1e-5, atol=0
    )


def test_expectations_go_with_their_points_into_a_box(data):
    box = Box.around(numbers(0.3, 0.4), 0.5, [0, 1])
    near = TrustRegion(Standard(BayesianRVFL(), None, Multistart()), side=0.4).nearby(data, box)
    assert torch.equal(near.expected, data.expected)
    assert torch.equal(near.X_expected, box.into(data.X_expected))
