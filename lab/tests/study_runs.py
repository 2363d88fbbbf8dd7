"""Studies that are run in this process, and the lines that they leave."""

from neuralbo_lab.core import run as runner


def finish(study, root, cells=None):
    """Run all cells, or these, and return their folder."""
    where = runner.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    for cell in study.cells() if cells is None else cells:
        runner.run_cell(study, cell, where)
    return where


def plain(path):
    """Return the lines of a result without what depends on the clock."""
    lines = runner.read_lines(path)
    for line in lines:
        line.pop("seconds", None)
    return lines
