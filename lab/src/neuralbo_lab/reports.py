"""Write the report of a study of any kind: Markdown and CSV, and the page."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from neuralbo_lab import (
    experiment_study,
    html,
    page,
    regression_page,
    regression_report,
    report,
    speed_report,
)
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.regression_study import RegressionStudy
from neuralbo_lab.run import Study
from neuralbo_lab.speed_study import SpeedStudy
from neuralbo_lab.store import folder


def write_report(study: Study, root: Path) -> int:
    """Write it, print the tables, and say where everything is."""
    if isinstance(study, SpeedStudy):
        _show(speed_report.write(study, root))
        return 0
    draw: Callable[[], Path]
    if isinstance(study, RegressionStudy):
        fits = regression_report.read(study, root)
        _show(regression_report.write(fits, root))
        draw = partial(regression_page.write, fits, root)
    elif isinstance(study, ExperimentStudy):
        made, render = experiment_study.read(study, root), study.render
        _show(study.write(made, root))

        def draw() -> Path:
            return html.write(render(made), folder(study, root))

    else:
        results = report.read(study, root)
        _show(report.write(results, root))
        draw = partial(page.write, results, root)
    try:
        print(f"page: {draw()}")
    except ImportError as error:  # the tables are there, and the page needs matplotlib
        print(f"no page: {error}")
    return 0


def _show(path: Path) -> None:
    print(path.read_text())
    print(f"report: {path}")
