"""The engine behind both fronts: initial design, policy, time limit, fallback, record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.arguments import numbers_or_none, whole_or_none
from neuralbo.catalog import make_policy
from neuralbo.criteria import Criterion
from neuralbo.data import Data
from neuralbo.engine.recommendation import Recommendation, recommendation
from neuralbo.engine.step import Memory, Step
from neuralbo.engine.threads import one_thread
from neuralbo.engine.time_limit import TimeLimit
from neuralbo.errors import FallbackWarning, FitError, warn
from neuralbo.maximizers import Maximizer
from neuralbo.maximizers.maximizer import pick
from neuralbo.policies import HasSurrogate, Policy, Proposal, SeveralObjectives, Sobol
from neuralbo.policies.designs import initial_trials
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.space import Space
from neuralbo.surrogates import Surrogate


@final
@dataclass(frozen=True, slots=True)
class Engine:
    """Makes suggestions for one or several objectives.

    Attributes:
        named: the policy as it was asked for.
        policy: what it is for the objectives, see `for_signs`.
        signs: the factors that make larger values better, one for each objective.
        reference: the reference point as it was given, in the units of the values.
        initial: trials of the initial design; None chooses by the number of parameters.
        horizon: how many trials there will be, or None if nobody knows.
    """

    named: Policy
    policy: Policy
    signs: tuple[float, ...] = (1.0,)
    reference: tuple[float, ...] | None = None
    initial: int | None = None
    horizon: int | None = None
    limit: TimeLimit = field(default_factory=TimeLimit)
    memory: Memory = field(default_factory=Memory, repr=False)

    @staticmethod
    def of(  # noqa: PLR0913
        surrogate: str | Surrogate | Policy | Sequence[str | Surrogate],
        criterion: str | Criterion | None,
        maximizer: str | Maximizer | None,
        *,
        reference_point: Sequence[float] | None,
        n_startup_trials: int | None,
        n_trials: int | None,
        max_suggest_seconds: float | None,
    ) -> "Engine":
        """Return the engine that the arguments of both fronts stand for, of one objective.

        Raises:
            TypeError, ValueError: if an argument is not what it should be.
        """
        limit = TimeLimit(max_suggest_seconds)
        policy = make_policy(surrogate, criterion, maximizer)
        return Engine(
            policy, policy,
            reference=numbers_or_none("reference_point", reference_point),
            initial=whole_or_none("n_startup_trials", n_startup_trials),
            horizon=whole_or_none("n_trials", n_trials),
            limit=limit,
        )  # fmt: skip

    def for_signs(self, signs: tuple[float, ...]) -> "Engine":
        """Return the same engine for the objectives of these signs.

        Raises:
            ValueError: if the policy cannot have so many, the reference point has not as many
                numbers, or a surrogate says nothing of the values.
        """
        reference = self.reference
        if reference is not None and len(reference) != len(signs):
            raise ValueError(
                f"reference_point needs a number for each of {len(signs)} objectives, got "
                f"{len(reference)}: {list(reference)}."
            )
        if reference is not None:
            reference = tuple(s * value for s, value in zip(signs, reference, strict=True))
        return replace(self, policy=for_objectives(self.named, len(signs), reference), signs=signs)

    def step(self, data: Data, space: Space, seed: int, number: int) -> Step:
        """Return what a suggestion looks at."""
        return Step.of(
            data, space.domain, seed=seed, number=number, horizon=self.horizon, memory=self.memory
        )

    def suggest(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points: by a Sobol sequence at first, then by the policy.

        The initial design ends when so many trials have given a value, or after twice as many
        trials if many fail, since the policy keeps away from failures; it needs one value at
        least. Where the surrogate cannot be fitted the points are of the sequence, too. All of
        them satisfy the known constraints.
        """
        if step.domain.d == 0:
            return Proposal(step.domain.sample(q, step.rng))
        if self._is_initial(step):
            return Proposal(Sobol().propose(step, q).points, {"surrogate": "initial design"})
        began, proposal = self.limit.now(), None
        with one_thread():
            try:
                for attempt in self.limit.attempts(self.policy):
                    with self.limit.over(attempt, step):
                        proposal = attempt.policy.propose(step, q)
                        break
            except FitError as error:
                warn(
                    f"suggestion {step.number} is a point of the initial design, since the "
                    f"surrogate could not be fitted: {error} Another surrogate= may do better.",
                    FallbackWarning,
                )
                points = Sobol().propose(step, q).points
                proposal = Proposal(points, {"surrogate": "none", "fallback": str(error)})
        assert proposal is not None  # the last attempt has no deadline
        late = self.limit.facts(attempt, step, self.limit.now() - began)
        return Proposal(_feasible(step, proposal.points), {**proposal.facts, **late})

    def _is_initial(self, step: Step) -> bool:
        initial = self.initial
        if initial is None:
            initial = initial_trials(len(step.domain.variables))
        is_early = step.data.n < initial and step.number < 2 * initial
        return step.data.n == 0 or is_early

    def models(self, step: Step) -> list[Model]:
        """Return the model of all trials for each objective; larger is better in them.

        Raises:
            ValueError: if the policy has no model, or there is no value yet.
        """
        if not isinstance(self.policy, SeveralObjectives | HasSurrogate):
            raise ValueError(f"{type(self.policy).__name__} has no model; name a surrogate.")
        if step.data.n == 0:
            raise ValueError("there is no model yet: no trial has given a value.")
        if isinstance(self.policy, SeveralObjectives):
            return self.policy.models(step)
        return [step.fit(self.policy.surrogate, step.data)]

    def recommend(self, step: Step, params_of: Callable[[int], dict[str, Any]]) -> Recommendation:
        """Return the tried parameters with the best mean under the model, of one objective.

        Args:
            step: what is known.
            params_of: the parameters of the trial of a number.

        Raises:
            ValueError: if no trial has given a value, the policy has no model, or a classifier.
        """
        (model,), (sign,) = self.models(step), self.signs
        return recommendation(model, step.data, sign, params_of)


def _feasible(step: Step, points: Tensor) -> Tensor:
    """Return the points, or feasible ones near them if the policy knows of no constraints."""
    if step.domain.holds(points).all():
        return points
    X = step.domain.project(points)
    return pick(step, X, -torch.arange(len(X), dtype=X.dtype), len(X))
