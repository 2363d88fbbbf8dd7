"""minimize(): a study in Optuna's storage, with our sampler, a progress bar and resume."""

import sqlite3
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import BaseStorage, RDBStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.criteria import Criterion
from neuralbo.errors import FailedTrialWarning, StorageError
from neuralbo.maximizers import Maximizer
from neuralbo.optimizer import Direction, finite_or_none, signs_of
from neuralbo.policies import Policy
from neuralbo.progress import Shown, progress_of
from neuralbo.publishing import published
from neuralbo.recommendation import Recommendation
from neuralbo.sampler import NeuralSampler
from neuralbo.space import Space
from neuralbo.surrogates import Surrogate
from neuralbo.trials import INTERRUPTED, WORKER, is_interrupted
from neuralbo.workers import is_gone

SQLITE = "sqlite:///"
LOCK_SECONDS = 60  # how long a worker waits for another one's transaction
NAMELESS_SECONDS = 5.0  # a trial that names no worker after this time was cut off at its birth
SAME_ERRORS = 3  # so many equal exceptions at the very start end the run

Callback = Callable[[Study, FrozenTrial], None]


@final
@dataclass(frozen=True, slots=True)
class Result:
    """What a run found; `study` is Optuna's and knows everything else."""

    study: Study

    @property
    def best_trials(self) -> list[FrozenTrial]:
        """The trials that no other is better than: the front of several objectives."""
        return self.study.best_trials

    @property
    def best_params(self) -> dict[str, Any]:
        """The parameters of the best value."""
        return dict(self._best.params)

    @property
    def best_value(self) -> float:
        """The best value."""
        value = self._best.value
        assert value is not None
        return value

    def recommend(self) -> Recommendation:
        """Return the parameters that are likely best, which under noise need not be those."""
        sampler = self.study.sampler
        assert isinstance(sampler, NeuralSampler)
        return sampler.recommend(self.study)

    @property
    def _best(self) -> FrozenTrial:
        if len(self.study.directions) > 1:
            raise ValueError("of several objectives there is no best one; see result.best_trials.")
        try:
            return self.study.best_trial
        except ValueError:
            raise ValueError(
                "no trial has given a value; result.study.trials[0].user_attrs['error'] says why."
            ) from None


def minimize(  # noqa: PLR0913
    f: Callable[[dict[str, Any]], float | Sequence[float]],
    space: Mapping[str, Any] | Space,
    n_trials: int | None = None,
    *,
    timeout: float | None = None,
    n_jobs: int = 1,
    storage: str | BaseStorage | None = None,
    study_name: str = "neuralbo",
    surrogate: str | Surrogate | Policy | Sequence[str | Surrogate] = "auto",
    criterion: str | Criterion | None = None,
    maximizer: str | Maximizer | None = None,
    callbacks: Sequence[Callback] = (),
    direction: Direction | Sequence[Direction] = "minimize",
    progress: bool | None = None,
    seed: int | None = None,
    max_suggest_seconds: float | None = None,
    reference_point: Sequence[float] | None = None,
) -> Result:
    """Find the parameters with the smallest value of f in few evaluations.

    A failing evaluation (an exception, None, NaN, an infinite value) is recorded and avoided
    later; it does not end the run, unless the very first three fail in the same way. With a
    storage, a second call continues the study of that name, also after a crash.

    Args:
        f: takes a dictionary of parameters and returns a number, or one for each direction.
        space: parameters by name: `Real`, `Integer`, `Categorical`.
        n_trials: evaluations to make in this call; None for no limit but `timeout`.
        timeout: seconds after which no further evaluation begins.
        n_jobs: evaluations at a time, in threads.
        storage: where the study is kept, as in "sqlite:///runs/my.db"; None for memory.
        study_name: its name there.
        surrogate: the model, a name of the catalog or a recipe; of several objectives it may be a
            list, one for each.
        criterion: what a point is worth, likewise.
        maximizer: how the best point is found, likewise.
        callbacks: called with the study and each finished trial.
        direction: "maximize" for the largest value; a list for several objectives.
        progress: show a progress bar; None shows one in a terminal.
        seed: equal seeds give equal runs; None draws one and keeps it in the study.
        max_suggest_seconds: when suggestions take longer, cheaper ways are used, with a warning;
            `auto` asks surrogates that take long only if this allows them, and never without it.
        reference_point: of several objectives, values below which none is worth anything.

    Raises:
        ValueError: if an argument is not legal, or the study belongs to another space.
        StorageError: if the storage cannot be read or written.
    """
    space = space if isinstance(space, Space) else Space(space)
    sampler = NeuralSampler(
        surrogate, criterion, maximizer, seed=seed, n_trials=n_trials, space=space,
        max_suggest_seconds=max_suggest_seconds, reference_point=reference_point,
    )  # fmt: skip

    def objective(trial: optuna.Trial) -> float | Sequence[float]:
        return f(ask_params(trial, space))

    with storage_errors(storage):
        study = open_study(storage, study_name, direction, sampler)
        check_same_space(study, space)
        error = optimize(
            study, objective, n_trials=n_trials, timeout=timeout, n_jobs=n_jobs,
            callbacks=callbacks, progress=progress,
        )  # fmt: skip
    if error is not None:
        raise error
    return Result(study)


def ask_params(trial: optuna.Trial, space: Space) -> dict[str, Any]:
    """Ask a trial for the parameters of a space, parents first, only those that exist."""
    params: dict[str, Any] = {}
    for name, distribution in space.distributions.items():
        if space.is_active(name, params):
            match distribution:
                case FloatDistribution(low=low, high=high, log=log, step=step):
                    params[name] = trial.suggest_float(name, low, high, log=log, step=step)
                case IntDistribution(low=low, high=high, log=log, step=step):
                    params[name] = trial.suggest_int(name, low, high, log=log, step=step)
                case CategoricalDistribution(choices=choices):
                    params[name] = trial.suggest_categorical(name, choices)
    return params


def open_study(
    storage: str | BaseStorage | None,
    name: str,
    direction: Direction | Sequence[Direction],
    sampler: NeuralSampler,
) -> Study:
    """Make or load a study; a SQLite file's folder is made if it is missing."""
    directions = [direction] if isinstance(direction, str) else list(direction)
    signs_of(directions)
    if isinstance(storage, str) and storage.startswith(SQLITE):
        path = Path(storage.removeprefix(SQLITE)).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(storage, error) from error
        options = {"connect_args": {"timeout": LOCK_SECONDS}}
        storage = RDBStorage(f"{SQLITE}{path}", engine_kwargs=options)
    with quiet_optuna():
        study = optuna.create_study(
            storage=storage, sampler=sampler, study_name=name, directions=directions,
            load_if_exists=True,
        )  # fmt: skip
    before = [d.name.lower() for d in study.directions]
    if before != directions:
        raise ValueError(
            f"the study {name!r} exists with direction {before}, not {direction!r}; "
            "use another study_name."
        )
    return study


def check_same_space(study: Study, space: Space) -> None:
    """Raise ValueError if the study has trials of other parameters."""
    distributions = space.distributions
    for trial in study.get_trials(deepcopy=False):
        for name, old in trial.distributions.items():
            if distributions.get(name) != old:
                raise ValueError(
                    f"the study {study.study_name!r} was made with {name} = {old}, but now it is "
                    f"{distributions.get(name, 'gone')}; use another study_name or storage."
                )
        if trial.state == TrialState.COMPLETE:
            _check_trial(study, trial, space)


def _check_trial(study: Study, trial: FrozenTrial, space: Space) -> None:
    try:
        space.validate(trial.params)
    except ValueError as error:
        raise ValueError(
            f"the study {study.study_name!r} was made with other parameters: in its trial "
            f"{trial.number}, {error} Use another study_name or storage."
        ) from None


def optimize(  # noqa: PLR0913
    study: Study,
    objective: Callable[[optuna.Trial], float | Sequence[float]],
    *,
    n_trials: int | None,
    timeout: float | None = None,
    n_jobs: int = 1,
    callbacks: Sequence[Callback] = (),
    progress: Shown = None,
) -> Exception | None:
    """Run Optuna's loop on an objective, with recovery, failures and progress as ours are.

    Returns the exception of the objective that ended the run, if one did.
    """
    if n_trials is None and timeout is None:
        raise ValueError("give n_trials=, timeout= or both: a run must end.")
    if n_trials is not None and n_trials < 0:
        raise ValueError(f"n_trials must not be negative, got {n_trials}.")
    recover(study)
    guarded = _Guarded(study, objective)
    with quiet_optuna(), progress_of(study, n_trials, timeout, progress) as advance:
        study.optimize(
            guarded, n_trials=n_trials, timeout=timeout, n_jobs=n_jobs, catch=(Exception,),
            callbacks=[advance, *callbacks],
        )  # fmt: skip
    return guarded.fatal


@final
class _Guarded:
    """The objective of a user, whose failures are put on record."""

    def __init__(
        self, study: Study, objective: Callable[[optuna.Trial], float | Sequence[float]]
    ) -> None:
        self.study, self.objective = study, objective
        self.errors: list[str] = []
        self.causes: set[object] = set()
        self.has_value = any(
            t.state == TrialState.COMPLETE for t in study.get_trials(deepcopy=False)
        )
        self.fatal: Exception | None = None
        self.lock = threading.Lock()

    def __call__(self, trial: optuna.Trial) -> float | tuple[float, ...]:
        try:
            value = _checked(self.objective(trial), len(self.study.directions))
        except optuna.TrialPruned:
            raise
        except Exception as error:
            self._record(trial, error)
            raise
        except BaseException:  # Ctrl-C or sys.exit: the parameters are not to blame
            self.study._storage.set_trial_system_attr(trial._trial_id, INTERRUPTED, True)
            raise
        self.has_value = True
        return value

    def _record(self, trial: optuna.Trial, error: Exception) -> None:
        trial.set_user_attr("error", f"{type(error).__name__}: {error}"[:1000])
        trial.set_user_attr("traceback", traceback.format_exc()[-2000:])
        with self.lock:
            self.errors.append(f"{type(error).__name__}: {error}")
            is_hopeless = len(self.errors) >= SAME_ERRORS and len(set(self.errors)) == 1
            if is_hopeless and not self.has_value and not isinstance(error, NotAValueError):
                self.fatal = error
                self.study.stop()
            cause = (type(error), traceback.extract_tb(error.__traceback__)[-1].lineno)
            is_new = cause not in self.causes
            self.causes.add(cause)
        if is_new:
            warnings.warn(
                f"trial {trial.number} failed ({type(error).__name__}: {error}). It is recorded "
                "as failed and its neighbourhood is avoided; user_attrs['traceback'] says where.",
                FailedTrialWarning,
                stacklevel=2,
            )


def _checked(raw: Any, m: int) -> float | tuple[float, ...]:
    """Return what an objective gave: a number, or m of them if there are several objectives."""
    if m == 1:
        numbers = [finite_or_none(raw)]
    elif raw is None:
        numbers = [None]
    elif isinstance(raw, str | bytes) or not isinstance(raw, Iterable):
        raise TypeError(f"there are {m} objectives, so {m} values must be returned, got {raw!r}.")
    else:
        numbers = [finite_or_none(value) for value in raw]
        if len(numbers) != m:
            raise TypeError(f"there are {m} objectives, but {len(numbers)} values came: {raw!r}.")
    values = tuple(number for number in numbers if number is not None)
    if len(values) < len(numbers):
        raise NotAValueError(f"the objective returned {raw!r}.")
    return values[0] if m == 1 else values


class NotAValueError(ValueError):
    """The objective returned None, NaN or an infinite value."""


def recover(study: Study) -> None:
    """Mark trials whose process is gone as interrupted, and put them in the queue again."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if _is_orphan(study, trial):
            study._storage.set_trial_system_attr(trial._trial_id, INTERRUPTED, True)
            study.tell(trial.number, state=TrialState.FAIL)
            if published(trial):
                study.enqueue_trial(published(trial))


def _is_orphan(study: Study, trial: FrozenTrial) -> bool:
    """Return whether a running trial's process is gone, waiting a moment if it has no name."""
    if is_interrupted(trial):
        return True
    while WORKER not in trial.system_attrs:
        assert trial.datetime_start is not None
        age = time.time() - trial.datetime_start.timestamp()
        if age > NAMELESS_SECONDS:
            return not trial.params
        time.sleep(0.2)
        trial = study._storage.get_trial(trial._trial_id)
    return trial.state == TrialState.RUNNING and is_gone(trial.system_attrs[WORKER])


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep Optuna's log for errors while the progress bar or our warnings speak."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


@contextmanager
def storage_errors(storage: object) -> Iterator[None]:
    """Turn what a database says into a `StorageError` that names the storage."""
    try:
        yield
    except _database_errors() as error:
        raise _unusable(storage, error) from error
    except UnboundLocalError as error:  # behind it Optuna 5.0 hides what a storage said to `tell`
        if not isinstance(error.__context__, _database_errors()):
            raise
        raise _unusable(storage, error.__context__) from error


def _database_errors() -> tuple[type[Exception], ...]:
    from sqlalchemy.exc import SQLAlchemyError  # a third of a second: only when something is wrong

    return SQLAlchemyError, sqlite3.Error, optuna.exceptions.StorageInternalError


def _unusable(storage: object, error: Exception) -> StorageError:
    reason = str(error.__cause__ or error).splitlines()[0]
    return StorageError(
        f"the storage {storage!r} cannot be used: {reason}. Is the path right (as in "
        "'sqlite:///runs/my.db'), writable and not locked by another program? Finished trials "
        "are kept."
    )


def finished(study: Study) -> list[FrozenTrial]:
    """Return the trials that count: finished and not interrupted, in their order."""
    trials = study.get_trials(deepcopy=False)
    return [t for t in trials if t.state.is_finished() and not is_interrupted(t)]
