"""Hassen and Rish (2021), Sec. 5.3: the sweep of prior and share."""

from dataclasses import replace

import pytest

pytest.importorskip("matplotlib")
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.reproductions.hassen import hassen_balance

STUDY = find_study("hassen-balance").quick()
TWO = ("delta-0.1-gamma-0.33", "delta-10-gamma-0.33")


@pytest.fixture(scope="module")
def results():
    made = {
        ExperimentCell(STUDY.name, method, 0): hassen_balance.measure(method, 0, True)
        for method in TWO
    }
    return ExperimentResults(replace(STUDY, methods=TWO, seeds=1), made)


def test_the_sweep_is_that_of_003():
    assert len(STUDY.methods) == 16
    assert {delta for delta, _ in hassen_balance.SETTINGS.values()} == {0.01, 0.1, 1.0, 10.0}
    assert len({gamma for _, gamma in hassen_balance.SETTINGS.values()}) == 4


def entries(results, method):
    return results.lines(method)[0]["found"]


def test_labels_flip_less_than_one_old_point_on_the_mean(results):
    """0.44 at gamma = 1/3, never more than one."""
    for entry in entries(results, TWO[0]):
        assert 0.2 < entry["flips"] < 0.7
        assert entry["good"] == pytest.approx(20 / 60)


def test_a_strong_prior_makes_all_probabilities_alike(results):
    """A large precision underfits."""
    weak, strong = (
        [entry["highest_pi"] - entry["lowest_pi"] for entry in entries(results, method)]
        for method in TWO
    )
    assert max(strong) < 0.2 < min(weak)


def test_a_fit_that_learns_has_a_better_score_than_a_constant(results):
    branin = entries(results, TWO[0])[0]
    assert branin["brier"] < branin["brier_constant"]


def test_report_and_page_have_every_row(results, tmp_path):
    path = hassen_balance.write(results, tmp_path)
    text = path.read_text()
    assert text.count("| branin |") == 32
    assert (path.parent / "balance.csv").exists()
    page = hassen_balance.render(results)
    assert "averaged" in page and "<img" in page
