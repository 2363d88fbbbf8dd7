"""The bounding range has every value of both, and no coarser grid has."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import create_trial

from neuralbo.interfaces.optuna.parameter_ranges import FINEST, union


def bounding_range(*distributions):
    trials = [
        create_trial(params={"x": first(d)}, distributions={"x": d}, value=0.0)
        for d in distributions
    ]
    return union(trials).get("x")


def first(distribution):
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[0]
    return distribution.low


def values(d):
    return set(range(d.low, d.high + 1, d.step))


grids = st.builds(
    lambda low, steps, step: IntDistribution(low, low + steps * step, step=step),
    st.integers(-20, 20),
    st.integers(0, 8),
    st.integers(1, 9),
)


@given(grids, grids)
def test_the_bounding_range_of_integers_is_the_coarsest_grid_with_all_values(a, b):
    found, needed = bounding_range(a, b), values(a) | values(b)
    assert needed <= values(found)
    assert (found.low, found.high) == (min(needed), max(needed))
    for step in range(found.step + 1, found.high - found.low + 1):  # none coarser has them all
        assert not needed <= set(range(found.low, found.high + 1, step))


@given(st.permutations([IntDistribution(0, 8, step=4), IntDistribution(6, 10, step=2),
                        IntDistribution(20, 20)]))  # fmt: skip
def test_the_order_of_the_trials_does_not_matter(distributions):
    assert bounding_range(*distributions) == IntDistribution(0, 20, step=2)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((0, 1, 0.25), (0.5, 2, 0.25), (0, 2, 0.25)),
        ((0, 1, 0.1), (0.05, 0.25, 0.1), (0, 1, 0.05)),
        ((0, 0.3, 0.1), (0.3, 0.9, 0.3), (0, 0.9, 0.1)),
        ((0, 1, 0.1), (0, 2, None), (0, 2, None)),
    ],
)
def test_a_float_keeps_its_step(a, b, expected):
    low, high, step = expected
    both = [FloatDistribution(low, high, step=step) for low, high, step in (a, b)]
    for pair in itertools.permutations(both):
        assert bounding_range(*pair) == FloatDistribution(low, high, step=step)


@pytest.mark.parametrize("kind", [IntDistribution, FloatDistribution])
def test_single_values_on_a_logarithmic_axis_have_a_bounding_range(kind):
    assert bounding_range(kind(2, 2, log=True), kind(8, 8, log=True)) == kind(2, 8, log=True)


def test_a_grid_that_would_be_too_fine_is_given_up():
    assert 1 / 0.00003 > FINEST
    found = bounding_range(
        FloatDistribution(0, 1, step=0.5), FloatDistribution(0.00003, 0.50003, step=0.5)
    )
    assert found.step is None


def test_what_changed_its_kind_is_left_out():
    assert bounding_range(FloatDistribution(1, 2), FloatDistribution(1, 2, log=True)) is None
