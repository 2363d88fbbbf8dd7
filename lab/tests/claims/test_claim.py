"""Claims: hold, do not hold, are undecided, or out of reach, and with which numbers."""

import math
from itertools import combinations

import numpy as np
import pytest

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import AmongFirst, Beats, Between
from neuralbo_lab.core.optimization_study import Cell, Group, OptimizationStudy
from neuralbo_lab.core.report import Results, Run, outcomes
from neuralbo_lab.problems import find

METHODS = ("gp", "random", "tpe")
PROBLEMS = ("branin", "levy10", "ackley5")


def results_of(table, trials=2, groups=(), claims=()):
    """Return results with those regrets, one a seed, under (problem, method).

    A number is the regret of a whole run, a list that of its trials; of None there is no run.
    """
    runs = {}
    for (problem, method), seeds in table.items():
        for seed, regrets in enumerate(seeds):
            if regrets is not None:
                curve = np.broadcast_to(np.array(regrets, dtype=np.float64), (trials,))
                reason = "failed: x" if math.isnan(curve[-1]) else None
                runs[Cell(problem, method, seed)] = Run([], curve, math.nan, {}, reason, {})
    problems = tuple(dict.fromkeys((*PROBLEMS, *(problem for problem, _ in table))))
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=problems, methods=METHODS, trials=trials,
        start=1, seeds=max(map(len, table.values())), groups=groups, claims=claims,
    )  # fmt: skip
    return Results(study, runs)


def near(level, runs=8, spread=0.1):
    """Return regrets around a level, in the order of a seed's luck."""
    luck = np.random.default_rng(0).normal(size=runs)
    return (level + spread * (luck - luck.mean()) / luck.std()).tolist()


MEANS_AND_MEDIANS_DIFFER = {
    ("branin", "gp"): [*near(1.0), 30.0],  # mean 4.2, median about 1
    ("branin", "random"): near(2.0, 9),
}


class TestBeats:
    def test_a_lower_mean_in_pairs_holds(self):
        table = {("branin", "gp"): near(1.0), ("branin", "random"): near(2.0, spread=0.2)}
        found = Beats("gp", ("random",), ("branin",), "here").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("holds", (8, 8))
        assert found.because == "branin: 1 against 2 in 8"
        d = np.subtract(table["branin", "gp"], table["branin", "random"])
        means = sorted(np.mean(some) for k in range(1, 9) for some in combinations(d, k))
        assert found.interval == pytest.approx((means[5], means[-6]))  # 2 * 6/256 lie beyond
        assert found.of == "difference of means"

    def test_a_higher_mean_does_not_hold(self):
        table = {("branin", "gp"): near(2.0), ("branin", "random"): near(1.0, spread=0.2)}
        found = Beats("gp", ("random",), ("branin",), "here").outcome(results_of(table))
        assert found.answer == "does not hold" and found.interval.low > 0

    def test_what_chance_may_turn_round_is_undecided(self):
        noise = near(0.0, spread=3.0)
        other = [1.1 + x for x in reversed(noise)]
        table = {("branin", "gp"): noise, ("branin", "random"): other}
        found = Beats("gp", ("random",), ("branin",), "here").outcome(results_of(table))
        assert found.answer == "undecided"
        assert found.interval.low < 0 < found.interval.high

    def test_unequal_seeds_are_decided_on_the_common_ones(self):
        """Over all its runs random is far behind, and ahead on each seed that gp has."""
        table = {
            ("branin", "gp"): near(2.0, 6),
            ("branin", "random"): [*near(1.0, 6, 0.2), *[90.0] * 14],
        }
        found = Beats("gp", ("random",), ("branin",), "here").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("does not hold", (6, 6))
        assert found.because == "branin: 2 against 1 in 6"

    def test_each_rival_is_compared_on_the_seeds_that_it_shares(self):
        table = {
            ("branin", "gp"): near(1.0, 20), ("branin", "random"): near(2.0, 20, 0.2),
            ("branin", "tpe"): near(3.0, 6, 0.2),
        }  # fmt: skip
        found = Beats("gp", ("random", "tpe"), ("branin",), "").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("holds", (6, 20))
        assert found.because.startswith(
            "holds in 2 of 2 comparisons: branin: 1 against 2 in 20 (r"
        )

    def test_few_pairs_decide_nothing(self):
        table = {("branin", "gp"): near(1.0, 4), ("branin", "random"): near(2.0, 4, 0.2)}
        found = Beats("gp", ("random",), ("branin",), "").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("undecided", (4, 4))
        assert found.interval_in_words == "—"

    def test_two_runs_that_compare_nothing_with_nothing_are_undecided(self):
        table = {("branin", "gp"): [0.0, 0.0], ("branin", "random"): [0.0, 0.0]}
        claim = Beats("gp", ("random",), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "undecided"

    def test_equal_in_many_pairs_is_not_lower(self):
        table = {("branin", "gp"): near(1.0), ("branin", "random"): near(1.0)}
        claim = Beats("gp", ("random",), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "does not hold"

    def test_a_claim_about_medians_looks_at_medians(self):
        by_mean, by_median = (
            Beats("gp", ("random",), ("branin",), "here", statistic).outcome(
                results_of(MEANS_AND_MEDIANS_DIFFER)
            )
            for statistic in ("mean", "median")
        )
        assert (by_mean.answer, by_median.answer) == ("undecided", "holds")
        assert by_mean.because.startswith("branin: 4.2")
        assert by_median.because == "branin: 1 against 1.98 in 9"
        assert by_median.of == "difference of medians"

    def test_all_others_must_be_beaten(self):
        table = {
            ("branin", name): near(level, spread=spread)
            for name, level, spread in (("gp", 2, 0.1), ("random", 3, 0.2), ("tpe", 1, 0.3))
        }
        claim = Beats("gp", ("random", "tpe"), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "does not hold"

    def test_a_method_that_did_not_run_is_out_of_reach_and_named(self):
        claim = Beats("gp", ("ghost", "random"), ("levy10",), "here")
        found = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert found[:2] == (
            "out of reach",
            "needs runs of gp, ghost, random on levy10",
        )

    def test_one_comparison_that_fails_is_enough_though_others_were_not_run(self):
        table = {("branin", "gp"): near(2.0), ("branin", "random"): near(1.0, spread=0.2)}
        claim = Beats("gp", ("random", "tpe"), ("branin",), "here")
        assert claim.outcome(results_of(table)).answer == "does not hold"
        claim = Beats("random", ("gp", "tpe"), ("branin",), "here")
        found = claim.outcome(results_of(table))
        assert found.answer == "out of reach" and "needs runs of tpe on branin" in found.because

    def test_a_problem_that_is_not_of_the_study_is_out_of_reach(self):
        claim = Beats("gp", ("random",), ("hartmann6",), "here")
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer == "out of reach"

    @pytest.mark.parametrize(("trial", "answer"), [(1, "does not hold"), (2, "holds")])
    def test_a_claim_about_a_trial_looks_there(self, trial, answer):
        table = {
            ("branin", "gp"): [[5.0, x, x] for x in near(1.0)],
            ("branin", "random"): [[4.0, x, 0.5] for x in near(2.0, spread=0.2)],
        }
        claim = Beats("gp", ("random",), ("branin",), "here", trial=trial)
        assert claim.outcome(results_of(table, trials=3)).answer == answer
        assert f"after {trial} evaluations" in claim.words

    def test_a_run_that_failed_makes_the_mean_unknown_and_the_median_worse(self):
        table = {
            ("branin", "gp"): [*near(1.0), math.nan], ("branin", "random"): near(2.0, 9, 0.2)
        }  # fmt: skip
        by_mean, by_median = (
            Beats("gp", ("random",), ("branin",), "here", statistic).outcome(results_of(table))
            for statistic in ("mean", "median")
        )
        assert by_mean.answer == "undecided" and "N/A against 2" in by_mean.because
        assert by_median.answer == "holds"

    def test_most_runs_that_failed_do_not_beat_anything(self):
        table = {("branin", "gp"): [math.nan] * 7 + [0.0], ("branin", "random"): near(2.0)}
        claim = Beats("gp", ("random",), ("branin",), "here", "median")
        assert claim.outcome(results_of(table)).answer == "does not hold"

    def test_a_trial_beyond_the_runs_cannot_be_answered(self):
        claim = Beats("random", ("gp",), ("branin",), "here", trial=16)
        assert claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER)).answer == "out of reach"


class TestBetween:
    @pytest.mark.parametrize(
        ("low", "high", "answer"),
        [(0.5, 1.5, "holds"), (0.0, 1.5, "holds"), (0.0, 0.5, "does not hold"),
         (1.5, 9.0, "does not hold"), (1.0, 9.0, "undecided"), (0.0, 1.0, "undecided")],
    )  # fmt: skip
    def test_the_interval_of_the_mean_lies_between_beside_or_across(self, low, high, answer):
        found = Between("gp", "branin", low, high, "").outcome(
            results_of({("branin", "gp"): near(1.0)})
        )
        assert found[:3] == (answer, "1 of 8 runs", (8, 8))
        assert found.interval == pytest.approx((1 - 0.0894, 1 + 0.0894), abs=1e-3)

    def test_the_median_is_looked_at_if_it_is_meant(self):
        answers = [
            Between("gp", "branin", 0.8, 1.2, "here", statistic)
            .outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
            .answer
            for statistic in ("mean", "median")
        ]
        assert answers == ["undecided", "holds"]

    def test_few_runs_decide_nothing(self):
        claim = Between("gp", "branin", 0.0, 9.0, "here")
        assert claim.outcome(results_of({("branin", "gp"): [1.0] * 4})).answer == "undecided"

    @pytest.mark.parametrize(("high", "answer"), [(9.9, "does not hold"), (10.0, "holds")])
    def test_the_worst_run_is_looked_at_if_it_is_meant(self, high, answer):
        claim = Between("gp", "branin", 0.0, high, "here", "largest")
        assert claim.words.startswith("0 <= largest final regret of gp")
        found = claim.outcome(results_of({("branin", "gp"): [1.0, 1.0, 10.0]}))
        assert found[:2] == (answer, "10 of 3 runs")

    def test_no_run_is_above_is_undecided_until_all_are_made(self):
        table = {("branin", "gp"): [1.0, None, 1.0], ("branin", "random"): [1.0] * 3}
        claim = Between("gp", "branin", 0.0, 9.0, "here", "largest")
        assert claim.outcome(results_of(table)).answer == "undecided"
        below = Between("gp", "branin", 0.0, 0.9, "here", "largest")
        assert below.outcome(results_of(table)).answer == "does not hold"

    def test_a_value_is_the_regret_above_the_minimum(self):
        least = find("branin").minimum
        claim = Between("gp", "branin", 1.2, 1.6, "here", quantity="value")
        assert least == pytest.approx(0.397887, abs=1e-6)  # Branin (1972)
        found = claim.outcome(results_of({("branin", "gp"): near(1.0)}))
        assert found[:2] == ("holds", "1.398 of 8 runs")

    @pytest.mark.parametrize(
        ("method", "problem"), [("ghost", "branin"), ("tpe", "branin"), ("gp", "hartmann6")]
    )
    def test_without_runs_it_is_out_of_reach(self, method, problem):
        claim = Between(method, problem, 0.0, 9.0, "here")
        found = claim.outcome(results_of(MEANS_AND_MEDIANS_DIFFER))
        assert found[:2] == ("out of reach", f"needs runs of {method} on {problem}")


CLEAR = {("branin", m): near(v, spread=v / 9) for m, v in zip(METHODS, (2, 3, 1), strict=True)}


class TestAmongFirst:
    @pytest.mark.parametrize(
        ("method", "places", "answer"),
        [("tpe", 1, "holds"), ("gp", 1, "does not hold"), ("gp", 2, "holds"),
         ("random", 2, "does not hold")],
    )  # fmt: skip
    def test_the_place_is_one_more_than_the_better_ones(self, method, places, answer):
        place = {"tpe": 1, "gp": 2, "random": 3}[method]
        found = AmongFirst(method, places, ("branin",), "here").outcome(results_of(CLEAR))
        assert found[:2] == (answer, f"branin: {place} to {place} of 3")
        assert found.interval == (place, place) and found.of == "place"

    def test_what_chance_may_turn_round_leaves_several_places(self):
        close = CLEAR | {("branin", "gp"): list(reversed(near(1.0, spread=0.3)))}
        found = AmongFirst("tpe", 1, ("branin",), "here").outcome(results_of(close))
        assert (found.answer, found.interval) == ("undecided", (1, 2))
        assert AmongFirst("tpe", 2, ("branin",), "").outcome(results_of(close)).answer == "holds"

    def test_several_problems_must_all_hold(self):
        table = CLEAR | {("levy10", "gp"): near(1.0), ("levy10", "tpe"): near(2.0, spread=0.2)}
        claim = AmongFirst("tpe", 1, ("branin", "levy10"), "here")
        found = claim.outcome(results_of(table))
        assert found.answer == "does not hold"
        assert found.because == "branin: 1 to 1 of 3; levy10: 2 to 2 of 2"
        claim = AmongFirst("tpe", 1, ("branin", "ackley5"), "here")
        assert claim.outcome(results_of(table)).answer == "out of reach"

    def test_alone_nobody_is_the_first(self):
        claim = AmongFirst("gp", 1, ("branin",), "here")
        assert claim.outcome(results_of({("branin", "gp"): near(1.0)})).answer == "out of reach"


def ordered(levels):
    """Return seven runs of each method on a problem, by the levels of `METHODS`."""
    return {
        (problem, method): near(level, 7, 0.01 * level)
        for problem, of_methods in levels.items()
        for method, level in zip(METHODS, of_methods, strict=True)
    }


class TestBordaOver:
    def test_ranks_of_runs_decide_and_the_counts_stand_beside(self):
        table = ordered({"branin": (1, 2, 3), "levy10": (1, 3, 2), "ackley5": (1, 2, 3)})
        found = BordaOver("gp", ("random",), "here").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("holds", (21, 21))
        assert found.because == ("mean rank 1 against 2.33 (random) of 3 in 21, Borda 6 against 2")
        # the differences are the same in all runs of a problem: no variance
        assert found.interval == pytest.approx((-4 / 3, -4 / 3))
        other = BordaOver("random", ("gp",), "here").outcome(results_of(table))
        assert other.answer == "does not hold"

    def test_the_interval_is_student_s_of_the_variance_within_the_problems(self):
        gp = [1.0, 1.0, 1.0, 3.0]
        table = {
            ("branin", "gp"): gp, ("branin", "random"): [2.0] * 4,
            ("levy10", "gp"): gp, ("levy10", "random"): [2.0] * 4,
        }  # fmt: skip
        results = results_of({k: v for k, v in table.items()})
        results = Results(
            OptimizationStudy(
                name="tiny", reproduces="nothing", problems=("branin", "levy10"),
                methods=("gp", "random"), trials=2, start=1, seeds=4,
            ), results.runs,
        )  # fmt: skip
        found = BordaOver("gp", ("random",), "here").outcome(results)
        # differences -1, -1, -1, 1 twice: variance 1 each, six degrees, t = 2.447
        reach = 2.447 * math.sqrt((1 / 4 + 1 / 4) / 4)
        assert found.interval == pytest.approx((-0.5 - reach, -0.5 + reach), abs=1e-3)
        assert found.answer == "undecided"

    def test_problems_that_were_not_run_are_out_of_reach(self):
        table = ordered({"branin": (1, 2, 3)})
        found = BordaOver("gp", ("random",), "here").outcome(results_of(table))
        assert found.answer == "out of reach"
        assert "needs runs of gp, random on levy10, ackley5" in found.because

    def test_a_method_that_is_not_of_the_study_is_out_of_reach(self):
        found = BordaOver("gp", ("ghost",), "here").outcome(results_of(CLEAR))
        assert found.answer == "out of reach"
        assert found.because == (
            "needs runs of ghost on branin, levy10, ackley5, runs of gp on levy10, ackley5"
        )

    def test_a_group_has_its_own_problems_only(self):
        table = ordered({"branin": (1, 2, 3), "levy10": (3, 2, 1)})
        groups = (Group("one", ("branin",)), Group("other", ("levy10",)))
        results = results_of(table, groups=groups)
        one, other = (BordaOver("gp", ("tpe",), "here", group) for group in ("one", "other"))
        assert one.outcome(results).answer == "holds"
        assert other.outcome(results).answer == "does not hold"
        assert BordaOver("gp", ("tpe",), "", "none").outcome(results).answer == "out of reach"

    def test_seeds_that_only_one_has_run_do_not_count(self):
        table = ordered({"branin": (2, 1, 3), "levy10": (2, 1, 3), "ackley5": (2, 1, 3)})
        for problem in PROBLEMS:
            table[problem, "random"] = [*table[problem, "random"], *[99.0] * 30]
        found = BordaOver("gp", ("random",), "here").outcome(results_of(table))
        assert (found.answer, found.pairs) == ("does not hold", (21, 21))


def test_a_report_answers_the_claims_of_its_study_in_order():
    claims = (
        Beats("gp", ("random",), ("branin",), "p. 1", "median"),
        Between("gp", "branin", 0.0, 0.1, "p. 2", "median"),
    )
    found = outcomes(results_of(MEANS_AND_MEDIANS_DIFFER, claims=claims))
    assert [(source, outcome.answer) for _, source, outcome in found] == [
        ("p. 1", "holds"),
        ("p. 2", "does not hold"),
    ]
    assert found[0][0] == "gp has a lower median than random at the end: branin"
