"""Several objectives: a surrogate for each, and the volume that a point may add."""

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import torch
from botorch.models.model import Model, ModelList

from neuralbo.criteria.feasible import keep_feasible
from neuralbo.criteria.hypervolume import HypervolumeImprovement
from neuralbo.engine.step import Step
from neuralbo.maximizers import Maximizer, Mixed, Multistart
from neuralbo.maximizers.maximizer import evaluate
from neuralbo.policies.designs import LatinHypercube, RandomSearch, Sobol
from neuralbo.policies.grid_search import Grid
from neuralbo.policies.policy import Policy, Proposal
from neuralbo.policies.standard import HasCore, Standard, facts_of
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio

MOST_OBJECTIVES = 4  # the boxes of a front grow with a power of them

# A value of the criterion costs a hundred times what one of expected improvement does.
FEW_SEARCHES = Mixed(Multistart(candidates=256, local=128, restarts=4, rounds=20), rounds=4)


@final
@dataclass(frozen=True, slots=True)
class SeveralObjectives:
    """Fit a surrogate to each objective, build the criterion of all, maximize it.

    Attributes:
        surrogates: one for each objective, or one for all of them; each objective has a model of
            its own in any case.
    """

    surrogates: tuple[Surrogate, ...]
    criterion: HypervolumeImprovement = HypervolumeImprovement()  # noqa: RUF009
    maximizer: Maximizer = FEW_SEARCHES

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points to evaluate."""
        began = perf_counter()
        models = self.models(step)
        fitted = perf_counter()
        points, values = step.data.X[:0], []
        for _ in range(q):
            here = step.with_chosen(points)
            acquisition = self.criterion(here, ModelList(*models))
            acquisition = keep_feasible(self.criterion, acquisition, here)
            chosen = self.maximizer(here, acquisition, 1)
            values.append(float(evaluate(acquisition, chosen)))
            points = torch.cat([points, chosen])
        facts = _joined(models) | {"criterion": type(self.criterion).__name__}
        if math.isfinite(values[0]):
            facts["criterion_value"] = values[0]
        facts |= {"fit_seconds": fitted - began, "choose_seconds": perf_counter() - fitted}
        return Proposal(points, facts)

    def models(self, step: Step) -> list[Model]:
        """Return the model of each objective.

        Raises:
            TypeError: if one of them is a classifier.
        """
        m = step.data.Y.shape[-1]
        surrogates = self.surrogates * m if len(self.surrogates) == 1 else self.surrogates
        models = [step.fit(s, step.data.output(j)) for j, s in enumerate(surrogates)]
        if any(isinstance(model, ClassModel) for model in models):
            raise TypeError(
                "a classifier says nothing of the values, which several objectives need: take "
                "another surrogate, such as 'gp' or 'brvfl4'."
            )
        return models


def _joined(models: list[Model]) -> dict[str, float | str]:
    """Return the facts of all models, each with the number of its objective."""
    facts = [dict(facts_of(model)) for model in models]
    names = [
        str(fact.pop("surrogate", type(m).__name__)) for fact, m in zip(facts, models, strict=True)
    ]
    found: dict[str, float | str] = {
        "surrogate": names[0] if len(set(names)) == 1 else ", ".join(names)
    }
    for j, fact in enumerate(facts):
        found |= {f"{name}_{j}": value for name, value in fact.items()}
    return found


def for_objectives(policy: Policy, m: int, reference: tuple[float, ...] | None = None) -> Policy:
    """Return what a policy is for m objectives.

    Args:
        policy: for one objective, or several.
        m: their number.
        reference: the reference point, larger is better; None for the rule of the criterion.

    Raises:
        ValueError: if it cannot have so many, or such a criterion, or a surrogate says nothing
            of the values.
    """
    if m > MOST_OBJECTIVES:
        raise ValueError(
            f"there can be {MOST_OBJECTIVES} objectives at most, got {m}; "
            "optuna.samplers.NSGAIIISampler takes more."
        )
    if reference is not None and len(reference) != m:
        raise ValueError(
            f"the reference point needs a number for each of {m} objectives, got {len(reference)}."
        )
    if m == 1:
        return _for_one(policy, reference)
    found = _for_several(policy)
    if not isinstance(found, SeveralObjectives):
        return found
    if len(found.surrogates) not in (1, m):
        raise ValueError(
            f"there are {len(found.surrogates)} surrogates for {m} objectives; name one, or one "
            "for each."
        )
    if any(isinstance(one, ClassifierRatio | DensityRatio) for one in found.surrogates):
        raise ValueError(
            "a classifier says nothing of the values, which several objectives need: take another "
            "surrogate, such as 'gp' or 'brvfl4'."
        )
    if reference is None:
        return found
    return replace(found, criterion=replace(found.criterion, reference=reference))


def _for_one(policy: Policy, reference: tuple[float, ...] | None) -> Policy:
    criterion = policy.core.criterion if isinstance(policy, HasCore) else None
    needs_several = isinstance(policy, SeveralObjectives) or reference is not None
    if needs_several or isinstance(criterion, HypervolumeImprovement):
        raise ValueError(
            "a reference point, the criterion 'hypervolume' and a list of surrogates need "
            "several objectives."
        )
    return policy


def _for_several(policy: Policy) -> Policy:
    if isinstance(policy, SeveralObjectives | Sobol | LatinHypercube | RandomSearch | Grid):
        return policy
    if not isinstance(policy, HasCore):
        raise ValueError(f"{type(policy).__name__} is for one objective; name a surrogate.")
    core: Standard = policy.core
    criterion = core.criterion or HypervolumeImprovement()
    if not isinstance(criterion, HypervolumeImprovement):
        raise ValueError(
            f"{type(criterion).__name__} is a criterion for one objective; for several name none, "
            "or 'hypervolume'."
        )
    maximizer, usual = core.maximizer, Multistart().candidates
    if isinstance(maximizer, Mixed) and maximizer.multistart.candidates == usual:
        maximizer = FEW_SEARCHES
    return SeveralObjectives((core.surrogate,), criterion, maximizer)
