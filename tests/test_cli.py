"""The command, as a new user meets it in an empty folder."""

import errno
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from pathlib import Path

import optuna
import pytest

import neuralbo
from neuralbo.cli import main
from neuralbo.interfaces.stopping import finished

TINY = """
def objective(trial):
    x = trial.suggest_float("x", -5, 10)
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return (x - 3) ** 2 + trial.suggest_int("depth", 1, 5)
    return (x - 3) ** 2 + 2
"""
CURVE = """
import optuna

def objective(trial):
    x = trial.suggest_float("x", -5, 10)
    for step in range(4):
        trial.report((x - 3) ** 2 + 1 / (step + 1), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return (x - 3) ** 2 + 1 / 4
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


def observed(name="tiny", storage="sqlite:///runs/tiny.db"):
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
        assert "neuralbo report runs/tiny.db --study tiny" in out
        assert (empty / "runs/tiny.db").is_file()
        assert (empty / "runs/tiny.png").read_bytes().startswith(b"\x89PNG")

    def test_a_second_run_says_that_it_continues(self, capsys):
        main(["run", "tiny.py", "--trials", "2", "--seed", "0"])
        assert "continuing" not in capsys.readouterr().out
        assert main(["run", "tiny.py", "--trials", "3", "--seed", "0"]) == 0
        out = capsys.readouterr().out
        assert "continuing study 'tiny' with 2 trials in runs/tiny.db" in out
        assert "5 trials" in out

    def test_a_plot_goes_where_it_is_wanted(self, empty):
        assert main(["run", "tiny.py", "--trials", "2", "--plot", "new/folder/my.png"]) == 0
        assert (empty / "new/folder/my.png").read_bytes().startswith(b"\x89PNG")

    def test_maximize_finds_the_largest(self, capsys):
        assert main(["run", "tiny.py", "--trials", "4", "--direction", "maximize"]) == 0
        best = max(value for _, value in observed())
        assert f"best value {best:.6g}" in capsys.readouterr().out

    def test_a_pruner_can_be_named(self):
        Path("tiny.py").write_text(CURVE)
        assert main(["run", "tiny.py", "--trials", "9", "--pruner", "neural", "--seed", "0"]) == 0
        (study,) = optuna.get_all_study_summaries("sqlite:///runs/tiny.db")
        trials = optuna.load_study(
            study_name=study.study_name, storage="sqlite:///runs/tiny.db"
        ).trials
        assert any("neuralbo:pruned" in trial.user_attrs for trial in trials)

    def test_another_direction_later_is_refused(self, capsys):
        main(["run", "tiny.py", "--trials", "1"])
        assert main(["run", "tiny.py", "--trials", "1", "--direction", "maximize"]) == 1
        assert "use another study_name" in capsys.readouterr().err

    def test_storage_and_name_of_the_study_can_be_chosen(self):
        url = "sqlite:///elsewhere/s.db"
        assert main(["run", "tiny.py", "--trials", "1", "--storage", url, "--study", "mine"]) == 0
        assert len(observed("mine", url)) == 1

    def test_a_timeout_alone_is_enough(self):
        assert main(["run", "tiny.py", "--timeout", "0.2", "--surrogate", "random"]) == 0
        assert 1 <= len(observed()) < 50

    @pytest.mark.parametrize("most", ["3", "4"])
    def test_a_study_with_enough_trials_gets_no_further_one(self, capsys, most):
        main(["run", "tiny.py", "--trials", "4", "--surrogate", "random"])
        capsys.readouterr()
        assert main(["run", "tiny.py", "--most", most, "--surrogate", "random"]) == 0
        out = capsys.readouterr().out
        assert f"no trial was made: the study has 4 trials, and --most is {most}" in out
        assert "best value" in out and "stopped" not in out
        assert len(observed()) == 4

    def test_as_many_trials_are_made_as_the_most_leave(self, capsys, monkeypatch):
        from neuralbo.interfaces import minimize as study

        seen, progress_of = [], study.progress_of
        monkeypatch.setattr(study, "progress_of", lambda *a: seen.append(a[1]) or progress_of(*a))
        main(["run", "tiny.py", "--trials", "4", "--surrogate", "random"])
        assert main(["run", "tiny.py", "--most", "6", "--surrogate", "random"]) == 0
        assert seen == [4, 2]
        assert "stopped: 6 trials" in capsys.readouterr().out
        assert len(observed()) == 6

    @pytest.mark.parametrize("path", ["x.db", "new/x.log", "x.journal"])
    def test_a_storage_may_be_a_path(self, empty, capsys, path):
        arguments = ["run", "tiny.py", "--trials", "2", "--surrogate", "random"]
        for _ in range(2):
            assert main([*arguments, "--storage", path]) == 0
        out = capsys.readouterr().out
        assert f"continuing study 'tiny' with 2 trials in {path}" in out
        assert f"neuralbo report {path} --study tiny" in out
        assert (empty / path).is_file()
        assert (empty / path).with_name("tiny.png").is_file()
        assert main(["report", path, "--out", "page.html"]) == 0

    @pytest.mark.parametrize("letter", ["n", "日"])  # of one byte and of three
    def test_a_name_of_300_letters_is_shortened_in_those_of_files(self, empty, capsys, letter):
        arguments = ["run", "tiny.py", "--trials", "1", "--surrogate", "random", "--study"]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph")  # matplotlib's letters do not have it
            assert main([*arguments, letter * 300]) == 0
        stem = letter * (100 // len(letter.encode()))
        assert f"convergence plot: runs/{stem}.png" in capsys.readouterr().out
        assert (empty / f"runs/{stem}.png").is_file()
        assert main(["report", "runs/tiny.db"]) == 0
        assert (empty / f"runs/{stem}.html").is_file()

    @pytest.mark.parametrize("plot", ["/proc/nobody/a.png", ".", "a.bmpp"])
    def test_a_plot_that_cannot_be_written_is_no_failure(self, capsys, plot):
        arguments = ["run", "tiny.py", "--trials", "1", "--surrogate", "random", "--plot", plot]
        assert main(arguments) == 0
        out = capsys.readouterr().out
        assert "no plot: " in out and "neuralbo report" in out

    def test_a_full_disk_costs_the_plot_only(self, capsys, monkeypatch):
        from matplotlib.figure import Figure

        def full(*arguments, **options):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Figure, "savefig", full)
        assert main(["run", "tiny.py", "--trials", "1", "--surrogate", "random"]) == 0
        assert "no plot: OSError: [Errno 28] No space left on device" in capsys.readouterr().out


FEW = ["--trials", "2", "--surrogate", "random", "--quiet"]
OTHER = "def objective(trial):\n    return 5 + trial.suggest_float('y', 0, 1)\n"
CHANGED = "def objective(trial):\n    return len(trial.suggest_categorical('kind', ['a', 'cc']))\n"


class TestFiles:
    @pytest.fixture
    def two(self, empty):
        """Make two files of one name, and a study of the first."""
        for name, text in (("a", TINY), ("b", OTHER)):
            (empty / name).mkdir()
            (empty / name / "train.py").write_text(text)
        assert main(["run", "a/train.py", *FEW]) == 0
        return empty

    def test_a_study_belongs_to_its_file(self, two, capsys):
        capsys.readouterr()
        err = refused(["run", "b/train.py", *FEW], capsys)
        assert "the study 'train' in runs/train.db belongs to a/train.py, not to b/train.py" in err
        assert "--study NAME" in err and "--storage FILE" in err
        assert len(observed("train", "sqlite:///runs/train.db")) == 2

    def test_the_file_itself_goes_on_from_wherever_it_is_called(self, two, monkeypatch):
        monkeypatch.chdir(two / "a")
        assert main(["run", "train.py", *FEW, "--storage", "../runs/train.db"]) == 0
        assert main(["run", str(two / "a/train.py"), *FEW, "--storage", "../runs/train.db"]) == 0
        assert len(observed("train", "sqlite:///../runs/train.db")) == 6

    def test_another_study_or_storage_is_free(self, two):
        assert main(["run", "b/train.py", *FEW, "--study", "b"]) == 0
        assert main(["run", "b/train.py", *FEW, "--storage", "b.db"]) == 0
        assert len(observed("b", "sqlite:///runs/train.db")) == 2
        assert len(observed("train", "sqlite:///b.db")) == 2

    @pytest.mark.parametrize(("text", "match"), [(OTHER, "this one has y"), (CHANGED, "kind")])
    def test_a_study_that_is_named_must_have_the_parameters(self, two, capsys, text, match):
        (two / "b/train.py").write_text(text)
        capsys.readouterr()
        err = refused(["run", "b/train.py", *FEW, "--study", "train"], capsys)
        assert "the study 'train' is of another objective, with the parameters" in err
        assert match in err
        assert len(observed("train", "sqlite:///runs/train.db")) == 2

    def test_a_file_that_was_moved_goes_on_if_the_study_is_named(self, two, capsys):
        (two / "a/train.py").replace(two / "b/train.py")
        assert "if the file was moved" in refused(["run", "b/train.py", *FEW], capsys)
        assert main(["run", "b/train.py", *FEW, "--study", "train"]) == 0
        assert main(["run", "b/train.py", *FEW]) == 0
        assert len(observed("train", "sqlite:///runs/train.db")) == 6

    def test_a_project_can_be_moved_as_a_whole(self, two, monkeypatch):
        (two / "new").mkdir()
        for name in ("a", "runs"):
            (two / name).rename(two / "new" / name)
        monkeypatch.chdir(two / "new")
        assert main(["run", "a/train.py", *FEW]) == 0
        assert len(observed("train", "sqlite:///runs/train.db")) == 4

    def test_files_of_one_name_on_two_machines_share_a_server(self, two, monkeypatch):
        from neuralbo import run_command

        server = "sqlite:///server.db"  # as good as any, but for its address
        monkeypatch.setattr(run_command, "file_of", lambda storage: None)
        assert main(["run", "a/train.py", *FEW, "--storage", server]) == 0
        (two / "b/train.py").write_text(TINY)
        assert main(["run", "b/train.py", *FEW, "--storage", server]) == 1
        monkeypatch.setattr(run_command.socket, "gethostname", lambda: "another")
        assert main(["run", "b/train.py", *FEW, "--storage", server]) == 0


NAMED_LIKE = ["random", "json", "queue", "types", "torch", "optuna", "neuralbo"]


class TestNames:
    @pytest.mark.parametrize("name", NAMED_LIKE)
    def test_a_file_may_have_the_name_of_a_library(self, empty, name, capsys):
        before = sys.modules.get(name)
        (empty / f"{name}.py").write_text(TINY)
        assert main(["run", f"{name}.py", *FEW]) == 0
        assert f"neuralbo report runs/{name}.db --study {name}" in capsys.readouterr().out
        assert sys.modules.get(name) is before

    @pytest.mark.slow
    @pytest.mark.parametrize("command", ["-c from_neuralbo", "-m"])
    def test_a_file_random_py_does_in_a_process_of_its_own(self, empty, command):
        (empty / "random.py").write_text(TINY)
        code = "import sys; sys.path.remove(''); from neuralbo.cli import main; sys.exit(main())"
        how = ["-m", "neuralbo"] if command == "-m" else ["-c", code]
        done = python(*how, "run", "random.py", *FEW, cwd=empty)
        assert done.returncode == 0, done.stderr

    def test_neighbours_can_be_imported(self, empty):
        (empty / "neighbour.py").write_text("SHIFT = 3\n")
        (empty / "other.py").write_text(
            "import neighbour\n\ndef objective(trial):\n"
            "    return trial.suggest_float('x', 0, 1) + neighbour.SHIFT\n"
        )
        assert main(["run", "other.py", *FEW]) == 0
        sys.modules.pop("neighbour")

    @pytest.mark.slow
    @pytest.mark.parametrize("way", ["fork", "spawn"])
    def test_an_objective_can_use_other_processes(self, empty, way):
        (empty / "other.py").write_text(
            "import multiprocessing\n\ndef square(x):\n    return x * x\n\n"
            "def objective(trial):\n    x = trial.suggest_float('x', 0, 1)\n"
            f"    with multiprocessing.get_context('{way}').Pool(1) as pool:\n"
            "        return pool.map(square, [x])[0]\n"
        )
        done = python("-m", "neuralbo", "run", "other.py", *FEW, cwd=empty)
        assert done.returncode == 0, done.stderr

    def test_the_package_can_be_run_as_a_module(self, empty):
        done = python("-m", "neuralbo", "--version", cwd=empty)
        assert done.stdout == f"neuralbo {neuralbo.__version__}\n"


RUN = ["run", "tiny.py", "--seed", "3", "--surrogate", "gp", "--quiet", "--trials"]


@pytest.fixture
def twelve(tiny):
    """Return twelve trials of a run that was never stopped."""
    assert main([*RUN, "12", "--storage", "sqlite:///whole.db"]) == 0
    return observed(storage="sqlite:///whole.db")


@pytest.mark.slow
class TestResume:
    def test_a_run_in_a_new_process_goes_on_as_if_never_stopped(self, empty, twelve):
        assert main([*RUN, "6"]) == 0
        done = python("-m", "neuralbo.cli", *RUN, "6", cwd=empty)
        assert done.returncode == 0, done.stderr
        assert "continuing study 'tiny' with 6 trials" in done.stdout
        assert observed() == twelve

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
        assert observed() == twelve


HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor of a terminal


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--bar"]])
def test_ctrl_c_in_a_terminal_tells_the_best_and_leaves_it_clean(empty, options):
    (empty / "tiny.py").write_text(TINY + SLEEPY)
    ours, theirs = pty.openpty()
    # a job in the background of a shell ignores the signal, and so would what it starts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "neuralbo", "run", "tiny.py", "--surrogate", "random", *options],
        cwd=empty, env=environment() | {"TERM": "xterm", "COLUMNS": "90", "LINES": "30"},
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    os.close(theirs)
    text, is_sent = "", False
    while True:
        try:
            read = os.read(ours, 65536)  # an error when the terminal has no process any more
        except OSError:
            break
        text += read.decode(errors="replace")
        if not is_sent and (empty / "asleep").exists():
            process.send_signal(signal.SIGINT)
            is_sent = True
    os.close(ours)
    assert process.wait(timeout=60) == 130
    assert text.rindex(SHOW) > text.rindex(HIDE)
    after = text[text.rindex(SHOW) :]
    assert "7 trials, 0 without a value" in after and "best value" in after
    assert "The same command goes on: neuralbo run tiny.py --surrogate random" in after
    assert "Traceback" not in text


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

    @pytest.mark.parametrize("option", ["--traceback", "--debug"])
    def test_a_traceback_is_shown_if_wanted(self, tiny, option):
        with pytest.raises(ValueError, match="unknown surrogate"):
            main(["run", "tiny.py", "--surrogate", "bvrfl4", option])

    @pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")
    def test_a_storage_that_cannot_be_written_says_why_in_one_line(
        self, empty, capsys, monkeypatch
    ):
        monkeypatch.setattr("neuralbo.interfaces.optuna.retrying_storage.SECONDS", 0.05)
        monkeypatch.setattr("neuralbo.interfaces.optuna.storages.LOCK_SECONDS", 0.05)
        (empty / "full.py").write_text(
            "import sqlite3\n"
            "def objective(trial):\n"
            "    x = trial.suggest_float('x', 0, 1)\n"
            "    if trial.number == 2:  # others can read, but not write\n"
            "        sqlite3.lock = sqlite3.connect('runs/full.db', isolation_level=None)\n"
            "        sqlite3.lock.execute('BEGIN IMMEDIATE')\n"
            "    return x\n"
        )
        try:
            assert main(["run", "full.py", "--trials", "5", "--surrogate", "random"]) == 1
        finally:
            sqlite3.lock.close()
            del sqlite3.lock
        error = capsys.readouterr().err
        assert "neuralbo: StorageError: the storage" in error and "neuralbo-kept-" in error
        assert "database is locked" in error and "Should not reach" not in error
        assert len(error.splitlines()) == 2

    def test_trials_that_all_return_nothing_end_with_1(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    trial.suggest_float('x', 0, 1)\n"
        )
        with pytest.warns(neuralbo.FailedTrialWarning, match="returned None"):
            assert main(["run", "other.py", "--trials", "3"]) == 1
        assert (
            "no trial of the study 'other' has given a value; 3 failed" in capsys.readouterr().err
        )

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
            assert main(["run", "other.py", "--trials", "9"]) == 1
        err = capsys.readouterr().err
        assert err.count("Traceback") == err.count("in objective") == 1
        assert "FileNotFoundError: my data.csv" in err
        assert "storage" not in err and "neuralbo/" not in err

    def test_a_run_that_fails_in_many_ways_shows_one_traceback(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    x = trial.suggest_float('x', 0, 1)\n"
            "    if trial.number % 2:\n        return 1 / 0\n    raise KeyError(x)\n"
        )
        with pytest.warns(neuralbo.FailedTrialWarning):
            assert main(["run", "other.py", "--trials", "4", "--surrogate", "random"]) == 1
        err = capsys.readouterr().err
        assert err.count("Traceback") == err.count("in objective") == 1
        assert "NoValueError: no trial of the study 'other' has given a value; 4 failed" in err

    def test_a_tuple_ends_a_run_after_three_trials(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    return trial.suggest_float('x', 0, 1), 1.0\n"
        )
        with pytest.warns(neuralbo.FailedTrialWarning):
            err = refused(["run", "other.py", "--trials", "9"], capsys)
        assert "TypeError: a value must be a number" in err
        assert len(observed("other", "sqlite:///runs/other.db")) == 3

    def test_the_whole_traceback_is_shown_if_wanted(self, empty):
        (empty / "other.py").write_text("def objective(trial):\n    return 1 / 0\n")
        with pytest.warns(neuralbo.FailedTrialWarning), pytest.raises(ZeroDivisionError):
            main(["run", "other.py", "--trials", "9", "--traceback"])

    def test_an_async_objective_is_told_so_before_any_trial(self, empty, capsys):
        (empty / "other.py").write_text("async def objective(trial):\n    return 1.0\n")
        err = refused(["run", "other.py"], capsys)
        assert "the objective is async" in err
        assert "lambda trial: asyncio.run(objective(trial))" in err
        assert not (empty / "runs").exists()

    def test_an_interrupt_ends_with_130_and_keeps_what_is_done(self, empty, capsys):
        (empty / "other.py").write_text(
            "def objective(trial):\n    x = trial.suggest_float('x', 0, 1)\n"
            "    if trial.number == 2:\n        raise KeyboardInterrupt\n    return x\n"
        )
        assert main(["run", "other.py", "--trials", "9"]) == 130
        out, err = capsys.readouterr()
        assert "2 trials, 0 without a value\nbest value" in out
        assert "what was finished is kept. The same command goes on: " in err
        assert err.endswith("neuralbo run other.py --trials 9\n")
        assert len(observed("other", "sqlite:///runs/other.db")) == 2
