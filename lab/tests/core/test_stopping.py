"""The stop rules, on histories made by hand."""

import math

import pytest

from neuralbo_lab.core.stopping import (
    Budget,
    Evaluated,
    NoExpectedImprovement,
    ProposedAgain,
    Restarting,
    TargetReached,
    Time,
    best_of,
    reason_to_stop,
)


def history(*points, values=None, seconds=1.0):
    """Return evaluations in one dimension; the value is the point unless given."""
    values = points if values is None else values
    pairs = zip(points, values, strict=True)
    return [Evaluated((x,), value, seconds) for x, value in pairs]


RULES = [Budget(1), Time(1.0), TargetReached(0.0), ProposedAgain(), NoExpectedImprovement()]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_nothing_evaluated_is_no_reason(rule):
    assert rule.should_stop([]) is None


def test_the_budget_counts_failures_too():
    past = history(0.1, 0.2, 0.3, values=[1.0, None, 2.0])
    assert Budget(4).should_stop(past) is None
    assert Budget(3).should_stop(past) == "3 evaluations were made, the budget is 3"


def test_the_time_is_that_of_all_trials():
    past = history(0.1, 0.2, 0.3, seconds=0.5)
    assert Time(1.6).should_stop(past) is None
    assert Time(1.5).should_stop(past) == "1.5 seconds were spent, the limit is 1.5"


def test_the_target_is_reached_by_any_trial():
    past = history(0.1, 0.2, 0.3, values=[5.0, 1.0, None])
    assert TargetReached(0.9).should_stop(past) is None
    assert TargetReached(0.9, tolerance=0.2).should_stop(past) == "1 reaches the target 0.9"
    assert TargetReached(1.0).should_stop(past) is not None


def test_failures_reach_no_target():
    assert TargetReached(1.0).should_stop(history(0.1, values=[None])) is None


@pytest.mark.parametrize(("shift", "stops"), [(0.0, True), (0.9e-8, True), (1.1e-8, False)])
def test_a_point_is_the_same_within_the_tolerance(shift, stops):
    past = history(0.3, 0.5, 0.3 + shift)
    reason = ProposedAgain().should_stop(past)
    assert (reason == "the point of evaluation 0 was proposed again") == stops


def test_a_point_is_the_same_only_if_all_columns_are():
    past = [Evaluated((0.1, 0.2), 1.0), Evaluated((0.1, 0.3), 1.0)]
    assert ProposedAgain().should_stop(past) is None
    assert ProposedAgain(tolerance=0.2).should_stop(past) is not None


def test_only_the_last_point_counts_as_proposed_again():
    assert ProposedAgain().should_stop(history(0.3, 0.3, 0.5)) is None


def last(criterion, value):
    return [Evaluated((0.1,), 1.0, 1.0, {"criterion": criterion, "criterion_value": value})]


@pytest.mark.parametrize(
    ("criterion", "value", "stops"),
    [
        ("ExpectedImprovement", 0.0, True),
        ("ExpectedImprovement", 1e-300, False),
        ("LogExpectedImprovement", -1e4, True),  # its exponential is no float64 above zero
        ("LogExpectedImprovement", -100.0, False),
        ("LogExpectedImprovement", 1e4, False),
        ("UpperBound", -1.0, False),
    ],
)
def test_no_expected_improvement_is_an_improvement_of_zero(criterion, value, stops):
    assert (NoExpectedImprovement().should_stop(last(criterion, value)) is not None) == stops


def test_an_improvement_can_be_too_small():
    rule = NoExpectedImprovement(smallest=1e-6)
    assert rule.should_stop(last("LogExpectedImprovement", math.log(1e-7))) is not None
    assert rule.should_stop(last("LogExpectedImprovement", math.log(1e-5))) is None


def test_a_trial_without_a_criterion_goes_on():
    assert NoExpectedImprovement().should_stop(history(0.1)) is None


def test_the_first_reason_is_the_one_given():
    past = history(0.1, 0.2)
    assert "budget" in reason_to_stop([TargetReached(-1), Budget(2), Time(0)], past)
    assert reason_to_stop([Budget(3)], past) is None


def test_a_point_proposed_again_begins_a_new_run():
    runs = Restarting((ProposedAgain(),))
    past = history(0.1, 0.2, 0.1, 0.1, 0.4)  # the fourth point is new to the second run
    assert runs.begins(past) == [0, 3]
    assert list(runs.current(past)) == past[3:]


def test_a_run_begins_with_random_points():
    runs = Restarting((Budget(4),), start=2)
    flags = [runs.is_initial(history(*[i / 10 for i in range(n)])) for n in range(9)]
    assert flags == [True, True, False, False, True, True, False, False, True]


def test_the_best_value_is_carried_over():
    past = history(0.1, 0.2, 0.1, 0.9, 0.8)
    assert best_of(past) == 0.1
    assert best_of(Restarting((ProposedAgain(),)).current(past)) == 0.8
    assert best_of(history(0.1, values=[None])) is None
