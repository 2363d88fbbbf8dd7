"""The loop in memory: ask for points, tell what came out."""

import math
import operator
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final, overload

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.catalog import make_policy
from neuralbo.columns import Columns
from neuralbo.criteria import Criterion
from neuralbo.maximizers import Maximizer
from neuralbo.policies import DynamicC, Exploring, Policy, Standard, TrustRegion
from neuralbo.policies.start import AfterStart, start_trials
from neuralbo.space import Space
from neuralbo.step import Memory, Step
from neuralbo.suggestion import suggest
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.base import Negated, moments_of
from neuralbo.surrogates.class_model import ClassModel
from neuralbo.threads import one_thread

Direction = Literal["minimize", "maximize"]

ROWS = 4096  # points that are predicted at a time
LARGEST = 1e150  # the squares of larger values overflow


@final
class Asked(dict[str, Any]):
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
        return Asked, (dict(self), self.number, self.facts)


@final
@dataclass(frozen=True, slots=True)
class Trial:
    """Parameters that were tried, and the value they gave; None if they failed."""

    number: int
    params: dict[str, Any]
    value: float | None


@final
@dataclass(frozen=True, slots=True)
class Recommendation:
    """The parameters that are likely best, and what the model expects of them."""

    params: dict[str, Any]
    mean: float
    deviation: float


def sign_of(direction: str) -> float:
    """Return the factor that makes larger better."""
    if direction not in ("minimize", "maximize"):
        raise ValueError(f"direction must be 'minimize' or 'maximize', got {direction!r}.")
    return -1.0 if direction == "minimize" else 1.0


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
        surrogate: a name of the catalog, a recipe or a policy; so are criterion and maximizer.
        seed: equal seeds and equal values give equal suggestions; None draws one.
        n_startup_trials: points of the start design; None chooses 5 to 10.
        n_trials: how many there will be, for the few methods that want to know.
    """

    @one_thread()
    def __init__(  # noqa: PLR0913
        self,
        space: Mapping[str, Any] | Space,
        *,
        surrogate: str | Surrogate | Policy = "auto",
        criterion: str | Criterion | None = None,
        maximizer: str | Maximizer | None = None,
        direction: Direction = "minimize",
        seed: int | None = None,
        n_startup_trials: int | None = None,
        n_trials: int | None = None,
    ) -> None:
        self.space = space if isinstance(space, Space) else Space(space)
        self.seed = secrets.randbits(63) if seed is None else checked_seed(seed)
        self.policy = make_policy(surrogate, criterion, maximizer)
        usual = start_trials(len(self.space.names))
        self._start = usual if n_startup_trials is None else n_startup_trials
        self._horizon = n_trials
        self._sign = sign_of(direction)
        self._columns = Columns(self.space, self._sign)
        self._memory = Memory()

    @overload
    def ask(self) -> Asked: ...

    @overload
    def ask(self, n: int) -> list[Asked]: ...

    @one_thread()
    def ask(self, n: int | None = None) -> Asked | list[Asked]:
        """Return the next parameters to try, or a list of n different ones."""
        if n is not None and n < 1:
            raise ValueError(f"ask needs n >= 1, got {n}.")
        proposal = suggest(AfterStart(self.policy, self._start), self.step(), n or 1)
        asked = []
        for row, params in zip(proposal.points, self.space.decode(proposal.points), strict=True):
            asked.append(Asked(params, self._columns.add(row), proposal.facts))
        return asked[0] if n is None else asked

    @one_thread()
    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Record what came out; None, NaN and infinite values are failures.

        Parameters that were never asked for are welcome if they are legal.

        Raises:
            ValueError: if the parameters are not legal, or were told before.
        """
        legal, columns = self.space.validate(params), self._columns
        number = params.number if isinstance(params, Asked) else None
        row = self.space.encode([legal])[0]
        if number is not None and columns.is_finished(number) and self._is_row(number, row):
            raise ValueError(f"suggestion {number} was told before.")
        result = finite_or_none(value)
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
        if self._columns.best is None:
            raise ValueError("no trial has given a value yet; tell(params, value) first.")
        return self._trial(self._columns.best)

    def _trial(self, number: int) -> Trial:
        return Trial(number, self._columns.params(number), self._columns.value(number))

    @property
    def model(self) -> Model:
        """The surrogate fitted to all that was told, in the units and the sign of the values.

        A classifier says how likely a point is good, whatever the sign.
        """
        model = self._fitted()
        return model if self._sign > 0 or isinstance(model, ClassModel) else Negated(model)

    @one_thread()
    def recommend(self) -> Recommendation:
        """Return the tried parameters with the best mean under the model.

        Raises:
            ValueError: if nothing was told, or the surrogate has no mean: a classifier.
        """
        best = self.best
        if not self.space.names:  # nothing varies: the values are all there is
            told = [trial.value for trial in self.trials if trial.value is not None]
            values = torch.tensor(told, dtype=torch.float64)
            deviation = float(values.std(correction=0)) / math.sqrt(len(values))
            return Recommendation(dict(best.params), float(values.mean()), deviation)
        model, data = self._fitted(), self.step().data
        if isinstance(model, ClassModel):
            raise ValueError(
                "the surrogate is a classifier, which has no mean of the values to recommend by: "
                "take `best`, or recommend with another surrogate."
            )
        assert data.numbers is not None
        with torch.no_grad():
            parts = [moments_of(model.posterior(X[:, None])) for X in data.X.split(ROWS)]
        means, variances = (torch.cat(moments) for moments in zip(*parts, strict=True))
        i = int(means.argmax())
        params = self._columns.params(int(data.numbers[i]))
        deviation = float(variances[i].sqrt())
        return Recommendation(params, self._sign * float(means[i]), deviation)

    @one_thread()
    def _fitted(self) -> Model:
        if not isinstance(self.policy, DynamicC | Exploring | Standard | TrustRegion):
            raise ValueError(f"{type(self.policy).__name__} has no model; name a surrogate.")
        step = self.step()
        if step.data.n == 0:
            raise ValueError("there is no model yet; tell(params, value) first.")
        return step.fit(self.policy.surrogate, step.data)

    def _is_row(self, number: int, row: Tensor) -> bool:
        return torch.allclose(self._columns.row(number), row, rtol=0, atol=1e-9)

    @one_thread()
    def step(self) -> Step:
        """Return what the next suggestion looks at."""
        return Step.of(
            self._columns.data(), self.space.domain, seed=self.seed, number=len(self._columns),
            horizon=self._horizon, memory=self._memory,
        )  # fmt: skip


def checked_seed(seed: Any) -> int:
    """Return a seed, if it is one."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"seed must be a whole number from 0 on, or None; got {seed!r}.")
    return number


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


def _not_a_number(value: Any) -> TypeError:
    return TypeError(
        f"a value must be a number, or None for a failure; got {value!r} of type "
        f"{type(value).__name__}."
    )
