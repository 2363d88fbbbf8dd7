"""The study of faults: what it counts, and rounds of it in real processes."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo_lab.benchmarks import soak as faults_soak
from neuralbo_lab.benchmarks.faults import (
    FAULTS,
    INJECT,
    REPORT,
    Fault,
    Worker,
    look,
    missed,
    run,
    table,
)
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study

FAULT = Fault("kill", "sqlite", trials=2)


def worker(folder, name, *events, was_killed=False):
    log = folder / f"{name}.jsonl"
    lines = [json.dumps({"event": event, "params": {"x": x}}) for event, x in events]
    log.write_text("".join(line + "\n" for line in lines) + '{"event": "be')  # the last is cut
    return Worker(SimpleNamespace(exitcode=0), log, was_killed)


def trial(x, state=TrialState.COMPLETE):
    value = 1.0 if state == TrialState.COMPLETE else None
    if state == TrialState.WAITING:
        return create_trial(state=state, system_attrs={"fixed_params": {"x": x}})
    where = {"x": FloatDistribution(0, 1)}
    return create_trial(params={"x": x}, distributions=where, value=value, state=state)


def test_an_evaluation_that_was_done_and_is_not_in_the_study_is_lost(folder):
    one = worker(folder, "one", ("begin", 0.1), ("done", 0.1), ("begin", 0.2), ("done", 0.2))
    found = look(FAULT, [trial(0.1), trial(0.2, TrialState.RUNNING)], [one])
    assert (found["lost"], found["stuck"], found["repeated"], found["finished"]) == (1, 1, 0, 1)


def test_a_point_that_two_workers_finish_is_repeated(folder):
    both = [worker(folder, name, ("begin", 0.1), ("done", 0.1)) for name in "ab"]
    assert look(FAULT, [trial(0.1), trial(0.1)], both)["repeated"] == 1


def test_the_last_evaluation_of_a_killed_worker_may_be_made_again(folder):
    killed = worker(folder, "a", ("begin", 0.1), ("done", 0.1), was_killed=True)
    other = worker(folder, "b", ("begin", 0.1), ("done", 0.1))
    found = look(FAULT, [trial(0.1, TrialState.FAIL), trial(0.1)], [killed, other])
    assert (found["lost"], found["repeated"]) == (0, 0)
    failed = trial(0.1, TrialState.FAIL)
    assert look(FAULT, [failed, trial(0.1, TrialState.WAITING)], [killed])["lost"] == 0
    assert look(FAULT, [failed], [killed])["lost"] == 1


def test_the_table_sums_over_the_rounds_and_says_what_was_missed(folder):
    study = replace(find_study("faults"), seeds=2)
    line = {"workers": 4, "died": 0, "finished": 16, "trials": 16, "lost": 0, "repeated": 0,
            "stuck": 0, "seconds": {"wall": 2.0}}  # fmt: skip
    worse = line | {"died": 1, "finished": 15, "stuck": 2}
    cells = [ExperimentCell("faults", "new-file-sqlite", seed) for seed in range(2)]
    results = ExperimentResults(study, dict(zip(cells, (line, worse), strict=True)))
    assert table(results) == [
        ("new-file", "sqlite", "2", "8", "1", "15 of 16", "0", "0", "2", "2.0",
         "died, stuck, finished"),
    ]  # fmt: skip
    assert missed([line]) == []
    assert "| new-file | sqlite | 2 |" in REPORT.write(results, folder).read_text()


def test_every_fault_of_the_study_can_be_injected():
    assert {fault.kind for fault in FAULTS.values()} == set(INJECT)
    assert find_study("faults").methods == tuple(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crash-together-sqlite", "kill-journal", "outage-0.2s-grpc"])
def test_a_round_in_real_processes_loses_repeats_and_leaves_nothing(name, folder):
    line = run(replace(FAULTS[name], workers=3, trials=12), 0, folder)
    assert missed([line]) == [], line


def test_a_soak_misses_what_is_near_and_what_grows():
    line = {"died": 0, "lost": 0, "repeated": 0, "stuck": 0, "finished": 8, "trials": 8,
            "nearest": 0.01, "growth": 0.02}  # fmt: skip
    assert faults_soak.missed([line]) == []
    assert faults_soak.missed([line, line | {"nearest": 1e-4, "growth": 0.2}]) == [
        "apart",
        "memory",
    ]


def test_memory_is_that_of_all_workers_and_of_the_largest_one():
    """The place of a killed worker is taken by a smaller one, which is no growth."""
    memory = faults_soak.Memory()
    for sizes in ([400, 390], [400, 0], [400, 300], [408, 380]):
        memory.note(sizes)
    assert memory.growth == pytest.approx(0.02)
    memory.note([410, 459])  # all 10 %, the largest one 14.75 %
    assert memory.growth == pytest.approx(0.1475)
    assert faults_soak.Memory().growth == 0


@pytest.mark.slow
def test_a_short_soak_loses_nothing(folder):
    soak = replace(faults_soak.QUICK, trials=40, minutes=0.1, every=1.5)
    line = faults_soak.run(soak, 0, folder)
    assert line["faults"] >= 1
    assert set(faults_soak.missed([line])) <= {"memory"}, line  # a worker of seconds still grows
