"""The exceptions and warnings of neuralbo, and the text of an unknown name."""

import difflib
import sys
import warnings
from collections.abc import Iterable, Sequence

# packages that may stand between the line of a user and a warning of ours
LIBRARIES = frozenset(
    "neuralbo optuna torch botorch gpytorch linear_operator sklearn joblib "
    "contextlib functools threading concurrent".split()
)

MOST_NAMES = 15  # names that a message lists


class FitError(RuntimeError):
    """A surrogate could not be fitted, also after its own remedy (jitter, restart)."""


class StorageError(RuntimeError):
    """The database of a study cannot be read or written."""


class NoValueError(RuntimeError):
    """A run has ended and no trial of its study has given a value."""


class NeuralboWarning(UserWarning):
    """The base of all warnings of neuralbo, for a single filter."""


class FallbackWarning(NeuralboWarning):
    """A point was not chosen by the surrogate; the message says why and what to do."""


class FailedTrialWarning(NeuralboWarning):
    """An evaluation failed and was recorded as a failure."""


def warn(message: str, category: type[NeuralboWarning]) -> None:
    """Warn at the user's line: the nearest caller that is neither ours nor a library's.

    In a thread of Optuna's there is no such line; then it is the first of the thread.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_globals.get("__name__", "").partition(".")[0] in LIBRARIES:
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def unknown_name(
    kind: str, name: str, known: Iterable[str], *, usual: Sequence[str] = (), see: str = ""
) -> ValueError:
    """Return the error for a name nobody knows, with the near ones first.

    Args:
        kind: what it should be the name of.
        name: what came.
        known: all names.
        usual: the names to show where there are many; none for the first of the alphabet.
        see: where all of them stand.
    """
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    if len(names) <= MOST_NAMES:
        return ValueError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(names)}.")
    some = usual or names[:MOST_NAMES]
    rest = f"{len(names) - len(some)} more{f'; all of them: {see}' if see else ''}"
    return ValueError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(some)} and {rest}.")
