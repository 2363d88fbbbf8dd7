"""minimize(): arguments, failures, storages, resume."""

import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

import neuralbo.study
from neuralbo import Categorical, FailedTrialWarning, Integer, Real, Space, StorageError, minimize
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.sampler import FACTS, SEED
from neuralbo.study import finished
from neuralbo.surrogates import GaussianProcess
from neuralbo.trials import INTERRUPTED, WORKER

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
SPACE = {
    "x": Real(-5, 10),
    "k": Integer(1, 9),
    "kind": Categorical(["a", "b"]),
    "depth": Integer(1, 5, when={"kind": ["a"]}),
}


def f(params):
    return (params["x"] - 1) ** 2 + abs(params["k"] - 3) + params.get("depth", 2)


def quick(function=f, space=SPACE, n_trials=4, **options):
    """Run minimize with a small maximizer; quiet about failures unless a test asks."""
    settings = {"surrogate": "gp", "maximizer": QUICK, "seed": 0} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedTrialWarning)
        return minimize(function, space, n_trials, **settings)


def told(study):
    return [(trial.params, trial.value) for trial in finished(study)]


def url(folder, name="study.db"):
    return f"sqlite:///{folder}/{name}"


class TestArguments:
    def test_a_run_gives_the_best_of_its_trials(self):
        result = quick(n_trials=12)
        values = [trial.value for trial in result.study.trials]
        assert len(values) == 12
        assert result.best_value == min(values)
        assert f(result.best_params) == result.best_value

    def test_maximize_gives_the_largest(self):
        result = quick(lambda p: -f(p), n_trials=8, direction="maximize")
        assert result.best_value == max(trial.value for trial in result.study.trials)
        assert told(result.study) == [(p, -v) for p, v in told(quick(n_trials=8).study)]

    def test_the_same_seed_gives_the_same_run(self):
        assert told(quick(n_trials=9).study) == told(quick(n_trials=9).study)

    def test_a_timeout_ends_a_run(self):
        began = time.monotonic()
        result = quick(lambda p: time.sleep(0.05) or f(p), n_trials=None, timeout=0.4)
        assert time.monotonic() - began < 2
        assert 1 <= len(result.study.trials) < 9

    def test_two_jobs_make_all_trials(self):
        result = quick(n_trials=9, n_jobs=2)
        assert len({str(trial.params) for trial in result.study.trials}) == 9

    def test_callbacks_see_every_finished_trial(self):
        seen = []
        quick(n_trials=3, callbacks=[lambda study, trial: seen.append(trial.number)])
        assert seen == [0, 1, 2]

    def test_names_and_recipes_are_taken(self):
        result = quick(
            n_trials=6, surrogate=GaussianProcess(), criterion="lcb", maximizer="random"
        )
        assert result.study.trials[-1].user_attrs[FACTS]["surrogate"] == "start design"

    def test_a_space_object_is_taken(self):
        assert len(quick(space=Space(SPACE), n_trials=2).study.trials) == 2

    def test_no_trials_are_no_error_until_asked_for_the_best(self):
        result = quick(n_trials=0)
        with pytest.raises(ValueError, match="no trial has given a value"):
            _ = result.best_params

    def test_a_progress_bar_goes_to_the_error_stream(self, capsys):
        quick(n_trials=2, progress=True)
        out, err = capsys.readouterr()
        assert out == ""
        assert "best" in err and "2/2" in err

    def test_without_a_terminal_nothing_is_written(self, capsys):
        quick(n_trials=2)
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"n_trials": None}, "a run must end"),
            ({"n_trials": -1}, "must not be negative, got -1"),
            ({"direction": "up"}, "direction must be 'minimize' or 'maximize'"),
            ({"surrogate": "bvrfl4"}, "Did you mean 'brvfl4'"),
            ({"space": {}}, "at least one parameter"),
            ({"seed": -1}, "seed must be a whole number"),
            ({"space": {"c": Categorical([1, True])}}, "Optuna cannot tell True from 1"),
        ],
    )
    def test_what_is_not_legal_is_refused_before_any_trial(self, options, match):
        calls = []
        with pytest.raises(ValueError, match=match):
            quick(calls.append, **options)
        assert calls == []

    def test_the_seed_drawn_is_kept(self):
        assert SEED in quick(n_trials=1, seed=None).study.user_attrs

    @pytest.mark.parametrize("level", [optuna.logging.DEBUG, optuna.logging.ERROR])
    def test_optunas_verbosity_is_restored(self, level):
        before = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(level)
        try:
            quick(n_trials=1)
            assert optuna.logging.get_verbosity() == level
        finally:
            optuna.logging.set_verbosity(before)


def sometimes(error):
    """Return an objective that raises in trials 1 and 3."""
    count = iter(range(1000))

    def function(params):
        if next(count) in (1, 3):
            raise error
        return f(params)

    return function


class TestFailures:
    def test_an_exception_is_recorded_and_the_run_goes_on(self):
        trials = quick(sometimes(KeyError("oops")), n_trials=6).study.trials
        assert [t.state == TrialState.FAIL for t in trials] == [False, True] * 2 + [False] * 2
        assert trials[1].user_attrs["error"] == "KeyError: 'oops'"
        assert "in function" in trials[1].user_attrs["traceback"]

    @pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, "abc", "1.5", [1, 2]])
    def test_what_is_no_finite_number_is_a_failure(self, value):
        count = iter(range(99))
        result = quick(lambda p: value if next(count) == 1 else f(p), n_trials=3)
        states = [trial.state for trial in result.study.trials]
        assert states == [TrialState.COMPLETE, TrialState.FAIL, TrialState.COMPLETE]
        assert repr(value) in result.study.trials[1].user_attrs["error"]

    def test_a_failure_is_warned_of_once_a_cause(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            minimize(sometimes(OSError("disk")), SPACE, 6, surrogate="random", seed=0)
        (warning,) = [w for w in caught if w.category is FailedTrialWarning]
        assert "trial 1 failed (OSError: disk)" in str(warning.message)

    def test_a_second_cause_is_warned_of_too(self):
        errors = iter([None, KeyError("a"), None, ZeroDivisionError("b"), None])

        def function(params):
            error = next(errors)
            if error:
                raise error
            return 1.0

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            minimize(function, SPACE, 5, surrogate="random", seed=0)
        messages = [str(w.message) for w in caught if w.category is FailedTrialWarning]
        assert len(messages) == 2
        assert "ZeroDivisionError: b" in messages[1]

    @pytest.mark.parametrize(
        "error", [KeyError("col"), FileNotFoundError("data.csv"), sqlite3.Error("mine")]
    )
    def test_three_equal_exceptions_at_the_start_end_the_run(self, folder, error):
        calls = []

        def broken(params):
            calls.append(params)
            raise error

        with pytest.raises(type(error)) as caught:
            quick(broken, n_trials=20, storage=url(folder))
        assert len(calls) == 3
        assert "broken" in [entry.name for entry in caught.traceback]

    def test_three_equal_exceptions_after_a_value_do_not_end_it(self):
        count = iter(range(99))

        def function(params):
            if next(count):
                raise KeyError("col")
            return 1.0

        assert len(quick(function, n_trials=6).study.trials) == 6

    def test_different_exceptions_do_not_end_it(self):
        count = iter(range(99))

        def function(params):
            raise KeyError(next(count))

        assert len(quick(function, n_trials=6).study.trials) == 6

    def test_values_that_are_none_do_not_end_it(self):
        assert len(quick(lambda p: None, n_trials=5).study.trials) == 5

    def test_a_result_without_a_value_says_where_to_look(self):
        result = quick(lambda p: None, n_trials=1)
        with pytest.raises(ValueError, match=r"user_attrs\['error'\] says why"):
            _ = result.best_value

    def test_pruned_trials_are_pruned(self):
        def function(params):
            raise optuna.TrialPruned

        trials = quick(function, n_trials=4).study.trials
        assert {trial.state for trial in trials} == {TrialState.PRUNED}

    def test_an_error_of_a_callback_is_the_users(self):
        def callback(study, trial):
            raise OSError("my disk")

        with pytest.raises(OSError, match="my disk"):
            quick(callbacks=[callback])

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
    def test_an_interrupted_trial_is_no_failure_and_is_made_again(self, folder, error):
        whole = told(quick(n_trials=9).study)
        count = iter(range(99))

        def function(params):
            if next(count) == 7:
                raise error
            return f(params)

        with pytest.raises(error):
            quick(function, n_trials=9, storage=url(folder))
        study = quick(n_trials=2, storage=url(folder)).study
        assert told(study) == whole
        assert INTERRUPTED in study.trials[7].system_attrs


class TestStorage:
    def test_the_folder_of_a_database_is_made(self, folder):
        quick(n_trials=1, storage=f"sqlite:///{folder}/a/b/c.db")
        assert (folder / "a/b/c.db").is_file()

    def test_a_home_folder_is_found(self, folder, monkeypatch):
        monkeypatch.setenv("HOME", str(folder))
        quick(n_trials=1, storage="sqlite:///~/runs/c.db")
        assert (folder / "runs/c.db").is_file()

    def test_optunas_storages_are_taken(self):
        storage = optuna.storages.InMemoryStorage()
        quick(n_trials=2, storage=storage)
        assert len(quick(n_trials=2, storage=storage).study.trials) == 4

    def test_two_studies_live_in_one_database(self, folder):
        quick(n_trials=1, storage=url(folder), study_name="one")
        assert len(quick(n_trials=1, storage=url(folder), study_name="two").study.trials) == 1

    def test_another_direction_is_refused(self, folder):
        quick(n_trials=1, storage=url(folder))
        with pytest.raises(ValueError, match=r"exists with direction \['minimize'\]"):
            quick(storage=url(folder), direction="maximize")

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"x": Real(-5, 11)}, "was made with x = FloatDistribution"),
            ({"k": None}, "now it is gone"),
            ({"new": Real(0, 1)}, "parameter 'new' is missing"),
            ({"depth": Integer(1, 5, when={"kind": ["b"]})}, "was made with other parameters"),
            ({"kind": Categorical(["a", "c"]), "depth": None}, "was made with kind"),
        ],
    )
    def test_other_parameters_are_refused(self, folder, change, match):
        quick(n_trials=3, storage=url(folder))
        space = {name: p for name, p in (SPACE | change).items() if p is not None}
        with pytest.raises(ValueError, match=match):
            quick(space=space, storage=url(folder))

    def test_odd_choices_are_resumed(self, folder):
        space = {"c": Categorical([None, math.nan, True, "a", 2.5, math.inf]), "x": Real(0, 1)}
        for _ in range(2):
            study = quick(lambda p: p["x"], space, 4, storage=url(folder)).study
        assert len(study.trials) == 8

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_is_not_writable_is_named_for_people(self, folder):
        folder.chmod(0o500)
        with pytest.raises(StorageError, match=f"the storage 'sqlite:///{folder}"):
            quick(storage=url(folder))

    @pytest.mark.parametrize("path", ["/proc/nobody/a.db", "/dev/null/a.db", "/dev/null"])
    def test_a_path_that_cannot_be_written_is_named(self, path):
        with pytest.raises(StorageError, match=f"the storage 'sqlite:///{path}' cannot be used"):
            quick(storage=f"sqlite:///{path}")

    def test_a_file_that_is_no_database_is_named(self, folder):
        (folder / "study.db").write_text("these are not the bytes you are looking for\n" * 99)
        with pytest.raises(StorageError, match=r"study\.db' cannot be used: .*not a database"):
            quick(storage=url(folder))

    def test_a_url_that_is_none_is_named_with_the_remedy(self):
        with pytest.raises(StorageError, match=r"runs/my.db.*sqlite:///runs/my.db"):
            quick(storage="runs/my.db")

    def test_a_locked_database_is_named(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.study, "LOCK_SECONDS", 0.1)
        quick(n_trials=1, storage=url(folder))
        lock = sqlite3.connect(folder / "study.db", isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match=r"study\.db' cannot be used: .*locked"):
            quick(storage=url(folder))
        lock.close()
        assert len(quick(n_trials=1, storage=url(folder)).study.trials) == 2

    def test_a_database_locked_in_the_middle_loses_no_finished_trial(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.study, "LOCK_SECONDS", 0.1)
        locks = []

        def function(params):
            if len(locks) == 0 and len(seen) == 3:
                locks.append(sqlite3.connect(folder / "study.db", isolation_level=None))
                locks[0].execute("BEGIN EXCLUSIVE")
            return f(params)

        seen = []
        with pytest.raises(StorageError, match="locked"):
            quick(function, storage=url(folder), n_trials=9,
                  callbacks=[lambda study, trial: seen.append(trial.number)])  # fmt: skip
        locks[0].close()
        study = quick(n_trials=1, storage=url(folder)).study
        assert sum(trial.state == TrialState.COMPLETE for trial in study.trials) >= 4


SCRIPT = """
import os, sys, time
sys.path.insert(0, {tests!r})
from test_study import QUICK, SPACE, f
from neuralbo import minimize

def objective(params):
    with open("evaluations", "a") as file:
        file.write("x")
    if os.path.getsize("evaluations") == {sleeps_at}:
        time.sleep(60)
    time.sleep({pause})
    return f(params)

def finished(study, trial):
    with open("finished", "a") as file:
        print(trial.number, repr(trial.value), file=file, flush=True)

minimize(objective, SPACE, {n_trials}, storage="sqlite:///study.db", surrogate="gp",
         maximizer=QUICK, seed=0, callbacks=[finished])
"""


def start(folder, n_trials, sleeps_at=-1, pause=0.0):
    """Start a process of its own that runs trials in a folder."""
    script = SCRIPT.format(
        n_trials=n_trials, sleeps_at=sleeps_at, pause=pause, tests=os.path.dirname(__file__)
    )
    (folder / "script.py").write_text(textwrap.dedent(script))
    source = Path(neuralbo.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "script.py"], cwd=folder, env=environment)


def size(path):
    return path.stat().st_size if path.exists() else 0


def wait_for(condition, process):
    until = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, "the process ended too early"
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.01)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def twenty():
    """Return twenty trials of a study that was never stopped."""
    return told(quick(n_trials=20).study)


class TestResume:
    @pytest.mark.slow
    def test_a_study_goes_on_in_this_process_as_if_never_stopped(self, folder, twenty):
        for n in (7, 13):
            study = quick(n_trials=n, storage=url(folder)).study
        assert told(study) == twenty

    @pytest.mark.slow
    def test_a_study_goes_on_in_a_new_process_as_if_never_stopped(self, folder, twenty):
        quick(n_trials=10, storage=url(folder))
        assert start(folder, 10).wait() == 0
        assert told(quick(n_trials=0, storage=url(folder)).study) == twenty

    @pytest.mark.slow
    def test_a_study_killed_in_its_eleventh_trial_goes_on_as_if_never_stopped(
        self, folder, twenty
    ):
        process = start(folder, 20, sleeps_at=11)
        wait_for(lambda: size(folder / "evaluations") == 11, process)
        kill(process)
        study = quick(n_trials=10, storage=url(folder)).study
        assert told(study) == twenty
        assert study.trials[10].state == TrialState.FAIL
        assert INTERRUPTED in study.trials[10].system_attrs

    @pytest.mark.slow
    def test_no_finished_trial_is_lost_by_kills_at_random_moments(self, folder, twenty):
        rng = random.Random(4)
        for _ in range(3):
            process = start(folder, 20, pause=0.03)
            before = size(folder / "finished")
            wait_for(lambda: size(folder / "finished") > before, process)  # noqa: B023
            time.sleep(rng.uniform(0, 0.4))
            kill(process)
        study = quick(n_trials=0, storage=url(folder)).study
        for line in (folder / "finished").read_text().splitlines():
            number, value = line.split()
            assert repr(study.trials[int(number)].value) == value
        rest = 20 - sum(trial.state == TrialState.COMPLETE for trial in study.trials)
        assert told(quick(n_trials=rest, storage=url(folder)).study) == twenty

    def test_a_trial_of_a_living_worker_is_left_alone(self, folder):
        study = quick(n_trials=2, storage=url(folder)).study
        trial = study.ask()
        again = quick(n_trials=1, storage=url(folder)).study
        assert again.trials[trial.number].state == TrialState.RUNNING
        assert WORKER in again.trials[trial.number].system_attrs

    def test_a_trial_cut_off_at_its_birth_is_marked(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.study, "NAMELESS_SECONDS", 0.1)
        study = quick(n_trials=2, storage=url(folder)).study
        study._storage.create_new_trial(study._study_id)
        again = quick(n_trials=1, storage=url(folder)).study
        assert INTERRUPTED in again.trials[2].system_attrs
        assert told(again) == told(quick(n_trials=3).study)
