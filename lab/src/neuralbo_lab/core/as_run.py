"""A study as far as it was run: whole, with fewer trials, or quick."""

import re
from pathlib import Path
from typing import Any

from neuralbo_lab.core.store import is_there, protocols
from neuralbo_lab.core.study import Study

TRIALS = re.compile(r"(\d+)x")  # how the protocol of an optimization begins


def as_run(study: Study[Any], root: Path) -> Study[Any]:
    """Return the study with the number of trials that it was run with; itself if it was not run.

    Runs of the whole length go before shorter ones, and of these the longest, the quick ones as
    `quick` has them.
    """
    quick = study.quick()
    lengths = [int(found[1]) for name in protocols(study, root) if (found := TRIALS.match(name))]
    others = [study.with_trials(trials) for trials in sorted(set(lengths), reverse=True)]
    for other in (study, *others, quick):
        if other is not None and is_there(other, root):
            return quick if other.protocol == quick.protocol != study.protocol else other
    return study


def in_words(study: Study[Any], run: Study[Any]) -> str | None:
    """Return how what was run is less than a study; None if it is all of it."""
    if run.protocol == study.protocol:
        return None
    if run.protocol == study.quick().protocol:
        return f"{study.name} has only been run with --quick; this is about that."
    return f"{study.name} has only been run with {trials_of(run)} of {trials_of(study)} trials."


def trials_of(study: Study[Any]) -> int | None:
    """Return the trials of a run; None of a study that has none."""
    return getattr(study, "trials", None)
