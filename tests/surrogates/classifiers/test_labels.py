"""Which observations are good ones."""

import math

import numpy as np
import pytest
import torch
from torch import tensor

from neuralbo.surrogates.classifiers.labels import label, quantile
from neuralbo.testing.toys import seeded, uniform

GAMMAS = (0.1, 0.25, 1 / 3, 0.5, 0.9)


def values(n, seed=0):
    return torch.randn(n, generator=seeded(seed), dtype=torch.float64)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 100])
def test_the_threshold_is_the_quantile_of_numpy(n, gamma):
    y = values(n)
    expected = -np.quantile(-y.numpy(), gamma)  # of values that are to be small
    assert quantile(y, gamma) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_good_ones_are_the_best_of_a_sorted_list(gamma):
    for n in range(2, 60):
        y = values(n, n)
        good = math.floor(gamma * (n - 1) + 1e-9) + 1
        expected = torch.zeros_like(y)
        expected[y.argsort(descending=True)[:good]] = 1
        assert torch.equal(label(y, gamma).z, expected)


def test_a_third_of_6_to_100_values_is_between_033_and_043():
    """Positives stay within [0.333, 0.429]."""
    shares = [float(label(values(n, n), 1 / 3).z.mean()) for n in range(6, 101)]
    assert min(shares) >= 1 / 3 - 1e-12 and max(shares) == pytest.approx(3 / 7)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_one_more_value_changes_the_class_of_at_most_one_old_one(gamma):
    """Hassen and Rish (2021), Sec. 5.3, made precise."""
    y = values(120)
    flips = [
        float((label(y[: n + 1], gamma).z[:n] != label(y[:n], gamma).z).sum())
        for n in range(2, 119)
    ]
    assert max(flips) == 1


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize(
    "y",
    [[1.0, 0, 0, 0, 0, 0], [1.0, 1, 1, 1, 1, 0], [2.0, 2, 1, 1, 0, 0], [0.0, 5.0], [1.0, 1, 0, 0]],
)
def test_unless_all_are_equal_both_classes_have_a_member(y, gamma):
    y = tensor(y).double()
    z = label(y, gamma).z
    assert 0 < z.sum() < len(y)
    assert y[z == 1].min() > y[z == 0].max()  # equal values have equal classes


@pytest.mark.parametrize("n", [1, 8])
def test_constant_values_have_no_good_one_and_say_so(n):
    labels = label(torch.full((n,), 3.0).double(), 1 / 3)
    assert labels.is_constant
    assert not labels.z.any()
    assert labels.threshold == 3.0


def test_equal_weights_are_the_classes():
    labels = label(values(20), 1 / 3)
    assert torch.equal(labels.a, labels.z)
    assert torch.equal(labels.b, 1 - labels.z)


def test_balanced_classes_count_the_same():
    labels = label(values(20), 0.1, "balanced")
    assert labels.a.sum() == pytest.approx(10) and labels.b.sum() == pytest.approx(10)
    assert torch.equal(labels.a > 0, labels.z == 1)


def test_improvements_count_in_proportion_and_all_count_as_others():
    y = values(20)
    labels = label(y, 1 / 3, "improvement")
    gain = (y - labels.threshold).clamp(min=0)
    torch.testing.assert_close(labels.a, gain * labels.z.sum() / gain.sum())
    assert torch.equal(labels.b, torch.ones_like(y))


@pytest.mark.parametrize("weighting", ["equal", "balanced", "improvement"])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_units_change_nothing(weighting, scale):
    y = uniform(15)
    there, here = label(scale * y, 1 / 3, weighting), label(y, 1 / 3, weighting)
    torch.testing.assert_close(there.a, here.a)
    torch.testing.assert_close(there.b, here.b)


@pytest.mark.parametrize("gamma", [0.0, 1.0, -1.0, math.nan])
def test_a_share_that_is_none_is_refused(gamma):
    with pytest.raises(ValueError, match="gamma must be between"):
        label(values(3), gamma)
