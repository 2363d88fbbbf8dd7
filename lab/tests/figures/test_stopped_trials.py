"""The picture of the guide to learning curves."""

import numpy as np
import pytest

from neuralbo_lab.figures.stopped_trials import draw
from neuralbo_lab.problems.training_curves import CurveTable

pytest.importorskip("matplotlib")


def test_it_is_the_same_each_time_and_has_both_panels(tmp_path):
    rng = np.random.default_rng(0)
    ends = rng.random((20, 1))
    losses = ends + 0.5 ** np.arange(1, 6)
    table = CurveTable("own", ends, losses)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        draw(table, 4, tmp_path / name / "curves.svg")
    first, second = ((tmp_path / name / "curves.svg").read_bytes() for name in ("first", "second"))
    assert first == second and b"<svg" in first
