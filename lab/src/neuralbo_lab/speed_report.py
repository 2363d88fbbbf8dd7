"""The measured ratios as Markdown."""

from pathlib import Path
from typing import Any

from neuralbo_lab.report import markdown
from neuralbo_lab.speed_study import SpeedStudy
from neuralbo_lab.store import folder, must_be_there, read_cells


def write(study: SpeedStudy, root: Path) -> Path:
    """Write goals and figures beside the results and return the file.

    Raises:
        FileNotFoundError: Nothing was measured with this version.
    """
    must_be_there(study, root, study.name)
    cells = {cell.file: cell.method for cell in study.cells()}
    found = read_cells(study, root, cells)
    lines = [f"# {study.name}", "", study.reproduces, ""]
    for file, name in cells.items():
        lines += [f"## {name}", "", *_measurement(found.get(file)), ""]
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    path = where / "report.md"
    path.write_text("\n".join(lines) + "\n")
    return path


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
    return shown


def _figure(figure: Any) -> list[str]:
    if not isinstance(figure, dict):
        return [str(figure)]
    first = next(iter(figure.values()), None)
    columns = list(first) if isinstance(first, dict) else ["value"]
    rows = [
        (name, *(row.values() if isinstance(row, dict) else [row])) for name, row in figure.items()
    ]
    return markdown(("", *columns), rows)
