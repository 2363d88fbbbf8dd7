"""What the user knows beside the values of trials: parameters that stay, and what trials cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, final

from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.arguments import shown
from neuralbo.criteria.gain_per_cost import checked_cost
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import Step
from neuralbo.interfaces.costs import SECONDS, Costs
from neuralbo.interfaces.optuna.claims import given
from neuralbo.interfaces.optuna.trials import counts, encode
from neuralbo.space import Space, from_distribution
from neuralbo.space.fixed import checked_part

FACTS = "neuralbo:facts"  # the attribute of a trial that says how it was chosen
COST = "neuralbo:cost"  # what a trial has cost, noted when it ends
GUESS = "neuralbo:guess"  # marks trials some of whose parameters the user has given
LEAST_SECONDS = 1e-3  # of a trial: clocks are no finer
CHOOSING = ("fit_seconds", "choose_seconds")  # facts: the trial's own suggestion is no cost


@final
@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a sampler was told.

    Attributes:
        fixed: parameters and their values.
        costs: None if nothing is known of them.
    """

    fixed: Mapping[str, Any]
    costs: Costs | None

    @staticmethod
    def of(space: Space | None, fixed: Any, cost: Any, budget_seconds: Any) -> "Knowledge":
        """Return what the arguments of a sampler say.

        Raises:
            TypeError, ValueError: if one is not legal.
        """
        if fixed is None:
            fixed = {}
        if not isinstance(fixed, Mapping):
            raise TypeError(
                f'fixed must be a dictionary, as in {{"kind": "deep"}}; got {shown(fixed)}.'
            )
        if space is not None:
            fixed = checked_part(space, fixed, "fixed")
        names = f"{SECONDS!r}, the name of a user attribute of the trials"
        return Knowledge(dict(fixed), Costs.given(cost, budget_seconds, names=names))

    def held(self, space: Space, trial: FrozenTrial) -> dict[str, Any]:
        """Return what keeps its value in a trial, as far as the space knows it.

        Parameters of a guess count as well as those that are fixed in the whole run.
        """
        known = {**self.fixed, **(given(trial) if GUESS in trial.user_attrs else {})}
        known = {name: value for name, value in known.items() if name in space.parameters}
        return checked_part(space, known, "fixed")

    def value(self, name: str, distribution: BaseDistribution) -> Any:
        """Return the fixed value of a parameter that is asked for alone.

        Raises:
            ValueError: if the parameter cannot have it.
        """
        value, problem = self.fixed[name], from_distribution(distribution).problem
        said = problem(value)
        if said:
            raise ValueError(f"fixed: {name!r} must be {said}, got {shown(value)}.")
        return value

    def cost(self, trial: FrozenTrial) -> float | None:
        """Return what a trial has cost that ends now; None if nothing is known of costs.

        Raises:
            ValueError: if the cost is not above 0, or missing.
        """
        return None if self.costs is None else _cost_of(trial, self.costs)

    def step(
        self, step: Step, space: Space, engine: Engine, trials: Sequence[FrozenTrial]
    ) -> Step:
        """Return the step with the weight of the costs of trials, if there are costs."""
        if self.costs is None:
            return step
        costs = costs_of(trials, self.costs)
        rows = encode(space, [t.params for t in trials if t.number in costs])
        found = zip(rows, (t.number for t in trials if t.number in costs), strict=True)
        known = {number: (row, costs[number]) for row, number in found}
        return self.costs.step(step, space, engine, known)


def put_in_queue(
    study: Study, several: Sequence[Mapping[str, Any]], *, again: bool = False
) -> None:
    """Let the next trials have these parameters; what they leave out is chosen.

    Those that the study has, finished or in its queue, are left out unless `again`.
    """
    for params in several:
        study.enqueue_trial(dict(params), user_attrs={GUESS: True}, skip_if_exists=not again)


def costs_of(trials: Sequence[FrozenTrial], costs: Costs) -> dict[int, float]:
    """Return what finished trials have cost, by number.

    Raises:
        ValueError: if a trial with a value has no cost, or one that is not above 0.
    """
    found = {}
    for trial in trials:
        if counts(trial) and trial.params:
            cost = _cost_of(trial, costs)
            if cost is not None:
                found[trial.number] = cost
    return found


def _cost_of(trial: FrozenTrial, costs: Costs) -> float | None:
    if not isinstance(costs.of, str):
        return costs.at(trial.params)
    if costs.of == SECONDS:
        assert trial.datetime_start is not None
        ended = trial.datetime_complete or datetime.now()
        facts = trial.user_attrs.get(FACTS, {})
        choosing = sum(float(facts.get(name, 0.0)) for name in CHOOSING)
        seconds = (ended - trial.datetime_start).total_seconds()
        return max(seconds - choosing, LEAST_SECONDS)
    if costs.of in trial.user_attrs:
        said = f"the attribute {costs.of!r} of trial {trial.number}, its cost,"
        return checked_cost(trial.user_attrs[costs.of], said)
    if trial.state == TrialState.COMPLETE:
        raise ValueError(
            f"cost={costs.of!r} is the name of a user attribute, but trial {trial.number} has "
            f"{sorted(trial.user_attrs)}. Set it in the objective, "
            f"trial.set_user_attr({costs.of!r}, ...), or name cost='seconds'."
        )
    return None
