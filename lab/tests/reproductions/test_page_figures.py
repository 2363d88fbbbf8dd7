"""The figures of docs/reproductions.md."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.core.claims_of_studies import Answered
from neuralbo_lab.reproductions import page_figures
from neuralbo_lab.reproductions.page_figures import FIGURES, Answers, Illustrated, Scores

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_has_every_figure_once_and_no_other():
    named = re.findall(r"\]\(images/([\w-]+)\.png\)", (DOCS / "reproductions.md").read_text())
    assert sorted(named) == sorted(FIGURES)
    assert all((DOCS / "images" / f"{name}.png").is_file() for name in named)


def test_bars_are_as_long_as_there_are_claims(monkeypatch):
    found = ["holds"] * 3 + ["undecided"] * 2 + ["out of reach"]
    claims = [Answered("a", "b", "c", Outcome(answer, "")) for answer in found]
    monkeypatch.setattr(page_figures, "claims_by_document", lambda stored: {"One (2020)": claims})
    (axes,) = Answers().draw(None).axes
    assert [bar.get_width() for bar in axes.patches] == [3, 0, 2, 1]
    assert [bar.get_x() for bar in axes.patches] == [0, 3, 3, 5]


def test_scores_are_those_of_the_seeds_that_all_sizes_have():
    numbers = {10: np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 90.0]]), 20: np.ones((2, 2))}
    results = SimpleNamespace(
        study=SimpleNamespace(problems=("p",)),
        shared_scores=lambda problem, names, size, score: numbers[size],
    )
    stored = SimpleNamespace(results=lambda study: results)
    figure = Scores("s", "exp_mlpd", (10, 20), {"a": "a", "b": "b"}).draw(stored)
    (axes,) = figure.axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[2.0, 1.0], [3.0, 1.0]]
    assert figure.get_suptitle() == "s: 2 fits"


def test_an_illustration_has_its_panels():
    assert len(Illustrated("two-optima").draw(None).axes) == 3
