"""The studies of Aryan (2020): protocols, transcribed tables, claims."""

import math

import pytest
from study_checks import check_claims, check_tables, lowest, number, results

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import AmongFirst, Beats
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.problems import find
from neuralbo_lab.reproductions.aryan.aryan_bbob import ARYAN_BBOB
from neuralbo_lab.reproductions.aryan.aryan_conditional import ARYAN_CONDITIONAL
from neuralbo_lab.reproductions.aryan.aryan_hpo import ARYAN_HPO
from neuralbo_lab.reproductions.aryan.aryan_ivbnn import ARYAN_IVBNN
from neuralbo_lab.reproductions.aryan.aryan_names import (
    BOHAMIANN,
    CHAPTER_3,
    CONDITIONAL,
    FIXED,
    GP,
    GPO,
    HBNN,
    IVBNN,
    LEARNT,
    SEARCH,
)
from neuralbo_lab.reproductions.aryan.aryan_synthetic import ARYAN_SYNTHETIC

STUDIES = (ARYAN_BBOB, ARYAN_SYNTHETIC, ARYAN_HPO, ARYAN_CONDITIONAL, ARYAN_IVBNN)
RVFL = tuple(FIXED)

# Bold in the tables of Aryan (2020), Sec. 4.4.1 to 6.8: the lowest printed number of each column.
BOLD = {
    "4.2": {
        "Bohachevsky": "Bohamiann",
        "Branin": "GP_mcmc",
        "Camelback": "GP_mcmc",
    },
    "4.3": {
        "Goldsteinprice": "GP_mcmc",
        "Hartmann3": "GP_mcmc",
        "Hartmann6": "GP",
    },
    "4.4": {
        "Levy10d": "BRVFL3",
        "Levy2d": "GP_mcmc",
        "Levy5d": "GP_mcmc",
    },
    "4.5": {
        "Rosenbrock2d": "GP",
        "Rosenbrock5d": "Bohamiann",
        "Sintwo": "GP_mcmc",
    },
    "4.6": {
        "Bohachevsky": "BRVFL3",
        "Branin": "GP_mcmc",
        "Camelback": "GP_mcmc",
    },
    "4.7": {
        "Goldsteinprice": "GP_mcmc",
        "Hartmann3": "GP_mcmc",
        "Hartmann6": "GP",
    },
    "4.8": {
        "Levy10d": "BRVFL4",
        "Levy2d": "GP_mcmc",
        "Levy5d": "GP_mcmc",
    },
    "4.9": {
        "Rosenbrock2d": "GP",
        "Rosenbrock5d": "BRVFL4",
        "Sintwo": "GP_mcmc",
    },
    "4.11": {
        "svm-MNIST": "GP_mcmc",
        "wideresnet2d": "GP, GP_mcmc, Random Search",
        "cnn-cifar10": "GP_mcmc",
    },
    "4.12": {
        "paramnet-adult": "BRVFL4",
        "paramnet-higgs": "Random Forest",
        "paramnet-letter": "BRVFL3",
    },
    "4.13": {
        "paramnet-MNIST": "BRVFL3",
        "paramnet-optdigits": "BRVFL1",
        "paramnet-poker": "BRVFL3",
    },
    "6.2": {
        "CNN (CIFAR10)": "GP_mcmc",
        "Paramnet (Adult)": "IVBNN, Bohamiann, GP, GP_mcmc, RandomForest, RandomSearch",
        "Paramnet (Higgs)": "RandomForest",
    },
    "6.3": {
        "Paramnet (Letter)": "IVBNN",
        "Paramnet (Mnist)": "GP_mcmc",
        "Paramnet (Optical Digits)": "GP",
    },
    "6.4": {
        "Paramnet (Poker)": "GP_mcmc",
        "SVM (Mnist)": "GP_mcmc",
        "Wide Resnet (2d)": "IVBNN, GP, GP_mcmc, RandomForest, RandomSearch",
    },
    "5.1": {
        "cnn-cifar10": "RF_cl",
        "paramnet-adult": "RF",
        "paramnet-higgs": "RF",
        "paramnet-letter": "RF",
        "paramnet-mnist": "GP",
        "paramnet-optdigits": "GP",
        "paramnet-poker": "RF",
        "svm-mnist": "BOHAMIANN_cl, GP, GP_cl, RF, RF_cl",
        "wideresnet2d": "BOHAMIANN_cl, GP, GP_cl, RF, RF_cl",
    },
}


def tables():
    return tuple(table for study in STUDIES for table in study.document)


def table(number_of_table):
    return next(t for t in tables() if t.title.startswith(f"Table {number_of_table}:"))


@pytest.mark.parametrize(
    ("study", "trials", "seeds", "problems"),
    [
        (ARYAN_BBOB, 100, 15, 96),
        (ARYAN_SYNTHETIC, 200, 30, 12),
        (ARYAN_HPO, 50, 30, 12),
        (ARYAN_CONDITIONAL, 50, 30, 9),
        (ARYAN_IVBNN, 50, 30, 9),
    ],
)
def test_the_protocols_are_those_of_the_document(study, trials, seeds, problems):
    assert (study.trials, study.start, study.seeds) == (trials, 2, seeds)
    assert len(set(study.problems)) == problems
    assert len(list(study.cells())) == problems * seeds * len(study.methods)


def test_only_bbob_restarts_and_only_the_synthetic_functions_have_a_time_limit():
    assert [study.restarts for study in STUDIES] == [True, False, False, False, False]
    assert [study.seconds for study in STUDIES] == [None, 90 * 3600, None, None, None]


def test_the_seven_methods_of_the_document_make_10080_runs_on_bbob():
    per_method = len(list(ARYAN_BBOB.cells())) // len(ARYAN_BBOB.methods)
    assert per_method * len(set(CHAPTER_3)) == 10_080


def test_the_groups_of_bbob_are_the_four_dimensions_and_the_five_kinds():
    sizes = {group.name: len(group.problems) for group in ARYAN_BBOB.groups}
    assert sizes == {
        "2-D": 24, "3-D": 24, "5-D": 24, "10-D": 24,
        "G1": 20, "G2": 16, "G3": 20, "G4": 20, "G5": 20,
    }  # fmt: skip
    for names in (("2-D", "3-D", "5-D", "10-D"), ("G1", "G2", "G3", "G4", "G5")):
        parts = [p for g in ARYAN_BBOB.groups if g.name in names for p in g.problems]
        assert sorted(parts) == sorted(ARYAN_BBOB.problems)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_quick_version_is_small(study):
    quick = study.quick()
    assert len(list(quick.cells())) <= 150  # minutes, with random features and baselines
    assert set(quick.problems) < set(study.problems)
    assert quick.start < quick.trials <= 20


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_methods_and_the_problems_of_the_quick_version_are_known(study):
    for method in study.methods:
        assert find_method(method).name == method
    for problem in study.quick_problems:
        assert find(problem).name == problem


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_claims_and_tables_are_about_the_study(study):
    check_claims(study)
    check_tables(study)
    assert study.departures


def test_all_tables_are_there():
    assert sorted(t.title.split(":")[0].removeprefix("Table ") for t in tables()) == sorted(BOLD)


@pytest.mark.parametrize("number_of_table", BOLD)
def test_the_lowest_numbers_of_a_table_are_those_in_bold(number_of_table):
    found = {column: ", ".join(rows) for column, rows in lowest(table(number_of_table)).items()}
    assert found == BOLD[number_of_table]


@pytest.mark.parametrize(("fixed", "learnt"), [(2, 6), (3, 7), (4, 8), (5, 9)])
def test_the_baselines_are_the_same_in_both_experiments(fixed, learnt):
    first, second = table(f"4.{fixed}"), table(f"4.{learnt}")
    assert first.columns == second.columns
    assert first.rows[8:] == second.rows[8:]
    assert [row.method for row in first.rows[:8]] == list(FIXED.values())
    assert [row.method for row in second.rows[:8]] == list(LEARNT.values())


def with_rvfl_among_first(three_tables):
    """Count the columns in which one of the first three rows is an RVFL network."""
    found = 0
    for each in three_tables:
        for place in range(len(each.columns)):
            order = sorted(each.rows, key=lambda row: number(row.cells[place]))
            found += any(row.label in RVFL for row in order[:3])
    return found


def test_an_rvfl_is_among_the_first_three_as_often_as_the_document_says():
    assert with_rvfl_among_first([table(f"4.{i}") for i in (2, 3, 4, 5)]) == 7
    assert with_rvfl_among_first([table(f"4.{i}") for i in (6, 7, 8, 9)]) == 9


def test_the_conditional_criterion_wins_nine_times_with_bohamiann_and_once_with_the_others():
    rows = {row.label: [number(cell) for cell in row.cells] for row in table("5.1").rows}
    wins = {
        label: sum(a < b for a, b in zip(rows[f"{label}_cl"], rows[label], strict=True))
        for label in ("BOHAMIANN", "GP", "RF")
    }
    assert wins == {"BOHAMIANN": 9, "GP": 1, "RF": 1}
    assert {row.method for row in table("5.1").rows} >= set(CONDITIONAL.values())


def test_numbers_of_the_text_are_in_the_tables():
    levy = table("4.4")
    assert levy.rows[10].label == "GP_mcmc" and math.isinf(number(levy.rows[10].cells[0]))
    brvfl4 = next(row for row in table("4.9").rows if row.label == "BRVFL4")
    assert brvfl4.cells == ("3.02 ± 4.37", "1.41e2 ± 1.76e2", "3.29e-3 ± 2.10e-3")
    assert table("6.4").rows[0].cells[1] == "1.32e-1 ± 3.04e-1"
    assert table("4.11").rows[5].cells[1] == "5.2382e-2"


def claims_of(study, kind, better):
    return [claim for claim in study.claims if isinstance(claim, kind) and claim.better == better]


def test_a_claim_about_methods_that_were_not_run_is_out_of_reach():
    known = results(ARYAN_BBOB, {GPO: 1.0, "random": 2.0})
    claim = claims_of(ARYAN_BBOB, BordaOver, HBNN)[0]
    assert claim.outcome(known).answer == "out of reach"


def test_the_best_method_overall_decides_the_first_claim_on_bbob():
    claim = claims_of(ARYAN_BBOB, BordaOver, HBNN)[0]
    finals = {method: float(place) for place, method in enumerate(CHAPTER_3)}
    assert claim.outcome(results(ARYAN_BBOB, finals)).answer == "does not hold"
    assert claim.outcome(results(ARYAN_BBOB, finals | {HBNN: -1.0})).answer == "holds"


def test_claims_about_brvfl4_and_the_baselines_are_decided():
    finals = {method: 5.0 for method in ARYAN_SYNTHETIC.methods}
    known = results(ARYAN_SYNTHETIC, finals | {LEARNT["BRVFL4"]: 1.1})
    answers = [
        c.outcome(known).answer for c in claims_of(ARYAN_SYNTHETIC, Beats, LEARNT["BRVFL4"])
    ]
    assert set(answers) == {"holds"} and len(answers) == 3
    levy = next(c for c in ARYAN_SYNTHETIC.claims if "0.55" in c.words)
    assert levy.outcome(known).answer == "holds"
    assert levy.outcome(results(ARYAN_SYNTHETIC, finals)).answer == "does not hold"


def test_no_claim_depends_on_how_many_methods_a_study_has():
    assert not any(isinstance(c, AmongFirst) for study in STUDIES for c in study.claims)


def test_brvfl4_above_gp_is_decided_on_the_stand_ins():
    finals = {method: 5.0 for method in ARYAN_HPO.methods} | {GP: 3.0, SEARCH: 9.0}
    claim = next(c for c in claims_of(ARYAN_HPO, BordaOver, LEARNT["BRVFL4"]) if c.worse == (GP,))
    assert claim.outcome(results(ARYAN_HPO, finals)).answer == "does not hold"
    better = finals | {LEARNT["BRVFL4"]: 2.0}
    assert claim.outcome(results(ARYAN_HPO, better)).answer == "holds"


def test_the_nine_medians_are_one_claim_that_a_single_tie_ends():
    """Aryan (2020), Sec. 5.4: BOHAMIANN_cl is better on all."""
    claim = claims_of(ARYAN_CONDITIONAL, Beats, CONDITIONAL["BOHAMIANN_cl"])[0]
    assert len(claim.problems) == 9 and claim.statistic == "median"
    finals = {method: 5.0 for method in ARYAN_CONDITIONAL.methods}
    assert claim.outcome(results(ARYAN_CONDITIONAL, finals)).answer == "does not hold"
    better = finals | {CONDITIONAL["BOHAMIANN_cl"]: 4.0}
    assert claim.outcome(results(ARYAN_CONDITIONAL, better)).answer == "holds"


def test_the_exception_of_ivbnn_is_a_claim_of_its_own():
    """Aryan (2020), Sec. 6.8: on all but SVM."""
    (wins,) = claims_of(ARYAN_IVBNN, Beats, IVBNN)
    (loses,) = claims_of(ARYAN_IVBNN, Beats, BOHAMIANN)
    assert not any("svm" in problem for problem in wins.problems)
    assert loses.problems == ("tune-svm-digits",) and loses.worse == (IVBNN,)


def test_tables_and_learners_are_both_among_the_stand_ins():
    for study in (ARYAN_CONDITIONAL, ARYAN_IVBNN):
        for kind in ("hpo-", "tune-"):
            assert sum(problem.startswith(kind) for problem in study.problems) >= 2
            assert any(problem.startswith(kind) for problem in study.quick_problems)
