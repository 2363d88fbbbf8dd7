"""The objective of a user: what it may return, and what happens when it fails."""

import functools
import inspect
import math
import sysconfig
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, final, runtime_checkable

import optuna
from optuna.study import Study
from optuna.trial import TrialState

from neuralbo.errors import LIBRARIES, FailedTrialWarning, NoValueError, StorageError, warn
from neuralbo.interfaces.measured import NOISE, noises_of
from neuralbo.interfaces.optuna.retrying_storage import Retrying
from neuralbo.interfaces.optuna.sampler import is_of_sampler
from neuralbo.interfaces.optuna.storages import is_of_storage, unusable
from neuralbo.interfaces.optuna.trials import INTERRUPTED
from neuralbo.interfaces.stopping import MostTrials
from neuralbo.interfaces.values import finite_or_none

SAME_ERRORS = 3  # so many errors of one kind at the very start end the run
NO_RETURN = 10  # so does None after a whole initial design: a `return` is missing, most likely

Objective = Callable[[optuna.Trial], float | Sequence[float]]
Place = tuple[str, int]  # a file and a line in it


class NotAValueError(ValueError):
    """The objective returned None, NaN or an infinite value, which stand for a failure."""


class NothingReturnedError(NotAValueError):
    """The objective returned None."""


class WrongStudyError(ValueError):
    """The objective belongs to another study; the run ends, and the trial does not count."""


class TooLateError(RuntimeError):
    """Other workers have begun the last trials of a study; this one is not evaluated."""


@runtime_checkable
class _Array(Protocol):
    """What NumPy, PyTorch and others call an array, of any number of dimensions."""

    @property
    def shape(self) -> Sequence[int]: ...

    def item(self) -> Any: ...


def check_callable(f: Any, call: str) -> None:
    """Check that a function can be called as it is, before a trial is spent on it.

    Args:
        f: the objective.
        call: how it is called, for the message: "f(params)".

    Raises:
        TypeError: if it cannot be called, or is async.
    """
    if not callable(f):
        raise TypeError(f"the objective must be a function, called as {call}; got {f!r}.")
    if inspect.iscoroutinefunction(f) or inspect.iscoroutinefunction(f.__call__):
        raise TypeError(_is_async(call))
    if inspect.isasyncgenfunction(f) or inspect.isgeneratorfunction(f):
        raise TypeError(
            "the objective is a generator: it has a `yield`. It must `return` a value."
        )


def _is_async(call: str) -> str:
    function, _, argument = call.rstrip(")").partition("(")
    return (
        f"the objective is async: {call} gives a coroutine, no value. Give a function that waits "
        f"for it: lambda {argument}: asyncio.run({function}({argument}))."
    )


def checked_value(raw: Any, m: int) -> float | tuple[float, ...]:
    """Return what an objective gave: a number, or m of them if there are several objectives.

    An array or tensor with one element is a number.

    Raises:
        NotAValueError: if a value stands for a failure.
        TypeError: if it is something else, or there are more or fewer.
    """
    if inspect.iscoroutine(raw):
        raw.close()
        raise TypeError(_is_async("objective(...)"))
    if m == 1:
        numbers = [finite_or_none(_scalar(raw))]
    elif raw is None:
        numbers = [None]
    elif isinstance(raw, str | bytes) or not isinstance(raw, Iterable):
        raise TypeError(f"there are {m} objectives, so {m} values must be returned, got {raw!r}.")
    else:
        numbers = [finite_or_none(_scalar(value)) for value in raw]
        if len(numbers) != m:
            raise TypeError(f"there are {m} objectives, but {len(numbers)} values came: {raw!r}.")
    values = tuple(number for number in numbers if number is not None)
    if len(values) < len(numbers):
        kind = NothingReturnedError if raw is None else NotAValueError
        raise kind(f"the objective returned {raw!r}.")
    return values[0] if m == 1 else values


def _scalar(raw: Any) -> Any:
    """Return the only element of an array with one; anything else as it is."""
    return raw.item() if isinstance(raw, _Array) and math.prod(raw.shape) == 1 else raw


@final
class Guarded:
    """The objective of a user, whose failures are put on record.

    Args:
        study: of the trials.
        objective: of the user.
        limits: a trial beyond one of them is given up before it is evaluated.

    Attributes:
        fatal: the exception that ended the run early, if one did.
        last: the last failure of this run, as long as there is no value.
        has_value: whether a trial of the study has given a value.
    """

    def __init__(
        self, study: Study, objective: Objective, limits: Sequence[MostTrials] = ()
    ) -> None:
        self.study, self.objective, self.limits = study, objective, limits
        self.kinds = Counter[tuple[type, Place | None]]()
        self.has_value = _has_value(study)
        self.fatal: Exception | None = None
        self.last: Exception | None = None
        self.lock = threading.Lock()

    def __call__(self, trial: optuna.Trial) -> float | tuple[float, ...]:
        """Return the value of a trial, or raise what makes Optuna record it as failed."""
        if any(limit.is_enough_without(self.study, trial.number) for limit in self.limits):
            self._interrupt(trial)
            self.study.stop()
            raise TooLateError("other workers have begun the last trials of the study.")
        try:
            value = self._evaluated(trial)
        except optuna.TrialPruned:
            raise
        except Exception as error:
            if is_of_storage(error):
                self._end(error)
                self._interrupt(trial)
            elif isinstance(error, WrongStudyError) or _is_argument(error):
                self._interrupt(trial)
                self.fatal = error
                self.study.stop()
            else:
                self._record(trial, error)
            raise
        except BaseException:  # Ctrl-C or sys.exit: the parameters are not to blame
            self._interrupt(trial)
            raise
        self.has_value, self.last = True, None  # its frames hold whatever the user's code holds
        if isinstance(self.study._storage, Retrying):
            values = value if isinstance(value, tuple) else (value,)
            self.study._storage.hold(trial._trial_id, values)
        return value

    def _evaluated(self, trial: optuna.Trial) -> float | tuple[float, ...]:
        """Return what the objective gave, and note the noise that it told."""
        raw, m = self.objective(trial), len(self.study.directions)
        value, noises = checked_value(raw, m), noises_of(None, raw, m)
        if noises is not None:
            trial.set_user_attr(NOISE, list(noises))
        return value

    def _end(self, error: Exception) -> None:
        """End the run since its storage does not answer: the parameters are not to blame."""
        is_said = isinstance(error, StorageError)
        self.fatal = error if is_said else unusable(self.study._storage, error)
        self.study.stop()

    def no_value(self) -> NoValueError | None:
        """Return the error of a run that has failed throughout, in a study without a value."""
        if self.last is None or _has_value(self.study):
            return None
        error = NoValueError(
            f"no trial of the study {self.study.study_name!r} has given a value; "
            f"{self.kinds.total()} failed in this run, the last with {type(self.last).__name__}: "
            f"{str(self.last).rstrip('.')}.{self._hint()}"
        )
        error.__cause__ = self.last if place_of(self.last) is not None else None
        return error

    def _hint(self) -> str:
        if not isinstance(self.last, NothingReturnedError):
            return ""
        return " Is a `return` missing? Where None is meant as a failure, return math.nan."

    def _interrupt(self, trial: optuna.Trial) -> None:
        self.study._storage.set_trial_system_attr(trial._trial_id, INTERRUPTED, True)

    def _record(self, trial: optuna.Trial, error: Exception) -> None:
        trial.set_user_attr("error", f"{type(error).__name__}: {error}"[:1000])
        trial.set_user_attr("traceback", traceback.format_exc()[-2000:])
        place = place_of(error)
        with self.lock:
            self.last, kind = None if self.has_value else error, (type(error), place)
            is_new = kind not in self.kinds
            self.kinds[kind] += 1
            if self._is_hopeless(error):
                self.fatal = None if isinstance(error, NotAValueError) else error
                self.study.stop()
        if is_new:
            _warn(
                f"trial {trial.number} failed ({type(error).__name__}: {error}). It is recorded "
                "as failed and its neighbourhood is avoided; user_attrs['traceback'] says where.",
                place,
            )

    def _is_hopeless(self, error: Exception) -> bool:
        """Return whether all trials at the very start have failed in one way.

        NaN and infinity are results of an evaluation, so they never end a run.
        """
        if self.has_value or len(self.kinds) > 1:
            return False
        if isinstance(error, NothingReturnedError):
            return self.kinds.total() >= NO_RETURN
        return not isinstance(error, NotAValueError) and self.kinds.total() >= SAME_ERRORS


def _has_value(study: Study) -> bool:
    return any(t.state == TrialState.COMPLETE for t in study.get_trials(deepcopy=False))


def _is_argument(error: Exception) -> bool:
    """Return whether an argument of the sampler is wrong, for which no parameters are to blame."""
    return isinstance(error, ValueError | TypeError) and is_of_sampler(error)


def place_of(error: BaseException) -> Place | None:
    """Return where in the user's code an exception came up; None if that is in none of it.

    Of the calls that led to it the innermost that is of no library counts: two errors are of one
    kind if they have the same type and place, whatever values their messages have.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    found = [(f.f_code.co_filename, line) for f, line in frames if not _is_library(f)]
    return found[-1] if found else None


def users_traceback(error: BaseException) -> str:
    """Return the traceback of an exception from the user's code on."""
    trace = error.__traceback__
    while trace is not None and _is_library(trace.tb_frame):
        trace = trace.tb_next
    shown = traceback.TracebackException(type(error), error, trace or error.__traceback__)
    return "".join(shown.format())


def _is_library(frame: Any) -> bool:
    if frame.f_globals.get("__name__", "").partition(".")[0] in LIBRARIES:
        return True
    file = frame.f_code.co_filename
    return file.startswith("<frozen") or any(file.startswith(f"{p}/") for p in _library_folders())


@functools.cache
def _library_folders() -> frozenset[str]:
    """Return the folders of the standard library and of what is installed."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return frozenset(str(Path(sysconfig.get_path(name))) for name in names)


def _warn(message: str, place: Place | None) -> None:
    """Warn of a failure at the line that raised; without one where the run was begun."""
    if place is None:
        warn(message, FailedTrialWarning)
    else:
        warnings.warn_explicit(message, FailedTrialWarning, *place)
