"""minimize(): arguments, failures, storages, resume."""

import functools
import json
import linecache
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import optuna
import pytest
import torch
from optuna.trial import TrialState

import neuralbo.interfaces.minimize
import neuralbo.interfaces.optuna.storages
from neuralbo import (
    Categorical,
    FailedTrialWarning,
    Integer,
    NoValueError,
    Real,
    Space,
    StorageError,
    minimize,
)
from neuralbo.engine.engine import Engine
from neuralbo.interfaces.optuna.sampler import FACTS, SEED
from neuralbo.interfaces.optuna.trials import INTERRUPTED, WORKER
from neuralbo.interfaces.stopping import STOPPED, MostTrials, finished
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.surrogates import GaussianProcess

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


def observed(study):
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
        assert observed(result.study) == [(p, -v) for p, v in observed(quick(n_trials=8).study)]

    def test_the_same_seed_gives_the_same_run(self):
        assert observed(quick(n_trials=9).study) == observed(quick(n_trials=9).study)

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
        assert result.study.trials[-1].user_attrs[FACTS]["surrogate"] == "initial design"

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
            ({"n_trials": -1}, "n_trials must be a whole number from 0 on, or None; got -1"),
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

    @pytest.mark.parametrize("known", [4, 5])
    def test_a_study_with_enough_trials_gets_no_further_one(self, folder, known, capsys):
        quick(n_trials=known, storage=url(folder))
        options = {"callbacks": [MostTrials(4)], "storage": url(folder), "progress": True}
        study = quick(n_trials=9, **options).study
        assert len(study.trials) == known
        assert study.user_attrs[STOPPED] == f"{known} trials"
        assert capsys.readouterr().err == ""

    def test_the_bar_counts_the_trials_that_will_be_made(self, folder, capsys):
        quick(n_trials=4, storage=url(folder))
        rules = [MostTrials(6)]
        study = quick(n_trials=9, storage=url(folder), callbacks=rules, progress=True).study
        assert len(study.trials) == 6
        assert "2/2" in capsys.readouterr().err

    def test_many_jobs_make_no_more_than_the_most(self):
        study = quick(n_trials=9, n_jobs=3, callbacks=[MostTrials(4)]).study
        assert len(study.trials) == 4

    async def f_async(self, params):
        return 1.0

    class Async:
        async def __call__(self, params):
            return 1.0

    @pytest.mark.parametrize("objective", [f_async, Async(), functools.partial(f_async, None)])
    def test_an_async_objective_is_told_so_before_any_trial(self, folder, objective):
        with pytest.raises(
            TypeError, match=r"is async.*lambda params: asyncio.run\(f\(params\)\)"
        ):
            quick(objective, storage=url(folder))
        assert not (folder / "study.db").exists()

    def test_a_coroutine_that_comes_back_is_told_so(self):
        def function(params):
            return self.f_async(params)

        with pytest.raises(TypeError, match="is async"):
            quick(function)

    def test_a_generator_is_told_so(self):
        def objective(params):
            yield 1.0

        with pytest.raises(TypeError, match="a generator"):
            quick(objective)

    def test_what_cannot_be_called_is_refused(self):
        with pytest.raises(TypeError, match=r"a function, called as f\(params\); got 3"):
            quick(3)

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

    def test_three_exceptions_of_one_line_end_it_whatever_they_say(self):
        count = iter(range(99))

        def function(params):
            raise KeyError(next(count))

        with pytest.raises(KeyError, match="2"):
            quick(function, n_trials=6)

    def test_exceptions_of_a_library_called_in_one_line_are_of_one_kind(self):
        texts = iter(["", "{", "[1,"])  # json raises in different lines of its own
        with pytest.raises(json.JSONDecodeError):
            quick(lambda p: json.loads(next(texts)), n_trials=6)

    def test_exceptions_of_different_lines_do_not_end_it_before_its_time(self):
        calls = []

        def function(params):
            calls.append(params)
            if len(calls) % 2:
                raise KeyError("a")
            raise KeyError("a")

        with pytest.raises(
            NoValueError, match=r"7 failed in this run, .*KeyError: 'a'\.$"
        ) as caught:
            quick(function, n_trials=7)
        assert len(calls) == 7
        assert isinstance(caught.value.__cause__, KeyError)
        shown = "".join(traceback.format_exception(caught.value))
        assert shown.count("in function") == 1

    @pytest.mark.parametrize("value", [math.nan, math.inf, None])
    def test_a_run_without_a_single_value_ends_with_an_error(self, value):
        with pytest.raises(NoValueError, match=f"5 failed .* the objective returned {value}"):
            quick(lambda p: value, n_trials=5)

    @pytest.mark.parametrize("value", [math.nan, None])
    def test_failures_that_are_reported_at_the_start_do_not_end_it(self, value):
        count = iter(range(99))
        result = quick(lambda p: value if next(count) < 6 else f(p), n_trials=8)
        assert len(result.study.trials) == 8

    def test_a_missing_return_costs_no_more_than_an_initial_design(self):
        calls = []
        with pytest.raises(NoValueError, match="Is a `return` missing"):
            quick(calls.append, n_trials=50, surrogate="random", maximizer=None)
        assert len(calls) == 10

    @pytest.mark.parametrize("value", [(1.0, 2.0), "abc", [], np.array([1.0, 2.0])])
    def test_what_can_never_be_a_number_ends_it_after_three(self, value):
        calls = []
        with pytest.raises(TypeError, match="must be a number"):
            quick(lambda p: calls.append(p) or value, n_trials=9)
        assert len(calls) == 3

    @pytest.mark.parametrize(
        "wrap",
        [np.float32, lambda x: np.array([x]), lambda x: np.array([[x]]), np.array, torch.tensor,
         lambda x: torch.tensor([x], requires_grad=True)],
    )  # fmt: skip
    def test_an_array_with_one_element_is_a_number(self, wrap):
        result = quick(lambda p: wrap(p["x"]), n_trials=2)
        assert result.best_value == pytest.approx(result.best_params["x"])

    def test_two_objectives_may_come_as_an_array(self):
        result = quick(
            lambda p: torch.tensor([p["x"], 1.0]), n_trials=2, direction=["minimize"] * 2
        )
        assert result.study.trials[0].values[1] == 1.0

    def test_failures_are_no_error_in_a_study_that_has_values(self, folder):
        quick(n_trials=1, storage=url(folder))
        assert len(quick(lambda p: None, n_trials=5, storage=url(folder)).study.trials) == 6

    def test_no_further_trials_are_no_error_in_a_study_without_a_value(self, folder):
        with pytest.raises(NoValueError):
            quick(lambda p: None, n_trials=1, storage=url(folder))
        result = quick(n_trials=0, storage=url(folder))
        with pytest.raises(ValueError, match=r"user_attrs\['error'\] says why"):
            _ = result.best_value

    def test_a_warning_of_a_failure_points_at_the_line_that_raised(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            minimize(sometimes(OSError("disk")), SPACE, 6, surrogate="random", seed=0)
        (warning,) = [w for w in caught if w.category is FailedTrialWarning]
        assert warning.filename == __file__
        assert linecache.getline(__file__, warning.lineno).strip() == "raise error"

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_a_warning_of_a_value_that_is_none_is_given_too(self, n_jobs):
        count = iter(range(99))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            minimize(lambda p: None if next(count) == 1 else 1.0, SPACE, 3, surrogate="random",
                     seed=0, n_jobs=n_jobs)  # fmt: skip
        (warning,) = [w for w in caught if w.category is FailedTrialWarning]
        assert n_jobs == 2 or warning.filename == __file__

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

    def test_an_exit_ends_the_process_and_its_trial_is_made_again(self, folder):
        whole = observed(quick(n_trials=9).study)
        with pytest.raises(SystemExit):
            quick(stopped_in(7, SystemExit), n_trials=9, storage=url(folder))
        study = quick(n_trials=2, storage=url(folder)).study
        assert observed(study) == whole
        assert INTERRUPTED in study.trials[7].system_attrs


def stopped_in(number, error=KeyboardInterrupt):
    """Return an objective that an exception stops in a trial."""
    count = iter(range(99))

    def function(params):
        if next(count) == number:
            raise error
        return f(params)

    return function


class TestInterrupt:
    @pytest.fixture(autouse=True)
    def _python_handles_interrupts(self):
        """Ray Tune leaves a handler of its own in a process that has used it."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    def test_the_finished_trials_are_returned(self, capsys):
        result = quick(stopped_in(3), n_trials=9)
        assert result.interrupted
        assert len(finished(result.study)) == 3
        assert result.best_value == min(t.value for t in finished(result.study))
        out, err = capsys.readouterr()
        assert out == "" and "interrupted; what was finished is returned: Result(best_value" in err

    def test_a_run_that_ends_by_itself_was_not_interrupted(self):
        assert not quick(n_trials=1).interrupted

    def test_a_run_without_a_value_is_no_error_if_it_was_interrupted(self):
        result = quick(stopped_in(0), n_trials=9)
        assert repr(result) == "Result(no value yet, 0 trials, interrupted)"

    def test_its_trial_is_made_again(self, folder):
        whole = observed(quick(n_trials=9).study)
        assert quick(stopped_in(7), n_trials=9, storage=url(folder)).interrupted
        study = quick(n_trials=2, storage=url(folder)).study
        assert observed(study) == whole
        assert INTERRUPTED in study.trials[7].system_attrs

    @pytest.mark.parametrize("is_file", [False, True])
    def test_a_suggestion_may_be_interrupted(self, folder, monkeypatch, is_file):
        whole = observed(quick(n_trials=9).study)
        storage = url(folder) if is_file else optuna.storages.InMemoryStorage()
        suggest, count = Engine.suggest, iter(range(99))

        def interrupted(*arguments):
            if next(count) == 7:
                raise KeyboardInterrupt
            return suggest(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(Engine, "suggest", interrupted)
            result = quick(n_trials=9, storage=storage)
        assert result.interrupted
        assert not [t for t in result.study.trials if t.state == TrialState.RUNNING]
        assert observed(quick(n_trials=2, storage=storage).study) == whole

    def test_threads_end_their_trials_first(self):
        first = iter([True])

        def function(params):
            if next(first, False):
                signal.raise_signal(signal.SIGINT)  # for the main thread, once
            return f(params)

        result = quick(function, n_trials=50, n_jobs=2, surrogate="random", maximizer=None)
        assert result.interrupted
        assert 0 < len(finished(result.study)) < 50

    @pytest.mark.slow
    def test_a_process_goes_on_with_what_was_finished(self, folder):
        (folder / "script.py").write_text(textwrap.dedent(INTERRUPTED_SCRIPT))
        process = subprocess.Popen(
            [sys.executable, "script.py"], cwd=folder, env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        wait_for((folder / "third").exists, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out == "True 2\n"
        assert "Traceback" not in err and "interrupted; what was finished is returned" in err


INTERRUPTED_SCRIPT = """
import pathlib, time
import neuralbo as nb
calls = []

def f(params):
    calls.append(params)
    if len(calls) == 3:
        pathlib.Path("third").touch()
        time.sleep(60)
    return params["x"]

result = nb.minimize(f, {"x": nb.Real(0, 1)}, n_trials=9, surrogate="random", seed=0)
print(result.interrupted, len(nb.stopping.finished(result.study)))
"""


class TestText:
    def test_of_one_objective_it_has_best_value_and_parameters(self):
        result = quick(lambda p: 0.5, {"x": Real(0, 1), "kind": Categorical(["a"])}, n_trials=1)
        x = result.best_params["x"]
        assert repr(result) == (
            f"Result(best_value=0.5, best_params={{'x': {x!r}, 'kind': 'a'}}, 1 trial)"
        )

    def test_of_several_objectives_it_has_the_size_of_the_front(self):
        result = quick(lambda p: (1.0, 1.0), n_trials=2, direction=["minimize", "maximize"])
        assert repr(result) == "Result(a front of 2 trials, 2 trials)"

    def test_without_a_value_it_says_so(self):
        assert repr(quick(n_trials=0)) == "Result(no value yet, 0 trials)"

    def test_of_many_parameters_it_has_some(self):
        space = {f"x{i}": Real(0, 1) for i in range(30)}
        assert "'x7': " in repr(quick(lambda p: 1.0, space, n_trials=1))
        assert "'x8': " not in repr(quick(lambda p: 1.0, space, n_trials=1))


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
        with pytest.raises(StorageError, match=r"nonsense://x.*sqlite:///runs/my.db"):
            quick(storage="nonsense://x")

    def test_a_locked_database_is_named(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.interfaces.optuna.storages, "LOCK_SECONDS", 0.1)
        quick(n_trials=1, storage=url(folder))
        lock = sqlite3.connect(folder / "study.db", isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match=r"study\.db' cannot be used: .*locked"):
            quick(storage=url(folder))
        lock.close()
        assert len(quick(n_trials=1, storage=url(folder)).study.trials) == 2

    def test_a_database_locked_in_the_middle_loses_no_finished_trial(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.interfaces.optuna.storages, "LOCK_SECONDS", 0.1)
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
from test_minimize import QUICK, SPACE, f
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
    return subprocess.Popen([sys.executable, "script.py"], cwd=folder, env=environment())


def environment():
    source = Path(neuralbo.__file__).parents[1]
    return os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}


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
    return observed(quick(n_trials=20).study)


class TestResume:
    @pytest.mark.slow
    def test_a_study_goes_on_in_this_process_as_if_never_stopped(self, folder, twenty):
        for n in (7, 13):
            study = quick(n_trials=n, storage=url(folder)).study
        assert observed(study) == twenty

    @pytest.mark.slow
    def test_a_study_goes_on_in_a_new_process_as_if_never_stopped(self, folder, twenty):
        quick(n_trials=10, storage=url(folder))
        assert start(folder, 10).wait() == 0
        assert observed(quick(n_trials=0, storage=url(folder)).study) == twenty

    @pytest.mark.slow
    def test_a_study_killed_in_its_eleventh_trial_goes_on_as_if_never_stopped(
        self, folder, twenty
    ):
        process = start(folder, 20, sleeps_at=11)
        wait_for(lambda: size(folder / "evaluations") == 11, process)
        kill(process)
        study = quick(n_trials=10, storage=url(folder)).study
        assert observed(study) == twenty
        assert study.trials[10].state == TrialState.FAIL
        assert INTERRUPTED in study.trials[10].system_attrs

    @pytest.mark.slow
    def test_no_finished_trial_is_lost_by_kills_at_random_moments(self, folder, twenty):
        rng = random.Random(4)
        for _ in range(2):
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
        assert observed(quick(n_trials=rest, storage=url(folder)).study) == twenty

    def test_a_trial_of_a_living_worker_is_left_alone(self, folder):
        study = quick(n_trials=2, storage=url(folder)).study
        trial = study.ask()
        again = quick(n_trials=1, storage=url(folder)).study
        assert again.trials[trial.number].state == TrialState.RUNNING
        assert WORKER in again.trials[trial.number].system_attrs

    def test_a_trial_cut_off_at_its_birth_is_marked(self, folder, monkeypatch):
        monkeypatch.setattr(neuralbo.interfaces.optuna.interrupted_trials, "NAMELESS_SECONDS", 0.1)
        study = quick(n_trials=2, storage=url(folder)).study
        study._storage.create_new_trial(study._study_id)
        again = quick(n_trials=1, storage=url(folder)).study
        assert INTERRUPTED in again.trials[2].system_attrs
        assert observed(again) == observed(quick(n_trials=3).study)
