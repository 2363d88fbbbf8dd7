"""What `neuralbo report` does."""

import webbrowser
from argparse import Namespace
from pathlib import Path

from neuralbo.report.page import write
from neuralbo.report.picture import picture
from neuralbo.report.source import find_study
from neuralbo.storages import file_of

LONGEST = 100  # letters of a study's name in that of the file


def report(options: Namespace) -> int:
    """Write the page, and take a picture or open it if wanted."""
    study = find_study(options.storage, options.study)
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in study.study_name)
    beside = file_of(options.storage) or Path("page")
    page = write(study, options.out or beside.with_name(f"{name[:LONGEST]}.html"))
    print(f"page: {page}")
    if options.png:
        print(f"picture: {picture(page, page.with_name(f'{page.name}.png'))}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 0
