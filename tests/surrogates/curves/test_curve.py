"""What is read of a trial's reports, and the scales of both axes."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralbo.surrogates.curves.curve import MOST_REPORTS, Curve
from neuralbo.surrogates.curves.curve_model import results_of
from neuralbo.surrogates.curves.step_scale import StepScale
from neuralbo.surrogates.curves.value_scale import FARTHEST, ValueScale

POINT = torch.tensor([0.5]).double()


def curve(reports, **settings):
    return Curve.of(POINT, reports, **settings)


def test_reports_are_read_in_the_order_of_their_steps_and_larger_is_better():
    read = curve({7: 1.0, 2: 3.0, 4: 2.0}, sign=-1.0)
    assert read.steps.tolist() == [2, 4, 7]
    assert read.values.tolist() == [-3, -2, -1]


def test_a_nan_in_the_middle_was_not_measured():
    read = curve({0: math.nan, 1: 2.0, 2: math.inf, 3: 1.0})
    assert read.steps.tolist() == [1, 3] and not read.has_diverged


@pytest.mark.parametrize("last", [math.nan, math.inf, -math.inf])
def test_a_last_value_that_is_no_number_is_a_divergence(last):
    assert curve({0: 1.0, 1: last}).has_diverged
    assert curve({0: last}).has_diverged and curve({0: last}).n == 0


def test_nothing_reported_is_no_divergence():
    assert curve({}).n == 0 and not curve({}).has_diverged


def test_of_very_many_reports_some_are_read_the_first_and_the_last_among_them():
    read = curve({step: float(step) for step in range(10_000)})
    assert read.n == MOST_REPORTS
    assert read.steps[[0, -1]].tolist() == [0, 9999]
    assert read.steps.diff().amax() <= 52


def test_a_curve_until_a_report_has_not_ended_yet():
    whole = curve({0: 1.0, 1: 2.0, 2: math.nan}, has_ended=True)
    assert whole.until(5).has_ended and whole.until(5).has_diverged
    assert not whole.until(1).has_ended and not whole.until(1).has_diverged


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("gap", [1, 100, 10**6])
def test_shares_of_the_way_depend_on_neither_unit_nor_origin(first, gap):
    steps = [gap * (first + i) for i in range(10)]
    scale = StepScale.of([curve(dict.fromkeys(steps, 0.0), has_ended=True)])
    shares = scale.share(torch.tensor(steps).double())
    torch.testing.assert_close(shares, torch.arange(1, 11).double() / 10)


def test_the_end_is_that_of_the_trials_that_ended():
    short, whole = curve({0: 1.0, 90: 1.0}), curve({0: 1.0, 1: 1.0, 30: 1.0}, has_ended=True)
    assert StepScale.of([short, whole]).last == 30
    assert StepScale.of([short]).last == 90
    assert StepScale.of([short, whole], last=50).last == 50
    assert float(StepScale(30).share(torch.tensor(90.0))) == 1


def test_the_first_coefficient_is_the_value_at_the_end():
    basis = StepScale(50.0, 1.0).basis(torch.tensor([50.0, 80.0]).double())
    assert torch.equal(basis[0], torch.eye(basis.shape[-1]).double()[0])
    assert torch.equal(basis[1], basis[0])


def test_other_functions_fall_from_one_to_nothing_one_after_the_other():
    scale = StepScale(64.0)
    at_knots = scale.basis(torch.tensor([2.0, 4.0, 8.0, 16.0, 32.0, 48.0, 64.0]).double())
    expected = torch.cat([torch.ones(7, 1), torch.ones(7, 6).triu()], -1).double()
    torch.testing.assert_close(at_knots, expected)


values = st.floats(-1e12, 1e12)


@given(values, values, st.lists(values, min_size=1, max_size=5))
def test_the_scale_of_values_keeps_their_order_and_is_undone(a, b, results):
    scale = ValueScale.of(torch.tensor(results).double())
    za, zb = scale(torch.tensor([a, b]).double())
    assert (za <= zb) == (a <= b) or za == zb
    lowest = scale.best - FARTHEST * scale.spread
    if lowest < a < scale.best + 1e6 * scale.spread:
        back = float(scale.values(za))
        assert back == pytest.approx(a, rel=1e-6, abs=1e-6 * max(scale.spread, abs(scale.best)))


def test_what_has_exploded_is_bad_however_far_it_went():
    scale = ValueScale.of(torch.tensor([0.0, -1.0, -2.0]).double())
    far = scale(torch.tensor([-1e3, -1e300, -math.inf]).double())
    assert far.tolist() == [scale.worst] * 3


def test_equal_results_have_a_scale():
    assert ValueScale.of(torch.tensor([3.0, 3.0]).double()).spread > 0
    assert ValueScale.of(torch.tensor([0.0]).double()).spread > 0


def test_results_are_those_of_trials_that_ended_well():
    ended = curve({0: 1.0, 1: 2.0}, has_ended=True)
    diverged = curve({0: 9.0, 1: math.nan}, has_ended=True)
    assert results_of([curve({0: 5.0}), ended, diverged]).tolist() == [2.0]
    assert results_of([curve({0: 5.0}), curve({})]).tolist() == [5.0]
