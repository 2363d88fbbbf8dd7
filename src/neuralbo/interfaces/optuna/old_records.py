"""Records of trials by earlier versions, in the words of today.

What the sampler notes of a suggestion stays in the storage for ever. Keys and values that have
been renamed since are translated here, where records are read, and nowhere else.
"""

import re
from collections.abc import Mapping
from typing import Any

# keys of a record
KEYS = {"judged_on": "scored_on", "bend": "log_warp", "other_hill": "other_basin"}
# candidates of `auto`, in the keys of their weights and scores, and in the reason
CANDIDATE = re.compile(r"\b((?:weight_|score_)?[a-z]\w*?)_bent(\d+(?:\.\d+)?)\b")
SCORE = re.compile(r"log density of left-out values after (\d+)")
# what chose where no model did
SURROGATES = {
    "start design": "initial design",
    "start of a region": "initial design of a trust region",
    "random, since all hills are climbed": "random, since all local optima have converged",
}


def in_words_of_today(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as this version would have written it."""
    found = {_key(key): value for key, value in facts.items()}
    if isinstance(name := found.get("surrogate"), str):
        found["surrogate"] = SURROGATES.get(name, name)
    if isinstance(why := found.get("why"), str):
        why = SCORE.sub(r"leave-one-out log predictive density, nats per observation of \1", why)
        found["why"] = CANDIDATE.sub(r"\1_log_warp_\2", why)
    return found


def _key(key: str) -> str:
    return CANDIDATE.sub(r"\1_log_warp_\2", KEYS.get(key, key))
