"""NeuralSampler: neuralbo inside Optuna."""

import json
import secrets
import warnings
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, final
from weakref import WeakKeyDictionary

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.catalog import make_policy
from neuralbo.criteria import Criterion
from neuralbo.errors import FallbackWarning
from neuralbo.maximizers import Maximizer
from neuralbo.optimizer import checked_seed, sign_of
from neuralbo.policies import Policy
from neuralbo.policies.start import AfterStart, start_trials
from neuralbo.space import Space
from neuralbo.step import Memory, Step, generator
from neuralbo.suggestion import suggest
from neuralbo.surrogates import Surrogate
from neuralbo.threads import one_thread
from neuralbo.trials import PARAMS, TrialReader
from neuralbo.workers import this_worker

SEED, WORKER, FACTS = (f"neuralbo:{key}" for key in ("seed", "worker", "facts"))
LONGEST_ATTRIBUTE = 2045  # characters that a database takes in one attribute
INDEPENDENT = 2  # the stream of random numbers for single parameters

# what was read of each study of a storage, as long as the storage exists
_Readers = WeakKeyDictionary[BaseStorage, dict[int, TrialReader]]


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
        self._memory, self._readers = Memory(), _Readers()
        self._warned: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_memory", "_readers")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_memory": Memory(), "_readers": _Readers()}

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
        _one_objective(study)
        if self._space is not None:
            found = self._space.distributions
        else:
            trials = study.get_trials(deepcopy=False)
            found = self._reader(study, trials).distributions(trials)
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
        space = self._space or self._reader(study, trials).space(search_space, trials)
        start = start_trials(len(space.names)) if self._start is None else self._start
        step = self._step(study, trial, trials, space)
        proposal = suggest(AfterStart(self._policy, start), step)
        (params,) = space.decode(proposal.points)
        params = {name: value for name, value in params.items() if name in search_space}
        _publish(study, trial, params, proposal.facts)
        return params

    @one_thread()
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
        number = self._reader(study, trials).number(trial, trials)
        rng = generator(self._seed_of(study), INDEPENDENT, number, key)
        space = Space({param_name: param_distribution})
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
        reader = self._reader(study, trials)
        return Step.of(
            reader.data(trials, trial, space, sign_of(study.direction.name.lower())),
            space.domain,
            seed=self._seed_of(study),
            number=reader.number(trial, trials),
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


def _one_objective(study: Study) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"NeuralSampler optimizes one objective, and the study has {len(study.directions)}; "
            "optuna.samplers.NSGAIISampler takes several."
        )


def _publish(
    study: Study, trial: FrozenTrial, params: Mapping[str, Any], facts: Mapping[str, Any]
) -> None:
    """Let other workers see the parameters, and people the facts."""
    storage, text = study._storage, json.dumps(params)
    for i in range(0, len(text), LONGEST_ATTRIBUTE):
        key = f"{PARAMS}:{i // LONGEST_ATTRIBUTE}"
        storage.set_trial_system_attr(trial._trial_id, key, text[i : i + LONGEST_ATTRIBUTE])
    storage.set_trial_user_attr(trial._trial_id, FACTS, dict(facts))
