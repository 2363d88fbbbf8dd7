"""What `neuralbo run` does: a study of the objective in a file, and what is printed of it."""

import os
import socket
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import join, quote
from typing import Any, final

import optuna
from optuna.pruners import BasePruner, HyperbandPruner, MedianPruner, NopPruner
from optuna.study import Study

from neuralbo.errors import NeuralboWarning, NoValueError
from neuralbo.interfaces.budget import budget_rules
from neuralbo.interfaces.minimize import open_study, optimize
from neuralbo.interfaces.objective import (
    Objective,
    WrongStudyError,
    check_callable,
    place_of,
    users_traceback,
)
from neuralbo.interfaces.optuna.knowledge import put_in_queue
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from neuralbo.interfaces.optuna.storages import (
    file_of,
    file_stem,
    shortened,
    shown,
    storage_errors,
)
from neuralbo.interfaces.stopping import (
    MostTrials,
    NoImprovement,
    Rule,
    SmallImprovement,
    finished,
)
from neuralbo.interfaces.terminal.known import fixed_of, guess_of, space_and_constraints
from neuralbo.interfaces.terminal.progress import Shown

FILE = "neuralbo:file"  # the attribute of a study that names the file of its objective
TRIALS = 50
PRUNERS: dict[str, Callable[[], BasePruner]] = {  # the names are those of the command's option
    "neural": NeuralPruner,
    "median": MedianPruner,
    "hyperband": HyperbandPruner,
    "none": NopPruner,
}
OTHERWISE = "Choose another one with --study NAME, or another place with --storage FILE"


def run(options: Namespace, objective: Objective) -> int:
    """Make trials and print what was found; returns the exit code."""
    check_callable(objective, "objective(trial)")
    name = options.study or options.file.stem
    storage = options.storage or f"runs/{shortened(options.file.stem)}.db"
    rules = _rules(options)
    trials = TRIALS if options.trials is None and options.timeout is None else options.trials
    guesses = [guess_of(text) for text in options.guess]
    sampler = NeuralSampler(
        options.surrogate, options.criterion, options.maximizer, seed=options.seed,
        n_trials=trials if options.cost else None, fixed=fixed_of(options.fix),
        cost=options.cost, budget_seconds=options.budget_seconds,
        **space_and_constraints(options),
    )  # fmt: skip
    directions = options.direction or ["minimize"]
    with storage_errors(storage), _short_warnings(options.file.absolute().parent):
        pruner = PRUNERS[options.pruner]() if options.pruner else None
        study = open_study(storage, name, directions, sampler, pruner)
        _check_file(study, options, storage)
        before = len(finished(study))
        if before:
            print(f"continuing study {name!r} with {before} trials in {shown(storage)}")
        put_in_queue(study, guesses)
        outcome = optimize(
            study, _Compared(objective, study), n_trials=trials, timeout=options.timeout,
            n_jobs=options.jobs, progress=_shown(options), callbacks=rules,
        )  # fmt: skip
    if outcome.is_interrupted:
        return _interrupted(study, options, storage)
    if outcome.error is not None:
        return _failed(outcome.error, options)
    if options.most is not None and before >= options.most:
        print(f"no trial was made: the study has {before} trials, and --most is {options.most}")
    else:
        for reason in filter(None, (rule.reason(study) for rule in rules)):
            print(f"stopped: {reason}")
    code = _summary(study)
    if code == 0 and len(study.directions) == 1:
        print(_plot(study, options.plot or _beside(storage) / f"{file_stem(name)}.png"))
    if file_of(storage) is not None:  # addresses may hold a password
        print(f"a page about it: neuralbo report {quote(storage)} --study {quote(name)}")
    return code


def _shown(options: Namespace) -> Shown:
    """Return what a terminal is to show; elsewhere nothing is."""
    if options.quiet:
        return False
    return None if options.bar else "live"


def _rules(options: Namespace) -> list[Rule]:
    """Return the rules that may end the run."""
    given: tuple[tuple[Any, Any], ...] = (
        (MostTrials, options.most),
        (NoImprovement, options.patience),
        (SmallImprovement, options.min_improvement),
    )
    rules: list[Rule] = [rule(number) for rule, number in given if number is not None]
    return [*rules, *budget_rules(options.cost, options.budget_seconds)]


def _check_file(study: Study, options: Namespace, storage: str) -> None:
    """Check that a study belongs to a file, unless it was named; a new one belongs to it then.

    Raises:
        ValueError: it belongs to another file.
    """
    file, known = _place(options.file, storage), study.user_attrs.get(FILE)
    if known is None:
        study.set_user_attr(FILE, file)
        return
    if known == file or known.get("host") != file.get("host"):
        return
    old = Path(os.path.normpath(_beside(storage) / known["path"]))
    if options.study is None:
        raise ValueError(
            f"the study {study.study_name!r} in {shown(storage)} belongs to {old}, not to "
            f"{options.file}. {OTHERWISE}; --study {quote(study.study_name)} goes on with this "
            "one, if the file was moved."
        )
    if not old.exists():
        study.set_user_attr(FILE, file)


def _place(file: Path, storage: str) -> dict[str, str]:
    """Return where a file is: seen from the file of the storage, so that both can be moved.

    A server is seen by many machines, and a path belongs to one of them.
    """
    if file_of(storage) is None:
        return {"host": socket.gethostname(), "path": str(file.resolve())}
    return {"path": os.path.relpath(file.resolve(), _beside(storage).resolve())}


def _beside(storage: str) -> Path:
    """Return the folder of a storage that is a file, or the one we stand in."""
    path = file_of(storage)
    return Path() if path is None else path.parent


@final
class _Compared:
    """An objective whose first trial must have something in common with those of the study.

    What the parameters are is known only when it has been called, and some may exist in few trials
    only, or in ranges that move: so the first trial of a run must have one known parameter, and
    none of another kind or with other choices.
    """

    def __init__(self, objective: Objective, study: Study) -> None:
        self.objective, self.name = objective, study.study_name
        self.known = {name for trial in finished(study) for name in trial.params}
        self.is_compared = not self.known

    def __call__(self, trial: optuna.Trial) -> Any:
        """Return the value of a trial."""
        if self.is_compared:
            return self.objective(trial)
        try:
            value = self.objective(trial)
        except ValueError as error:
            if _is_other_kind(error):
                raise self._wrong(f"of them one has changed: {error}") from error
            raise
        if trial.params and not trial.params.keys() & self.known:
            raise self._wrong(f"this one has {', '.join(trial.params)}.")
        self.is_compared = True
        return value

    def _wrong(self, why: str) -> WrongStudyError:
        return WrongStudyError(
            f"the study {self.name!r} is of another objective, with the parameters "
            f"{', '.join(sorted(self.known))}; {why} {OTHERWISE}."
        )


def _is_other_kind(error: ValueError) -> bool:
    """Return whether Optuna has refused a parameter that other trials have with another kind."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and (
        trace.tb_frame.f_code.co_name == "check_distribution_compatibility"
    )


def _interrupted(study: Study, options: Namespace, storage: str) -> int:
    """Say what was found until Ctrl-C, and how to go on."""
    _summary(study)
    is_file = file_of(storage) is not None  # an address may hold a password
    command = f": {join(['neuralbo', *options.typed])}" if is_file else "."
    print(
        f"stopped; what was finished is kept. The same command goes on{command}", file=sys.stderr
    )
    return 130


def _failed(error: Exception, options: Namespace) -> int:
    """Show where in the user's code a run has failed, once."""
    cause = error.__cause__ if isinstance(error, NoValueError) else error
    if options.traceback or isinstance(error, WrongStudyError):
        raise error
    if cause is not None and place_of(cause) is not None:
        print(users_traceback(cause), end="", file=sys.stderr)
    if error is not cause or place_of(error) is None:
        print(f"neuralbo: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        print("neuralbo: the first trials all failed in this line; the run ends.", file=sys.stderr)
    return 1


def _summary(study: Study) -> int:
    """Print the best parameters; 1 if there is no value at all."""
    trials = finished(study)
    values = [trial for trial in trials if trial.state.name == "COMPLETE"]
    print(f"{len(trials)} trials, {len(trials) - len(values)} without a value")
    if not values:
        print("no trial has given a value")
        return 1
    if len(study.directions) > 1:
        return _front(study)
    print(f"best value {study.best_value:.6g} in trial {study.best_trial.number}")
    for name, value in study.best_params.items():
        print(f"  {name} = {value}")
    return 0


def _front(study: Study) -> int:
    """Print the trials of several objectives that no other is better than."""
    print(f"{len(study.best_trials)} trials that no other is better than")
    for trial in study.best_trials:
        values = ", ".join(f"{value:.6g}" for value in trial.values)
        print(f"  {values} in trial {trial.number}: {trial.params}")
    return 0


def _plot(study: Study, path: Path) -> str:
    """Draw the convergence, and return a line about it: a run does not fail of its plot."""
    from neuralbo.reporting.plots import convergence  # matplotlib

    try:
        path = path if path.suffix else path.with_suffix(".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        convergence(study).savefig(path, dpi=120)
    except (ImportError, OSError, ValueError) as error:
        return f"no plot: {type(error).__name__}: {error}"
    return f"convergence plot: {path}"


@contextmanager
def _short_warnings(folder: Path) -> Iterator[None]:
    """Print our warnings as lines of the command, with the place if it is in the user's folder."""
    before = warnings.formatwarning

    def text(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        line: str | None = None,
    ) -> str:
        if not issubclass(category, NeuralboWarning):
            return before(message, category, filename, lineno, line)
        place = f"{filename}:{lineno}: " if Path(filename).is_relative_to(folder) else ""
        return f"neuralbo: {place}{category.__name__}: {message}\n"

    warnings.formatwarning = text
    try:
        yield
    finally:
        warnings.formatwarning = before
