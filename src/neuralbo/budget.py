"""A limit to the seconds of a suggestion, kept by turning to cheaper ways."""

from dataclasses import replace
from time import perf_counter
from typing import final

from neuralbo.arguments import seconds_or_none
from neuralbo.errors import FallbackWarning, warn
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Policy, Proposal, Sobol, Standard
from neuralbo.policies.start import AfterStart
from neuralbo.step import Step
from neuralbo.suggestion import suggest
from neuralbo.surrogates import BayesianRVFL

STRIKES = 2  # suggestions in a row that may be too slow: one may be the machine's fault
SEARCH = Mixed(Multistart(candidates=256, local=128, restarts=2, rounds=10), rounds=2)
WAYS: tuple[tuple[str, Policy], ...] = (
    ("a random-feature network of 64 units", Standard(BayesianRVFL(units=64), None, SEARCH)),
    ("points that cover the space", Sobol()),
)


@final
class Budget:
    """How long a suggestion may take.

    A fit cannot be stopped half-way, so it is what has happened that counts: after two suggestions
    in a row that took longer, the next ones are made in a cheaper way, with a warning and a note
    in the facts of the trial. What is cheaper then depends on the clock, so with a limit equal
    seeds do not always give equal runs.

    Args:
        seconds: None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds_or_none("max_suggest_seconds", seconds)
        self._level = self._strikes = 0

    def suggest(self, policy: AfterStart, step: Step, q: int = 1) -> Proposal:
        """Ask the policy, or what has come in its place."""
        if self.seconds is None:
            return suggest(policy, step, q)
        facts: dict[str, float | str] = {}
        if self._level:
            facts["degraded"], cheaper = WAYS[self._level - 1]
            policy = replace(policy, policy=cheaper)
        began = perf_counter()
        proposal = suggest(policy, step, q)
        self._note(perf_counter() - began)
        return Proposal(proposal.points, {**proposal.facts, **facts})

    def _note(self, spent: float) -> None:
        assert self.seconds is not None
        self._strikes = self._strikes + 1 if spent > self.seconds else 0
        if self._strikes < STRIKES or self._level == len(WAYS):
            return
        self._level, self._strikes = self._level + 1, 0
        warn(
            f"suggestions took {spent:.2g} s, and max_suggest_seconds is {self.seconds:g}: from "
            f"now on they come from {WAYS[self._level - 1][0]}. A cheaper surrogate= (see "
            "`neuralbo lab speed`) or a higher limit avoids that.",
            FallbackWarning,
        )
