"""The default: score several candidate models by leave-one-out log predictive density, select one.

Notation
    p_ki  density that way k gives to value i, not having seen it: the score of k is the sum over i
          of log p_ki, in the units of the values whatever curve they are seen through
"""

import math
import re
from dataclasses import dataclass, replace
from typing import NamedTuple, final

from neuralbo.criteria.improvement import LogExpectedImprovement
from neuralbo.criteria.mixture_criteria import MixtureImprovement
from neuralbo.data import Data, landmark
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.policies.output_warp import Curve
from neuralbo.policies.policy import Policy, Proposal
from neuralbo.policies.trust_region import zoomed_columns
from neuralbo.space.domain import Domain
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.leave_one_out import foretold
from neuralbo.surrogates.surrogate import Facts

# candidate models by their keys in the record; gp_bent30 is what older studies have
_WARPED = re.compile(r"(.+)_(?:log_warp_|bent)(\d+(?:\.\d+)?)")
_NAMES = {
    "branches": "trust region (multimodal values, scored by kde)",
    "late": "trust region (many observations)",
    "high_dimension": "trust region (high dimension)",
}
LOGARITHMS = (LogExpectedImprovement.__name__, MixtureImprovement.__name__)


@final
@dataclass(frozen=True, slots=True)
class Way:
    """A way to choose points, and how to tell whether it fits the values.

    Attributes:
        name: for the record.
        policy: what chooses.
        judged: the surrogate whose predictions of left-out values are its score.
        strength: of the curve that the values are seen through, see `Curve`.
        handicap: by how much its score must be above that of the first way.
        is_continuous: whether it is for spaces without integers, categories and conditions only.
        seconds: what a judgement of it takes, about; it takes part if a suggestion may take that.
    """

    name: str
    policy: Policy
    judged: Surrogate
    strength: float = 0.0
    handicap: float = 0.0
    is_continuous: bool = False
    seconds: float = 0.1


class Verdict(NamedTuple):
    """The way that was taken, its curve, and what led to it."""

    way: Way
    curve: Curve
    facts: Facts


@final
@dataclass(frozen=True, slots=True)
class Automatic:
    """The way with the highest score; others in many columns, and with many trials.

    Ways are judged at 8, 12, 18, 27, ... observations, and the verdict stays until the next such
    number: a function of the trials, cheap, and stable.

    Attributes:
        ways: the first is taken while there is too little to judge by.
        surrogate: of the model that others ask for.
        late: for more than `most` observations.
        high: for `columns` continuous columns or more, before that.
        limit: seconds that a suggestion may take, see `Way.seconds`.
        keeps: whether a verdict stays until the next landmark; else it is found for each trial.
    """

    ways: tuple[Way, ...]
    surrogate: Surrogate
    high: Policy
    late: Policy
    columns: int = 16
    most: int = 300
    limit: float = 1.0
    keeps: bool = True

    def __post_init__(self) -> None:
        names = [way.name for way in self.ways]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"Automatic needs ways with different names, got {names}.")

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        verdict = self.verdict(step)
        seen = replace(step, data=verdict.curve.bent(step.data))
        proposal = verdict.way.policy.propose(seen, q)
        return Proposal(proposal.points, {**_straight(proposal.facts, verdict), **verdict.facts})

    def verdict(self, step: Step) -> Verdict:
        """Return how the points of a step are chosen, and why."""
        data, columns = step.data, len(zoomed_columns(step.domain))
        if data.n > self.most:
            why = f"more than {self.most} observations"
            return _only("late", self.late, self.surrogate, why)
        if columns >= self.columns:
            why = f"{columns} continuous parameters, {self.columns} or more"
            return _only("high_dimension", self.high, self.surrogate, why)
        n = landmark(data.n + 1) if self.keeps else data.n
        if n is None or data.Y.shape[-1] > 1:
            return Verdict(self.ways[0], Curve(), {})
        seen = data.first(n)
        key = (self, "verdict", step.seed, seen.digest())
        if key not in step.memory:
            step.memory[key] = self._judged(seen, step.domain, step.seed)
        found: Verdict = step.memory[key]
        return found

    def _judged(self, data: Data, domain: Domain, seed: int) -> Verdict:
        is_continuous = len(zoomed_columns(domain)) == domain.d
        ways = [
            way
            for way in self.ways
            if way.seconds <= self.limit and (is_continuous or not way.is_continuous)
        ] or [self.ways[0]]
        curves = [Curve.through(data.Y, way.strength) for way in ways]
        scores = [
            score(way.judged, data, curve, seed) for way, curve in zip(ways, curves, strict=True)
        ]
        above = [s - way.handicap for s, way in zip(scores, ways, strict=True)]
        best = max(range(len(ways)), key=lambda k: above[k])
        facts: dict[str, float | str] = {"scored_on": data.n, f"weight_{ways[best].name}": 1.0}
        facts |= {f"score_{w.name}": s / data.n for w, s in zip(ways, scores, strict=True)}
        facts["why"] = _reason(data.n, list(zip(ways, scores, strict=True)), ways[best])
        return Verdict(ways[best], curves[best], facts)


def candidate_name(key: str) -> str:
    """Return what a candidate model of the record is called in a sentence."""
    warped = _WARPED.fullmatch(key)
    if warped is not None:
        return f"{warped[1]} with a log warp of the outputs (strength {warped[2]})"
    return _NAMES.get(key, key)


def _reason(n: int, scored: list[tuple[Way, float]], selected: Way) -> str:
    """Return the scores in words, and why the highest is not selected if it is not."""
    order = sorted(scored, key=lambda pair: -pair[1])
    said = f"leave-one-out log predictive density, nats per observation of {n}: " + ", ".join(
        f"{candidate_name(way.name)} {s / n:.3g}" for way, s in order
    )
    first = order[0][0]
    if first is not selected:
        said += f"; {candidate_name(first.name)} is not ahead by its margin, "
        said += f"{first.handicap:g} nats in all"
    return said


def within(policy: Policy, seconds: float | None) -> Policy:
    """Return a policy whose suggestions may take so many seconds, if it asks for that."""
    if seconds is None or not isinstance(policy, Automatic):
        return policy
    return replace(policy, limit=seconds)


def score(recipe: Surrogate, data: Data, curve: Curve, seed: int) -> float:
    """Return the sum of log p_ki of a surrogate that sees values through a curve."""
    seen = curve.bent(data)
    model = recipe.fit(seen, generator(seed, FIT))
    found = foretold(recipe, seen, generator(seed, FIT), model).log_densities
    total = float((found + curve.log_slope(data.Y[:, 0])).sum())
    return total if math.isfinite(total) else -math.inf


def _only(name: str, policy: Policy, surrogate: Surrogate, why: str) -> Verdict:
    return Verdict(Way(name, policy, surrogate), Curve(), {f"weight_{name}": 1.0, "why": why})


def _straight(facts: Facts, verdict: Verdict) -> Facts:
    """Return the facts of a choice with an expected improvement in the units of the values."""
    found = dict(facts)
    if verdict.curve.strength > 0:
        found["log_warp"] = verdict.curve.strength
        if found.get("criterion") in LOGARITHMS and "criterion_value" in found:
            found["criterion_value"] = float(found["criterion_value"]) + verdict.curve.log_unit
    return found
