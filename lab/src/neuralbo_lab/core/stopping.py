"""When a run ends, and when it begins anew."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, final

Facts = Mapping[str, float | str]


@final
@dataclass(frozen=True, slots=True)
class Evaluated:
    """One evaluation of a run.

    Attributes:
        point: its columns in the unit cube.
        value: what came out, to be minimized; None for a failure.
        seconds: how long suggestion and evaluation took.
        facts: what the policy recorded.
    """

    point: tuple[float, ...]
    value: float | None
    seconds: float = 0.0
    facts: Facts = field(default_factory=dict)


History = Sequence[Evaluated]


class StopRule(Protocol):
    """A reason to end a run. It holds settings only."""

    def should_stop(self, history: History) -> str | None:
        """Return why the run ends after what has been evaluated, or None if it goes on."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Budget:
    """So many evaluations have been made, failures and the initial design included."""

    evaluations: int

    def should_stop(self, history: History) -> str | None:
        """Count them."""
        if len(history) < self.evaluations:
            return None
        return f"{len(history)} evaluations were made, the budget is {self.evaluations}"


@final
@dataclass(frozen=True, slots=True)
class Time:
    """Suggestions and evaluations together have taken so long."""

    seconds: float

    def should_stop(self, history: History) -> str | None:
        """Add up the seconds."""
        spent = math.fsum(trial.seconds for trial in history)
        if spent < self.seconds:
            return None
        return f"{spent:.1f} seconds were spent, the limit is {self.seconds:g}"


@final
@dataclass(frozen=True, slots=True)
class TargetReached:
    """A value is at most `target + tolerance`: with f* and 1e-8, the rule of BBOB."""

    target: float
    tolerance: float = 0.0

    def should_stop(self, history: History) -> str | None:
        """Compare the best value."""
        best = best_of(history)
        if best is None or best > self.target + self.tolerance:
            return None
        return f"{best:g} reaches the target {self.target:g}"


@final
@dataclass(frozen=True, slots=True)
class ProposedAgain:
    """The last point was evaluated before. Aryan (2020), Sec. 3.5.

    Our maximizers leave out what was tried while there is anything else, so with them this says
    that a finite domain is exhausted; with those of peers, that the criterion has converged.

    Attributes:
        tolerance: how near each column must be, as a part of the box.
    """

    tolerance: float = 1e-8

    def should_stop(self, history: History) -> str | None:
        """Compare the last point with those before."""
        if not history:
            return None
        *before, last = history
        for number, trial in enumerate(before):
            pairs = zip(trial.point, last.point, strict=True)
            if all(abs(a - b) <= self.tolerance for a, b in pairs):
                return f"the point of evaluation {number} was proposed again"
        return None


@final
@dataclass(frozen=True, slots=True)
class NoExpectedImprovement:
    """The largest expected improvement is zero, or at most `smallest` in the units of the values.

    It is read from the facts of the last trial; where they hold none, because it is an initial
    point or another criterion was used, the run goes on.
    """

    smallest: float = 0.0

    def should_stop(self, history: History) -> str | None:
        """Read the criterion of the last trial."""
        improvement = _expected_improvement(history[-1].facts) if history else None
        if improvement is None or improvement > self.smallest:
            return None
        return f"the largest expected improvement is {improvement:g}"


@final
@dataclass(frozen=True, slots=True)
class Restarting:
    """Runs one after the other within one budget: what ends a run begins the next.

    Aryan (2020), Sec. 3.5: fresh random points, a new surrogate that does not see the earlier
    runs, and the best value carried over. Whoever runs it hands the surrogate `current(history)`,
    draws the next point at random while `is_initial(history)`, and reports `best_of(history)`.

    Attributes:
        rules: each ends a run; they see the history of that run only.
        start: the random points at the beginning of each.
    """

    rules: tuple[StopRule, ...]
    start: int = 2

    def begins(self, history: History) -> list[int]:
        """Return the numbers of the first evaluations of all runs, the present one last."""
        begins = [0]
        for end in range(1, len(history) + 1):
            if reason_to_stop(self.rules, history[begins[-1] : end]) is not None:
                begins.append(end)
        return begins

    def current(self, history: History) -> History:
        """Return what belongs to the present run; nothing if it is about to begin."""
        return history[self.begins(history)[-1] :]

    def is_initial(self, history: History) -> bool:
        """Say whether the next point is one of the random ones at the beginning of a run."""
        return len(self.current(history)) < self.start


def reason_to_stop(rules: Sequence[StopRule], history: History) -> str | None:
    """Return the reason of the first rule that has one."""
    reasons = (rule.should_stop(history) for rule in rules)
    return next((reason for reason in reasons if reason is not None), None)


def best_of(history: History) -> float | None:
    """Return the lowest value, or None if there is none."""
    return min((trial.value for trial in history if trial.value is not None), default=None)


def _expected_improvement(facts: Facts) -> float | None:
    value = facts.get("criterion_value")
    if not isinstance(value, float | int):
        return None
    if facts.get("criterion") == "LogExpectedImprovement":
        return math.exp(min(value, 700.0))
    return float(value) if facts.get("criterion") == "ExpectedImprovement" else None
