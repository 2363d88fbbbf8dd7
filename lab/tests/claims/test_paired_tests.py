"""Claims answered by a test of pairs."""

import numpy as np
import pytest
from scipy.stats import wilcoxon
from test_claim import results_of

from neuralbo_lab.claims.paired_tests import BeatsByTest, holm

RNG = np.random.default_rng(0)
BASE = np.exp(RNG.normal(size=12)).tolist()
HALVED = [regret / 2 for regret in BASE]


def test_holm_is_the_textbook_example():
    # 0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 x 1 raised to the one before
    corrected = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert corrected == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_half_of_every_regret_is_significantly_lower():
    claim = BeatsByTest("gp", "random", ("branin",), "here")
    found = claim.outcome(results_of({("branin", "gp"): HALVED, ("branin", "random"): BASE}))
    assert (found.answer, found.pairs, found.of) == ("holds", (12, 12), "median ratio")
    assert found.interval == pytest.approx((0.5, 0.5))
    # all twelve differences have one sign: 2 / 2^12, and SciPy takes the exact distribution for it
    assert found.because == "on 1 of 1: branin: ratio 0.5, p = 0.00049, 12 pairs"


def test_the_worse_one_never_holds_however_significant():
    claim = BeatsByTest("random", "gp", ("branin",), "here")
    table = {("branin", "gp"): HALVED, ("branin", "random"): BASE}
    assert claim.outcome(results_of(table)).answer == "does not hold"


def test_a_problem_without_runs_leaves_it_out_of_reach():
    table = {("branin", "gp"): HALVED, ("branin", "random"): BASE}
    found = BeatsByTest("gp", "random", ("branin", "levy10"), "").outcome(results_of(table))
    assert found.answer == "out of reach" and found.because.startswith(
        "needs runs on levy10; on 1"
    )


def test_p_values_are_corrected_for_the_number_of_problems():
    other = (np.array(BASE) * RNG.uniform(0.3, 1.2, 12)).tolist()
    table = {
        ("branin", "gp"): HALVED, ("branin", "random"): BASE,
        ("levy10", "gp"): other, ("levy10", "random"): BASE,
    }  # fmt: skip
    alone = float(wilcoxon(np.log(other) - np.log(BASE)).pvalue)
    because = BeatsByTest("gp", "random", ("branin", "levy10"), "").outcome(results_of(table))[1]
    assert f"p = {2 / 2**12 * 2:.2g}" in because
    assert f"p = {alone:.2g}" in because  # the larger of two is left as it is


def test_differences_serve_where_regrets_are_below_zero():
    claim = BeatsByTest("gp", "random", ("branin",), "here", by="difference")
    lower = [regret - 3 for regret in BASE]
    found = claim.outcome(results_of({("branin", "gp"): lower, ("branin", "random"): BASE}))
    assert found.answer == "holds" and "difference -3" in found.because


@pytest.mark.parametrize("pairs", [0, 5])
def test_fewer_than_six_pairs_are_no_answer(pairs):
    table = {("branin", "gp"): HALVED[:pairs] or [1.0], ("branin", "random"): BASE[:pairs] or []}
    assert (
        BeatsByTest("gp", "random", ("branin",), "").outcome(results_of(table))[0]
        == "out of reach"
    )


def test_equal_runs_are_no_difference():
    table = {("branin", "gp"): BASE, ("branin", "random"): BASE}
    found = BeatsByTest("gp", "random", ("branin",), "").outcome(results_of(table))
    assert found.answer == "undecided" and "p = 1" in found.because


def test_a_method_that_the_study_does_not_have_is_no_answer():
    table = {("branin", "gp"): BASE, ("branin", "random"): BASE}
    assert (
        BeatsByTest("gp", "boggn", ("branin",), "").outcome(results_of(table))[0] == "out of reach"
    )
