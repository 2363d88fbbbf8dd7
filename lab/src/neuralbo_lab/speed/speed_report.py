"""The measured ratios as Markdown."""

from pathlib import Path
from typing import Any

from neuralbo_lab.core.store import must_be_there, read_cells
from neuralbo_lab.core.tables import markdown, write_report
from neuralbo_lab.speed.goals import columns_and_rows
from neuralbo_lab.speed.speed_study import SpeedStudy


def write(study: SpeedStudy, root: Path) -> Path:
    """Write goals and figures beside the results and return the file.

    Raises:
        FileNotFoundError: Nothing was measured with this version.
    """
    must_be_there(study, root, study.name)
    cells = {cell.file: cell.method for cell in study.cells()}
    found = read_cells(study, root, cells)
    lines: list[str] = []
    for file, name in cells.items():
        lines += [f"## {name}", "", *_measurement(found.get(file)), ""]
    return write_report(study, root, lines)


def _measurement(lines: list[dict[str, Any]] | None) -> list[str]:
    if lines is None:
        return ["not measured yet"]
    last = lines[-1] if lines else {}
    if "failed" not in last and "measured" not in last:
        return ["N/A: its file is damaged; delete it and measure again"]
    if "failed" in last:
        return [f"N/A, failed: {last['failed'].strip().splitlines()[-1]}"]
    goals = [
        (goal["goal"], goal["measured"], goal["wanted"], "holds" if goal["holds"] else "missed")
        for goal in last["measured"]["goals"]
    ]
    shown = markdown(("goal", "measured", "wanted", "verdict"), goals)
    for title, figure in last["measured"]["figures"].items():
        shown += ["", f"### {title}", "", *_figure(figure)]
    made = last.get("machine")  # results of before do not have it
    if made is not None:
        on = f"{made['processor']}, {made['cores']} cores"
        shown = [f"Measured on {on}, at commit {made['commit']}.", "", *shown]
    return shown


def _figure(figure: Any) -> list[str]:
    if not isinstance(figure, dict):
        return [str(figure)]
    return markdown(*columns_and_rows(figure))
