"""Figures of models, criteria and functions, and the views that they are made of."""

import math

import numpy as np
import pytest
import torch
from neuralbo.criteria import ExpectedImprovement
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.posteriors import Field, FunctionDraws, GaussianMixture, Marginals
from neuralbo.space import Space
from neuralbo.surrogates import GaussianProcess
from neuralbo.testing.toys import seeded, uniform
from scipy.special import ndtr

from neuralbo_lab.figures.views import (
    CELLS,
    TAIL,
    Frame,
    distribution_at_points,
    highest_density_intervals,
    view_1d,
    view_2d,
)
from neuralbo_lab.problems import branin, find, rosenbrock

pytest.importorskip("matplotlib")
from neuralbo_lab import figures
from neuralbo_lab.figures import View1D, View2D


def mixture(means, stds, weights=(1.0, 1.0)):
    """Return a mixture at one point."""
    parts = (torch.tensor([part], dtype=torch.float64) for part in (weights, means, stds))
    weight, mean, std = parts
    return GaussianMixture(weight.log(), mean, std)


def mass(distribution, low, high):
    """Integrate the density over intervals, by quadrature."""
    total = 0.0
    for a, b in zip(low, high, strict=True):
        y = np.linspace(a, b, 4001)
        density = distribution.log_density(torch.as_tensor(y)[:, None]).exp().numpy()[:, 0]
        total += np.trapezoid(density, y)
    return total


def by_label(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


# the region


@pytest.mark.parametrize("stds", [(0.5, 0.5), (0.1, 1.0), (1e-3, 0.5)])
def test_the_region_of_two_modes_is_two_intervals_of_95_percent(stds):
    distribution = mixture((-4.0, 4.0), stds)
    low, high = highest_density_intervals(distribution)
    assert low.shape == high.shape == (2, 1)
    assert low[0, 0] < -4 < high[0, 0] < low[1, 0] < 4 < high[1, 0]
    # whole cells: of two modes at most so many are beyond what is needed
    assert 0.95 <= mass(distribution, low[:, 0], high[:, 0]) + 1e-6 < 0.96


def test_the_region_of_two_modes_is_the_shortest():
    distribution = mixture((-4.0, 4.0), (0.5, 1.0), (1.0, 3.0))
    low, high = highest_density_intervals(distribution)
    ends = torch.as_tensor(np.concatenate([low[:, 0], high[:, 0]]))[:, None]
    density = distribution.log_density(ends).exp()
    cell = float(
        distribution.quantile(torch.tensor([1 - TAIL]))
        - distribution.quantile(torch.tensor([TAIL]))
    )
    steepest = 0.25 / 0.5**2 * 0.25  # largest gradient of the density, |phi'| <= 0.25
    assert float(density.max() - density.min()) < 2 * steepest * cell / CELLS


def test_the_region_of_a_gaussian_is_its_central_interval():
    distribution = mixture((1.0, 1.0), (2.0, 2.0))
    (low,), (high,) = highest_density_intervals(distribution)
    np.testing.assert_allclose([low[0], high[0]], [1 - 3.92, 1 + 3.92], atol=2 * 13.2 / CELLS)


def test_places_with_fewer_intervals_have_none_behind_them():
    means = torch.tensor([[0.0, 0.0], [-4.0, 4.0], [0.1, 0.0]], dtype=torch.float64)
    distribution = GaussianMixture(torch.zeros_like(means), means, torch.full_like(means, 0.5))
    low, high = highest_density_intervals(distribution)
    assert np.isnan(low).tolist() == [[False] * 3, [True, False, True]]
    assert np.array_equal(np.isnan(low), np.isnan(high))


def test_the_distribution_of_a_mixture_is_its_own_and_of_draws_that_of_its_moments():
    means = torch.tensor([[[0.0, 3.0]], [[1.0, 5.0]]], dtype=torch.float64)  # b x q x k
    distribution = GaussianMixture(torch.zeros_like(means), means, torch.ones_like(means))
    field = Field.draw(1, seeded(), features=4)
    posterior = Marginals(distribution, field.features(uniform(2, 1, 1)))
    assert torch.equal(distribution_at_points(posterior).means, means[:, 0])
    draws = FunctionDraws(uniform(7, 2, 1, 1))
    torch.testing.assert_close(distribution_at_points(draws).mean, draws.mean[:, 0, 0])
    torch.testing.assert_close(distribution_at_points(draws).variance, draws.variance[:, 0, 0])


# views


@pytest.fixture(scope="module")
def line():
    problem = find("kruse-test1")
    X = torch.tensor([[0.0], [0.2], [0.45], [0.7], [0.9]], dtype=torch.float64)
    data = Data(X, -problem.f(problem.low + (problem.high - problem.low) * X)[:, None])
    return problem, data, GaussianProcess().fit(data, seeded())


def test_a_view_of_a_line_is_in_the_units_and_the_sign_of_the_user(line):
    problem, data, model = line
    step = Step.of(data, Space(problem.space()).domain, seed=0, number=5)
    criterion = ExpectedImprovement()(step, model)
    view = view_1d(model, criterion, data, Frame(problem), torch.tensor([0.25]).double())
    assert (view.x[0], view.x[-1], view.proposal) == (-100, 100, -50)
    np.testing.assert_allclose(view.data_y, problem.f(torch.as_tensor(view.data_x)[:, None]))
    np.testing.assert_allclose(view.truth, problem.f(torch.as_tensor(view.x)[:, None]))
    U = torch.as_tensor((view.x[[7, 99]] + 100) / 200)[:, None, None]
    posterior = model.posterior(U)
    np.testing.assert_allclose(view.mean[[7, 99]], -posterior.mean.detach().flatten())
    reach = 1.959964 * posterior.variance.detach().flatten().sqrt().numpy()
    np.testing.assert_allclose(view.low[0, [7, 99]], view.mean[[7, 99]] - reach, rtol=1e-6)
    np.testing.assert_allclose(view.high[0, [7, 99]], view.mean[[7, 99]] + reach, rtol=1e-6)
    np.testing.assert_allclose(view.criterion[[7, 99]], criterion(U).detach())


def test_a_view_of_observations_is_wider(line):
    problem, data, model = line
    of_f, of_y = (
        view_1d(model, None, data, Frame(problem, of_observations=noisy))
        for noisy in (False, True)
    )
    assert (of_y.high - of_y.low > of_f.high - of_f.low).all()
    assert len(of_f.criterion) == 0 and of_f.proposal is None


def test_a_model_that_was_fitted_to_the_values_themselves_is_not_turned_over(line):
    problem, data, model = line
    up, down = (view_1d(model, None, data, Frame(problem, d)) for d in ("maximize", "minimize"))
    np.testing.assert_array_equal(up.mean, -down.mean)
    np.testing.assert_array_equal(up.low, -down.high)
    assert (down.low < down.high).all()


def test_a_view_of_a_plane_has_the_second_variable_in_its_rows():
    problem = branin()
    X = torch.tensor([[0.1, 0.2], [0.5, 0.5], [0.9, 0.3]], dtype=torch.float64)
    data = Data(X, torch.zeros(3, 1), numbers=torch.tensor([0, 1, 4]))
    view = view_2d(
        lambda U: U[:, 0, 0] + 10 * U[:, 0, 1], data, Frame(problem, start=2), torch.tensor([1, 0])
    )
    assert view.criterion.shape == (60, 60)
    np.testing.assert_allclose(view.criterion[[0, 0, -1], [0, -1, 0]], [0, 1, 10])
    assert (view.x[-1], view.y[-1]) == (10, 15)
    np.testing.assert_allclose(view.samples[0], [-3.5, 3])
    assert view.is_initial.tolist() == [True, True, False]
    np.testing.assert_allclose(view.proposal, [10, 0])
    assert view.optima.shape == (3, 2)


def test_a_view_of_the_wrong_number_of_variables_says_so(line):
    _, data, model = line
    with pytest.raises(ValueError, match="a problem of 1 variables is needed, branin has 2"):
        view_1d(model, None, data, Frame(branin()))
    with pytest.raises(ValueError, match="a problem of 2 variables is needed"):
        view_2d(lambda U: U[:, 0, 0], data, Frame(find("kruse-test1")))


# figures of views


def toy_view(n=6, proposal=0.25):
    x = np.linspace(0, 1, n)
    low = np.stack([x - 1, np.where(x > 0.5, x + 2, np.nan)])
    high = np.stack([x, np.where(x > 0.5, x + 3, np.nan)])
    return View1D(
        x, x**2, low, high, criterion=1 - x, truth=x, data_x=x[:2], data_y=x[:2], proposal=proposal
    )


def test_a_posterior_is_drawn_as_it_is():
    view = toy_view()
    upper, lower = figures.posterior_1d(view, "t").axes
    np.testing.assert_array_equal(by_label(upper, "mean").get_ydata(), view.mean)
    assert by_label(upper, "mean").get_color() == "tab:red"
    np.testing.assert_array_equal(by_label(upper, "data").get_xdata(), view.data_x)
    np.testing.assert_array_equal(by_label(lower, "criterion").get_ydata(), view.criterion)
    for axes in (upper, lower):
        assert by_label(axes, "next").get_xdata() == [0.25, 0.25]


def test_the_region_is_filled_between_the_ends_of_its_intervals_and_nowhere_else():
    view = toy_view(6)
    upper, _ = figures.posterior_1d(view, "t").axes
    boxes = [c.get_paths()[0].get_extents() for c in upper.collections]
    found = [(b.x0, b.x1, b.y0, b.y1) for b in boxes]
    expected = [(0, 0.5, -1, 0.4), (0.5, 1, -0.4, 1), (0.5, 1, 2.6, 4)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_posterior_without_criterion_truth_data_and_proposal_has_one_axis():
    view = View1D(np.arange(3.0), np.arange(3.0), np.zeros((1, 3)), np.ones((1, 3)))
    figure = figures.posterior_1d(view, "t")
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.get_lines()] == ["mean"]


def test_a_gallery_has_a_panel_for_each_step():
    steps = figures.first_and_last(list(range(1, 31)))
    assert steps == [*range(1, 10), *range(25, 31)]
    figure = figures.step_gallery({step: toy_view() for step in steps[:4]}, "t")
    figure.draw_without_rendering()
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == ["step 1", "step 2", "step 3", "step 4"]
    assert len(figure.axes) == 8


@pytest.mark.parametrize(("number", "chosen"), [(0, 0), (4, 4), (9, 9), (12, 12), (20, 15)])
def test_no_step_is_chosen_twice(number, chosen):
    steps = figures.first_and_last(range(number))
    assert len(steps) == len(set(steps)) == chosen


def plane(criterion):
    x = np.linspace(-5, 10, criterion.shape[1])
    y = np.linspace(0, 15, criterion.shape[0])
    samples = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    is_initial = np.array([True, True, False])
    return View2D(
        x, y, criterion, samples, is_initial, np.array([[9.0, 9.0]]), np.array([7.0, 8.0])
    )


def test_samples_optima_and_the_next_point_have_their_signs():
    axes = figures.criterion_contours(
        plane(np.add.outer(np.arange(9.0), np.arange(7.0))), "t"
    ).axes
    signs = {
        line.get_label(): (line.get_marker(), np.transpose(line.get_data()).tolist())
        for line in axes[0].get_lines()
    }
    assert signs == {
        "initial point": ("x", [[0.0, 1.0], [2.0, 3.0]]),
        "sample": ("+", [[4.0, 5.0]]),
        "optimum": ("^", [[9.0, 9.0]]),
        "next": ("o", [[7.0, 8.0]]),
    }
    assert by_label(axes[0], "next").get_markeredgecolor() == "red"


def test_contours_lie_where_the_criterion_has_their_level():
    view = plane(np.add.outer(np.linspace(0, 15, 31), np.zeros(31)))  # is y itself
    drawn = figures.criterion_contours(view, "t").axes[0].collections[0]
    for low, high, path in zip(
        drawn.levels[:-1], drawn.levels[1:], drawn.get_paths()[1:], strict=True
    ):
        box = path.get_extents()
        np.testing.assert_allclose([box.y0, box.y1], [max(low, 0), min(high, 15)], atol=1e-9)


def test_logarithms_that_go_far_down_do_not_hide_the_top():
    values = np.add.outer(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40))
    values[:10] = -1e4
    values[0, 0] = -np.inf
    drawn = figures.criterion_contours(plane(values), "t").axes[0].collections[0]
    assert drawn.levels[0] > -10 and drawn.levels[-1] >= 2
    assert len(drawn.levels) > 8


@pytest.mark.parametrize("value", [3.0, np.nan])
def test_a_criterion_without_contours_still_shows_the_samples(value):
    (axes,) = figures.criterion_contours(plane(np.full((5, 5), value)), "t").axes
    assert len(axes.collections) == 0 and len(axes.get_lines()) == 4


def test_a_gallery_of_contours_has_a_panel_for_each_step():
    view = plane(np.add.outer(np.arange(9.0), np.arange(7.0)))
    figure = figures.contour_gallery({3: view, 4: view, 5: view, 9: view}, "t")
    figure.draw_without_rendering()
    assert [axes.get_title() for axes in figure.axes] == ["step 3", "step 4", "step 5", "step 9"]
    assert min(axes.get_position().height for axes in figure.axes) > 0.3
    assert len(figure.legends[0].get_texts()) == 4


# criteria


def test_surfaces_have_the_value_of_the_document():
    """Kruse (2022), Sec. 2.3.1: mean 1.3, standard deviation 0.7, y_min 1.0."""
    surfaces = figures.criterion_surfaces(np.array([0.7]), np.array([1.0 - 1.3]), (1.0, 3.0))
    assert math.exp(surfaces["log EI"].item()) == pytest.approx(0.154520, abs=5e-7)
    assert surfaces["PI"].item() == pytest.approx(ndtr(-0.3 / 0.7))
    assert surfaces["LCB, beta = 3"].item() == pytest.approx(-0.3 + 3 * 0.7)


def closed_forms(s, u):
    z = u / s
    ei = s * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi) + u * ndtr(z)
    return {
        "log EI": np.log(ei),
        "PI": ndtr(z),
        "LCB, beta = 1": u + s,
        "LCB, beta = 3": u + 3 * s,
    }


def test_contours_of_criteria_lie_where_the_closed_form_has_their_level():
    figure = figures.improvement_contours()
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert len(panels) == 4
    for axes in panels:
        drawn = axes.collections[1]
        for level, path in zip(drawn.levels, drawn.get_paths(), strict=True):
            s, u = path.vertices[path.vertices[:, 0] > 0.5].T
            values = closed_forms(s, u)[axes.get_title()]
            np.testing.assert_allclose(values, level, atol=2e-2)  # linear between grid points


def test_the_path_of_a_model_is_drawn_over_all_criteria():
    path = (np.array([0.1, 0.5]), np.array([-1.0, 0.5]))
    figure = figures.improvement_contours(path, betas=(2.0,))
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["log EI", "PI", "LCB, beta = 2"]
    for axes in panels:
        np.testing.assert_array_equal(axes.get_lines()[0].get_data(), path)


# functions


def test_a_function_of_one_variable_is_drawn_with_its_optima():
    problem = find("kruse-test1")
    (axes,) = figures.function_1d(problem).axes
    x, y = by_label(axes, "function").get_data()
    np.testing.assert_allclose(y, problem.f(torch.as_tensor(x)[:, None]))
    place, height = by_label(axes, "optimum").get_data()
    np.testing.assert_allclose(place, problem.places[:, 0])
    assert (height == problem.minimum).all()


@pytest.mark.parametrize(
    ("problem", "label"),
    [
        (rosenbrock(2), "value above the minimum"),
        (branin(), "value above the minimum"),
        (find("sintwo"), "value"),
    ],
)
def test_levels_are_powers_where_values_span_decades(problem, label):
    figure = figures.function_2d(problem)
    axes, bar = figure.axes
    assert bar.get_ylabel() == label
    levels = axes.collections[0].levels
    even = np.diff(levels if label == "value" else np.log(levels))
    np.testing.assert_allclose(even, even[0])
    np.testing.assert_allclose(by_label(axes, "optimum").get_xydata(), problem.places)


def test_a_function_of_the_wrong_number_of_variables_says_so():
    with pytest.raises(ValueError, match="a problem of 2 variables is needed, hartmann6 has 6"):
        figures.function_2d(find("hartmann6"))
    with pytest.raises(ValueError, match="a problem of 1 variables is needed, branin has 2"):
        figures.function_1d(branin())


def test_levels_of_a_function_lie_where_it_has_their_value():
    problem = branin()
    drawn = figures.function_2d(problem).axes[0].collections[0]
    level, path = drawn.levels[4], drawn.get_paths()[5]  # the first is what is below all levels
    inside = path.vertices[
        (path.vertices > [-4.9, 0.1]).all(1) & (path.vertices < [9.9, 14.9]).all(1)
    ]
    above = problem.f(torch.as_tensor(inside)).numpy() - problem.minimum
    ratio = np.minimum(np.abs(above / level - 1), np.abs(above / drawn.levels[5] - 1))
    assert len(inside) > 50 and ratio.max() < 0.05


def test_a_function_that_fails_somewhere_is_drawn_elsewhere():
    figure = figures.function_2d(find("branin-failing"))
    figure.draw_without_rendering()
    assert len(figure.axes[0].collections) == 1
