"""What a terminal shows of a run: a progress bar, or the live view."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.terminal.live_view import live_view

Advance = Callable[[Study, FrozenTrial], None]
Shown = bool | Literal["live"] | None


def progress_of(
    study: Study, n_trials: int | None, timeout: float | None, wanted: Shown
) -> AbstractContextManager[Advance]:
    """Return what shows the progress; it gives the callback that is told of each trial.

    Args:
        study: the one that runs.
        n_trials: how many will be made now; None if nobody knows.
        timeout: seconds after which none begins.
        wanted: True for a bar, False for nothing; None for a bar and "live" for the live view
            where the error stream is a terminal, else nothing.
    """
    if n_trials == 0:
        return nullcontext(lambda study, trial: None)
    is_terminal = sys.stderr.isatty()
    if wanted == "live" and is_terminal:
        return live_view(study, n_trials, timeout, Console(stderr=True))
    if wanted is True or (wanted is None and is_terminal):
        return progress_bar(study, n_trials)
    return nullcontext(lambda study, trial: None)


@contextmanager
def progress_bar(study: Study, n_trials: int | None) -> Iterator[Advance]:
    """Show best value, trials and seconds per suggestion."""
    columns = (
        SpinnerColumn(), TextColumn("[bold]{task.description}"), BarColumn(),
        MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    progress = Progress(*columns, console=Console(stderr=True))
    state = {"seconds": 0.0, "suggestions": 0.0, "failed": 0.0}
    lock = threading.Lock()
    with progress:
        task = progress.add_task(_text(study, state), total=n_trials)

        def advance(study: Study, trial: FrozenTrial) -> None:
            facts = trial.user_attrs.get(FACTS, {})
            with lock:
                if "fit_seconds" in facts:
                    state["seconds"] += facts["fit_seconds"] + facts["choose_seconds"]
                    state["suggestions"] += 1
                state["failed"] += trial.state == TrialState.FAIL
                progress.update(task, advance=1, description=_text(study, state))

        yield advance


def _text(study: Study, state: dict[str, float]) -> str:
    text = f"{_best(study)} · {state['seconds'] / max(state['suggestions'], 1):.2f} s/suggestion"
    return text + (f" · {state['failed']:.0f} failed" if state["failed"] else "")


def _best(study: Study) -> str:
    if not study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
        return "no value yet"
    if len(study.directions) > 1:
        return f"{len(study.best_trials)} on the front"
    return f"best {study.best_value:.6g}"
