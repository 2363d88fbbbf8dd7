"""One list from many: Borda counts and first places. Aryan (2020), Sec. 3.5.

Ranks are problems x methods x ..., for example problems x methods x steps.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar, final

import numpy as np

from neuralbo_lab.statistics.arrays import Ranks

Label = TypeVar("Label", bound=Hashable)

# Aryan (2020), Table 3.1: the last function of each group of BBOB.
LAST_OF_GROUP = {"G1": 5, "G2": 9, "G3": 14, "G4": 19, "G5": 24}


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """Scores of methods over some problems, methods x ...; large is good."""

    borda: Ranks
    first_places: Ranks


def borda(ranks: Ranks) -> Ranks:
    """Return sum over problems of the number of methods ranked worse; methods x ....

    The publication's (3.6) prints the opposite inequality (Aryan 2020, Eq. 3.6).
    """
    is_worse = ranks[:, None] > ranks[:, :, None]  # problems x method x other x ...
    return np.asarray(is_worse.sum((0, 2)))


def first_places(ranks: Ranks) -> Ranks:
    """Return the number of problems with rank 1, ties counted for each; methods x ...."""
    return np.asarray((ranks == 1).sum(0))


def standings(ranks: Ranks, labels: Sequence[Label]) -> dict[Label, Standing]:
    """Score the methods over the problems of each label: dimensions, groups, or all.

    Args:
        ranks: problems x methods x ....
        labels: one a problem; the result has them in order of appearance.

    Raises:
        ValueError: There is not one label a problem.
    """
    if len(labels) != len(ranks):
        raise ValueError(
            f"labels must be one a problem, got {len(labels)} for {len(ranks)} problems."
        )
    chosen = {here: [i for i, label in enumerate(labels) if label == here] for here in labels}
    return {
        label: Standing(borda(ranks[rows]), first_places(ranks[rows]))
        for label, rows in chosen.items()
    }


def bbob_group(function: int) -> str:
    """Return the group, "G1" to "G5", of BBOB's function f1 to f24.

    Raises:
        ValueError: There is no such function.
    """
    if not 1 <= function <= 24:
        raise ValueError(f"BBOB has functions 1 to 24, got {function}.")
    return next(group for group, last in LAST_OF_GROUP.items() if function <= last)
