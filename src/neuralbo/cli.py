"""The command `neuralbo`. Nothing here loads torch before it is needed."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

DESCRIPTION = """\
Bayesian optimization with neural-network surrogates.

  neuralbo run my_file.py --trials 40     minimize the function objective(trial) of a file
  neuralbo report runs/my_file.db         one HTML page: what was found, how sure, what next
  neuralbo surrogates                     the names of models, with their seconds
  neuralbo completion bash                a script that lets the shell complete all of this
  neuralbo lab list                       the studies of the laboratory; lab run, lab report
  neuralbo lab speed NAME                 measure speed and quality beside Optuna's samplers
"""

COMMANDS = "neuralbo.commands"  # entry points: functions that fill in the parser of a command
MISSING = "the laboratory is a package of its own: pip install neuralbo-lab"

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
    neuralbo report runs/digits.db --watch --open           written again as trials come
    neuralbo report runs/digits.db --png                    a picture, too (needs Chromium)

Of one objective everything is shown, of several the front.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    options = _parsers(wants_lab=typed[:1] == ["lab"])[0].parse_args(typed)
    options.typed = typed
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


def add_traceback(command: argparse.ArgumentParser) -> None:
    """Add the option that every command has."""
    command.add_argument(
        "--traceback", "--debug", action="store_true", help="show where an error is"
    )


def _parsers(
    wants_lab: bool,
) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the whole, and those of the commands."""
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
    names = commands.add_parser("surrogates", help="the names of models, with their seconds")
    names.add_argument("name", nargs="?", help="a part of a name or of a family: only those")
    names.set_defaults(command=_surrogates)
    shell = commands.add_parser("completion", help="a script for bash, zsh or fish")
    shell.add_argument("shell", choices=("bash", "zsh", "fish"))
    shell.set_defaults(command=_completion)
    lab = commands.add_parser(
        "lab", help="experiments and measurements (neuralbo-lab)", add_help=False
    )
    for command in (run, report, names, shell):
        add_traceback(command)
    if wants_lab:
        _add_lab(lab)
    return parser, commands.choices


def _add_lab(lab: argparse.ArgumentParser) -> None:
    """Let the laboratory add its commands, if it is installed; to look for it takes a while."""
    from importlib.metadata import entry_points

    found = entry_points(group=COMMANDS, name="lab")
    if not found:
        lab.error(MISSING)
    for entry in found:
        entry.load()(lab)


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
    run.add_argument(
        "--pruner", choices=("neural", "median", "hyperband", "none"),
        help="what stops trials that report bad values (default: median, as in Optuna)",
    )  # fmt: skip
    run.add_argument(
        "--direction", choices=("minimize", "maximize"), action="append",
        help="default: minimize; of several objectives give it for each, in their order",
    )  # fmt: skip
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
    _add_knowledge(run)
    run.add_argument("--plot", type=Path, metavar="PNG", help="default: beside the SQLite file")
    run.add_argument("--bar", action="store_true", help="a progress bar, not the live view")
    run.add_argument("--quiet", action="store_true", help="neither; as where there is no terminal")
    run.set_defaults(command=_run)


def _add_knowledge(run: argparse.ArgumentParser) -> None:
    """Add the options that say what the user knows."""
    run.add_argument(
        "--space", metavar="NAME",
        help="the parameters, a dictionary in the file: with beliefs, descriptors, conditions",
    )  # fmt: skip
    run.add_argument(
        "--guess", action="append", metavar="JSON", default=[],
        help="""parameters to try first, as in '{"x": 0.5}'; may be given again""",
    )  # fmt: skip
    run.add_argument(
        "--fix", action="append", metavar="NAME=VALUE", default=[],
        help="a parameter that keeps a value in this run; may be given again",
    )  # fmt: skip
    run.add_argument("--cost", metavar="NAME", help="seconds, or an attribute of the trials")
    run.add_argument(
        "--budget-seconds", type=float, metavar="S",
        help="end when all trials of the study have cost so much",
    )  # fmt: skip


def _add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument(
        "storage", metavar="STORAGE", help="a SQLite file, a journal (.log), or Optuna's address"
    )
    report.add_argument("--study", metavar="NAME", help="needed where there are several")
    report.add_argument("--out", type=Path, metavar="HTML", help="default: STUDY.html beside it")
    report.add_argument("--open", action="store_true", help="show the page in the browser")
    report.add_argument("--png", action="store_true", help="a picture, too: NAME.html.png")
    report.add_argument(
        "--watch", type=float, nargs="?", const=5.0, metavar="S",
        help="look for new trials every S seconds (5) and write the page again, until Ctrl-C",
    )  # fmt: skip
    report.set_defaults(command=_report)


def _version() -> str:
    from neuralbo import __version__

    return __version__


def _run(options: argparse.Namespace) -> int:
    from neuralbo.interfaces.terminal.objective_file import load_objective

    objective = load_objective(options.file)  # first: what is wrong with it is said at once
    from neuralbo.run_command import run

    return run(options, objective)


def _report(options: argparse.Namespace) -> int:
    one_thread_each()
    gc.disable()  # many objects are made and none in circles: looking for such takes seconds
    try:
        from neuralbo.reporting.page.report_command import report

        return report(options)
    finally:
        gc.enable()


def _surrogates(options: argparse.Namespace) -> int:
    from neuralbo.surrogates_command import surrogates

    return surrogates(options)


def _completion(options: argparse.Namespace) -> int:
    from neuralbo.completion import script

    commands = _parsers(wants_lab=False)[1]
    usages = {name: command.format_usage() for name, command in commands.items()}
    print(script(options.shell, usages), end="")
    return 0


def one_thread_each() -> None:
    """Keep the pools of linear algebra to one thread; before torch and NumPy are loaded."""
    for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(pool, "1")  # read when torch and NumPy are loaded, which is now


if __name__ == "__main__":
    sys.exit(main())
