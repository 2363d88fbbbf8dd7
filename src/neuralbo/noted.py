"""What trials have on record about how they were chosen; nothing if another sampler chose them."""

from typing import Any

from optuna.trial import FrozenTrial

from neuralbo.sampler import FACTS

WEIGHT = "weight_"  # before the name of a member of `stacked`


def facts_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return what a sampler of ours noted of its choice."""
    facts = trial.user_attrs.get(FACTS, {})
    return facts if isinstance(facts, dict) else {}


def weights_of(trial: FrozenTrial) -> dict[str, float]:
    """Return the weights of the models behind a choice, by their names."""
    return {
        name.removeprefix(WEIGHT): float(value)
        for name, value in facts_of(trial).items()
        if name.startswith(WEIGHT) and isinstance(value, int | float)
    }


def why_of(trial: FrozenTrial) -> str:
    """Return the reason that was noted for a choice."""
    return str(facts_of(trial).get("why", ""))


def model_of(trial: FrozenTrial) -> str | None:
    """Return the name of the surrogate that chose a trial."""
    name = facts_of(trial).get("surrogate")
    return None if name is None else str(name)


def suggestion_seconds(trial: FrozenTrial) -> tuple[float, float] | None:
    """Return the seconds of the fit and of the search for a point."""
    facts = facts_of(trial)
    parts = facts.get("fit_seconds"), facts.get("choose_seconds")
    if not all(isinstance(part, int | float) for part in parts):
        return None
    return float(parts[0] or 0), float(parts[1] or 0)
