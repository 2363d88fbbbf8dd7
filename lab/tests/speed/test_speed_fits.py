"""Fits and searches beside BoTorch's and SciPy's, in small."""

import pytest
import torch
from neuralbo.data import input_units
from neuralbo.engine.step import generator
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.gaussian_process import Search
from neuralbo.surrogates.gp.kernels import Within

from neuralbo_lab.speed import fits


def test_ratios_and_goals_are_of_the_seconds():
    found = fits.measured({20: (0.1, 0.4)}, {20: (0.3, 0.2, 0.5)})
    assert found.figures["milliseconds of a fit"]["20"]["BoTorch / gp"] == pytest.approx(4)
    assert [goal.measured for goal in found.goals] == pytest.approx([0.25, 1.5])
    assert [goal.holds for goal in found.goals] == [True, False]


def test_both_searches_reach_the_same_evidence():
    data, recipe = fits.data_of(20, 1), GaussianProcess()
    inputs = input_units(recipe.inputs, data.X)
    y = data.standard_units().numbers(data.Y).squeeze(-1)
    settings = [*recipe.kernel.settings(fits.D), recipe.noise]
    search = Search(recipe, Within(inputs.numbers(data.X)), y, settings)
    starts = search.starts(4, generator(0, 2))
    ours, peer = fits.by_quasi_newton(search, starts), fits.by_scipy(search, starts)
    assert ours.shape == peer.shape == (6,)
    torch.testing.assert_close(ours.amin(), peer.amin(), atol=0.02, rtol=0)


def test_jobs_take_turns():
    order = []
    seconds = fits.in_turns([lambda: order.append("a"), lambda: order.append("b")], 2)
    assert order == ["a", "b"] * 3 and len(seconds) == 2
