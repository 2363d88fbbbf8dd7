"""What Optuna's trials say: parameters and their ranges, conditions, and data.

Finished trials do not change, so each is read once: `TrialReader` remembers what those at the
beginning, before which all are finished, have said.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, final

import torch
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from neuralbo.data import Data
from neuralbo.data.observations import Rows, Set
from neuralbo.data.trial_table import noisy
from neuralbo.interfaces.measured import NOISE, noises_of
from neuralbo.interfaces.optuna.claims import published
from neuralbo.interfaces.optuna.conditions import Conditions
from neuralbo.interfaces.optuna.parameter_ranges import BoundingRanges
from neuralbo.interfaces.values import finite_or_none
from neuralbo.space import Parameter, Space

INTERRUPTED = "neuralbo:interrupted"
WORKER, ENDED = "neuralbo:worker", "neuralbo:ended"
WITH_PARAMS = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


def all_trials(study: Study) -> list[FrozenTrial]:
    """Return all trials of a study in the order of their numbers; nobody may change them.

    Under `HyperbandPruner` the study that a sampler is given shows the trials of one bracket
    only, and which they are depends on what the pruner has seen so far in this process. The
    values of all brackets are those of one function, so all are read.
    """
    return study._storage.get_all_trials(study._study_id, deepcopy=False)


def find(trials: Sequence[FrozenTrial], number: int) -> FrozenTrial:
    """Return the trial of a number; where others are left out, it is not the position.

    Raises:
        ValueError: if there is no such trial.
    """
    at = bisect_left(trials, number, key=lambda trial: trial.number)
    if at == len(trials) or trials[at].number != number:
        raise ValueError(f"there is no trial {number} among {len(trials)} trials.")
    return trials[at]


def is_interrupted(trial: FrozenTrial) -> bool:
    """Return whether a trial's process died, which says nothing about its parameters.

    A sampler of ours notes who evaluates a trial, and that it came to its end. A trial that has
    failed without having ended was failed by others, since its worker's heartbeat had stopped.
    """
    attributes = trial.system_attrs
    is_stale = trial.state == TrialState.FAIL and WORKER in attributes and ENDED not in attributes
    return INTERRUPTED in attributes or is_stale


def counts(trial: FrozenTrial) -> bool:
    """Return whether a trial is finished and was not interrupted."""
    return trial.state in WITH_PARAMS and not is_interrupted(trial)


def _mark(trial: FrozenTrial) -> tuple[Any, ...]:
    return trial.number, trial.datetime_start, trial.datetime_complete


_Made = tuple[list[tuple[str, Parameter]], frozenset[str]]


@final
class TrialReader:
    """Reads the trials of one study, those at the beginning once.

    Where trials are left out, only those before the gap are remembered: of the later ones their
    positions do not say whether they are the same as last time.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._read = self._interrupted = 0
        self._last: tuple[Any, ...] = ()  # what tells the last trial that was read from others
        self._ranges, self._conditions = BoundingRanges(), Conditions()
        self._made: tuple[_Made, Space] | None = None
        self._space: Space | None = None
        self._encoded = 0
        self._constraints = self._encoded_constraints = frozenset[str]()
        self._noise = dict[int, tuple[float, ...]]()

    def update(self, trials: Sequence[FrozenTrial]) -> None:
        """Read what has been finished since, as far as all before it are finished."""
        if self._read and [_mark(t) for t in trials[self._read - 1 : self._read]] != [self._last]:
            self._begin()  # another study, which has the number of one that was deleted
        for trial in trials[self._read :]:
            # with a number that is its position, none before it is left out
            if trial.number != self._read or not trial.state.is_finished():
                break
            self._read, self._last = self._read + 1, _mark(trial)
            self._interrupted += is_interrupted(trial)
            if counts(trial):
                self._ranges.add(trial)
                self._conditions.add(trial)
                self._constraints |= trial.constraints.keys()
                self._noise |= noise_of(trial)

    def number(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> int:
        """Return the number of a trial among those that were not interrupted."""
        later = trials[self._read :]
        before = sum(t.number < trial.number and not is_interrupted(t) for t in later)
        return self._read - self._interrupted + before

    def distributions(self, trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
        """Return all parameters seen so far, those of single trials included."""
        ranges = self._ranges.copy()
        for trial in trials[self._read :]:
            if counts(trial) or trial.state == TrialState.RUNNING:
                ranges.add(trial)
        return ranges.distributions()

    def space(
        self, distributions: Mapping[str, BaseDistribution], trials: Sequence[FrozenTrial]
    ) -> Space:
        """Build the space; if nothing has changed, it is the one of before."""
        later = [trial for trial in trials[self._read :] if counts(trial)]
        conditions = self._conditions.copy() if later else self._conditions
        for trial in later:
            conditions.add(trial)
        parameters, optional = conditions.parameters(distributions)
        key = list(parameters.items()), optional
        if self._made is None or self._made[0] != key:
            self._made = key, Space(parameters, optional=optional)
        return self._made[1]

    def data(
        self,
        trials: Sequence[FrozenTrial],
        now: FrozenTrial,
        space: Space,
        signs: Sequence[float],
    ) -> Data:
        """Turn trials into data: values with their signs, the others apart."""
        constraints = self._constraints | constraints_of(trials[self._read :])
        if (space, constraints) != (self._space, self._encoded_constraints):
            d, m = space.domain.d, len(signs)
            self._space, self._encoded, self._encoded_constraints = space, 0, constraints
            self._rows = Rows(d, m, len(constraints))
            self._failed, self._pruned = Set(d), Set(d + m)
        new = observed(trials[self._encoded : self._read], now, space, signs, constraints)
        assert new.numbers is not None
        self._rows.append(new.X, new.Y, new.numbers, new.C)
        self._encoded = self._read
        later = observed(trials[self._read :], now, space, signs, constraints)
        failed = _grown(self._failed, new.X_failed, later.X_failed)
        pruned = _grown(self._pruned, _side_by_side(new), _side_by_side(later))
        d, noise = space.domain.d, dict(self._noise)
        for trial in trials[self._read :]:
            noise |= noise_of(trial)
        found = self._rows.data(
            later.with_failed(failed).with_censored(pruned[:, :d], pruned[:, d:])
        )
        return noisy(found, noise)


def noise_of(trial: FrozenTrial) -> dict[int, tuple[float, ...]]:
    """Return the known standard deviations of a trial with values, by its number.

    Raises:
        TypeError, ValueError: if they are none, or not as many as values.
    """
    known = trial.user_attrs.get(NOISE)
    if known is None or trial.state != TrialState.COMPLETE:
        return {}
    noises = noises_of(known, None, len(trial.values))
    return {} if noises is None else {trial.number: noises}


def _side_by_side(data: Data) -> Tensor:
    return torch.cat([data.X_censored, data.Y_censored], -1)


def _grown(points: Set, new: Tensor, later: Tensor) -> Tensor:
    """Add new points to a set, and return all of them with those that may change yet."""
    if len(new):
        points.add(new)
    if len(later) == 0:
        return points.rows()
    both = Set(later.shape[-1])
    both.add(torch.cat([points.rows(), later]))
    return both.rows()


def constraints_of(trials: Sequence[FrozenTrial]) -> frozenset[str]:
    """Return the names of the constraints that finished trials tell of."""
    return frozenset(name for t in trials if counts(t) for name in t.constraints)


def observed(
    trials: Sequence[FrozenTrial],
    now: FrozenTrial,
    space: Space,
    signs: Sequence[float],
    constraints: frozenset[str] = frozenset(),
) -> Data:
    """Turn trials into data: values with their signs; running, failed and pruned ones apart."""
    kinds: dict[str, list[FrozenTrial]] = {"done": [], "failed": [], "pruned": [], "running": []}
    for trial in trials:
        kind = kind_of(trial)
        if kind and trial.number != now.number:
            kinds[kind].append(trial)
    done, pruned = kinds["done"], kinds["pruned"]
    return Data(
        encode(space, [t.params for t in done]),
        _values([t.values for t in done], signs),
        torch.tensor([t.number for t in done], dtype=torch.long),
        X_pending=encode(space, [published(t) for t in kinds["running"]]),
        X_failed=encode(space, [t.params for t in kinds["failed"]]),
        X_censored=encode(space, [t.params for t in pruned]),
        Y_censored=_reached(pruned, signs),
        C=torch.tensor(
            [[t.constraints.get(name, math.nan) for name in sorted(constraints)] for t in done],
            dtype=torch.float64,
        ).reshape(len(done), len(constraints)),
    )


def kind_of(trial: FrozenTrial) -> str | None:
    """Return what a trial says: values, a failure, a bound, or that it is being tried."""
    if trial.state in (TrialState.RUNNING, TrialState.WAITING):
        if has_diverged(trial):
            return "failed"
        return "running" if published(trial) and not is_interrupted(trial) else None
    is_done = trial.state == TrialState.COMPLETE and _is_finite(trial)
    if not trial.params or is_interrupted(trial):
        return "done" if is_done and not is_interrupted(trial) else None
    if trial.state == TrialState.PRUNED:
        return "pruned"
    return "done" if is_done else "failed"


def _is_finite(trial: FrozenTrial) -> bool:
    return all(finite_or_none(value) is not None for value in trial.values or [None])


def has_diverged(trial: FrozenTrial) -> bool:
    """Return whether the last value that a trial reported is NaN.

    Ray Tune leaves such a trial running for ever, since Optuna takes no NaN as its result.
    """
    reported, last = trial.intermediate_values, trial.last_step
    return last is not None and math.isnan(reported[last])


def _values(rows: Sequence[Sequence[float]], signs: Sequence[float]) -> Tensor:
    values = torch.tensor(rows, dtype=torch.float64).reshape(-1, len(signs))
    return values * torch.tensor(signs, dtype=torch.float64)


def _reached(trials: Sequence[FrozenTrial], signs: Sequence[float]) -> Tensor:
    """Return the values that pruned trials had; the worst there is, if they had none."""
    worst = [-math.inf * sign for sign in signs]
    return _values([t.values if _is_finite(t) else worst for t in trials], signs)


def encode(space: Space, rows: Sequence[Mapping[str, Any]]) -> Tensor:
    """Encode what is legal; a parameter that is unknown or out of range counts as absent."""
    known = [
        {n: v for n, v in row.items() if n in space.names and not space.parameters[n].problem(v)}
        for row in rows
    ]
    return space.encode(known)


def conditional_space(
    distributions: Mapping[str, BaseDistribution], trials: Sequence[FrozenTrial]
) -> Space:
    """Build the space of parameters some of which exist in some trials only."""
    conditions = Conditions()
    for trial in trials:
        if counts(trial):
            conditions.add(trial)
    parameters, optional = conditions.parameters(distributions)
    return Space(parameters, optional=optional)
