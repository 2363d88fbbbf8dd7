"""What `neuralbo report` does."""

import time
import webbrowser
from argparse import Namespace
from pathlib import Path

from neuralbo.arguments import seconds_or_none
from neuralbo.interfaces.optuna.storages import file_of, file_stem
from neuralbo.reporting.analysis.study_like import HasTrials
from neuralbo.reporting.page.page import write
from neuralbo.reporting.page.picture import picture
from neuralbo.reporting.page.source import find_study


def report(options: Namespace) -> int:
    """Write the page, and take a picture, open it or go on writing it if wanted."""
    pause = seconds_or_none("--watch", options.watch)
    study = find_study(options.storage, options.study)
    beside = file_of(options.storage) or Path("page")
    out = options.out or beside.with_name(f"{file_stem(study.study_name)}.html")
    page = write(study, out, refresh=pause)
    print(f"page: {page}", flush=True)
    if options.png:
        print(f"picture: {picture(page, page.with_name(f'{page.name}.png'))}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    if pause is not None:
        _watch(options, study, page, pause)
    return 0


def _watch(options: Namespace, study: HasTrials, page: Path, pause: float) -> None:
    """Write the page again whenever the study has changed, until Ctrl-C.

    A browser reads it again by itself, until the last time it is written.
    """
    print("watching; Ctrl-C ends it", flush=True)
    seen = _state(study)
    try:
        while True:
            time.sleep(pause)
            study = find_study(options.storage, options.study)
            now = _state(study)
            if now != seen:
                write(study, page, refresh=pause)
                seen = now
                print(f"{len(now)} trials: {page}", flush=True)
    except KeyboardInterrupt:
        write(study, page)


def _state(study: HasTrials) -> list[tuple[str, int]]:
    """Return what changes when a trial begins, reports or ends."""
    return [
        (trial.state.name, len(trial.intermediate_values))
        for trial in study.get_trials(deepcopy=False)
    ]
