"""minimize(): a study in Optuna's storage, with our sampler, a progress bar and resume."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, final

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.pruners import BasePruner
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.arguments import check_run, whole
from neuralbo.criteria import Criterion
from neuralbo.engine.recommendation import Recommendation
from neuralbo.interfaces import notebook
from neuralbo.interfaces.budget import BudgetSpent, budget_rules
from neuralbo.interfaces.costs import CostOf
from neuralbo.interfaces.directions import Direction, signs_of
from neuralbo.interfaces.extend import EXTEND, check_extends, check_on_change
from neuralbo.interfaces.objective import Guarded, Objective, check_callable
from neuralbo.interfaces.optuna.interrupted_trials import interrupt, recover
from neuralbo.interfaces.optuna.knowledge import put_in_queue
from neuralbo.interfaces.optuna.retrying_storage import Retrying
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from neuralbo.interfaces.optuna.storages import (
    Storage,
    file_of,
    open_storage,
    shown,
    storage_errors,
)
from neuralbo.interfaces.optuna.trials import WORKER
from neuralbo.interfaces.optuna.unstored_values import tell_kept_values
from neuralbo.interfaces.optuna.workers import this_worker
from neuralbo.interfaces.outcome_constraints import constraint_name, with_constraints
from neuralbo.interfaces.stopping import STOPPED, MostTrials, finished
from neuralbo.interfaces.suggested import checked_guesses
from neuralbo.interfaces.terminal.progress import Shown, progress_of
from neuralbo.maximizers import Maximizer
from neuralbo.policies import Policy
from neuralbo.space import Space
from neuralbo.space.constraints.statements import Constraint
from neuralbo.space.fixed import checked_part
from neuralbo.surrogates import Surrogate

OPENING_SECONDS = 15.0  # how long a start waits for a server; an address may be wrong, too
MOST_SHOWN = 8  # parameters in the text of a result

Callback = Callable[[Study, FrozenTrial], None]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """What a run found; `study` is Optuna's and knows everything else.

    Attributes:
        study: all trials.
        interrupted: whether Ctrl-C ended the run; finished trials are there nevertheless.
    """

    study: Study
    interrupted: bool = False

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
        """Return the parameters that are recommended, which under noise need not be those."""
        sampler = self.study.sampler
        assert isinstance(sampler, NeuralSampler)
        return sampler.recommend(self.study)

    def __repr__(self) -> str:
        n = len(finished(self.study))
        words = [summary(self.study), f"{n} trial{'' if n == 1 else 's'}"]
        return f"Result({', '.join(words + ['interrupted'] * self.interrupted)})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        trials, signs = finished(self.study), signs_of(_directions(self.study))
        values = [trial.values if _has_values(trial) else None for trial in trials]
        is_one = len(signs) == 1 and any(found is not None for found in values)
        return notebook.shown(repr(self), values, signs, self.best_params if is_one else None)

    @property
    def _best(self) -> FrozenTrial:
        if len(self.study.directions) > 1:
            raise ValueError("of several objectives there is no best one; see result.best_trials.")
        try:
            return self.study.best_trial
        except ValueError:
            if self.study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
                raise ValueError(
                    "no trial keeps all constraints; result.study.trials has what was tried."
                ) from None
            raise ValueError(
                "no trial has given a value; result.study.trials[0].user_attrs['error'] says why."
            ) from None


def _has_values(trial: FrozenTrial) -> bool:
    """Return whether a trial gave finite values."""
    is_complete = trial.state == TrialState.COMPLETE
    return is_complete and all(map(math.isfinite, trial.values or [math.nan]))


def _directions(study: Study) -> list[str]:
    return [direction.name.lower() for direction in study.directions]


def summary(study: Study) -> str:
    """Return in one line what a study has found."""
    if not study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
        return "no value yet"
    if len(study.directions) > 1:
        n = len(study.best_trials)
        return f"a front of {n} trial{'' if n == 1 else 's'}"
    try:
        params = study.best_params
    except ValueError:  # Optuna's word for it
        return "no trial that keeps all constraints"
    shown = [f"{name!r}: {value!r}" for name, value in islice(params.items(), MOST_SHOWN)]
    shown += ["..."] if len(params) > MOST_SHOWN else []
    return f"best_value={study.best_value:.6g}, best_params={{{', '.join(shown)}}}"


def minimize(  # noqa: PLR0913
    f: Callable[[dict[str, Any]], Any],
    space: Mapping[str, Any] | Space,
    n_trials: int | None = None,
    *,
    timeout: float | None = None,
    n_jobs: int = 1,
    storage: Storage | None = None,
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
    guesses: Sequence[Mapping[str, Any]] = (),
    enqueue: Sequence[Mapping[str, Any]] = (),
    fixed: Mapping[str, Any] | None = None,
    cost: str | CostOf | None = None,
    budget_seconds: float | None = None,
    on_change: Literal["error", "extend"] = "error",
    constraints: Sequence[Constraint] = (),
    n_outcome_constraints: int = 0,
) -> Result:
    """Find the parameters with the smallest value of f in few evaluations.

    A failing evaluation (an exception, None, NaN, an infinite value) is recorded and avoided
    later; it does not end the run, unless the very first three raise in the same line. With a
    storage, a second call continues the study of that name, also after a crash. Ctrl-C ends the
    run and returns what was finished, with `result.interrupted`.

    Args:
        f: takes a dictionary of parameters and returns a number, or one for each direction.
        space: parameters by name: `Real`, `Integer`, `Categorical`.
        n_trials: evaluations to make in this call; None for no limit but `timeout`.
        constraints: what all suggested parameters satisfy: "x1 + x2 <= 1", "low < high",
            `at_most(2, names)`, or a function of the parameters that returns True or False.
        timeout: seconds after which no further evaluation begins.
        n_jobs: evaluations at a time, in threads.
        storage: where the study is kept: a path as "runs/my.db" is a SQLite file, one that ends in
            .log or .journal a journal, and an address is Optuna's; None for memory.
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
        guesses: parameters that are tried first, unless the study has tried them; those that a
            guess leaves out are chosen.
        enqueue: parameters that are tried next in this call, also if they were tried before.
        fixed: parameters that keep a value in this call, as in {"kind": "deep"}.
        cost: what a trial costs: "seconds", the name of a user attribute of the trials, or a
            function of the parameters. Points are chosen by gain per cost, less so at the end.
        budget_seconds: what all trials of the study may cost, in seconds or in the unit of the
            cost; the run ends when it is spent.
        on_change: "extend" goes on with a study whose parameters had narrower ranges.
        n_outcome_constraints: how many constraints only an evaluation tells: f returns `value,
            [c1, c2]`, and a trial keeps them where all are at most 0.

    Raises:
        ValueError: if an argument is not legal, or the study belongs to another space.
        TypeError: if f cannot be called, or is async.
        NoValueError: if no trial of the study has given a value, and some of this run failed.
        StorageError: if the storage cannot be read or written.
    """
    check_callable(f, "f(params)")
    space = Space.of(space, constraints)
    sampler = NeuralSampler(
        surrogate, criterion, maximizer, seed=seed, n_trials=n_trials, space=space,
        max_suggest_seconds=max_suggest_seconds, reference_point=reference_point, fixed=fixed,
        cost=cost, budget_seconds=budget_seconds,
    )  # fmt: skip
    first, later = (
        [checked_part(space, one, name) for one in checked_guesses(given, name)]
        for given, name in ((guesses, "guesses"), (enqueue, "enqueue"))
    )
    check_on_change(on_change)
    sampler.check(direction)
    check_run(n_trials, timeout, n_jobs)
    known = whole("n_outcome_constraints", n_outcome_constraints)

    def objective(trial: optuna.Trial) -> Any:
        raw = f(ask_params(trial, space))
        if known == 0:
            return raw
        value, numbers = with_constraints(raw, known)
        for i, number in enumerate(numbers):
            trial.set_constraint(constraint_name(i), number)
        return value

    with storage_errors(storage):
        study = open_study(storage, study_name, direction, sampler)
        if on_change == EXTEND:
            check_extends(study, space)
        else:
            check_same_space(study, space)
        put_in_queue(study, first)
        put_in_queue(study, later, again=True)
        outcome = optimize(
            study, objective, n_trials=n_trials, timeout=timeout, n_jobs=n_jobs,
            callbacks=[*callbacks, *budget_rules(cost, budget_seconds)], progress=progress,
        )  # fmt: skip
    if outcome.error is not None:
        raise outcome.error
    result = Result(study, outcome.is_interrupted)
    if result.interrupted:
        print(f"interrupted; what was finished is returned: {result!r}", file=sys.stderr)
    return result


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
    storage: Storage | None,
    name: str,
    direction: Direction | Sequence[Direction],
    sampler: NeuralSampler,
    pruner: BasePruner | None = None,
) -> Study:
    """Make or load a study; a file and its folder are made if they are missing.

    Without a pruner it has Optuna's usual one.
    """
    directions = [direction] if isinstance(direction, str) else list(direction)
    signs_of(directions)
    with quiet_optuna():
        study = optuna.create_study(
            storage=None if storage is None else _patient(storage), sampler=sampler,
            study_name=name, directions=directions, load_if_exists=True, pruner=pruner,
        )  # fmt: skip
    before = _directions(study)
    if before != directions:
        raise ValueError(
            f"the study {name!r} exists with direction {before}, not {direction!r}; "
            "use another study_name."
        )
    return study


def _patient(storage: Storage) -> BaseStorage:
    """Return a storage whose calls are tried again while its database is away."""
    opened = open_storage(storage, OPENING_SECONDS)
    if isinstance(opened, InMemoryStorage | Retrying):
        return opened
    path = file_of(storage)
    folder = Path() if path is None else path.parent
    return Retrying(opened, name=shown(storage), folder=folder.absolute())


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


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        error: what is to be raised: the exception of the objective that ended the run early, or
            that the study has no value.
        is_interrupted: by Ctrl-C.
    """

    error: Exception | None = None
    is_interrupted: bool = False


def optimize(  # noqa: PLR0913
    study: Study,
    objective: Objective,
    *,
    n_trials: int | None,
    timeout: float | None = None,
    n_jobs: int = 1,
    callbacks: Sequence[Callback] = (),
    progress: Shown = None,
) -> Outcome:
    """Run Optuna's loop on an objective, with recovery, failures and progress as ours are."""
    check_run(n_trials, timeout, n_jobs)
    _tell_kept(study)
    recover(study)
    n_trials = _allowed(study, n_trials, callbacks)
    limits = [rule for rule in callbacks if isinstance(rule, MostTrials)]
    guarded, began = Guarded(study, objective, limits), datetime.now()
    try:
        with quiet_optuna(), progress_of(study, n_trials, timeout, progress) as advance:
            study.optimize(
                guarded, n_trials=n_trials, timeout=timeout, n_jobs=n_jobs, catch=(Exception,),
                callbacks=[advance, *callbacks],
            )  # fmt: skip
    except KeyboardInterrupt:
        if n_jobs == 1:
            _give_up(study, began)
        return Outcome(is_interrupted=True)
    return Outcome(guarded.fatal or guarded.no_value())


def _allowed(study: Study, n_trials: int | None, callbacks: Sequence[Callback]) -> int | None:
    """Return how many trials may be made: no more than the rules leave in the whole study."""
    rules = [rule for rule in callbacks if isinstance(rule, MostTrials)]
    spent = [rule for rule in callbacks if isinstance(rule, BudgetSpent)]
    if any(rule.reason(study) for rule in spent):
        n_trials = 0
    for rule in [*rules, *spent]:
        reason = rule.reason(study)
        if reason is not None:
            study.set_user_attr(STOPPED, reason)
    left = [rule.left(study) for rule in rules]
    return min(left if n_trials is None else [n_trials, *left], default=None)


def _give_up(study: Study, began: datetime) -> None:
    """Mark the trial as interrupted that was being suggested when Ctrl-C came."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        is_new = trial.datetime_start is not None and trial.datetime_start >= began
        if is_new and trial.system_attrs.get(WORKER, this_worker()) == this_worker():
            interrupt(study._storage, trial)


def _tell_kept(study: Study) -> None:
    """Store the values that an earlier run could not store, and say so."""
    storage = study._storage
    if isinstance(storage, Retrying):
        for number in tell_kept_values(study, storage.folder):
            print(f"the value of trial {number}, kept while the storage was away, is stored",
                  file=sys.stderr)  # fmt: skip


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep Optuna's log for errors while the progress bar or our warnings speak."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
