"""The studies of Kruse (2022): protocols and claims."""

import pytest
from neuralbo.catalog import SURROGATES
from study_checks import check_claims, check_regression_claims, results

from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.claims.regression_claims import ScoreBetween
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.problems import find
from neuralbo_lab.reproductions.kruse.kruse_bo_1d import KRUSE_BO_1D
from neuralbo_lab.reproductions.kruse.kruse_bo_bbob import KRUSE_BO_BBOB
from neuralbo_lab.reproductions.kruse.kruse_names import BBOB, EMPIRICAL, GP, MODELS, optimizer
from neuralbo_lab.reproductions.kruse.kruse_regression_1d import KRUSE_REGRESSION_1D
from neuralbo_lab.reproductions.kruse.kruse_regression_bbob import KRUSE_REGRESSION_BBOB

OPTIMIZATION = (KRUSE_BO_1D, KRUSE_BO_BBOB)
REGRESSION = (KRUSE_REGRESSION_1D, KRUSE_REGRESSION_BBOB)


def name_of(study):
    return study.name


def with_all_models(study):
    """Return how many cells the study would have with Kruse's seven models."""
    often = set(study.methods) - {cell.method for cell in study.few}
    further = len(study.few) + len(getattr(study, "extra", ()))  # of fits only
    return (len(list(study.cells())) - further) // len(often) * len(MODELS)


@pytest.mark.parametrize(
    ("study", "cells"),
    [
        (KRUSE_REGRESSION_1D, 2_520),
        (KRUSE_REGRESSION_BBOB, 7_560),
        (KRUSE_BO_1D, 560),
        (KRUSE_BO_BBOB, 1_680),
    ],
)
def test_the_seven_models_make_as_many_cells_as_001_10_7_counts(study, cells):
    assert len(set(MODELS)) == 7
    assert with_all_models(study) == cells


@pytest.mark.parametrize("study", OPTIMIZATION, ids=name_of)
def test_a_run_has_5_initial_points_and_30_more(study):
    assert (study.start, study.trials, study.seeds, study.design) == (5, 35, 20, "random")


@pytest.mark.parametrize("study", REGRESSION, ids=name_of)
def test_regression_has_the_nine_sizes_ten_seeds_and_10000_test_points(study):
    assert study.sizes == (10, 15, 23, 36, 56, 86, 133, 205, 316)
    assert (study.seeds, study.test_points) == (10, 10_000)


def test_the_problems_of_bbob_are_four_functions_in_three_dimensions():
    assert KRUSE_BO_BBOB.problems == KRUSE_REGRESSION_BBOB.problems == BBOB
    assert set(BBOB) == {f"bbob-f{f}-d{d}" for f in (3, 9, 15, 21) for d in (2, 3, 5)}


@pytest.mark.parametrize("study", (*OPTIMIZATION, *REGRESSION), ids=name_of)
def test_a_quick_version_is_small(study):
    quick = study.quick()
    assert len(list(quick.cells())) <= 200
    assert set(quick.problems) <= set(study.problems)


@pytest.mark.parametrize("study", OPTIMIZATION, ids=name_of)
def test_methods_are_known_and_claims_are_about_the_study(study):
    assert {find_method(method).name for method in study.methods} == set(study.methods)
    check_claims(study)
    assert study.departures


@pytest.mark.parametrize("study", REGRESSION, ids=name_of)
def test_surrogates_are_known_and_claims_are_about_the_study(study):
    assert set(study.surrogates) <= set(SURROGATES)
    check_regression_claims(study)
    assert study.departures


def test_every_size_of_a_claim_in_one_dimension_is_in_the_quick_version():
    sizes = {claim.size for claim in KRUSE_REGRESSION_1D.claims}
    assert sizes == set(KRUSE_REGRESSION_1D.quick().sizes)


@pytest.mark.parametrize(
    ("problem", "minimum"),
    [
        ("bbob-f3-d2", -462.09),
        ("bbob-f9-d3", 123.83),
        ("bbob-f15-d2", 1000.0),
        ("bbob-f21-d5", 40.78),
    ],
)
def test_the_instance_is_that_of_the_document(problem, minimum):
    pytest.importorskip("cocoex")
    assert find(problem).minimum == pytest.approx(minimum, abs=5e-3)  # two printed digits


def test_random_search_beats_gp_on_test2_is_decided_by_the_runs():
    gp, search = optimizer(GP), optimizer(EMPIRICAL)
    claim = next(c for c in KRUSE_BO_1D.claims if isinstance(c, Beats) and c.better == search)
    assert claim.problems == ("kruse-test2-coded",) and claim.worse == (gp,)
    assert claim.outcome(results(KRUSE_BO_1D, {gp: 2.0, search: 1.0})).answer == "holds"
    assert claim.outcome(results(KRUSE_BO_1D, {gp: 1.0, search: 2.0})).answer == "does not hold"


def test_claims_about_models_to_come_are_out_of_reach():
    known = results(KRUSE_BO_BBOB, {optimizer(GP): 1.0, optimizer(EMPIRICAL): 2.0})
    answers = [claim.outcome(known).answer for claim in KRUSE_BO_BBOB.claims]
    assert answers.count("holds") == 2  # GP against random search, by Borda and on each problem
    assert answers.count("does not hold") == 1  # random search leads on f21: GP is ahead already
    assert set(answers) == {"holds", "does not hold", "out of reach"}


def test_a_tenth_after_20_points_is_claimed_of_all_models_but_gmr():
    below = [
        claim.surrogate
        for claim in KRUSE_REGRESSION_1D.claims
        if isinstance(claim, ScoreBetween) and claim.high == 0.1
    ]
    assert sorted(below) == sorted(set(MODELS) - {"gmr", "empirical"})


def test_the_artefacts_of_the_authors_score_are_marked():
    marked = [c for c in KRUSE_REGRESSION_1D.claims if "should not hold" in c.source]
    assert {c.worse for c in marked} == {("gp_kruse",), ("bnn_nuts_fast",), ("bohamiann_fast",)}
