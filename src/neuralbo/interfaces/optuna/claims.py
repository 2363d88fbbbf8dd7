"""What workers tell each other of the points that they try, through attributes of the trials.

A trial's own parameters fill up as the objective asks for them, so a point is published as a whole
beforehand. Two workers that choose at the same time do not know of each other. Therefore a point
is *claimed* first; then its worker looks who else has claimed something near. Of two claims that
are near the one of the lower number stays and the other is *withdrawn*; a claim that nobody
disputes is *settled*, and whoever comes later gives way. A worker whose claim is disputed by a
higher number waits for it to be withdrawn or settled, since that worker may have looked before
the claim was there.

Workers that read the same trials often choose the same point, and all but one choose again. Who
has lost often takes a free place beside the point: that is done so quickly that hardly anything
happens meanwhile.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

PARAMS = "neuralbo:params"
FIXED = "fixed_params"  # where Optuna keeps the parameters of a trial that was put in the queue
LONGEST_ATTRIBUTE = 2045  # characters that a database takes in one attribute
HEAD = 200  # characters for what is written beside the parameters
PIECE = LONGEST_ATTRIBUTE // 2 - 1  # a database may write every character of a text as two

Stand = Literal["claimed", "settled", "withdrawn"]


def publish(
    study: Study,
    trial: FrozenTrial,
    params: Mapping[str, Any],
    stand: Stand,
    *,
    attempt: int = 0,
    read: datetime | None = None,
) -> None:
    """Let other workers see the parameters of a trial, long ones in pieces.

    The attribute that names the pieces comes last, so that nobody reads a part.

    Args:
        study: whose storage is used.
        trial: the one that is running.
        params: all of them; none when they are withdrawn.
        stand: how the claim stands.
        attempt: the number of the claim of this trial.
        read: when the trials were read that the choice was made from.
    """
    storage, text = study._storage, json.dumps(params)
    head: dict[str, Any] = {"stand": stand, "read": read.isoformat() if read else None}
    if len(text) <= LONGEST_ATTRIBUTE - HEAD:
        head["params"] = dict(params)
    else:
        starts = range(0, len(text), PIECE)
        head |= {"attempt": attempt, "pieces": len(starts)}
        for i, start in enumerate(starts):
            piece = text[start : start + PIECE]
            storage.set_trial_system_attr(trial._trial_id, _key(attempt, i), piece)
    storage.set_trial_system_attr(trial._trial_id, PARAMS, head)


def _key(attempt: int, i: int) -> str:
    return f"{PARAMS}:{attempt}:{i}"


def published(trial: FrozenTrial, *, counts_given: bool = True) -> dict[str, Any]:
    """Return the parameters of a running trial, also those not yet asked for.

    With `counts_given`, what the objective was given counts where it is not what was proposed.
    """
    attributes = trial.system_attrs
    head = attributes.get(PARAMS, {"stand": "withdrawn"})
    found: dict[str, Any] = {}
    if head["stand"] != "withdrawn":
        if "params" in head:
            found |= head["params"]
        else:
            pieces = (attributes[_key(head["attempt"], i)] for i in range(head["pieces"]))
            found |= json.loads("".join(pieces))
    found |= attributes.get(FIXED, {})  # the objective is given these, whatever was proposed
    return found | trial.params if counts_given else found


def given(trial: FrozenTrial) -> dict[str, Any]:
    """Return the parameters that a trial has before anything is proposed: it was queued."""
    fixed: dict[str, Any] = trial.system_attrs.get(FIXED, {})
    return fixed | trial.params


def chosen_after(trial: FrozenTrial) -> datetime | None:
    """Return when the trials were read that a point was chosen from, or else when it began.

    A trial that is made again has the time of the first in its attributes, and began later.
    """
    read, began = trial.system_attrs.get(PARAMS, {}).get("read"), trial.datetime_start
    times = [began, datetime.fromisoformat(read) if read else None]
    return max((time for time in times if time is not None), default=None)


def is_settled(trial: FrozenTrial) -> bool:
    """Return whether a trial's point will not change any more."""
    is_running = trial.state == TrialState.RUNNING
    return not is_running or trial.system_attrs.get(PARAMS, {}).get("stand") != "claimed"
