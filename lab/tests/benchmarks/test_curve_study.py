"""The study of learning curves: what it spends, and what it counts."""

import numpy as np
import optuna
import pytest
from optuna.pruners import NopPruner
from optuna.samplers import RandomSampler

from neuralbo_lab.benchmarks import pruners
from neuralbo_lab.benchmarks.pruners import REPORT, Spent, run, table
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.problems import training_curves
from neuralbo_lab.problems.training_curves import CurveTable, curve_table, tables_of


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv(training_curves.FOLDER, raising=False)


def small():
    """Three configurations: the second diverges."""
    losses = np.array([[3.0, 2.0, 1.0], [3.0, 4.0, np.nan], [3.0, 3.0, 2.0]])
    return CurveTable("small", np.array([[0.0], [0.5], [1.0]]), losses)


def test_a_point_is_the_nearest_configuration():
    assert [small().row(np.array([x])) for x in (0.1, 0.4, 0.9)] == [0, 1, 2]


def test_regret_is_nothing_at_the_least_final_loss_and_one_at_the_median():
    assert small().regret(1.0) == 0 and small().regret(1.5) == 1  # of 1 and 2; one diverged


def test_every_epoch_is_paid_for_and_only_whole_trainings_count():
    spent, study = run(small(), RandomSampler(seed=1), NopPruner(), 11)
    assert spent.epochs == 11 == sum(len(t.intermediate_values) for t in study.trials)
    assert spent.found and all(at % 3 == 0 and at <= 11 for at, _ in spent.found)
    assert study.trials[-1].state == optuna.trial.TrialState.PRUNED


def test_the_best_by_a_time_is_what_had_ended_then():
    spent = Spent(100, found=[(3, 5.0), (6, 2.0), (9, 3.0)])
    assert [spent.best_by(at) for at in (2, 3, 7, 9)] == [np.inf, 5.0, 2.0, 2.0]


def test_the_groups_have_no_table_in_common():
    assert not set(training_curves.DEVELOPMENT) & set(training_curves.TEST)
    assert tables_of("development") == tables_of("test") == training_curves.MADE


def test_tables_are_read_from_the_folder_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(training_curves.FOLDER, str(tmp_path))
    assert tables_of("test") == training_curves.TEST
    with pytest.raises(FileNotFoundError, match="variable NEURALBO_CURVES"):
        curve_table(training_curves.TEST[0])
    (tmp_path / "taskset").mkdir()
    np.savez(
        tmp_path / "taskset/own.npz", names=["learning_rate", "beta1", "other"],
        X=np.array([[1e-3, 0.9, 1.0], [1e-2, 0.99, 5.0], [1e-1, 0.999, 2.0]]),
        valid=np.ones((3, 4)),
    )  # fmt: skip
    read = curve_table("taskset/own")
    np.testing.assert_allclose(read.X, [[0, 0, 0], [0.5, 0.5, 1], [1, 1, 0.25]], atol=1e-12)
    (tmp_path / "lcbench-curves").mkdir()
    np.savez(
        tmp_path / "lcbench-curves/own.npz", config=np.array([[16.0], [64.0], [16.0], [512.0]]),
        val_cross_entropy=np.arange(8.0).reshape(4, 2),
    )  # fmt: skip
    assert curve_table("lcbench-curves/own").X[:, 0].tolist() == [0, 0.5, 0, 1]


@pytest.fixture(scope="module")
def line():
    return pruners.measure("tpe_neural", 0, True)


def test_a_cell_has_what_was_found_at_each_budget(line):
    (cell,) = line["tables"].values()
    assert len(cell["regrets"]) == len(line["budgets"])
    assert cell["regrets"] == sorted(cell["regrets"], reverse=True)
    assert cell["trials"] > line["budgets"][-1]  # some were stopped


def test_the_table_has_a_row_for_each_budget(line, folder):
    study = find_study("curves").quick()
    results = ExperimentResults(study, {ExperimentCell("curves", "tpe_neural", 0): line})
    rows = table(results)
    assert [row[:4] for row in rows] == [
        ("tpe_neural", "made here", "1", str(budget)) for budget in line["budgets"]
    ]
    assert "tpe_neural" in REPORT.write(results, folder).read_text()
