"""Galleries: models and criteria of a run, made again from its lines."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from study_runs import finish

pytest.importorskip("matplotlib")
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.surrogates.surrogate import moments_of

from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import read
from neuralbo_lab.pages.galleries import MOST, PANELS, SLOW, shown_methods, views_1d, views_2d
from neuralbo_lab.problems import find

LINE = OptimizationStudy(
    name="line", reproduces="nothing", problems=("kruse-test1",), trials=8, start=4, seeds=1,
    methods=("gp/log_ei", "brvfl4", "brvfl4/log_ei", "random", "tpe"),
)  # fmt: skip
PLANE = OptimizationStudy(
    name="plane", reproduces="nothing", problems=("branin",), trials=12, start=4, seeds=1,
    methods=("gp/log_ei", "random", "tpe"),
)  # fmt: skip


def finished(study, root):
    finish(study, root)
    return read(study, root)


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    return finished(LINE, tmp_path_factory.mktemp("line"))


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    return finished(PLANE, tmp_path_factory.mktemp("plane"))


def trials_of(results, method):
    (run,) = results.of(results.study.problems[0], method)
    return run.trials


def test_slow_methods_and_peers_are_not_shown_and_a_page_has_a_bounded_number(line, monkeypatch):
    ours = ("gp/log_ei", "brvfl4", "brvfl4/log_ei", "random")
    assert shown_methods(line, "kruse-test1") == ours and len(ours) < MOST
    cell = Cell("kruse-test1", "brvfl4", 0)
    slow = replace(line, runs=line.runs | {cell: replace(line.runs[cell], seconds=SLOW)})
    assert shown_methods(slow, "kruse-test1") == (ours[0], *ours[2:])
    monkeypatch.setattr("neuralbo_lab.pages.galleries.MOST", 2)
    assert shown_methods(line, "kruse-test1") == ours[:2]


def test_a_step_in_a_box_shows_the_criterion_there_only(line):
    trials = trials_of(line, "brvfl4")
    for number, view in views_1d(line, "kruse-test1", "brvfl4").items():
        is_local = "side" in trials[number]["facts"]
        assert np.isnan(view.criterion).any() == is_local
        assert np.nanmax(view.criterion) <= trials[number]["facts"]["criterion_value"] + 1e-6


@pytest.mark.parametrize("method", ["gp/log_ei", "brvfl4/log_ei"])
def test_the_model_of_a_step_is_that_of_an_optimizer_that_was_told_the_same(line, method):
    trials = trials_of(line, method)
    views = views_1d(line, "kruse-test1", method)
    assert list(views) == [4, 5, 6, 7]
    for number, view in views.items():
        opt = Optimizer(find("kruse-test1").space(), surrogate=method.split("/")[0], seed=0)
        for trial in trials[:number]:
            opt.tell(trial["params"], trial["value"])
        X = torch.as_tensor((view.x + 100) / 200)[:, None, None]
        with torch.no_grad():
            mean, variance = moments_of(opt.model.posterior(X))
        np.testing.assert_allclose(view.mean, mean.reshape(-1).numpy())
        half = 1.959964 * variance.sqrt().reshape(-1).numpy()  # the normal 97.5 % quantile
        np.testing.assert_allclose(view.high[0] - view.low[0], 2 * half, rtol=1e-6)


@pytest.mark.parametrize("method", ["gp/log_ei", "brvfl4"])
def test_a_step_shows_the_trials_before_it_and_proposes_its_own(line, method):
    trials = trials_of(line, method)
    for number, view in views_1d(line, "kruse-test1", method).items():
        before = [trial["params"]["x0"] for trial in trials[:number]]
        np.testing.assert_allclose(view.data_x, before)
        np.testing.assert_allclose(view.data_y, [trial["value"] for trial in trials[:number]])
        assert view.proposal == pytest.approx(trials[number]["params"]["x0"])


def test_the_criterion_at_the_proposal_is_the_recorded_one_and_nowhere_higher(line):
    trials = trials_of(line, "gp/log_ei")
    for number, view in views_1d(line, "kruse-test1", "gp/log_ei").items():
        recorded = trials[number]["facts"]["criterion_value"]
        near = np.interp(view.proposal, view.x, view.criterion)
        assert near == pytest.approx(recorded, abs=0.1)  # between places of the line
        assert view.criterion.max() <= recorded + 1e-6


@pytest.mark.parametrize("method", ["random", "tpe"])
def test_what_has_no_model_gives_nothing(line, plane, method):
    assert views_1d(line, "kruse-test1", method) == {}
    assert views_2d(plane, "branin", method) == {}


def test_a_run_that_is_not_made_gives_nothing(line):
    assert views_1d(line, "kruse-test1", "gp/log_ei", seed=7) == {}


def test_of_many_steps_some_are_shown_the_first_and_the_last_among_them(plane):
    shown = list(views_2d(plane, "branin", "gp/log_ei"))
    assert len(shown) == PANELS
    assert (shown[0], shown[-1]) == (4, 11)


def test_the_criterion_on_the_plane_has_its_maximum_near_the_proposal(plane):
    trials = trials_of(plane, "gp/log_ei")
    for number, view in views_2d(plane, "branin", "gp/log_ei").items():
        point = trials[number]["params"]
        np.testing.assert_allclose(view.proposal, [point["x0"], point["x1"]])
        assert view.criterion.max() <= trials[number]["facts"]["criterion_value"] + 1e-6
        row, column = (np.abs(axis - at).argmin() for axis, at in
                       ((view.y, point["x1"]), (view.x, point["x0"])))  # fmt: skip
        around = view.criterion[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
        # a peak narrower than the grid may be lower on it: in the best tenth of the plane
        assert around.max() >= np.quantile(view.criterion, 0.9)


def test_initial_points_are_marked_on_the_plane(plane):
    for number, view in views_2d(plane, "branin", "gp/log_ei").items():
        assert view.is_initial.tolist() == [i < 4 for i in range(number)]
