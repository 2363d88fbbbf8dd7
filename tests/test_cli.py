"""The command, as a new user meets it in an empty folder."""

import os
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest

import neuralbo
from neuralbo.cli import main
from neuralbo.study import finished

TINY = """
def objective(trial):
    x = trial.suggest_float("x", -5, 10)
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return (x - 3) ** 2 + trial.suggest_int("depth", 1, 5)
    return (x - 3) ** 2 + 2
"""
SLEEPY = """

import pathlib, time

def objective(trial, objective=objective):
    value = objective(trial)
    if trial.number == 7:
        pathlib.Path("asleep").touch()
        time.sleep(60)
    return value
"""
HELP = """
import neuralbo.cli
try:
    neuralbo.cli.main(["--help"])
except SystemExit:
    pass
"""
SOURCE = Path(neuralbo.__file__).parents[1]


@pytest.fixture(autouse=True)
def empty(folder, monkeypatch):
    """Stand in an empty folder, and leave no imported file behind."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield folder
    for name in ("tiny", "other"):
        if name not in before:
            sys.modules.pop(name, None)


@pytest.fixture
def tiny(empty):
    (empty / "tiny.py").write_text(TINY)


def environment():
    return os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment(), capture_output=True, text=True, check=False, **options,
    )  # fmt: skip


def told(name="tiny", storage="sqlite:///runs/tiny.db"):
    study = optuna.load_study(study_name=name, storage=storage)
    return [(trial.params, trial.value) for trial in finished(study)]


class TestHelp:
    @pytest.mark.parametrize("code", ["import neuralbo", HELP])
    def test_neither_torch_nor_optuna_is_loaded(self, code):
        heavy = "{'torch', 'optuna', 'botorch', 'numpy'} & set(sys.modules)"
        done = python("-c", f"import sys\n{code}\nassert not {heavy}, {heavy}")
        assert done.returncode == 0, done.stderr

    def test_help_tells_the_commands(self, capsys):
        with pytest.raises(SystemExit) as end:
            main(["--help"])
        assert end.value.code == 0
        out = capsys.readouterr().out
        assert "neuralbo run my_file.py" in out and "lab" in out

    def test_help_of_run_shows_what_to_write(self, capsys):
        with pytest.raises(SystemExit) as end:
            main(["run", "--help"])
        assert end.value.code == 0
        out = capsys.readouterr().out
        assert "def objective(trial):" in out and "--surrogate" in out

    def test_version_is_told(self, capsys):
        with pytest.raises(SystemExit):
            main(["--version"])
        assert capsys.readouterr().out == f"neuralbo {neuralbo.__version__}\n"

    @pytest.mark.parametrize("arguments", [[], ["rum"], ["run"], ["run", "a.py", "--trials", "x"]])
    def test_a_mistyped_command_ends_with_2(self, arguments, capsys):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
        assert "usage: neuralbo" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
class TestRun:
    def test_a_run_prints_the_best_and_keeps_study_and_plot(self, empty, capsys):
        assert main(["run", "tiny.py", "--trials", "6", "--seed", "0"]) == 0
        out = capsys.readouterr().out
        assert "6 trials, 0 without a value" in out
        assert "best value" in out and "  x = " in out
        assert "neuralbo report sqlite:///runs/tiny.db --study tiny" in out
        assert (empty / "runs/tiny.db").is_file()
        assert (empty / "runs/tiny.png").read_bytes().startswith(b"\x89PNG")

    def test_a_second_run_says_that_it_continues(self, capsys):
        main(["run", "tiny.py", "--trials", "2", "--seed", "0"])
        assert "continuing" not in capsys.readouterr().out
        assert main(["run", "tiny.py", "--trials", "3", "--seed", "0"]) == 0
        out = capsys.readouterr().out
        assert "continuing study 'tiny' with 2 trials in sqlite:///runs/tiny.db" in out
        assert "5 trials" in out

    def test_a_plot_goes_where_it_is_wanted(self, empty):
        assert main(["run", "tiny.py", "--trials", "2", "--plot", "new/folder/my.png"]) == 0
        assert (empty / "new/folder/my.png").read_bytes().startswith(b"\x89PNG")

    def test_maximize_finds_the_largest(self, capsys):
        assert main(["run", "tiny.py", "--trials", "4", "--direction", "maximize"]) == 0
        best = max(value for _, value in told())
        assert f"best value {best:.6g}" in capsys.readouterr().out

    def test_another_direction_later_is_refused(self, capsys):
        main(["run", "tiny.py", "--trials", "1"])
        assert main(["run", "tiny.py", "--trials", "1", "--direction", "maximize"]) == 1
        assert "use another study_name" in capsys.readouterr().err

    def test_storage_and_name_of_the_study_can_be_chosen(self):
        url = "sqlite:///elsewhere/s.db"
        assert main(["run", "tiny.py", "--trials", "1", "--storage", url, "--study", "mine"]) == 0
        assert len(told("mine", url)) == 1

    def test_a_timeout_alone_is_enough(self):
        assert main(["run", "tiny.py", "--timeout", "0.2", "--surrogate", "random"]) == 0
        assert 1 <= len(told()) < 50


RUN = ["run", "tiny.py", "--seed", "3", "--surrogate", "gp", "--quiet", "--trials"]


@pytest.fixture
def twelve(tiny):
    """Return twelve trials of a run that was never stopped."""
    assert main([*RUN, "12", "--storage", "sqlite:///whole.db"]) == 0
    return told(storage="sqlite:///whole.db")


@pytest.mark.slow
class TestResume:
    def test_a_run_in_a_new_process_goes_on_as_if_never_stopped(self, empty, twelve):
        assert main([*RUN, "6"]) == 0
        done = python("-m", "neuralbo.cli", *RUN, "6", cwd=empty)
        assert done.returncode == 0, done.stderr
        assert "continuing study 'tiny' with 6 trials" in done.stdout
        assert told() == twelve

    def test_a_killed_run_goes_on_as_if_never_stopped(self, empty, twelve):
        (empty / "tiny.py").write_text(TINY + SLEEPY)
        process = subprocess.Popen(
            [sys.executable, "-m", "neuralbo.cli", *RUN, "12"], cwd=empty, env=environment()
        )
        until = time.monotonic() + 60
        while not (empty / "asleep").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
        process.wait()
        (empty / "tiny.py").write_text(TINY)
        assert main([*RUN, "5"]) == 0
        assert told() == twelve


def refused(arguments, capsys):
    """Run a command that must fail in one line, and return the line."""
    assert main(arguments) == 1
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return err


class TestErrors:
    def test_a_missing_file_is_named(self, capsys):
        assert "there is no file nothing.py" in refused(["run", "nothing.py"], capsys)

    def test_a_folder_is_no_file(self, empty, capsys):
        (empty / "sub").mkdir()
        assert "there is no file sub" in refused(["run", "sub"], capsys)

    def test_a_file_that_is_not_python_is_named(self, empty, capsys):
        (empty / "notes.txt").write_text("hello")
        assert "its name must end in .py" in refused(["run", "notes.txt"], capsys)

    @pytest.mark.parametrize("text", ["", "objective = 3\n"])
    def test_a_file_without_an_objective_is_told_what_it_needs(self, empty, capsys, text):
        (empty / "other.py").write_text(text)
        assert "it needs: def objective(trial)" in refused(["run", "other.py"], capsys)

    def test_a_file_that_imports_what_is_not_there_is_told(self, empty, capsys):
        (empty / "other.py").write_text("import no_such_module_anywhere\n")
        assert "no_such_module_anywhere" in refused(["run", "other.py"], capsys)

    def test_an_unknown_surrogate_is_answered_with_near_names(self, tiny, empty, capsys):
        err = refused(["run", "tiny.py", "--surrogate", "bvrfl4"], capsys)
        assert "unknown surrogate 'bvrfl4'. Did you mean 'brvfl4'" in err
        assert not (empty / "runs").exists()

    def test_a_storage_that_cannot_be_used_is_named(self, tiny, capsys):
        arguments = ["run", "tiny.py", "--storage", "sqlite:////dev/null/a.db"]
        assert "StorageError: the storage 'sqlite:////dev/null/a.db'" in refused(arguments, capsys)

    def test_a_traceback_is_shown_if_wanted(self, tiny):
        with pytest.raises(ValueError, match="unknown surrogate"):
            main(["run", "tiny.py", "--surrogate", "bvrfl4", "--traceback"])

    def test_trials_that_all_return_nothing_end_with_1(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    trial.suggest_float('x', 0, 1)\n"
        )
        with pytest.warns(neuralbo.FailedTrialWarning, match="returned None"):
            assert main(["run", "other.py", "--trials", "3"]) == 1
        assert "no trial has given a value" in capsys.readouterr().out

    def test_trials_that_are_all_pruned_end_with_1(self, empty, capsys):
        (empty / "other.py").write_text(
            "import optuna\n\ndef objective(trial):\n    trial.suggest_float('x', 0, 1)\n"
            "    trial.report(1.0, 0)\n    raise optuna.TrialPruned\n"
        )
        assert main(["run", "other.py", "--trials", "2"]) == 1
        assert "no trial has given a value" in capsys.readouterr().out

    def test_an_objective_that_always_raises_ends_with_its_error(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    raise FileNotFoundError('my data.csv')\n"
        )
        with pytest.warns(neuralbo.FailedTrialWarning, match="my data.csv"):
            err = refused(["run", "other.py", "--trials", "9"], capsys)
        assert "FileNotFoundError: my data.csv" in err
        assert "storage" not in err

    def test_an_interrupt_ends_with_130_and_keeps_what_is_done(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    x = trial.suggest_float('x', 0, 1)\n"
            "    if trial.number == 2:\n        raise KeyboardInterrupt\n    return x\n"
        )
        assert main(["run", "other.py", "--trials", "9"]) == 130
        assert "what was finished is kept" in capsys.readouterr().err
        assert len(told("other", "sqlite:///runs/other.db")) == 2
