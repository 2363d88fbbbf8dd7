"""What Optuna's trials say: parameters and their ranges, conditions, and data.

Finished trials do not change, so each is read once: `TrialReader` remembers what those at the
beginning, before which all are finished, have said.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, final

import torch
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from neuralbo.data import Data
from neuralbo.optimizer import finite_or_none
from neuralbo.rows import Rows, Set
from neuralbo.space import Parameter, Space, from_distribution

PARAMS, INTERRUPTED = "neuralbo:params", "neuralbo:interrupted"
MOST_LEVELS = 100  # of an integer on which the existence of others may depend
WITH_PARAMS = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


def is_interrupted(trial: FrozenTrial) -> bool:
    """Return whether a trial's process died, which says nothing about its parameters."""
    return INTERRUPTED in trial.system_attrs


def counts(trial: FrozenTrial) -> bool:
    """Return whether a trial is finished and was not interrupted."""
    return trial.state in WITH_PARAMS and not is_interrupted(trial)


def published(trial: FrozenTrial) -> dict[str, Any]:
    """Return the parameters of a running trial, also those not yet asked for."""
    pieces: list[str] = []
    while f"{PARAMS}:{len(pieces)}" in trial.system_attrs:
        pieces.append(trial.system_attrs[f"{PARAMS}:{len(pieces)}"])
    return (json.loads("".join(pieces)) if pieces else {}) | trial.params


@final
class Hull:
    """Every parameter of any trial with the hull of its ranges.

    Names whose kind or choices changed are left out: they are drawn on their own.
    """

    def __init__(self) -> None:
        self._found: dict[str, BaseDistribution] = {}
        self._mixed: set[str] = set()

    def add(self, trial: FrozenTrial) -> None:
        """Take a further trial into account."""
        for name, new in trial.distributions.items():
            old = self._found.get(name, new)
            if old is new:
                self._found[name] = new
                continue
            hull = _hull(old, new)
            self._mixed |= {name} if hull is None else set()
            self._found[name] = hull or new

    def copy(self) -> "Hull":
        """Return another that can be added to."""
        other = Hull()
        other._found, other._mixed = dict(self._found), set(self._mixed)
        return other

    def distributions(self) -> dict[str, BaseDistribution]:
        """Return the parameters by name."""
        return {name: self._found[name] for name in sorted(self._found.keys() - self._mixed)}


def union(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Return every parameter of any trial with the hull of its ranges."""
    hull = Hull()
    for trial in trials:
        hull.add(trial)
    return hull.distributions()


def _hull(old: BaseDistribution, new: BaseDistribution) -> BaseDistribution | None:
    if old == new or type(old) is not type(new) or isinstance(new, CategoricalDistribution):
        return new if old == new else None
    assert isinstance(new, FloatDistribution | IntDistribution)
    assert isinstance(old, FloatDistribution | IntDistribution)
    if old.log != new.log:
        return None
    low, high = min(old.low, new.low), max(old.high, new.high)
    if isinstance(new, FloatDistribution):
        return FloatDistribution(low, high, log=new.log)
    return IntDistribution(int(low), int(high), log=new.log)


def _mark(trial: FrozenTrial) -> tuple[Any, ...]:
    return trial.number, trial.datetime_start, trial.datetime_complete


@final
class TrialReader:
    """Reads the trials of one study, those at the beginning once."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._read = self._interrupted = self._done = 0
        self._last: tuple[Any, ...] = ()  # what tells the last trial that was read from others
        self._hull, self._has = Hull(), dict[str, int]()
        self._space: Space | None = None
        self._encoded = 0

    def update(self, trials: Sequence[FrozenTrial]) -> None:
        """Read what has been finished since, as far as all before it are finished."""
        if self._read and [_mark(t) for t in trials[self._read - 1 : self._read]] != [self._last]:
            self._begin()  # another study, which has the number of one that was deleted
        for trial in trials[self._read :]:
            if trial.number != self._read or not trial.state.is_finished():
                break
            self._read, self._last = self._read + 1, _mark(trial)
            self._interrupted += is_interrupted(trial)
            if counts(trial):
                self._hull.add(trial)
            if counts(trial) and trial.state != TrialState.FAIL:
                self._done += 1
                for name in trial.params:
                    self._has[name] = self._has.get(name, 0) + 1

    def number(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> int:
        """Return the number of a trial among those that were not interrupted."""
        later = trials[self._read :]
        before = sum(t.number < trial.number and not is_interrupted(t) for t in later)
        return self._read - self._interrupted + before

    def distributions(self, trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
        """Return all parameters seen so far, those of single trials included."""
        hull = self._hull.copy()
        for trial in trials[self._read :]:
            if counts(trial):
                hull.add(trial)
        return hull.distributions()

    def space(
        self, distributions: Mapping[str, BaseDistribution], trials: Sequence[FrozenTrial]
    ) -> Space:
        """Build the space; if nothing has changed, it is the one of before."""
        later = [t for t in trials[self._read :] if counts(t) and t.state != TrialState.FAIL]
        is_always = all(
            self._has.get(name, 0) == self._done and all(name in t.params for t in later)
            for name in distributions
        )
        if not is_always:
            return conditional_space(distributions, trials)
        space = self._space
        if (
            space is None
            or space.optional
            or list(space.distributions.items()) != list(distributions.items())
        ):
            return Space({name: from_distribution(d) for name, d in distributions.items()})
        return space

    def data(
        self, trials: Sequence[FrozenTrial], now: FrozenTrial, space: Space, sign: float
    ) -> Data:
        """Turn trials into data: values with their sign, running and failed ones apart."""
        if space is not self._space:
            self._space, self._encoded = space, 0
            self._rows, self._failed = Rows(space.domain.d), Set(space.domain.d)
        new = observed(trials[self._encoded : self._read], now, space, sign)
        assert new.numbers is not None
        self._rows.append(new.X, new.Y, new.numbers)
        if len(new.X_failed):
            self._failed.add(new.X_failed)
        self._encoded = self._read
        later = observed(trials[self._read :], now, space, sign)
        failed = self._failed
        if len(later.X_failed):
            failed = Set(space.domain.d)
            failed.add(torch.cat([self._failed.rows(), later.X_failed]))
        return self._rows.data(later.with_failed(failed.rows()))


def observed(trials: Sequence[FrozenTrial], now: FrozenTrial, space: Space, sign: float) -> Data:
    """Turn trials into data: values with their sign, running and failed ones apart."""
    done, failed, running = [], [], []
    for trial in trials:
        is_done = trial.state == TrialState.COMPLETE
        if is_done and finite_or_none(trial.value) is not None:
            done.append(trial)
        elif is_done or trial.state == TrialState.FAIL:
            if trial.params and not is_interrupted(trial):
                failed.append(trial)
        elif trial.state == TrialState.RUNNING and trial.number != now.number:
            if published(trial):
                running.append(trial)
    return Data(
        _encode(space, [t.params for t in done]),
        sign * torch.tensor([[t.value] for t in done], dtype=torch.float64).reshape(-1, 1),
        torch.tensor([t.number for t in done], dtype=torch.long),
        X_pending=_encode(space, [published(t) for t in running]),
        X_failed=_encode(space, [t.params for t in failed]),
    )


def _encode(space: Space, rows: list[dict[str, Any]]) -> Tensor:
    """Encode what is legal; a parameter that is unknown or out of range counts as absent."""
    known = [
        {n: v for n, v in row.items() if n in space.names and not space.parameters[n].problem(v)}
        for row in rows
    ]
    return space.encode(known)


def conditional_space(
    distributions: Mapping[str, BaseDistribution], trials: Sequence[FrozenTrial]
) -> Space:
    """Build the space of parameters some of which exist in some trials only.

    Where the value of another parameter decides in all finished trials whether one exists, that
    is its condition; where nothing does, the parameter is optional and proposed anyway. That a
    failed trial lacks a parameter says nothing: it may have ended before it.
    """
    finished = [trial for trial in trials if counts(trial)]
    rows = [t.params for t in finished]
    done = frozenset(i for i, t in enumerate(finished) if t.state != TrialState.FAIL)
    present = {
        name: frozenset(i for i, p in enumerate(rows) if name in p) for name in distributions
    }
    parameters: dict[str, Parameter] = {}
    optional = set()
    for name, distribution in distributions.items():
        parameter = from_distribution(distribution)
        if done - present[name]:
            when = _condition(name, distributions, rows, present, done)
            if when is None:
                optional.add(name)
            else:
                parameter = _with_condition(parameter, when)
        parameters[name] = parameter
    return Space(parameters, optional=frozenset(optional))


def _with_condition(parameter: Parameter, when: dict[str, list[Any]]) -> Parameter:
    fields = {name: getattr(parameter, name) for name in type(parameter).__dataclass_fields__}
    return type(parameter)(**(fields | {"when": when}))


def _levels(distribution: IntDistribution) -> int:
    return (distribution.high - distribution.low) // distribution.step + 1


def _condition(
    name: str,
    distributions: Mapping[str, BaseDistribution],
    rows: list[dict[str, Any]],
    present: Mapping[str, frozenset[int]],
    done: frozenset[int],
) -> dict[str, list[Any]] | None:
    """Return the parameter and its values that go with the existence of another, if one does.

    A category explains by its values, an integer only as a threshold, since most integers take
    so many values that any set of trials would seem explained.
    """
    parents = [p for p in distributions if present[name] < present[p]]
    for parent in parents:
        if isinstance(distributions[parent], CategoricalDistribution):
            with_it = {repr(rows[i][parent]): rows[i][parent] for i in sorted(present[name])}
            without = {repr(rows[i][parent]) for i in done & present[parent] - present[name]}
            if not without & with_it.keys():
                return {parent: list(with_it.values())}
    for parent in parents:
        distribution = distributions[parent]
        if isinstance(distribution, IntDistribution) and _levels(distribution) <= MOST_LEVELS:
            inside = [rows[i][parent] for i in present[name]]
            outside = [rows[i][parent] for i in done & present[parent] - present[name]]
            levels = range(distribution.low, distribution.high + 1, distribution.step)
            if min(inside) > max(outside):
                return {parent: [level for level in levels if level >= min(inside)]}
            if max(inside) < min(outside):
                return {parent: [level for level in levels if level <= max(inside)]}
    return None
