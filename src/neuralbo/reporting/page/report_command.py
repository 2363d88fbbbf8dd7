"""What `neuralbo report` does."""

import webbrowser
from argparse import Namespace
from pathlib import Path

from neuralbo.interfaces.optuna.storages import file_of, file_stem
from neuralbo.reporting.page.page import write
from neuralbo.reporting.page.picture import picture
from neuralbo.reporting.page.source import find_study


def report(options: Namespace) -> int:
    """Write the page, and take a picture or open it if wanted."""
    study = find_study(options.storage, options.study)
    beside = file_of(options.storage) or Path("page")
    page = write(study, options.out or beside.with_name(f"{file_stem(study.study_name)}.html"))
    print(f"page: {page}")
    if options.png:
        print(f"picture: {picture(page, page.with_name(f'{page.name}.png'))}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 0
