"""A limit to the seconds of a suggestion, kept by cheaper policies."""

from dataclasses import replace
from time import perf_counter
from typing import final

from neuralbo.arguments import seconds_or_none
from neuralbo.engine.deadline import Clock, OutOfTime, within
from neuralbo.engine.step import Step
from neuralbo.engine.suggestion import suggest
from neuralbo.errors import FallbackWarning, warn
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Policy, Proposal, Sobol, Standard
from neuralbo.policies.initial_design import AfterStart
from neuralbo.surrogates import BayesianRVFL

STRIKES = 2  # suggestions in a row that may be too slow: one may be the machine's fault
SEARCH = Mixed(Multistart(candidates=256, local=128, restarts=2, rounds=10), rounds=2)
WAYS: tuple[tuple[str, Policy], ...] = (
    ("a random-feature network of 64 units", Standard(BayesianRVFL(units=64), None, SEARCH)),
    ("points that cover the space", Sobol()),
)
REMEDY = "A cheaper surrogate= (see `neuralbo lab speed`) or a higher limit avoids that."


@final
class Budget:
    """How long a suggestion may take.

    Fits and searches look at the deadline between their steps. A suggestion that is not ready by
    then is given up and made by the next cheaper policy, with a warning and with `cut_short` and
    `degraded` in the facts of the trial. A policy has `seconds` each; the last, a space-filling
    sequence, has no deadline. After two suggestions in a row that took longer, also by a policy
    that never looks at the deadline, all later ones come from the cheaper policy.

    Whether a suggestion is cut short depends on the clock, so with a limit equal seeds do not
    always give equal runs. Nothing else depends on it: what is given up leaves no trace.

    Args:
        seconds: None for no limit.
        clock: the seconds that count.
    """

    def __init__(self, seconds: float | None, clock: Clock = perf_counter) -> None:
        self.seconds = seconds_or_none("max_suggest_seconds", seconds)
        self._clock = clock
        self._level = self._strikes = 0

    def suggest(self, policy: AfterStart, step: Step, q: int = 1) -> Proposal:
        """Ask the policy, or what has come in its place."""
        if self.seconds is None:
            return suggest(policy, step, q)
        began, level, proposal = self._clock(), self._level, None
        while proposal is None:
            proposal = self._within(_at(level, policy), step, q, level)
            level += 1
        used = level - 1
        is_cut = used > self._level
        if not self._note(self._clock() - began) and is_cut:
            warn(
                f"suggestion {step.number} was cut short after max_suggest_seconds="
                f"{self.seconds:g} and comes from {WAYS[used - 1][0]}. {REMEDY}",
                FallbackWarning,
            )
        facts: dict[str, float | str] = {"degraded": WAYS[used - 1][0]} if used else {}
        facts |= {"cut_short": self.seconds} if is_cut else {}
        return Proposal(proposal.points, {**proposal.facts, **facts})

    def _within(self, policy: AfterStart, step: Step, q: int, level: int) -> Proposal | None:
        """Return the proposal, or None and the step as it was if it was not ready in time."""
        state, record = step.rng.get_state(), dict(step.record)
        is_last = level == len(WAYS)
        try:
            with within(None if is_last else self.seconds, self._clock):
                return suggest(policy, step, q)
        except OutOfTime:
            step.rng.set_state(state)
            step.record.clear()
            step.record.update(record)
            return None

    def _note(self, spent: float) -> bool:
        """Count a suggestion; return whether it has made the later ones cheaper."""
        assert self.seconds is not None
        self._strikes = self._strikes + 1 if spent > self.seconds else 0
        if self._strikes < STRIKES or self._level == len(WAYS):
            return False
        self._level, self._strikes = self._level + 1, 0
        warn(
            f"suggestions took {spent:.2g} s, and max_suggest_seconds is {self.seconds:g}: from "
            f"now on they come from {WAYS[self._level - 1][0]}. {REMEDY}",
            FallbackWarning,
        )
        return True


def _at(level: int, policy: AfterStart) -> AfterStart:
    """Return the policy, or the cheaper one of this level."""
    return replace(policy, policy=WAYS[level - 1][1]) if level else policy
