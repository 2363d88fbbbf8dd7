"""The default: score candidate models by leave-one-out log predictive density, use the best.

Notation
    p_ki  density that candidate k gives to value i from all other values, in the units of the
          values, whatever warp they are seen through; the score of k is sum_i log p_ki, in nats
"""

import math
import re
from dataclasses import dataclass, replace
from typing import NamedTuple, final

from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.improvement import LogExpectedImprovement
from neuralbo.criteria.mixture_criteria import MixtureImprovement
from neuralbo.data import Data, refit_size
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.maximizers.maximizer import Maximizer
from neuralbo.policies.output_warp import OutputWarp
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Plan, Plans, Standard
from neuralbo.policies.trust_region import TrustRegion, zoomed_columns
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.leave_one_out import leave_one_out_predictions
from neuralbo.surrogates.surrogate import Facts

# of a warp, in the record; earlier studies wrote gp_bent30
_WARPED = re.compile(r"(.+)_(?:log_warp_|bent)(\d+(?:\.\d+)?)")
_NAMES = {
    "branches": "trust region (multimodal values, scored by kde)",  # of earlier studies
    "late": "trust region (many observations)",
    "high_dimension": "trust region (high dimension)",
}
LOGARITHMS = (LogExpectedImprovement.__name__, MixtureImprovement.__name__)


@final
@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that `Auto` may use.

    Attributes:
        name: for the record.
        standard: how it is used; its surrogate is scored as it is used.
        warp: strength of the log warp of the outputs that it sees them through, 0 for none.
        margin: nats by which its score must exceed that of the first candidate.
    """

    name: str
    standard: Standard
    warp: float = 0.0
    margin: float = 0.0


class Selection(NamedTuple):
    """What chooses at a step, the warp it sees the outputs through, and why, for the record."""

    name: str
    policy: Plans
    warp: OutputWarp
    facts: Facts


@final
@dataclass(frozen=True, slots=True)
class Auto:
    """The candidate with the highest score; trust regions in high dimension and for many trials.

    Scores are found on the refit schedule, at 8, 12, 18, 27, ... observations, and the selection
    stays until the next of these numbers: a function of the trials, cheap and stable.

    Attributes:
        candidates: the first is used while there is too little to score by.
        high_dimension: from `dimensions` continuous parameters on.
        many: beyond `most` observations.
        whole: the surrogate of all trials, for `model` and `recommend`, and of each of several
            objectives.
        on_schedule: whether a selection stays until the next refit; else scores are found anew
            for each trial.
    """

    candidates: tuple[Candidate, ...]
    high_dimension: TrustRegion
    many: TrustRegion
    whole: Standard
    dimensions: int = 16
    most: int = 300
    on_schedule: bool = True

    def __post_init__(self) -> None:
        names = [candidate.name for candidate in self.candidates]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"Auto needs candidates with different names, got {names}.")

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of all trials."""
        return self.whole.surrogate

    @property
    def core(self) -> Standard:
        """What fits, builds a criterion and maximizes it where nothing is selected."""
        return self.whole

    def using(self, criterion: Criterion | None, maximizer: Maximizer | None) -> "Auto":
        """Return it with another criterion or maximizer, wherever it selects; None keeps them."""

        def other(standard: Standard) -> Standard:
            return replace(
                standard,
                criterion=criterion or standard.criterion,
                maximizer=maximizer or standard.maximizer,
            )

        return replace(
            self,
            candidates=tuple(replace(c, standard=other(c.standard)) for c in self.candidates),
            high_dimension=replace(self.high_dimension, inner=other(self.high_dimension.inner)),
            many=replace(self.many, inner=other(self.many.inner)),
            whole=other(self.whole),
        )

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        _, policy, warp, facts = self.select(step)
        proposal = policy.propose(replace(step, data=warp.warped(step.data)), q)
        return Proposal(proposal.points, {**_unwarped(proposal.facts, warp), **facts})

    def plan(self, step: Step) -> Plan | None:
        """Return what would choose; None where it sees the outputs through a warp."""
        _, policy, warp, _ = self.select(step)
        return None if warp.strength else policy.plan(step)

    def select(self, step: Step) -> Selection:
        """Return what chooses at a step, and why."""
        data, dimensions = step.data, len(zoomed_columns(step.domain))
        if data.n > self.most:
            why = f"more than {self.most} observations"
            return _without_scores("late", self.many, why)
        if dimensions >= self.dimensions:
            why = f"{dimensions} continuous parameters, {self.dimensions} or more"
            return _without_scores("high_dimension", self.high_dimension, why)
        n = refit_size(data.n + 1) if self.on_schedule else data.n
        first = self.candidates[0]
        if n is None or data.Y.shape[-1] > 1:
            return Selection(first.name, first.standard, OutputWarp(), {})
        seen = data.first(n)
        key = (self, step.seed, seen.digest())
        return step.remember(key, lambda: self._scored(step, seen))

    def _scored(self, step: Step, data: Data) -> Selection:
        warps = [OutputWarp.of(data.Y, c.warp) for c in self.candidates]
        scores = [
            score(c.standard.surrogate, data, warp, step)
            for c, warp in zip(self.candidates, warps, strict=True)
        ]
        ahead = [s - c.margin for s, c in zip(scores, self.candidates, strict=True)]
        best = max(range(len(ahead)), key=ahead.__getitem__)
        names = [c.name for c in self.candidates]
        facts: dict[str, float | str] = {"scored_on": data.n, f"weight_{names[best]}": 1.0}
        facts |= {f"score_{name}": s / data.n for name, s in zip(names, scores, strict=True)}
        facts["why"] = self._why(data.n, scores, best)
        return Selection(names[best], self.candidates[best].standard, warps[best], facts)

    def _why(self, n: int, scores: list[float], best: int) -> str:
        """Return what was selected, by how much it is ahead, and all scores, in words."""
        names = [candidate_name(c.name) for c in self.candidates]
        order = sorted(range(len(scores)), key=lambda k: -scores[k])
        table = ", ".join(f"{names[k]} {scores[k] / n:.3g}" for k in order)
        said = f"{names[best]}: "
        if best != 0:
            lead, margin = scores[best] - scores[0], self.candidates[best].margin
            said += f"ahead of {names[0]} by {lead:.3g} nats (margin {margin:g})"
        elif order[0] == 0:
            said += "highest score"
        else:
            lead, margin = scores[order[0]] - scores[0], self.candidates[order[0]].margin
            said += f"{names[order[0]]} is ahead by {lead:.3g} nats only (margin {margin:g})"
        said += f"; leave-one-out log predictive density, nats per observation of {n}: "
        return said + table


def candidate_name(key: str) -> str:
    """Return what a candidate model of the record is called in a sentence."""
    warped = _WARPED.fullmatch(key)
    if warped is not None:
        return f"{warped[1]} with a log warp of the outputs (strength {warped[2]})"
    return _NAMES.get(key, key)


def score(recipe: Surrogate, data: Data, warp: OutputWarp, step: Step) -> float:
    """Return sum_i log p_ki of a surrogate that sees the values through a warp.

    The model is the one that would choose: the same recipe and data, begun at the same fit.
    """
    seen = warp.warped(data)
    model = step.fit(recipe, seen)
    found = leave_one_out_predictions(recipe, seen, generator(step.seed, FIT), model).log_densities
    total = float((found + warp.log_derivative(data.Y[:, 0])).sum())
    return total if math.isfinite(total) else -math.inf


def _without_scores(name: str, policy: Plans, why: str) -> Selection:
    return Selection(name, policy, OutputWarp(), {f"weight_{name}": 1.0, "why": why})


def _unwarped(facts: Facts, warp: OutputWarp) -> Facts:
    """Return the facts of a choice, an expected improvement in the units of the values."""
    found = dict(facts)
    if warp.strength > 0:
        found["log_warp"] = warp.strength
        if found.get("criterion") in LOGARITHMS and "criterion_value" in found:
            found["criterion_value"] = float(found["criterion_value"]) + warp.log_unit
    return found
