"""NeuralSampler: neuralbo inside Optuna."""

import math
import secrets
import time
import traceback
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, final
from weakref import WeakKeyDictionary

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial
from torch import Tensor

from neuralbo.arguments import checked_seed, is_number, shown, step_or_none
from neuralbo.criteria import Criterion
from neuralbo.data import Data
from neuralbo.data.near_points import are_near
from neuralbo.engine.engine import Engine
from neuralbo.engine.recommendation import Recommendation
from neuralbo.engine.step import MIN_SEPARATION, Memory, Step, generator
from neuralbo.engine.threads import one_thread
from neuralbo.errors import FallbackWarning, warn
from neuralbo.interfaces.costs import CostOf
from neuralbo.interfaces.directions import signs_of
from neuralbo.interfaces.optuna.claims import given, is_settled, publish, published
from neuralbo.interfaces.optuna.curves import CurveReader, with_expectations
from neuralbo.interfaces.optuna.knowledge import COST, Knowledge
from neuralbo.interfaces.optuna.knowledge import FACTS as FACTS
from neuralbo.interfaces.optuna.resume import improvement_noted, most_promising, take_over
from neuralbo.interfaces.optuna.trials import (
    ENDED,
    INTERRUPTED,
    WORKER,
    TrialReader,
    all_trials,
    encode,
    find,
    is_interrupted,
)
from neuralbo.interfaces.optuna.workers import this_worker
from neuralbo.maximizers import Maximizer
from neuralbo.maximizers.maximizer import jittered
from neuralbo.policies import Policy
from neuralbo.policies.designs import initial_trials
from neuralbo.space import Categorical, Parameter, Space
from neuralbo.space.constraints.statements import Constraint, statements_of
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.surrogate import Facts

SEED = "neuralbo:seed"
CONSTRAINTS = "constraints"  # where Optuna's samplers keep what a constraints_func says
ATTEMPTS = 5  # points that a worker chooses before it takes a free one beside the last
JITTER_ATTEMPTS = 20  # such places that it claims; then it takes one that is disputed
PATIENCE = 5.0  # seconds to wait for another worker's claim: it may be dead
INDEPENDENT, AWAY = 2, 3  # streams of random numbers: of single parameters, of free places
NEAR = 16  # values drawn where the one proposed is not in the range: the nearest is taken

# what was read of each study of a storage, as long as the storage exists
_Readers = WeakKeyDictionary[BaseStorage, dict[int, TrialReader]]
_CurveReaders = WeakKeyDictionary[BaseStorage, dict[int, CurveReader]]


@final
class NeuralSampler(BaseSampler):
    """Choose Optuna's trials with a neural surrogate.

    `optuna.create_study(sampler=NeuralSampler(seed=0))`. Parameters that exist in some trials
    only are modelled together with the others. A suggestion is a function of the finished and
    running trials, the seed and the number of the trial: nothing is lost when a study stops.

    Args:
        surrogate: a name of the catalog, a recipe or a policy; so are criterion and maximizer. Of
            several objectives it may be a list, one for each.
        seed: None draws one and keeps it in the study.
        n_startup_trials: points of the initial design; None chooses 5 to 10.
        n_trials: how many there will be, for the few methods that want to know.
        space: the parameters, if they are known before the first trial.
        max_suggest_seconds: suggestions that would take longer are cut short and come from a
            cheaper surrogate, with a warning.
        constraints: what all suggested parameters satisfy, known before any trial: "a + b <= 1",
            `at_most(2, names)`, or a function of the parameters; they need `space`.
        constraints_func: constraints on the outcome of a trial, as Optuna's other samplers take
            them; better is `trial.set_constraint`.
        reference_point: of several objectives, values below which none is worth anything; None
            takes them a little below the values seen.
        max_resource: the step of `trial.report` at which values are compared, "auto" for the
            largest step of the trials that ran to their end.
        resume: whether a pruned trial goes on that is worth more than a new one, see
            `neuralbo.resumed`.
        fixed: parameters that keep a value in all suggestions, as in {"kind": "deep"}.
        cost: what a trial costs: "seconds", the name of a user attribute, or a function of the
            parameters. Points are chosen by gain per cost, less so when the budget ends.
        budget_seconds: what all trials may cost, in seconds or in the unit of the cost; it does
            not end the study, as it does in `minimize`.
    """

    def __init__(  # noqa: PLR0913
        self,
        surrogate: str | Surrogate | Policy | Sequence[str | Surrogate] = "auto",
        criterion: str | Criterion | None = None,
        maximizer: str | Maximizer | None = None,
        *,
        seed: int | None = None,
        n_startup_trials: int | None = None,
        n_trials: int | None = None,
        space: Mapping[str, Any] | Space | None = None,
        max_suggest_seconds: float | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        reference_point: Sequence[float] | None = None,
        max_resource: int | str = "auto",
        resume: bool = False,
        fixed: Mapping[str, Any] | None = None,
        cost: str | CostOf | None = None,
        budget_seconds: float | None = None,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        if constraints_func is not None and not callable(constraints_func):
            raise TypeError(
                "constraints_func must be a function of a trial that returns a list of numbers, "
                f"or None; got {shown(constraints_func)}."
            )
        self._constraints_func = constraints_func
        self._engine = Engine.of(
            surrogate, criterion, maximizer, reference_point=reference_point,
            n_startup_trials=n_startup_trials, n_trials=n_trials,
            max_suggest_seconds=max_suggest_seconds,
        )  # fmt: skip
        self._seed = None if seed is None else checked_seed(seed)
        self._space = _space_of(space, constraints)
        self._last_step = step_or_none("max_resource", max_resource)
        self._resumes = resume
        self._known = Knowledge.of(self._space, fixed, cost, budget_seconds)
        self._readers, self._curves = _Readers(), _CurveReaders()
        self._warned: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process needs: not what was read and computed."""
        left_out = ("_readers", "_curves")
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return state | {"_engine": replace(self._engine, memory=Memory())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_readers": _Readers(), "_curves": _CurveReaders()}

    def _reader(self, study: Study, trials: Sequence[FrozenTrial]) -> TrialReader:
        """Return the reader of a study, which has read its trials."""
        readers = self._readers.setdefault(study._storage, {})
        reader = readers.setdefault(study._study_id, TrialReader())
        reader.update(trials)
        return reader

    @one_thread()  # readers are read by one thread at a time, and from newer and newer trials
    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters seen so far, those of single trials included."""
        if self._space is not None:
            found = self._space.distributions
        else:
            trials = all_trials(study)
            found = self._reader(study, trials).distributions(trials)
        return {name: d for name, d in found.items() if not d.single()}

    @one_thread()  # from reading to publishing, so that threads see each other's points
    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Choose all parameters together."""
        if not search_space:
            return {}
        if search_space.keys() <= given(trial).keys():
            publish(study, trial, given(trial), "settled", read=datetime.now())
            return {}
        params: dict[str, Any] = {}
        for attempt in range(ATTEMPTS + JITTER_ATTEMPTS):
            trials, read = all_trials(study), datetime.now()
            space = self._space or self._reader(study, trials).space(search_space, trials)
            step = self._step(study, trial, trials, space)
            if attempt < ATTEMPTS:
                proposal = self._engine_for(study).suggest(step)
            point = proposal.points if attempt < ATTEMPTS else encode(space, [params])
            point = jittered(step, point, generator(step.seed, AWAY, step.number, attempt))
            (params,) = space.decode(point)
            params = {name: value for name, value in params.items() if name in search_space}
            if isinstance(study._storage, InMemoryStorage):  # its threads choose one by one
                break
            publish(study, trial, params, "claimed", attempt=attempt, read=read)
            is_full = are_near(point, step.data.X_pending, MIN_SEPARATION).any()
            if is_full or not _is_disputed(study, trial, trials, partial(encode, space)):
                break
            publish(study, trial, {}, "withdrawn")
        params = self._resumed(study, trial, step.data, proposal.facts, params)
        publish(study, trial, params, "settled", attempt=attempt, read=read)
        facts = {**proposal.facts, **({"attempts": attempt + 1} if attempt else {})}
        study._storage.set_trial_user_attr(trial._trial_id, FACTS, facts)
        return params

    def _resumed(
        self, study: Study, trial: FrozenTrial, data: Data, facts: Facts, params: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the parameters of a pruned trial that is worth more and goes on, or these."""
        gain = improvement_noted(facts)
        if not self._resumes or len(data.X_expected) == 0 or gain is None:
            return params
        reader, trials = self._curves_of(study), all_trials(study)
        old = most_promising(trials, reader, set(params), float(data.best), gain)
        if old is None:
            return params
        take_over(study, trial, old)
        return {name: old.params[name] for name in params}

    @one_thread()
    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw a parameter that nothing is known of, or whose range has changed.

        Where a value was proposed that the range does not have, the nearest of a few random ones
        is taken: the model's wish counts, and the border of the range is not tried over and over.
        """
        if param_name in self._known.fixed:
            return self._known.value(param_name, param_distribution)
        trials = all_trials(study)
        self._warn_if_known(param_name, trials)
        key = zlib.crc32(param_name.encode())
        number = self._reader(study, trials).number(trial, trials)
        seed, space = self._seed_of(study), Space({param_name: param_distribution})
        proposed = published(find(trials, trial.number), counts_given=False)
        if param_name in proposed:  # a value that the range of this trial does not have
            rng = generator(seed, INDEPENDENT, number, key)
            values = [row[param_name] for row in space.decode(space.domain.sample(NEAR, rng))]
            return _nearest(space.parameters[param_name], values, proposed[param_name])
        # one sequence a parameter, so that workers that begin together draw different values
        point = space.domain.sobol(1, generator(seed, INDEPENDENT, key), skip=number)
        return space.decode(point)[0][param_name]

    @one_thread()
    def recommend(self, study: Study) -> Recommendation:
        """Return the tried parameters with the best mean under the model, of one objective.

        Under noise these are likely better than those of the trial with the best observed value,
        `study.best_params`.

        Raises:
            ValueError: if no trial has given a value, the sampler has no model, or there are
                several objectives.
        """
        if len(_signs(study)) > 1:
            raise ValueError("of several objectives nothing is recommended; see best_trials.")
        engine, trials = self._engine_for(study), all_trials(study)
        if not any(t.state == TrialState.COMPLETE for t in trials):
            raise ValueError("no trial has given a value yet.")
        reader = self._reader(study, trials)
        found = reader.distributions(trials)
        varying = {name: d for name, d in found.items() if not d.single()}
        space = self._space or reader.space(varying or found, trials)
        step = self._step(study, create_trial(state=TrialState.WAITING), trials, space)
        return engine.recommend(step, lambda number: dict(find(trials, number).params))

    def check(self, directions: str | Sequence[str]) -> None:
        """Check that the arguments fit a study of these directions, before its first trial.

        Raises:
            TypeError: if these are no directions.
            ValueError: if there are more objectives than the policy can have, or the reference
                point or the list of surrogates is not for so many.
        """
        self._engine.for_signs(signs_of(directions))

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Note which process evaluates the trial, so that a dead one can be told.

        Optuna samples while the objective runs, so an error there would count as a failure of
        the objective. Arguments that do not fit the study are refused here, which ends the run.

        Raises:
            ValueError: if the arguments do not fit the study; the trial is marked as interrupted.
        """
        storage, key = study._storage, trial._trial_id
        try:
            self._engine_for(study)
        except ValueError:
            storage.set_trial_system_attr(key, INTERRUPTED, True)
            storage.set_trial_state_values(key, TrialState.FAIL)
            raise
        if not isinstance(storage, InMemoryStorage):
            storage.set_trial_system_attr(key, WORKER, this_worker())

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Note that a failed trial came to its end, the constraints of others, and costs."""
        storage, key = study._storage, trial._trial_id
        cost = self._known.cost(trial)
        if cost is not None:
            storage.set_trial_user_attr(key, COST, cost)
        if state == TrialState.FAIL and WORKER in trial.system_attrs:
            storage.set_trial_system_attr(key, ENDED, True)
        elif state != TrialState.FAIL and self._constraints_func is not None:
            storage.set_trial_system_attr(
                key, CONSTRAINTS, _numbers(self._constraints_func(trial))
            )

    def reseed_rng(self) -> None:
        """Do nothing: workers differ by the numbers of their trials."""

    def _step(
        self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], space: Space
    ) -> Step:
        reader = self._reader(study, trials)
        data = reader.data(trials, trial, space, signs := _signs(study))
        if len(signs) == 1:  # of several objectives Optuna takes no reports
            data = with_expectations(data, trials, trial, space, self._curves_of(study))
        number = reader.number(trial, trials)
        held = self._known.held(space, trial)
        step = self._engine.step(data, space, self._seed_of(study), number, held)
        return self._known.step(step, space, self._engine, trials)

    def _curves_of(self, study: Study) -> CurveReader:
        readers = self._curves.setdefault(study._storage, {})
        if study._study_id not in readers:
            (sign,) = _signs(study)
            readers[study._study_id] = CurveReader(sign, self._last_step, self._seed_of(study))
        return readers[study._study_id]

    def _engine_for(self, study: Study) -> Engine:
        return self._engine.for_signs(_signs(study))

    def _seed_of(self, study: Study) -> int:
        if self._seed is not None:
            return self._seed
        storage, key = study._storage, study._study_id  # a bracket of Hyperband has no attributes
        if SEED not in storage.get_study_user_attrs(key):
            storage.set_study_user_attr(key, SEED, secrets.randbits(53))
        return int(storage.get_study_user_attrs(key)[SEED])

    def _warn_if_known(self, name: str, trials: list[FrozenTrial]) -> None:
        seen = sum(name in t.params for t in trials if t.state == TrialState.COMPLETE)
        # fewer trials may fit several conditions, which is nothing the user can do about
        enough = max(initial_trials(0), self._engine.initial or 0)
        if name in self._warned or seen < enough:
            return
        self._warned.add(name)
        warn(
            f"parameter {name!r} was drawn at random although it is known from {seen} trials: "
            "its range or its conditions differ from what was seen before. Where ranges depend on "
            "other parameters, suggest a share of the range instead; where conditions are "
            "complicated, tell them with NeuralSampler(space=...).",
            FallbackWarning,
        )


def _space_of(
    space: Mapping[str, Any] | Space | None, constraints: Sequence[Constraint]
) -> Space | None:
    """Return the space with its constraints.

    Raises:
        ValueError: if there are constraints and no space.
    """
    if space is not None:
        return Space.of(space, constraints)
    if statements_of(constraints):
        raise ValueError(
            "constraints= needs space=: before the first trial nobody knows which parameters "
            "there are, and already that one has to satisfy them. What a trial tells only when it "
            "is evaluated is for trial.set_constraint, or constraints_func=."
        )
    return None


def is_of_sampler(error: BaseException) -> bool:
    """Return whether an error came up while parameters were chosen, not in the objective.

    Optuna asks the sampler while the objective runs, so both come out of the same call.
    """
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_globals.get("__name__") == __name__ for frame, _ in frames)


def _signs(study: Study) -> tuple[float, ...]:
    """Return the factors that make larger values better."""
    return signs_of([direction.name.lower() for direction in study.directions])


def _numbers(found: Any) -> list[float]:
    """Return what a constraints_func gave, if these are numbers."""
    is_list = isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping)
    values = list(found) if is_list else []
    if not is_list or not all(map(is_number, values)) or any(map(math.isnan, values)):
        raise ValueError(
            "constraints_func must return numbers, a list of one for each constraint, at most 0 "
            f"where it holds; got {shown(found)}."
        )
    return [float(value) for value in values]


def _nearest(parameter: Parameter, values: Sequence[Any], target: Any) -> Any:
    """Return the value that is nearest to a number which the parameter may not have."""
    if isinstance(parameter, Categorical):  # then the choices have changed, or there is but one
        return values[0]
    place = parameter.coordinate(target)
    return min(values, key=lambda value: abs(parameter.coordinate(value) - place))


def _is_disputed(
    study: Study,
    trial: FrozenTrial,
    before: Sequence[FrozenTrial],
    encode: Callable[[Sequence[Mapping[str, Any]]], Tensor],
) -> bool:
    """Return whether another worker has chosen a near point since, and does not give way.

    It may have finished it, too: then the choice is better made again with its value.
    """
    waited = time.monotonic()
    finished = {t.number for t in before if t.state.is_finished()}
    while True:
        trials = all_trials(study)
        here = encode([published(find(trials, trial.number))])
        rivals = [
            t
            for t in trials
            if t.number != trial.number
            and t.number not in finished
            and not is_interrupted(t)
            and published(t)
            and are_near(here, encode([published(t)]), MIN_SEPARATION)
        ]
        if any(is_settled(t) or t.number < trial.number for t in rivals):
            return True
        if not rivals or time.monotonic() - waited > PATIENCE:
            return bool(rivals)
        time.sleep(0.01)
