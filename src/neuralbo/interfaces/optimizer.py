"""The loop in memory: ask for points, tell what came out."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final, overload

import torch
from botorch.models.model import Model, ModelList
from torch import Tensor

from neuralbo.arguments import checked_seed, name_of, shown, whole
from neuralbo.criteria import Criterion
from neuralbo.data.trial_table import Columns
from neuralbo.engine.engine import Engine
from neuralbo.engine.recommendation import Prediction, Recommendation, of_one_point, predictions
from neuralbo.engine.step import Step
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces import notebook
from neuralbo.interfaces.costs import CostOf, Costs, cost_or_none
from neuralbo.interfaces.directions import Direction, signs_of
from neuralbo.interfaces.measured import noises_of
from neuralbo.interfaces.optimizer_file import (
    arguments_from_json,
    arguments_to_json,
    jsonable,
    read,
    space_from_json,
    space_to_json,
    value_of,
    write,
)
from neuralbo.interfaces.outcome_constraints import constraint_values
from neuralbo.interfaces.suggested import (
    Reported,
    Suggested,
    Trial,
    checked_guesses,
    each_once,
    not_parameters,
    trials_of,
)
from neuralbo.interfaces.values import finite_values
from neuralbo.maximizers import Maximizer
from neuralbo.policies import Policy
from neuralbo.space import Space
from neuralbo.space.constraints.statements import Constraint
from neuralbo.space.fixed import checked_part, is_complete
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.surrogate import Negated

MOST_SHOWN = 8  # parameters that `repr` names


@final
class Optimizer:
    """Find the best parameters by asking and telling.

    ```
    opt = Optimizer({"x": Real(-5, 10)}, seed=0)
    params = opt.ask()
    opt.tell(params, f(**params))
    ```

    Args:
        space: parameters by name.
        constraints: what all suggested parameters satisfy: "x1 + x2 <= 1", "low < high",
            `at_most(2, names)`, or a function of the parameters that returns True or False.
        surrogate: a name of the catalog, a recipe or a policy; so are criterion and maximizer. Of
            several objectives it may be a list, one for each.
        direction: a list of two to four is that of several objectives.
        reference_point: of several objectives, values below which none is worth anything; None
            takes them a little below the values seen.
        seed: equal seeds and equal values give equal suggestions; None draws one.
        n_startup_trials: points of the initial design; None chooses 5 to 10.
        n_trials: how many there will be, for the few methods that want to know.
        max_suggest_seconds: suggestions that would take longer are cut short and come from a
            cheaper surrogate, with a warning.
        guesses: parameters that are tried first, see `enqueue`.
        fixed: parameters that keep a value in all suggestions, as in {"kind": "deep"}.
        cost: "told" where `tell(..., cost=)` says what a trial has cost, or a function of the
            parameters: then points are chosen by gain per cost, less so when the budget ends.
        budget_seconds: what all trials may cost, in seconds or in the unit of the cost.
        n_outcome_constraints: how many constraints only an evaluation tells, see `tell`.
    """

    @one_thread()
    def __init__(  # noqa: PLR0913
        self,
        space: Mapping[str, Any] | Space,
        *,
        surrogate: str | Surrogate | Policy | Sequence[str | Surrogate] = "auto",
        criterion: str | Criterion | None = None,
        maximizer: str | Maximizer | None = None,
        direction: Direction | Sequence[Direction] = "minimize",
        reference_point: Sequence[float] | None = None,
        seed: int | None = None,
        n_startup_trials: int | None = None,
        n_trials: int | None = None,
        max_suggest_seconds: float | None = None,
        guesses: Sequence[Mapping[str, Any]] = (),
        fixed: Mapping[str, Any] | None = None,
        cost: str | CostOf | None = None,
        budget_seconds: float | None = None,
        constraints: Sequence[Constraint] = (),
        n_outcome_constraints: int = 0,
    ) -> None:
        self._arguments = {
            "surrogate": surrogate, "criterion": criterion, "maximizer": maximizer,
            "direction": direction, "reference_point": reference_point,
            "n_startup_trials": n_startup_trials, "n_trials": n_trials,
            "max_suggest_seconds": max_suggest_seconds, "cost": cost,
            "budget_seconds": budget_seconds, "n_outcome_constraints": n_outcome_constraints,
        }  # fmt: skip
        self.space = Space.of(space, constraints)
        self.seed = secrets.randbits(63) if seed is None else checked_seed(seed)
        self._signs = signs_of(direction)
        self._engine = Engine.of(
            surrogate, criterion, maximizer, reference_point=reference_point,
            n_startup_trials=n_startup_trials, n_trials=n_trials,
            max_suggest_seconds=max_suggest_seconds,
        ).for_signs(self._signs)  # fmt: skip
        self._name = name_of(surrogate)
        self._constraints = whole("n_outcome_constraints", n_outcome_constraints)
        self._columns = Columns(self.space, *self._signs, constraints=self._constraints)
        self._fixed = {} if fixed is None else checked_part(self.space, fixed, "fixed")
        self._costs = Costs.given(cost, budget_seconds, names="'told'")
        self._queue: list[dict[str, Any]] = []
        for guess in checked_guesses(guesses):
            self.enqueue(guess)

    @property
    def policy(self) -> Policy:
        """How points are chosen after the initial design."""
        return self._engine.policy

    def __repr__(self) -> str:
        pending, best = len(self._columns.pending), self._columns.best
        observed = self._columns.observed
        parts = ["1 trial" if observed == 1 else f"{observed} trials"]
        if pending:
            parts.append(f"{pending} pending")
        if len(self._signs) > 1:
            parts.append(f"{len(self._signs)} objectives, {len(self.front)} on the front")
        elif best is not None:
            parts.append(f"best value {self.best.value:.6g} in trial {best}")
        names = list(self.space.parameters)
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        parts.append(f"parameters {', '.join(names[:MOST_SHOWN])}{more}")
        return f"<Optimizer: {'; '.join(parts)}; surrogate {self._name}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        values = [trial.values for trial in self.trials]
        is_one = len(self._signs) == 1 and self._columns.best is not None
        return notebook.shown(
            repr(self), values, self._signs, self.best.params if is_one else None
        )

    @overload
    def ask(self) -> Suggested: ...

    @overload
    def ask(self, n: int) -> list[Suggested]: ...

    @one_thread()
    def ask(self, n: int | None = None) -> Suggested | list[Suggested]:
        """Return the next parameters to try, or a list of n different ones.

        Raises:
            TypeError: if n is no whole number.
            ValueError: if n is below 1.
        """
        count = 1 if n is None else whole("n of ask(n)", n, 1, instead="; ask() gives one alone")
        suggested: list[Suggested] = []
        while self._queue and len(suggested) < count:
            suggested.append(self._queued(self._queue.pop(0)))
        if len(suggested) < count:
            suggested += self._suggest(count - len(suggested), self._fixed)
        return suggested[0] if n is None else suggested

    def _suggest(self, n: int, fixed: Mapping[str, Any]) -> list[Suggested]:
        """Choose n points, at which some parameters have given values."""
        proposal = self._engine.suggest(self._step(fixed), n)
        rows, decoded = proposal.points, self.space.decode(proposal.points)
        return [
            Suggested(params, self._columns.add(row), proposal.facts)
            for row, params in zip(rows, decoded, strict=True)
        ]

    def _queued(self, params: dict[str, Any]) -> Suggested:
        """Return parameters of the queue; what they leave open is chosen."""
        if not is_complete(self.space, params):
            return self._suggest(1, params)[0]
        row = self.space.encode([params])[0]
        return Suggested(params, self._columns.add(row), {"surrogate": "enqueued"})

    def enqueue(self, params: Mapping[str, Any]) -> None:
        """Let these parameters be the next that `ask` returns; those left out are chosen then.

        Raises:
            TypeError: if they are no dictionary.
            ValueError: if one is unknown or not legal.
        """
        self._queue.append(checked_part(self.space, params, "enqueue(params)"))

    def cancel(self, params: Mapping[str, Any]) -> None:
        """Take back a suggestion that will not be evaluated: its place is free again.

        Raises:
            ValueError: if these parameters are not pending.
        """
        number = self._pending_number(params)
        if number is None:
            raise ValueError(
                f"cancel takes parameters that ask() returned and that were not told or cancelled "
                f"since; got {shown(params)}, and {len(self._columns.pending)} others are pending."
            )
        self._columns.cancel(number)

    def _pending_number(self, params: Mapping[str, Any]) -> int | None:
        """Return which suggestion these parameters are, if one is pending."""
        pending = self._columns.pending
        if isinstance(params, Suggested) and params.number in pending:
            return params.number
        row = self.space.encode([self.space.validate(params)])[0]
        return next((i for i in pending if self._is_row(i, row)), None)

    @one_thread()
    def tell(
        self,
        params: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        value: float | Sequence[Any] | None,
        *,
        noise: float | Sequence[Any] | None = None,
        cost: float | Sequence[Any] | None = None,
        constraints: Sequence[Any] | None = None,
    ) -> None:
        """Record what came out; None, NaN and infinite values are failures.

        Parameters that were never asked for are welcome if they are legal. Of several objectives
        the values come as a list; where one of them is a failure, all are. A list of parameters
        comes with a list of their values: all are recorded or, after an error, none.

        Args:
            params: what `ask` returned, or parameters of your own.
            value: what they gave.
            noise: the standard deviation of the value if it is known; of a list of parameters one
                number for all, or a list. A value may also be `Measured(3.2, noise=0.1)`.
            cost: what the trial has cost, for those with `cost="told"`; likewise.
            constraints: what constraints on the outcome gave, kept where at most 0; likewise.

        Raises:
            TypeError: if the parameters are no dictionary, or a value is no number.
            ValueError: if the parameters are not legal, or were told before, or there are not as
                many values as objectives or parameters, or a noise is negative.
        """
        each = trials_of(
            self.space, params, value, {"noise": noise, "cost": cost, "constraints": constraints}
        )
        for reported in each_once([self._checked(one, its, **rest) for one, its, rest in each]):
            self._record(reported)

    def _checked(
        self, params: Mapping[str, Any], value: Any, noise: Any, cost: Any, constraints: Any
    ) -> Reported:
        """Return what is to be recorded of one trial."""
        if not isinstance(params, Mapping):
            raise TypeError(not_parameters(params, self.space))
        legal, columns = self.space.validate(params), self._columns
        number = params.number if isinstance(params, Suggested) else None
        if columns.is_cancelled(number):
            number = None
        row = self.space.encode([legal])[0]
        if number is not None and columns.is_finished(number) and self._is_row(number, row):
            raise ValueError(f"suggestion {number} was told before.")
        noises = noises_of(noise, value, len(self._signs))
        values, spent = finite_values(value, len(self._signs)), cost_or_none(cost)
        if self._costs is not None and not isinstance(self._costs.of, str):
            spent = self._costs.at(legal)
        kept: list[float] = []
        if constraints is not None or (self._constraints and values is not None):
            kept = constraint_values(constraints, self._constraints)
        return Reported(number, row, legal, values, noises, spent, kept)

    def _record(self, reported: Reported) -> None:
        """Finish the pending trial that was told, or a new one."""
        number, columns = reported.number, self._columns
        if number is None:  # a copy of what was asked for, from a file perhaps
            number = next((i for i in columns.pending if self._is_row(i, reported.row)), None)
        if number is None or not columns.is_pending(number):
            number = columns.add(reported.row)
        columns.finish(
            number, reported.row, reported.params, reported.values, reported.noises,
            reported.constraints,
        )  # fmt: skip
        if reported.cost is not None:
            columns.costs[number] = reported.cost

    @property
    def trials(self) -> list[Trial]:
        """What was told, in the order of the numbers."""
        return [self._trial(number) for number in self._columns.finished()]

    @property
    def pending(self) -> list[int]:
        """The numbers of the suggestions that were neither told nor cancelled."""
        return self._columns.pending

    @property
    def best(self) -> Trial:
        """The trial with the best value seen, be it by luck."""
        self._need_one("best", "front")
        if self._columns.best is not None:
            return self._trial(self._columns.best)
        if any(trial.values is not None for trial in self.trials):
            raise ValueError("no trial keeps all constraints yet; see `trials` for their values.")
        raise ValueError("no trial has given a value yet; tell(params, value) first.")

    @property
    def front(self) -> list[Trial]:
        """The trials that no other is at least as good as in all objectives and better in one."""
        return [self._trial(number) for number in self._columns.front()]

    def _need_one(self, name: str, other: str) -> None:
        if len(self._signs) > 1:
            raise ValueError(
                f"of {len(self._signs)} objectives there is no `{name}`; see `{other}`."
            )

    def _trial(self, number: int) -> Trial:
        return Trial(number, self._columns.params(number), self._columns.values(number))

    @property
    def model(self) -> Model:
        """The surrogate fitted to all that was told, in the units and the sign of the values.

        A classifier says how likely a point is good, whatever the sign. Of several objectives it
        is a list of models.
        """
        models = [
            model if sign > 0 or isinstance(model, ClassModel) else Negated(model)
            for model, sign in zip(self._models(), self._signs, strict=True)
        ]
        return models[0] if len(models) == 1 else ModelList(*models)

    @one_thread()
    def recommend(self) -> Recommendation:
        """Return the tried parameters with the best mean under the model.

        Raises:
            ValueError: if nothing was told, or the surrogate has no mean: a classifier.
        """
        self._need_one("recommend()", "front")
        best = self.best
        if not self.space.names:  # nothing varies: the values are all there is
            observed = (trial.value for trial in self.trials if trial.value is not None)
            return of_one_point(best.params, tuple(observed))
        return self._engine.recommend(self.step(), self._columns.params)

    @overload
    def predict(self, params: Mapping[str, Any]) -> Prediction: ...

    @overload
    def predict(self, params: Sequence[Mapping[str, Any]]) -> list[Prediction]: ...

    @one_thread()
    def predict(
        self, params: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    ) -> Prediction | list[Prediction]:
        """Return mean and standard deviation of the function at parameters, or at a list of them.

        Raises:
            ValueError: if the parameters are not legal, nothing was told, the surrogate has no
                mean, or there are several objectives.
        """
        self._need_one("predict(params)", "model")
        rows = [params] if isinstance(params, Mapping) else list(params)
        X = self.space.encode([self.space.validate(row) for row in rows])
        found = predictions(self._models()[0], X, self._signs[0])
        return found[0] if isinstance(params, Mapping) else found

    def save(self, path: str | Path) -> None:
        """Write all that was asked and told into a file, from which `load` goes on.

        It is JSON, and no code is in it: a recipe is given to `load` again.
        """
        write(path, {
            "arguments": arguments_to_json({**self._arguments, "seed": self.seed}),
            "space": space_to_json(self.space),
            "fixed": jsonable(self._fixed),
            "queue": jsonable(self._queue),
            "trials": [self._columns.written(number) for number in range(len(self._columns))],
        })  # fmt: skip

    @staticmethod
    def load(
        path: str | Path,
        *,
        surrogate: str | Surrogate | Policy | Sequence[str | Surrogate] | None = None,
        criterion: str | Criterion | None = None,
        maximizer: str | Maximizer | None = None,
        cost: CostOf | None = None,
    ) -> "Optimizer":
        """Return the optimizer that was saved: it makes the same suggestions.

        Args:
            path: of the file.
            surrogate: the recipe that was used, if it was no name.
            criterion: likewise.
            maximizer: likewise.
            cost: likewise, if it was a function.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is cut off, was changed, or is of a newer version, or a recipe is
                missing or another one.
        """
        content = read(path)
        given = {
            "surrogate": surrogate, "criterion": criterion, "maximizer": maximizer, "cost": cost
        }  # fmt: skip
        arguments = arguments_from_json(path, content["arguments"], given)
        space = space_from_json(content["space"])
        loaded = Optimizer(space, **arguments, fixed=value_of(content["fixed"]))
        loaded._queue = value_of(content["queue"])
        for trial in content["trials"]:
            loaded._columns.restore(trial)
        return loaded

    @one_thread()
    def _models(self) -> list[Model]:
        return self._engine.models(self.step())

    def _is_row(self, number: int, row: Tensor) -> bool:
        return torch.allclose(self._columns.row(number), row, rtol=0, atol=1e-9)

    @one_thread()
    def step(self) -> Step:
        """Return what the next suggestion looks at."""
        return self._step(self._fixed)

    def _step(self, fixed: Mapping[str, Any]) -> Step:
        columns = self._columns
        step = self._engine.step(columns.data(), self.space, self.seed, len(columns), fixed)
        if self._costs is None:
            return step
        known = {number: (columns.row(number), cost) for number, cost in columns.costs.items()}
        return self._costs.step(step, self.space, self._engine, known)
