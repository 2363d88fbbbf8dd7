"""Claims: hold, do not hold, or cannot be answered, and with which numbers."""

import math

import numpy as np
import pytest

from neuralbo_lab.claims.claim import AmongFirst, Beats, Between, BordaOver
from neuralbo_lab.core.optimization_study import Cell, Group, OptimizationStudy
from neuralbo_lab.core.report import Results, Run, outcomes
from neuralbo_lab.problems import find

METHODS = ("gp", "random", "tpe")
PROBLEMS = ("branin", "levy10", "ackley5")


def results_of(table, trials=2, groups=(), claims=()):
    """Return results with those regrets, one list a seed, under (problem, method).

    A number is the regret of a whole run, a list that of its trials.
    """
    runs = {}
    for (problem, method), seeds in table.items():
        for seed, regrets in enumerate(seeds):
            curve = np.broadcast_to(np.array(regrets, dtype=np.float64), (trials,))
            reason = "failed: x" if math.isnan(curve[-1]) else None
            runs[Cell(problem, method, seed)] = Run([], curve, math.nan, {}, reason, {})
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=PROBLEMS, methods=METHODS, trials=trials,
        start=1, seeds=max(map(len, table.values())), groups=groups, claims=claims,
    )  # fmt: skip
    return Results(study, runs)


MEANS_AND_MEDIANS_DIFFER = {
    ("branin", "gp"): [1.0, 1.0, 10.0],  # mean 4, median 1
    ("branin", "random"): [2.0, 2.0, 2.0],
}
PLACES = {("branin", m): [v] for m, v in zip(METHODS, (2.0, 3.0, 1.0), strict=True)}
COUNTS = {
    ("branin", "gp"): [1.0, 1.0], ("branin", "random"): [2.0, 2.0],
    ("branin", "tpe"): [3.0, 3.0],
    ("levy10", "gp"): [1.0, 1.0], ("levy10", "random"): [3.0, 3.0],
    ("levy10", "tpe"): [2.0, 2.0],
}  # fmt: skip


class TestBeats:
    def test_a_lower_mean_holds(self):
        claim = Beats("random", ("gp",), ("branin",), "here")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)) == (
            "holds",
            "branin: 2 against 4",
        )

    def test_a_higher_mean_does_not_hold(self):
        claim = Beats("gp", ("random",), ("branin",), "here")
        answer, because = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert (answer, because) == ("does not hold", "branin: 4 against 2")

    def test_a_claim_about_medians_looks_at_medians(self):
        claim = Beats("gp", ("random",), ("branin",), "here", "median")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer == "holds"

    def test_equal_is_not_lower(self):
        table = {("branin", "gp"): [1.0], ("branin", "random"): [1.0]}
        claim = Beats("gp", ("random",), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "does not hold"

    def test_all_others_must_be_beaten(self):
        table = {("branin", m): [v] for m, v in zip(METHODS, (2.0, 3.0, 1.0), strict=True)}
        claim = Beats("gp", ("random", "tpe"), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "does not hold"

    def test_a_method_that_did_not_run_is_not_available_and_named(self):
        claim = Beats("gp", ("ghost", "random"), ("branin",), "here")
        found = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert found == ("N/A", "needs runs of ghost")

    def test_a_method_of_the_study_without_a_run_is_not_available(self):
        claim = Beats("gp", ("tpe",), ("branin",), "here")
        found = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert found == ("N/A", "needs runs of gp, tpe")

    def test_a_problem_that_is_not_of_the_study_is_not_available(self):
        claim = Beats("gp", ("random",), ("hartmann6",), "here")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer == "N/A"

    def test_of_several_problems_all_that_were_run_must_hold(self):
        table = {
            ("branin", "gp"): [1.0], ("branin", "random"): [2.0],
            ("levy10", "gp"): [3.0], ("levy10", "random"): [2.0],
            ("ackley5", "gp"): [3.0],
        }  # fmt: skip
        claim = Beats("gp", ("random",), PROBLEMS, "here")
        answer, because = claim.outcome(results_of(table))
        assert answer == "does not hold"
        assert because == "on 1 of 2 (of 3): branin: 1 against 2; levy10: 3 against 2"
        del table["levy10", "random"]
        assert claim.outcome(results_of(table)) == (
            "holds",
            "on 1 of 1 (of 3): branin: 1 against 2",
        )

    @pytest.mark.parametrize(("trial", "answer"), [(1, "does not hold"), (2, "holds")])
    def test_a_claim_about_a_trial_looks_there(self, trial, answer):
        table = {("branin", "gp"): [[5.0, 1.0, 1.0]], ("branin", "random"): [[4.0, 2.0, 0.5]]}
        claim = Beats("gp", ("random",), ("branin",), "here", trial=trial)
        assert claim.outcome(results_of(table, trials=3)).answer == answer
        assert f"after {trial} evaluations" in claim.words

    def test_a_run_that_failed_makes_the_mean_unknown_and_the_median_worse(self):
        table = {("branin", "gp"): [1.0, 1.0, math.nan], ("branin", "random"): [2.0] * 3}
        by_mean, by_median = (
            Beats("gp", ("random",), ("branin",), "here", statistic)
            for statistic in ("mean", "median")
        )
        assert by_mean.outcome(results_of(table)).answer == "N/A"
        assert by_median.outcome(results_of(table)).answer == "holds"

    def test_a_trial_beyond_the_runs_cannot_be_answered(self):
        claim = Beats("random", ("gp",), ("branin",), "here", trial=16)
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer == "N/A"


class TestBetween:
    @pytest.mark.parametrize(
        ("low", "high", "answer"),
        [(3.0, 5.0, "holds"), (4.0, 4.0, "holds"), (0.0, 3.9, "does not hold"),
         (4.1, 9.0, "does not hold")],
    )  # fmt: skip
    def test_the_mean_lies_between_or_not(self, low, high, answer):
        claim = Between("gp", "branin", low, high, "here")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)) == (answer, "4")

    def test_the_median_is_looked_at_if_it_is_meant(self):
        claim = Between("gp", "branin", 0.9, 1.1, "here", "median")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)) == ("holds", "1")

    @pytest.mark.parametrize(("high", "answer"), [(9.9, "does not hold"), (10.0, "holds")])
    def test_the_worst_run_is_looked_at_if_it_is_meant(self, high, answer):
        claim = Between("gp", "branin", 0.0, high, "here", "largest")
        assert claim.words.startswith("0 <= largest final regret of gp")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)) == (answer, "10")

    def test_the_worst_of_runs_that_failed_is_not_available(self):
        table = {("branin", "gp"): [1.0, math.nan]}
        claim = Between("gp", "branin", 0.0, 9.0, "here", "largest")
        assert claim.outcome(results_of(table)).answer == "N/A"

    def test_a_value_is_the_regret_above_the_minimum(self):
        least = find("branin").minimum
        claim = Between("gp", "branin", 4.39, 4.40, "here", quantity="value")
        assert least == pytest.approx(0.397887, abs=1e-6)  # Branin (1972)
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)) == ("holds", "4.398")

    @pytest.mark.parametrize(
        ("method", "problem"), [("ghost", "branin"), ("tpe", "branin"), ("gp", "hartmann6")]
    )
    def test_without_runs_it_is_not_available(self, method, problem):
        claim = Between(method, problem, 0.0, 9.0, "here")
        found = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert found == ("N/A", f"needs runs of {method}")


class TestAmongFirst:
    @pytest.mark.parametrize(
        ("method", "places", "answer"),
        [("tpe", 1, "holds"), ("gp", 1, "does not hold"), ("gp", 2, "holds"),
         ("random", 2, "does not hold")],
    )  # fmt: skip
    def test_the_place_is_one_more_than_the_better_ones(self, method, places, answer):
        place = {"tpe": 1, "gp": 2, "random": 3}[method]
        found = AmongFirst(method, places, ("branin",), "here").outcome(results_of(PLACES))
        assert found == (answer, f"branin: {place} of 3")

    def test_equal_methods_share_the_better_place(self):
        table = {("branin", "gp"): [1.0], ("branin", "tpe"): [1.0]}
        claim = AmongFirst("gp", 1, ("branin",), "here")
        assert claim.outcome(results_of(table)) == ("holds", "branin: 1 of 2")

    def test_several_problems_must_all_hold(self):
        table = PLACES | {("levy10", "gp"): [1.0], ("levy10", "tpe"): [2.0]}
        claim = AmongFirst("tpe", 1, ("branin", "levy10"), "here")
        answer, because = claim.outcome(results_of(table))
        assert answer == "does not hold"
        assert because == "on 1 of 2 (of 2): branin: 1 of 3; levy10: 2 of 2"

    def test_the_median_may_give_another_place(self):
        claims = [
            AmongFirst("gp", 1, ("branin",), "here", statistic) for statistic in ("mean", "median")
        ]
        answers = [c.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer for c in claims]
        assert answers == ["does not hold", "holds"]

    def test_alone_nobody_is_the_first(self):
        claim = AmongFirst("gp", 1, ("branin",), "here")
        assert claim.outcome(results_of({("branin", "gp"): [1.0]})).answer == "N/A"

    def test_a_method_without_runs_is_not_available(self):
        claim = AmongFirst("ghost", 1, ("branin",), "here")
        assert claim.outcome(results_of(PLACES)) == ("N/A", "needs runs of ghost")


class TestBordaOver:
    def test_the_counts_are_of_methods_that_are_worse_over_problems(self):
        claim = BordaOver("gp", ("random", "tpe"), "here")
        assert claim.outcome(results_of(COUNTS)) == ("holds", "gp 4, random 1, tpe 1")

    def test_equal_counts_do_not_hold(self):
        claim = BordaOver("random", ("tpe",), "here")
        assert claim.outcome(results_of(COUNTS)).answer == "does not hold"

    def test_a_method_that_is_not_ranked_is_not_available(self):
        claim = BordaOver("gp", ("ghost",), "here")
        assert claim.outcome(results_of(COUNTS)) == ("N/A", "needs runs of ghost")

    def test_one_method_alone_is_not_available(self):
        claim = BordaOver("gp", ("tpe",), "here")
        assert claim.outcome(results_of({("branin", "gp"): [1.0]})).answer == "N/A"

    def test_a_group_counts_its_own_problems_only(self):
        table = {}
        for method, at in {"gp": 1.0, "random": 20.0, "tpe": 40.0}.items():
            table["branin", method] = [at + 0.1 * i for i in range(10)]
            table["levy10", method] = [-at - 0.1 * i for i in range(10)]
        groups = (Group("one", ("branin",)), Group("other", ("levy10",)))
        results = results_of(table, groups=groups)
        one, other = (BordaOver("gp", ("tpe",), "here", group) for group in ("one", "other"))
        assert one.outcome(results) == ("holds", "gp 2, tpe 0")
        assert other.outcome(results) == ("does not hold", "gp 0, tpe 2")

    def test_an_unknown_group_is_not_available(self):
        claim = BordaOver("gp", ("tpe",), "here", "none")
        assert claim.outcome(results_of(COUNTS)).answer == "N/A"


def test_a_report_answers_the_claims_of_its_study_in_order():
    claims = (
        Beats("random", ("gp",), ("branin",), "p. 1"),
        Between("gp", "branin", 0.0, 1.0, "p. 2"),
    )
    found = outcomes(results_of(MEANS_AND_MEDIANS_DIFFER, claims=claims))
    assert [(source, outcome.answer) for _, source, outcome in found] == [
        ("p. 1", "holds"),
        ("p. 2", "does not hold"),
    ]
    assert found[0][0] == "random has a lower mean than gp at the end: branin"
