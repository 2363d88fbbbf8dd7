"""NeuralSampler: neuralbo inside Optuna."""

import json
import secrets
import warnings
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, final

import torch
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler
from optuna.storages import InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from neuralbo.catalog import make_policy
from neuralbo.criteria import Criterion
from neuralbo.data import Data
from neuralbo.errors import FallbackWarning
from neuralbo.maximizers import Maximizer
from neuralbo.optimizer import checked_seed, finite_or_none, sign_of
from neuralbo.policies import Policy
from neuralbo.policies.start import AfterStart, start_trials
from neuralbo.space import Parameter, Space, from_distribution
from neuralbo.step import Memory, Step, generator
from neuralbo.suggestion import suggest
from neuralbo.surrogates import Surrogate
from neuralbo.threads import one_thread
from neuralbo.workers import this_worker

SEED, PARAMS, WORKER, INTERRUPTED, FACTS = (
    f"neuralbo:{key}" for key in ("seed", "params", "worker", "interrupted", "facts")
)
LONGEST_ATTRIBUTE = 2045  # characters that a database takes in one attribute
MOST_LEVELS = 100  # of an integer on which the existence of others may depend
INDEPENDENT = 2  # the stream of random numbers for single parameters


@final
class NeuralSampler(BaseSampler):
    """Choose Optuna's trials with a neural surrogate.

    `optuna.create_study(sampler=NeuralSampler(seed=0))`. Parameters that exist in some trials
    only are modelled together with the others. A suggestion is a function of the finished and
    running trials, the seed and the number of the trial: nothing is lost when a study stops.

    Args:
        surrogate: a name of the catalog, a recipe or a policy; so are criterion and maximizer.
        seed: None draws one and keeps it in the study.
        n_startup_trials: points of the start design; None chooses 5 to 10.
        n_trials: how many there will be, for the few methods that want to know.
        space: the parameters, if they are known before the first trial.
    """

    def __init__(  # noqa: PLR0913
        self,
        surrogate: str | Surrogate | Policy = "auto",
        criterion: str | Criterion | None = None,
        maximizer: str | Maximizer | None = None,
        *,
        seed: int | None = None,
        n_startup_trials: int | None = None,
        n_trials: int | None = None,
        space: Space | None = None,
    ) -> None:
        self._policy = make_policy(surrogate, criterion, maximizer)
        self._seed = None if seed is None else checked_seed(seed)
        self._start = n_startup_trials
        self._horizon = n_trials
        self._space = space
        self._memory = Memory()
        self._warned: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_memory": Memory()}

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters seen so far, those of single trials included."""
        _one_objective(study)
        if self._space is not None:
            found = self._space.distributions
        else:
            found = union(_seen(study.get_trials(deepcopy=False, states=_WITH_PARAMS)))
        return {name: d for name, d in found.items() if not d.single()}

    @one_thread()  # from reading to publishing, so that threads see each other's points
    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Choose all parameters together."""
        _one_objective(study)
        if not search_space:
            return {}
        trials = study.get_trials(deepcopy=False)
        space = self._space or conditional_space(search_space, trials)
        start = start_trials(len(space.names)) if self._start is None else self._start
        step = self._step(study, trial, trials, space)
        proposal = suggest(AfterStart(self._policy, start), step)
        (params,) = space.decode(proposal.points)
        params = {name: value for name, value in params.items() if name in search_space}
        _publish(study, trial, params, proposal.facts)
        return params

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw a parameter that nothing is known of, or whose range has changed."""
        _one_objective(study)
        trials = study.get_trials(deepcopy=False)
        self._warn_if_known(param_name, trials)
        key = zlib.crc32(param_name.encode())
        rng = generator(self._seed_of(study), INDEPENDENT, _number(trial, trials), key)
        space = Space({param_name: param_distribution})
        with one_thread():
            return space.decode(space.domain.sample(1, rng))[0][param_name]

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Note which process evaluates the trial, so that a dead one can be told."""
        if not isinstance(study._storage, InMemoryStorage):
            study._storage.set_trial_system_attr(trial._trial_id, WORKER, this_worker())

    def reseed_rng(self) -> None:
        """Do nothing: workers differ by the numbers of their trials."""

    def _step(
        self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], space: Space
    ) -> Step:
        return Step.of(
            observed(trials, trial, space, sign_of(study.direction.name.lower())),
            space.domain,
            seed=self._seed_of(study),
            number=_number(trial, trials),
            horizon=self._horizon,
            memory=self._memory,
        )

    def _seed_of(self, study: Study) -> int:
        if self._seed is not None:
            return self._seed
        if SEED not in study.user_attrs:
            study.set_user_attr(SEED, secrets.randbits(53))
        return int(study.user_attrs[SEED])

    def _warn_if_known(self, name: str, trials: list[FrozenTrial]) -> None:
        seen = sum(name in t.params for t in trials if t.state == TrialState.COMPLETE)
        enough = start_trials(0) if self._start is None else max(self._start, 1)
        if name in self._warned or seen < enough:
            return
        self._warned.add(name)
        warnings.warn(
            f"parameter {name!r} was drawn at random although it is known from {seen} trials: "
            "its range or its conditions differ from what was seen before.",
            FallbackWarning,
            stacklevel=2,
        )


_WITH_PARAMS = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


def _one_objective(study: Study) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"NeuralSampler optimizes one objective, and the study has {len(study.directions)}; "
            "optuna.samplers.NSGAIISampler takes several."
        )


def is_interrupted(trial: FrozenTrial) -> bool:
    """Return whether a trial's process died, which says nothing about its parameters."""
    return INTERRUPTED in trial.system_attrs


def _seen(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the finished trials that count: those that were not interrupted."""
    return [t for t in trials if t.state in _WITH_PARAMS and not is_interrupted(t)]


def _number(trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> int:
    """Return the number of a trial among those that were not interrupted."""
    return sum(t.number < trial.number and not is_interrupted(t) for t in trials)


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


def _publish(
    study: Study, trial: FrozenTrial, params: Mapping[str, Any], facts: Mapping[str, Any]
) -> None:
    """Let other workers see the parameters, and people the facts."""
    storage, text = study._storage, json.dumps(params)
    for i in range(0, len(text), LONGEST_ATTRIBUTE):
        key = f"{PARAMS}:{i // LONGEST_ATTRIBUTE}"
        storage.set_trial_system_attr(trial._trial_id, key, text[i : i + LONGEST_ATTRIBUTE])
    storage.set_trial_user_attr(trial._trial_id, FACTS, dict(facts))


def published(trial: FrozenTrial) -> dict[str, Any]:
    """Return the parameters of a running trial, also those not yet asked for."""
    pieces: list[str] = []
    while f"{PARAMS}:{len(pieces)}" in trial.system_attrs:
        pieces.append(trial.system_attrs[f"{PARAMS}:{len(pieces)}"])
    return (json.loads("".join(pieces)) if pieces else {}) | trial.params


def union(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Return every parameter of any trial with the hull of its ranges.

    Names whose kind or choices changed are left out: they are drawn on their own.
    """
    found: dict[str, BaseDistribution] = {}
    mixed = set()
    for trial in trials:
        for name, new in trial.distributions.items():
            hull = _hull(found.get(name, new), new)
            mixed |= {name} if hull is None else set()
            found[name] = hull or new
    return {name: found[name] for name in sorted(found.keys() - mixed)}


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


def conditional_space(
    distributions: Mapping[str, BaseDistribution], trials: Sequence[FrozenTrial]
) -> Space:
    """Build the space of parameters some of which exist in some trials only.

    Where the value of another parameter decides in all finished trials whether one exists, that
    is its condition; where nothing does, the parameter is optional and proposed anyway. That a
    failed trial lacks a parameter says nothing: it may have ended before it.
    """
    finished = _seen(trials)
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
