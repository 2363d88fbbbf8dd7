"""What trials have on record about how they were chosen; nothing if another sampler chose them."""

import re
from typing import Any

from optuna.trial import FrozenTrial

from neuralbo.interfaces.optuna.old_records import in_words_of_today
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.policies.auto import candidate_name

WEIGHT = "weight_"  # before the key of a candidate model of `auto`, or of a member of `stacked`
LPD = "leave-one-out log predictive density"
STACKED = "stacked"  # the surrogate that may give all the weight to one of its members
_KEY = re.compile(r"[a-z]\w*_log_warp_\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # where a word begins in the name of a class
# how points were chosen without a model, as it is noted and as it is said
_WITHOUT = {
    "center of the cube": "centre of the space",
    "random, since all local optima have converged": "random (all local optima have converged)",
}


def facts_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return what a sampler of ours noted of its choice."""
    facts = trial.user_attrs.get(FACTS, {})
    return in_words_of_today(facts) if isinstance(facts, dict) else {}


def weights_of(trial: FrozenTrial) -> dict[str, float]:
    """Return the weights of the models behind a choice, by what they are called."""
    return {
        candidate_name(name.removeprefix(WEIGHT)): float(value)
        for name, value in facts_of(trial).items()
        if name.startswith(WEIGHT) and isinstance(value, int | float)
    }


def why_of(trial: FrozenTrial) -> str:
    """Return the reason that was noted for a choice, older ones in the words of today."""
    why = str(facts_of(trial).get("why", ""))
    return _KEY.sub(lambda found: candidate_name(found[0]), why)


def model_of(trial: FrozenTrial) -> str | None:
    """Return what the model that chose a trial is called; of `auto` the candidate selected.

    Where no model chose, it is what did: the initial design, or chance.
    """
    name, weights = facts_of(trial).get("surrogate"), weights_of(trial)
    is_by_model = name is None or "criterion" in facts_of(trial)
    if len(weights) == 1 and is_by_model and name != STACKED:
        return next(iter(weights))
    return None if name is None else _WITHOUT.get(str(name), str(name))


def criterion_of(trial: FrozenTrial) -> str:
    """Return the criterion of a choice in words: "log expected improvement"."""
    name = str(facts_of(trial).get("criterion", ""))
    return _HUMP.sub(" ", name).lower() if name.isalpha() else name


def suggestion_seconds(trial: FrozenTrial) -> tuple[float, float] | None:
    """Return the seconds of the fit and of the search for a point."""
    facts = facts_of(trial)
    parts = facts.get("fit_seconds"), facts.get("choose_seconds")
    if not all(isinstance(part, int | float) for part in parts):
        return None
    return float(parts[0] or 0), float(parts[1] or 0)
