"""The progress bar of a run."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

from neuralbo.sampler import FACTS


@contextmanager
def progress_bar(
    study: Study, n_trials: int | None, wanted: bool | None
) -> Iterator[Callable[[Study, FrozenTrial], None]]:
    """Show best value, trials and seconds per suggestion; yields the callback that moves it.

    If `wanted` is None it is shown where the error stream is a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda study, trial: None
        return
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
