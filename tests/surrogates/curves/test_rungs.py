"""Rungs: who goes on, and how often a good trial does not."""

import math

import numpy as np
import pytest
import torch

from neuralbo.surrogates.curves.rungs import SHARES, Rungs, rung_steps, values_at
from neuralbo.surrogates.curves.step_scale import StepScale

BEGINS = [0.0, 1.0, 2.0]


def rungs_of(rows, results=(), ended=(), keep=0.25, level=0.2):
    """Return rungs of trials with one objective."""
    values = [np.array(row, dtype=float)[:, None] for row in rows]
    results = torch.tensor(results, dtype=torch.float64).reshape(-1, 1)
    return Rungs.of(BEGINS, values, ended, results, keep, level)


def column(*values):
    return np.array(values, dtype=float)[:, None]


@pytest.mark.parametrize(("first", "gap"), [(0, 1), (1, 1), (0, 1_000_000), (50, 50)])
def test_rungs_are_at_shares_of_the_way_in_any_unit(first, gap):
    scale = StepScale(first + 26 * gap, gap - first)  # 27 steps
    reported = {first + k * gap: float(k) for k in range(27)}
    assert values_at(rung_steps(scale), reported, 1.0) == [27 * share - 1 for share in SHARES]


def test_the_first_report_from_a_rung_on_counts_and_what_is_no_number_is_worst():
    assert values_at([1.0, 4.0, 8.0], {0: 1.0, 3: 2.0, 5: math.nan, 7: 9.0}, -1.0) == [
        -2.0,
        -math.inf,
    ]


def goes_on(value, others, factor):
    """Return what Optuna's successive halving says, by its own rule."""
    competing = sorted([*others, value], reverse=True)
    return value >= competing[max(len(competing) // factor, 1) - 1]


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_it_is_the_rule_of_successive_halving_where_nothing_was_learnt(factor):
    rng = np.random.default_rng(factor)
    for n in range(14):
        others = rng.integers(0, 6, n).astype(float)  # ties among them
        rungs = rungs_of([[value] for value in others], keep=1 / factor)
        for value in range(-1, 8):
            assert rungs.is_behind(column(value)) == (not goes_on(value, others, factor))


def test_trials_are_compared_at_the_last_rung_that_they_have_reached():
    rungs = rungs_of([[9.0], [9.0], [9.0, 1.0], [9.0, 2.0, 1.0]])
    assert rungs.is_behind(column(5.0)) and not rungs.is_behind(column(5.0, 3.0))
    assert rungs.is_behind(column(10.0, 0.0)) and not rungs.is_behind(column(0.0, 0.0, 2.0))
    assert not rungs.is_behind(np.empty((0, 1)))
    assert rungs.standing(column(0.0, 1.5)) == (1, 2)


def test_of_several_objectives_better_is_better_in_all():
    rows = [np.array([[x, 3.0 - x]]) for x in (0.0, 1.0, 2.0, 3.0)]
    rungs = Rungs.of([0.0], rows, [], torch.empty(0, 2).double(), 0.25, 0.2)
    assert not rungs.is_behind(np.array([[-1.0, 4.0]]))
    assert rungs.is_behind(np.array([[0.5, 0.5]]))


def test_where_good_trials_begin_slowly_more_go_on():
    results = list(range(20))
    alike = rungs_of([[r, r] for r in results], results, range(20))
    assert alike.most_better == 0.25
    slow = rungs_of([[-r, r] for r in results], results, range(20))  # turned around at first
    assert slow.most_better == 0.9  # of the best seven only one began still later
    assert slow.is_behind(column(-17.5)) and not slow.is_behind(column(-16.5))


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("level", [0.1, 0.3])
def test_of_the_good_at_most_a_share_is_stopped_at_any_rung(spread, level):
    rng, stopped, studies = np.random.default_rng(1), [], 400
    for _ in range(studies):
        results = rng.standard_normal(40)
        rows = results[:, None] + spread * rng.standard_normal((40, 3)) * [1.0, 0.5, 0.2]
        rungs = rungs_of(rows[:-1], results[:-1], range(39), level=level)
        if (results[:-1] > results[-1]).sum() < 13:  # the last trial is among the best third
            own = rows[-1]
            stopped.append(any(rungs.is_behind(column(*own[:k])) for k in (1, 2, 3)))
    share, n = np.mean(stopped), len(stopped)
    # five standard errors; the scores taken to have been seen are below, and 5 of about 18
    assert share < level * (1 + 5 / 13) + 5 * (level * (1 - level) / n) ** 0.5
