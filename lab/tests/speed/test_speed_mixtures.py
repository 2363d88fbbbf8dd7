"""Speed of mixtures: the publication's inner fits, the goals, a quick run."""

import json
import math

import pytest
from neuralbo.cli import main
from neuralbo.testing.toys import uniform
from scipy.stats import norm

from neuralbo_lab.speed import mixtures as speed_mixtures
from neuralbo_lab.speed.mixtures import FULL, INNER_FITS, kde_fit

OURS = {35: {"kde": 0.1, "gmr": 1.0, "GPSampler": 0.2}}
THEIRS = {35: {"kde": 2.0, "gmr": 29.0}}


def test_the_goal_is_a_thirtieth_of_fits_and_choice():
    found = speed_mixtures.measured(OURS, THEIRS, 1.0)
    assert [(goal.measured, goal.holds) for goal in found.goals] == [
        (pytest.approx(1 / 30), True),
        (pytest.approx(1 / 30), True),
    ]
    missed = speed_mixtures.measured(OURS, THEIRS, 0.5).goals
    assert not any(goal.holds for goal in missed)


def test_figures_have_the_ratio_to_the_peer():
    figures = speed_mixtures.measured(OURS, THEIRS, 1.0).figures
    assert figures["suggestion over GPSampler's"]["35 trials"]["kde"] == pytest.approx(0.5)


def test_the_full_measurement_has_the_sizes_that_were_asked_for():
    assert (FULL.trials, FULL.fits, FULL.places) == ((35, 300), 5, 40)
    assert FULL.surrogates == ("kde", "gmr", "spn") == tuple(INNER_FITS)


def test_the_documents_kernel_density_is_a_loop():
    V, T = 2 * uniform(6, 2), 2 * uniform(2, 2, seed=1)
    h, s = 1e-3 + 0.299 * 0.7, 1e-3 + 0.299 * 0.9
    total = 0.0
    for x, y in T.tolist():
        kernels = [norm.pdf(x, a, h) for a, _ in V.tolist()]
        joint = sum(k * norm.pdf(y, b, s) for k, (_, b) in zip(kernels, V.tolist(), strict=True))
        background = 1e-6 * norm.pdf(y, 0, 10)
        total += math.log((joint + background) / (sum(kernels) + 1e-6)) / 2
    assert kde_fit(V, T, [0.7, 0.9, 0.0]) == pytest.approx(total)


@pytest.mark.parametrize("name", ["gmr", "spn"])
def test_an_inner_fit_gives_a_score(name):
    pytest.importorskip("sklearn")
    V = uniform(14, 2)
    assert math.isfinite(INNER_FITS[name](V, V[:3] + 0.01, [0.1, 0.5, 0.5]))


@pytest.mark.slow
def test_the_last_line_of_a_quick_run_is_json(capsys):
    assert main(["lab", "speed", "mixtures", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["name"] == "mixtures" and len(last["goals"]) == 3
