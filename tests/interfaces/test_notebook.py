"""What a notebook shows: the same numbers as the study, escaped, and a drawing of them."""

import base64
import re

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

import neuralbo as nb
from neuralbo.interfaces import notebook

HOSTILE = "<script>alert(1)</script>"


def drawing_in(html):
    return base64.b64decode(
        re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', html)[1]
    ).decode()


def result_of(values, name="x", **options):
    study = optuna.create_study(**options)
    for k, value in enumerate(values):
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        several = isinstance(value, list)
        study.add_trial(
            create_trial(
                values=value if several else None, value=None if several else value, state=state,
                params={name: k / 10}, distributions={name: FloatDistribution(0, 1)},
            )
        )  # fmt: skip
    return nb.Result(study)


def path_of(svg):
    """Return the heights of the line of the best value so far, as they are drawn."""
    (path,) = re.findall(r'<path class="line main" d="([^"]+)"', svg)
    return [float(y) for y in re.findall(r"(?:M[\d.]+ |V)([\d.]+)", path)]


def test_a_result_shows_its_best_parameters_and_every_value():
    html = result_of([3.0, None, 1.0, 2.0])._repr_html_()
    svg = drawing_in(html)
    assert "best_value=1" in html and "<td>x</td><td>0.2</td>" in html
    assert svg.count("<circle") == 3
    first, *_, last = path_of(svg)
    assert last > first  # lower on the picture, since smaller is better


def test_the_line_rises_where_larger_is_better():
    svg = drawing_in(result_of([1.0, 3.0, 2.0], direction="maximize")._repr_html_())
    heights = path_of(svg)
    assert heights == sorted(heights, reverse=True) and heights[0] > heights[-1]


def test_of_several_objectives_the_front_is_drawn_and_no_best():
    html = result_of([[1.0, 2.0], [2.0, 1.0]], directions=["minimize"] * 2)._repr_html_()
    assert "objective 2" in drawing_in(html) and "<table>" not in html


def test_without_a_value_there_is_no_drawing():
    html = result_of([None])._repr_html_()
    assert "no value yet" in html and "<img" not in html


def test_an_optimizer_shows_what_it_was_told():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, seed=0)
    assert "<img" not in opt._repr_html_()
    opt.tell({"x": 0.25}, 4.0)
    opt.tell({"x": 0.75}, None)
    html = opt._repr_html_()
    assert "<td>x</td><td>0.25</td>" in html and drawing_in(html).count("<circle") == 1


def test_names_are_escaped():
    html = result_of([1.0], name=HOSTILE)._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html


@pytest.mark.parametrize(("count", "rows"), [(3, 3), (20, notebook.MOST_PARAMETERS)])
def test_of_many_parameters_the_first_are_shown(count, rows):
    html = notebook.shown("", [[1.0]], [-1.0], {f"p{k}": k for k in range(count)})
    assert len(re.findall(r"<td>p\d+</td>", html)) == rows
    assert ("more</td>" in html) == (count > rows)
