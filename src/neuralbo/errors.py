"""The exceptions and warnings of neuralbo, and the text of an unknown name."""

import difflib
from collections.abc import Iterable


class FitError(RuntimeError):
    """A surrogate could not be fitted, also after its own remedy (jitter, restart)."""


class StorageError(RuntimeError):
    """The database of a study cannot be read or written."""


class NeuralboWarning(UserWarning):
    """The base of all warnings of neuralbo, for a single filter."""


class FallbackWarning(NeuralboWarning):
    """A point was not chosen by the surrogate; the message says why and what to do."""


class FailedTrialWarning(NeuralboWarning):
    """An evaluation failed and was recorded as a failure."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> ValueError:
    """Return the error for a name nobody knows, with the near ones first."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return ValueError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(names)}.")
