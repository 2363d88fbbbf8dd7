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
from neuralbo.criteria import Criterion
from neuralbo.data import Data
from neuralbo.maximizers import Maximizer
from neuralbo.policies import Policy, Standard
from neuralbo.policies.start import AfterStart, start_trials
from neuralbo.space import Space
from neuralbo.step import Memory, Step
from neuralbo.suggestion import suggest
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.base import Negated, moments_of
from neuralbo.threads import one_thread

Direction = Literal["minimize", "maximize"]

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
        self._trials: dict[int, Trial] = {}
        self._rows: dict[int, Tensor] = {}
        self._pending: set[int] = set()
        self._next = 0
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
            asked.append(Asked(params, self._add(row), proposal.facts))
            self._pending.add(asked[-1].number)
        return asked[0] if n is None else asked

    @one_thread()
    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Record what came out; None, NaN and infinite values are failures.

        Parameters that were never asked for are welcome if they are legal.

        Raises:
            ValueError: if the parameters are not legal, or were told before.
        """
        legal = self.space.validate(params)
        number = params.number if isinstance(params, Asked) else None
        row = self.space.encode([legal])[0]
        if number in self._trials and self._is_row(number, row):
            raise ValueError(f"suggestion {number} was told before.")
        result = finite_or_none(value)
        if number is None:  # a copy of what was asked for, from a file perhaps
            number = next((i for i in sorted(self._pending) if self._is_row(i, row)), None)
        if number is None or number not in self._pending:
            number = self._add(row)
        self._rows[number] = row
        self._pending.discard(number)
        self._trials[number] = Trial(number, legal, result)

    @property
    def trials(self) -> list[Trial]:
        """What was told, in the order of the numbers."""
        return [self._trials[number] for number in sorted(self._trials)]

    @property
    def best(self) -> Trial:
        """The trial with the best value seen, be it by luck."""
        told = [trial for trial in self.trials if trial.value is not None]
        if not told:
            raise ValueError("no trial has given a value yet; tell(params, value) first.")
        return max(told, key=lambda trial: self._sign * (trial.value or 0.0))

    @property
    def model(self) -> Model:
        """The surrogate fitted to all that was told, in the units and the sign of the values."""
        model = self._fitted()
        return model if self._sign > 0 else Negated(model)

    @one_thread()
    def recommend(self) -> Recommendation:
        """Return the tried parameters with the best mean under the model."""
        best = self.best
        told = [trial for trial in self.trials if trial.value is not None]
        if not self.space.names:  # nothing varies: the values are all there is
            values = torch.tensor([trial.value for trial in told], dtype=torch.float64)
            deviation = float(values.std(correction=0)) / math.sqrt(len(values))
            return Recommendation(dict(best.params), float(values.mean()), deviation)
        model, step = self._fitted(), self.step()
        with torch.no_grad():
            means, variances = moments_of(model.posterior(step.data.X[:, None]))
            i = int(means.argmax())
        deviation = float(variances[i].sqrt())
        return Recommendation(dict(told[i].params), self._sign * float(means[i]), deviation)

    @one_thread()
    def _fitted(self) -> Model:
        if not isinstance(self.policy, Standard):
            raise ValueError(f"{type(self.policy).__name__} has no model; name a surrogate.")
        step = self.step()
        if step.data.n == 0:
            raise ValueError("there is no model yet; tell(params, value) first.")
        return step.fit(self.policy.surrogate, step.data)

    def _add(self, row: Tensor) -> int:
        number = self._next
        self._rows[number] = row
        self._next += 1
        return number

    def _is_row(self, number: int | None, row: Tensor) -> bool:
        if number is None:
            return False
        return torch.allclose(self._rows[number], row, rtol=0, atol=1e-9)

    def step(self) -> Step:
        """Return what the next suggestion looks at."""
        told = [trial for trial in self.trials if trial.value is not None]
        values = torch.tensor([[trial.value] for trial in told], dtype=torch.float64)
        data = Data(
            self._stack([trial.number for trial in told]),
            self._sign * values.reshape(-1, 1),
            torch.tensor([trial.number for trial in told], dtype=torch.long),
            X_pending=self._stack(sorted(self._pending)),
            X_failed=self._stack([t.number for t in self.trials if t.value is None]),
        )
        return Step.of(
            data, self.space.domain, seed=self.seed, number=self._next, horizon=self._horizon,
            memory=self._memory,
        )  # fmt: skip

    def _stack(self, numbers: list[int]) -> Tensor:
        rows = [self._rows[number] for number in numbers]
        return torch.stack(rows) if rows else torch.empty(0, self.space.domain.d).double()


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
