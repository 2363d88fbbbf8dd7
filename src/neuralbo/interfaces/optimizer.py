"""The loop in memory: ask for points, tell what came out."""

import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final, overload

import torch
from botorch.models.model import Model, ModelList
from torch import Tensor

from neuralbo.arguments import shown, whole
from neuralbo.criteria import Criterion
from neuralbo.data.trial_table import Columns
from neuralbo.engine.engine import Engine
from neuralbo.engine.recommendation import Recommendation
from neuralbo.engine.step import Step
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces import notebook
from neuralbo.maximizers import Maximizer
from neuralbo.policies import Policy
from neuralbo.space import Space
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.surrogate import Negated

Direction = Literal["minimize", "maximize"]

MOST_SHOWN = 8  # parameters that `repr` names
LARGEST = 1e150  # the squares of larger values overflow


@final
class Suggested(dict[str, Any]):
    """Parameters to try: a dictionary that knows its number and how it was chosen.

    Attributes:
        facts: what the policy recorded: the surrogate, the criterion and its value, seconds.
    """

    def __init__(
        self,
        params: Mapping[str, Any],
        number: int,
        facts: Mapping[str, float | str] | None = None,
    ) -> None:
        super().__init__(params)
        self.number, self.facts = number, dict(facts or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return Suggested, (dict(self), self.number, self.facts)


@final
@dataclass(frozen=True, slots=True)
class Trial:
    """Parameters that were tried, and the values they gave; None if they failed."""

    number: int
    params: dict[str, Any]
    values: tuple[float, ...] | None

    @property
    def value(self) -> float | None:
        """The value, if there is one objective."""
        if self.values is not None and len(self.values) > 1:
            raise ValueError(f"there are {len(self.values)} objectives; see `values`.")
        return None if self.values is None else self.values[0]


def sign_of(direction: str) -> float:
    """Return the factor that makes larger better."""
    if direction not in ("minimize", "maximize"):
        raise ValueError(f"direction must be 'minimize' or 'maximize', got {direction!r}.")
    return -1.0 if direction == "minimize" else 1.0


def signs_of(directions: str | Sequence[str]) -> tuple[float, ...]:
    """Return the factors that make larger better, one for each objective.

    Raises:
        TypeError: if it is neither a direction nor a list of them.
        ValueError: if there is none, or one is unknown.
    """
    if isinstance(directions, str):
        return (sign_of(directions),)
    if not isinstance(directions, Iterable):
        raise TypeError(
            "direction must be 'minimize' or 'maximize', or a list of these for several "
            f"objectives; got {shown(directions)}."
        )
    signs = tuple(sign_of(direction) for direction in directions)
    if not signs:
        raise ValueError("there must be at least one direction, 'minimize' or 'maximize'.")
    return signs


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
    ) -> None:
        self.space = space if isinstance(space, Space) else Space(space)
        self.seed = secrets.randbits(63) if seed is None else checked_seed(seed)
        self._signs = signs_of(direction)
        self._engine = Engine.of(
            surrogate, criterion, maximizer, reference_point=reference_point,
            n_startup_trials=n_startup_trials, n_trials=n_trials,
            max_suggest_seconds=max_suggest_seconds,
        ).for_signs(self._signs)  # fmt: skip
        self._name = _name_of(surrogate)
        self._columns = Columns(self.space, *self._signs)

    @property
    def policy(self) -> Policy:
        """How points are chosen after the initial design."""
        return self._engine.policy

    def __repr__(self) -> str:
        pending, best = len(self._columns.pending), self._columns.best
        observed = len(self._columns) - pending
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
        proposal = self._engine.suggest(self.step(), count)
        suggested = []
        for row, params in zip(proposal.points, self.space.decode(proposal.points), strict=True):
            suggested.append(Suggested(params, self._columns.add(row), proposal.facts))
        return suggested[0] if n is None else suggested

    @one_thread()
    def tell(self, params: Mapping[str, Any], value: float | Sequence[float] | None) -> None:
        """Record what came out; None, NaN and infinite values are failures.

        Parameters that were never asked for are welcome if they are legal. Of several objectives
        the values come as a list; where one of them is a failure, all are.

        Raises:
            TypeError: if the parameters are no dictionary, or a value is no number.
            ValueError: if the parameters are not legal, or were told before, or there are not as
                many values as objectives.
        """
        if not isinstance(params, Mapping):
            raise TypeError(_not_parameters(params, self.space))
        legal, columns = self.space.validate(params), self._columns
        number = params.number if isinstance(params, Suggested) else None
        row = self.space.encode([legal])[0]
        if number is not None and columns.is_finished(number) and self._is_row(number, row):
            raise ValueError(f"suggestion {number} was told before.")
        result = finite_values(value, len(self._signs))
        if number is None:  # a copy of what was asked for, from a file perhaps
            number = next((i for i in columns.pending if self._is_row(i, row)), None)
        if number is None or number >= len(columns) or columns.is_finished(number):
            number = columns.add(row)
        columns.finish(number, row, legal, result)

    @property
    def trials(self) -> list[Trial]:
        """What was told, in the order of the numbers."""
        return [self._trial(number) for number in self._columns.finished()]

    @property
    def best(self) -> Trial:
        """The trial with the best value seen, be it by luck."""
        self._need_one("best", "front")
        if self._columns.best is None:
            raise ValueError("no trial has given a value yet; tell(params, value) first.")
        return self._trial(self._columns.best)

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
            observed = tuple(trial.value for trial in self.trials if trial.value is not None)
            seen = torch.tensor(observed, dtype=torch.float64)
            mean, noise = float(seen.mean()), float(seen.std(correction=0))
            std = noise / math.sqrt(len(observed))
            return Recommendation(dict(best.params), mean, std, noise, observed)
        return self._engine.recommend(self.step(), self._columns.params)

    @one_thread()
    def _models(self) -> list[Model]:
        return self._engine.models(self.step())

    def _is_row(self, number: int, row: Tensor) -> bool:
        return torch.allclose(self._columns.row(number), row, rtol=0, atol=1e-9)

    @one_thread()
    def step(self) -> Step:
        """Return what the next suggestion looks at."""
        number = len(self._columns)
        return self._engine.step(self._columns.data(), self.space, self.seed, number)


def _name_of(surrogate: Any) -> str:
    """Return how a surrogate is called: its name, or the kind of the recipe."""
    if isinstance(surrogate, list | tuple):
        return ", ".join(map(_name_of, surrogate))
    return surrogate if isinstance(surrogate, str) else type(surrogate).__name__


def checked_seed(seed: Any) -> int:
    """Return a seed, if it is one."""
    try:
        return whole("seed", seed, instead=", or None")
    except TypeError as error:
        raise ValueError(str(error)) from None


def finite_or_none(value: Any) -> float | None:
    """Return a value as a float; None for what stands for a failure.

    That is None, NaN, what is infinite, and what is beyond `LARGEST`, as made-up penalties are.

    Raises:
        TypeError: if it is no number at all.
    """
    if value is None:
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    except (TypeError, ValueError):
        raise _not_a_number(value) from None
    if isinstance(value, str | bytes):
        raise _not_a_number(value)
    return number if abs(number) <= LARGEST else None


def finite_values(value: Any, m: int) -> tuple[float, ...] | None:
    """Return the values of m objectives; None if one of them stands for a failure.

    Raises:
        TypeError: if one is no number at all.
        ValueError: if there are more or fewer than m.
    """
    if value is None:
        return None
    if m == 1:
        one = finite_or_none(value)
        return None if one is None else (one,)
    given = _listed(value)
    if len(given) != m:
        raise ValueError(
            f"there are {m} objectives, so tell takes a list of {m} values, or None for a "
            f"failure; got {value!r}."
        )
    numbers = [finite_or_none(one) for one in given]
    found = tuple(number for number in numbers if number is not None)
    return found if len(found) == m else None


def _listed(value: Any) -> list[Any]:
    """Return the elements of a list or array; none of what is a single value."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return []
    try:
        return list(value)
    except TypeError:  # an array without dimensions can be iterated by its type only
        return []


def _not_parameters(params: Any, space: Space) -> str:
    """Return what `tell` says of something that is no dictionary."""
    names = list(space.parameters)
    example = ", ".join(f"{name!r}: ..." for name in names[:MOST_SHOWN])
    example += ", ..." if len(names) > MOST_SHOWN else ""
    several = isinstance(params, list | tuple) and any(isinstance(p, Mapping) for p in params)
    remedy = (
        " To tell several: `for params, value in zip(batch, values): opt.tell(params, value)`."
        if several
        else " It is what ask() returned, or parameters of your own."
    )
    return (
        "tell takes the parameters of one trial, a dictionary, and its value: "
        f"tell({{{example}}}, value); got {shown(params)}.{remedy}"
    )


def _not_a_number(value: Any) -> TypeError:
    return TypeError(f"a value must be a number, or None for a failure; got {shown(value)}.")
