"""A limit to the seconds of a suggestion, kept by cheaper policies."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple, final

from neuralbo.arguments import seconds_or_none
from neuralbo.engine.deadline import Clock, OutOfTime, within
from neuralbo.engine.step import Step
from neuralbo.errors import FallbackWarning, warn
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Policy, Sobol, Standard
from neuralbo.surrogates import BayesianRVFL
from neuralbo.surrogates.surrogate import Facts

STRIKES = 2  # suggestions in a row that may be too slow: one may be the machine's fault
SEARCH = Mixed(Multistart(candidates=256, local=128, restarts=2, rounds=10), rounds=2)
CHEAPER: tuple[tuple[str, Policy], ...] = (
    ("a random-feature network of 64 units", Standard(BayesianRVFL(units=64), None, SEARCH)),
    ("points that cover the space", Sobol()),
)
REMEDY = "A cheaper surrogate= (see `neuralbo lab speed`) or a higher limit avoids that."


class Attempt(NamedTuple):
    """A policy that may make a suggestion, and how many places down the list it is."""

    policy: Policy
    level: int


@final
@dataclass(slots=True)
class TimeLimit:
    """How long a suggestion may take.

    Fits and searches look at the deadline between their steps. A suggestion that is not ready by
    then is given up and made by the next cheaper policy, with a warning and with `cut_short` and
    `degraded` in the facts of the trial. A policy has `seconds` each; the last, a space-filling
    sequence, has no deadline. After two suggestions in a row that took longer, also by a policy
    that never looks at the deadline, all later ones come from the cheaper policy.

    Whether a suggestion is cut short depends on the clock, so with a limit equal seeds do not
    always give equal runs. Nothing else depends on it: what is given up leaves no trace.

    Attributes:
        seconds: None for no limit.
        clock: the seconds that count.
    """

    seconds: float | None = None
    clock: Clock = perf_counter
    _level: int = field(default=0, init=False)
    _strikes: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.seconds = seconds_or_none("max_suggest_seconds", self.seconds)

    def now(self) -> float:
        """Return what the clock says; without a limit nobody looks at it."""
        return 0.0 if self.seconds is None else self.clock()

    def attempts(self, policy: Policy) -> Iterator[Attempt]:
        """Return the policy and what may come in its place, the present level first."""
        policies = [policy, *(cheaper for _, cheaper in CHEAPER)]
        return (Attempt(one, k) for k, one in enumerate(policies) if k >= self._level)

    @contextmanager
    def over(self, attempt: Attempt, step: Step) -> Iterator[None]:
        """End the block when the time is over, and leave the step as it was."""
        state, record = step.rng.get_state(), dict(step.record)
        try:
            with within(None if attempt.level == len(CHEAPER) else self.seconds, self.clock):
                yield
        except OutOfTime:
            step.rng.set_state(state)
            step.record.clear()
            step.record.update(record)

    def facts(self, attempt: Attempt, step: Step, spent: float) -> Facts:
        """Count a suggestion, warn if it was slow, and return what is worth recording of that."""
        if self.seconds is None:
            return {}
        level, before = attempt.level, self._level
        name = CHEAPER[level - 1][0] if level else ""
        if not self._has_sunk(spent) and level > before:
            warn(
                f"suggestion {step.number} was cut short after max_suggest_seconds="
                f"{self.seconds:g} and comes from {name}. {REMEDY}",
                FallbackWarning,
            )
        facts: dict[str, float | str] = {"degraded": name} if level else {}
        return facts | ({"cut_short": self.seconds} if level > before else {})

    def _has_sunk(self, spent: float) -> bool:
        """Count a suggestion; return whether it has made the later ones cheaper."""
        assert self.seconds is not None
        self._strikes = self._strikes + 1 if spent > self.seconds else 0
        if self._strikes < STRIKES or self._level == len(CHEAPER):
            return False
        self._level, self._strikes = self._level + 1, 0
        warn(
            f"suggestions took {spent:.2g} s, and max_suggest_seconds is {self.seconds:g}: from "
            f"now on they come from {CHEAPER[self._level - 1][0]}. {REMEDY}",
            FallbackWarning,
        )
        return True
