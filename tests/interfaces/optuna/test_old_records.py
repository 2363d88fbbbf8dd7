"""Records by earlier versions, in the words of today."""

import pytest

from neuralbo.interfaces.optuna.old_records import in_words_of_today

OLD = {
    "surrogate": "gp", "criterion": "LogExpectedImprovement", "criterion_value": -12.0,
    "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.33,
    "score_gp_bent3": 3.11, "score_gp_bent30": 2.9, "other_hill": 0.5,
    "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33",
}  # fmt: skip
NEW = {
    "surrogate": "gp", "criterion": "LogExpectedImprovement", "criterion_value": -12.0,
    "log_warp": 3.0, "scored_on": 27, "weight_gp_log_warp_3": 1.0, "score_gp": 2.33,
    "score_gp_log_warp_3": 3.11, "score_gp_log_warp_30": 2.9, "other_basin": 0.5,
    "why": "leave-one-out log predictive density, nats per observation of 27: "
    "gp_log_warp_3 3.11, gp_log_warp_30 2.9, gp 2.33",
}  # fmt: skip


def test_every_old_word_is_translated():
    assert in_words_of_today(OLD) == NEW


@pytest.mark.parametrize(
    "facts", [{}, NEW, {"surrogate": None}, {"why": 3, "weight_bent": 1.0, "surrogate": 0.5}]
)
def test_nothing_else_is_changed(facts):
    assert in_words_of_today(facts) == facts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("start design", "initial design"),
        ("start of a region", "initial design of a trust region"),
        (
            "random, since all hills are climbed",
            "random, since all local optima have converged",
        ),
        ("center of the cube", "center of the cube"),
    ],
)
def test_what_chose_without_a_model_is_translated(old, new):
    assert in_words_of_today({"surrogate": old}) == {"surrogate": new}


def test_the_record_that_was_read_stays_as_it_is():
    before = dict(OLD)
    in_words_of_today(OLD)
    assert before == OLD
