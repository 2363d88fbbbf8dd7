"""The command `neuralbo`. Nothing here loads torch before it is needed."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralbo.lab.run import Study as LabStudy

DESCRIPTION = """\
Bayesian optimization with neural-network surrogates.

  neuralbo run my_file.py --trials 40     minimize the function objective(trial) of a file
  neuralbo report runs/my_file.db         one HTML page: what was found, how sure, what next
  neuralbo lab list                       the studies of the laboratory; lab run, lab report
  neuralbo lab speed NAME                 measure speed and quality beside Optuna's samplers
"""

RUN = """\
Minimize objective(trial) of a Python file, in Optuna's manner:

    def objective(trial):
        x = trial.suggest_float("x", -5, 10)
        return (x - 3) ** 2

In a terminal a live view shows the best value so far and its parameters; --bar and --quiet show
less. The study is kept in a database (SQLite in runs/ by default). The same command again makes
further trials in the same study, also after a crash or Ctrl-C. A study belongs to its file; to
share one, or after the file was moved, name it with --study.
"""

REPORT = """\
Write one HTML page about a study of any of Optuna's samplers: convergence, the best and the
recommended parameters, which parameters matter, slices and maps of a model of the function,
whether that model was right, where the seconds went, failures, and what to do next. The page
needs no network and can be sent by mail.

    neuralbo report runs/digits.db                          a SQLite file with one study
    neuralbo report sqlite:///runs/all.db --study digits    one of several
    neuralbo report journal.log --open                      in the browser at once
    neuralbo report runs/digits.db --png                    a picture, too (needs Chromium)

Of one objective everything is shown, of several the front.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    options = _parser().parse_args(arguments)
    options.typed = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code: int = options.command(options)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("stopped; what was finished is kept.", file=sys.stderr)
        return 130
    except (ValueError, TypeError, ImportError, OSError, RuntimeError) as error:
        if options.traceback:
            raise
        print(f"neuralbo: {type(error).__name__}: {error}", file=sys.stderr)
        print("(--traceback shows where)", file=sys.stderr)
        return 1
    if arguments is None:
        gc.freeze()  # the process ends: to look through all objects once more takes half a second
    return code


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("neuralbo", description=DESCRIPTION, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"neuralbo {_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="minimize", description=RUN, formatter_class=raw)
    _add_run(run)
    report = commands.add_parser(
        "report", help="one HTML page about a study", description=REPORT, formatter_class=raw
    )
    _add_report(report)
    lab = commands.add_parser("lab", help="experiments and measurements").add_subparsers(
        required=True, metavar="COMMAND"
    )
    speed = lab.add_parser("speed", help="speed and quality as ratios measured in one run")
    speed.add_argument(
        "name", metavar="NAME", help="start, scale, quality; 'list' tells about them"
    )
    speed.add_argument("--json", action="store_true", help="the result as JSON in the last line")
    speed.add_argument("--quick", action="store_true", help="few repetitions, to try it out")
    speed.set_defaults(command=_speed)
    _add_lab(lab)
    for command in (run, report, *lab.choices.values()):
        command.add_argument(
            "--traceback", "--debug", action="store_true", help="show where an error is"
        )
    return parser


def _add_lab(lab: Any) -> None:
    """Add what can be done with a study."""
    listed = lab.add_parser("list", help="the studies: what they reproduce, how long they take")
    listed.set_defaults(command=_lab_list)
    study = lab.add_parser("run", help="run a study; what is finished is kept")
    study.set_defaults(command=_lab_run)
    study.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    study.add_argument("--keep-models", action="store_true", help="save model and proposal a step")
    study.add_argument(
        "--method", action="append", default=[], metavar="M", help="only this, or 'brvfl*' for all"
    )
    study.add_argument(
        "--problem", action="append", default=[], metavar="P", help="only this, or 'levy*' for all"
    )
    report = lab.add_parser("report", help="write the tables and the page of a study")
    report.set_defaults(command=_lab_report)
    packed = lab.add_parser("pack", help="put the results of a study into one compressed file")
    packed.set_defaults(command=_lab_pack)
    packed.add_argument(
        "--into", type=Path, default=Path("results"), metavar="DIR", help="results"
    )
    again = lab.add_parser("replay", help="run some finished runs again and compare every line")
    again.set_defaults(command=_lab_replay)
    again.add_argument("--runs", type=int, default=3, metavar="N", help="how many (3)")
    again.add_argument("--method", action="append", default=[], metavar="M", help="only of this")
    for command in (study, report, packed, again):
        command.add_argument("study", metavar="STUDY", help="'neuralbo lab list', or FILE.toml")
        command.add_argument("--quick", action="store_true", help="few seeds and trials")
        command.add_argument("--seeds", type=int, metavar="N", help="fewer or more than usual")
        command.add_argument("--trials", type=int, metavar="N", help="fewer or more than usual")
        command.add_argument("--root", type=Path, default=Path("runs/lab"), metavar="DIR")


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("file", type=Path, help="a Python file that defines objective(trial)")
    run.add_argument("--trials", type=int, metavar="N", help="trials to make now (default: 50)")
    run.add_argument("--timeout", type=float, metavar="S", help="begin none after S seconds")
    run.add_argument(
        "--storage", metavar="FILE",
        help="a SQLite file, a journal (.log), or Optuna's address; default: runs/NAME-OF-FILE.db",
    )  # fmt: skip
    run.add_argument("--study", metavar="NAME", help="default: the name of the file")
    run.add_argument("--surrogate", default="auto", help="auto, gp, brvfl4, ... (default: auto)")
    run.add_argument("--criterion", help="log_ei, ei, lcb, pi, thompson (default: what suits)")
    run.add_argument("--maximizer", help="mixed, multistart, random (default: mixed)")
    run.add_argument("--direction", choices=("minimize", "maximize"), default="minimize")
    run.add_argument("--seed", type=int, help="equal seeds give equal runs")
    run.add_argument("--jobs", type=int, default=1, metavar="N", help="trials at a time (threads)")
    run.add_argument(
        "--patience", type=int, metavar="N", help="stop after N trials that bettered nothing"
    )
    run.add_argument(
        "--min-improvement", type=float, metavar="X",
        help="stop when the model expects less, three times in a row (criterion log_ei)",
    )  # fmt: skip
    run.add_argument("--most", type=int, metavar="N", help="stop at N trials in the whole study")
    run.add_argument("--plot", type=Path, metavar="PNG", help="default: beside the SQLite file")
    run.add_argument("--bar", action="store_true", help="a progress bar, not the live view")
    run.add_argument("--quiet", action="store_true", help="neither; as where there is no terminal")
    run.set_defaults(command=_run)


def _add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument(
        "storage", metavar="STORAGE", help="a SQLite file, a journal (.log), or Optuna's address"
    )
    report.add_argument("--study", metavar="NAME", help="needed where there are several")
    report.add_argument("--out", type=Path, metavar="HTML", help="default: STUDY.html beside it")
    report.add_argument("--open", action="store_true", help="show the page in the browser")
    report.add_argument("--png", action="store_true", help="a picture, too: NAME.html.png")
    report.set_defaults(command=_report)


def _version() -> str:
    from neuralbo import __version__

    return __version__


def _run(options: argparse.Namespace) -> int:
    from neuralbo.objective_file import load_objective

    objective = load_objective(options.file)  # first: what is wrong with it is said at once
    from neuralbo.run_command import run

    return run(options, objective)


def _report(options: argparse.Namespace) -> int:
    _one_thread_each()
    gc.disable()  # many objects are made and none in circles: looking for such takes seconds
    try:
        from neuralbo.report.command import report

        return report(options)
    finally:
        gc.enable()


def _speed(options: argparse.Namespace) -> int:
    _one_thread_each()
    from neuralbo.lab.speed import measure

    return measure(options.name, as_json=options.json, is_quick=options.quick)


def _lab_list(options: argparse.Namespace) -> int:
    from neuralbo.lab.studies import STUDIES

    for study in STUDIES.values():
        quick, full = study.minutes or (None, None)
        print(f"{study.name:22} {study.reproduces}")
        print(f"{'':22} quick: {_minutes(quick)}, {study.quick().extent}")
        print(f"{'':22} full: {_minutes(full)}, {study.extent}")
    print("times are those of two workers on two cores; a study can also be a file: FILE.toml")
    return 0


def _minutes(minutes: float | None) -> str:
    if minutes is None:
        return "not measured"
    if minutes < 90:
        return f"{minutes:.0f} minutes" if minutes >= 1.5 else "a minute"
    return f"{minutes / 60:.0f} hours" if minutes < 60 * 48 else f"{minutes / 1440:.0f} days"


def _lab_run(options: argparse.Namespace) -> int:
    _one_thread_each()
    from neuralbo.lab.run import run
    from neuralbo.lab.store import folder

    study = _lab_study(options, is_quick=options.quick)
    study = _only(study, "problem", options.problem)
    study = _only(study, "method", options.method)
    run(study, options.root, options.workers, keep_models=options.keep_models)
    print(f"results: {folder(study, options.root)}")
    return 0


def _only(study: "LabStudy", kind: str, patterns: list[str]) -> "LabStudy":
    """Return a study with those of its methods or problems that match one of some patterns.

    Args:
        study: any.
        kind: "method" or "problem".
        patterns: none for all.

    Raises:
        ValueError: A pattern matches none of them, or the study does not have any.
    """
    from dataclasses import replace
    from fnmatch import fnmatchcase

    from neuralbo.lab.regression_study import RegressionStudy
    from neuralbo.lab.speed_study import SpeedStudy

    if not patterns:
        return study
    if isinstance(study, SpeedStudy):
        raise ValueError(f"{study.name} is measured whole; leave --{kind} out.")
    names: tuple[str, ...] = getattr(study, f"{kind}s", ())
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(
                f"{study.name} has no {kind} {pattern!r}; it has {', '.join(names) or 'none'}."
            )
    chosen = tuple(name for name in names if any(fnmatchcase(name, p) for p in patterns))
    is_model = kind == "method" and isinstance(study, RegressionStudy)
    changes: dict[str, Any] = {"surrogates" if is_model else f"{kind}s": chosen}
    return replace(study, **changes)


def _one_thread_each() -> None:
    for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(pool, "1")  # read when torch and NumPy are loaded, which is now


def _lab_study(options: argparse.Namespace, is_quick: bool) -> "LabStudy":
    from dataclasses import replace

    from neuralbo.lab.speed_study import SpeedStudy
    from neuralbo.lab.studies import find_study
    from neuralbo.lab.study import OptimizationStudy
    from neuralbo.lab.toml_study import read_study

    name = options.study
    study: LabStudy = read_study(Path(name)) if name.endswith(".toml") else find_study(name)
    study = study.quick() if is_quick else study
    if options.trials is not None:
        if not isinstance(study, OptimizationStudy) or options.trials <= study.start:
            raise ValueError(
                f"--trials must be more than the start points, and {study.name} must have trials."
            )
        study = replace(study, trials=options.trials)
    if options.seeds is None:
        return study
    if options.seeds < 1 or isinstance(study, SpeedStudy):
        raise ValueError(f"--seeds must be at least 1, and {study.name} must have seeds.")
    return replace(study, seeds=options.seeds)


def _lab_finished(options: argparse.Namespace) -> "LabStudy":
    """Return the study, or its quick version if only that was run."""
    from neuralbo.lab.store import is_there, other_versions

    study, quick = _lab_study(options, options.quick), _lab_study(options, is_quick=True)
    if not is_there(study, options.root) and is_there(quick, options.root):
        print(f"{study.name} has only been run with --quick; this is about that.")
        study = quick
    for name in other_versions(study, options.root):
        print(f"results of {name} are kept apart, and not used.")
    return study


def _lab_report(options: argparse.Namespace) -> int:
    from neuralbo.lab.reports import write_report

    return write_report(_lab_finished(options), options.root)


def _lab_pack(options: argparse.Namespace) -> int:
    from neuralbo.lab.store import is_there, pack

    study = _lab_finished(options)
    if not is_there(study, options.root):
        raise FileNotFoundError(f"there are no results of {study.name} in {options.root}.")
    files = [cell.file for cell in study.cells()]
    print(f"packed: {pack(study, options.root, files, options.into)}")
    return 0


def _lab_replay(options: argparse.Namespace) -> int:
    """Return 1 if a run differs."""
    _one_thread_each()
    from neuralbo.lab.replay import replay

    replayed = replay(_lab_finished(options), options.root, options.runs, tuple(options.method))
    for run in replayed:
        print(f"{run.file}: {run.difference or f'{run.lines} lines, all equal'}")
        if run.difference and run.is_same:
            print("  in the last digits only, as on another kind of processor")
    return int(any(run.difference for run in replayed))


if __name__ == "__main__":
    sys.exit(main())
