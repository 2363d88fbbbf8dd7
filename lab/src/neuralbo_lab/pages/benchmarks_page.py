"""The page docs/benchmarks.md with its figures, made of committed lines by one command.

`neuralbo lab benchmarks --root results --into docs`. Only the test half is shown.
"""

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neuralbo_lab.benchmarks.public import PUBLIC
from neuralbo_lab.core import benchmark_report as report
from neuralbo_lab.core.benchmark_report import BenchmarkResults
from neuralbo_lab.core.benchmark_study import BenchmarkStudy
from neuralbo_lab.core.splits import DEVELOPMENT, TEST
from neuralbo_lab.core.store import is_there, packed
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.figures.style import finish_trials, legend_below, line_style, problem_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMMAND = "neuralbo lab benchmarks --root results --into docs"
FOLDER = "images"

INTRODUCTION = f"""# Benchmarks

This page is made of raw lines in `results/` by `{COMMAND}`.

**Problems.** The 24 functions of BBOB with instances, in 2 to 20 dimensions, also with noise and
with whole numbers; tuning of learners on real data sets; conditional tuning surrogates; tables of
chemical reactions; switches and categories. A part of each box is cut away, so that the minimum
is not near its centre. Methods see raw values, which have an offset; they never see regrets.

**Two halves.** Settings were chosen on development alone: instances {DEVELOPMENT.instances[0]} to
{DEVELOPMENT.instances[-1]}, seeds from {DEVELOPMENT.seeds[0]} on. The tables show the test half
alone, on which nobody chose anything: instances {TEST.instances[0]} to {TEST.instances[-1]},
seeds from {TEST.seeds[0]} on. Problems without instances are divided by data set.
`neuralbo_lab.core.splits` says it and the runner enforces it.

**Numbers.** All methods of a seed share their initial points. A ratio is the geometric mean over
instances and seeds of our final regret over the peer's; below 1 ours is ahead. Intervals are
Student's 95 %. Over problems: Wilcoxon's signed-rank test of the logarithms, with Holm's
correction; "undecided" where it does not tell. Slow peers run a part, and every ratio is taken
over cells that both have. The best peer of a problem is chosen by the same lines that it is
compared with, which is in its favour. Seconds are of one thread, of a suggestion. A regret below
{report.SOLVED:g} of what the initial points leave counts as that much. Where nobody knows the
minimum it is the best value of all runs, and the least regret that counts is {report.FOUND:g}.
Under noise the regret is that of the value without noise at the best observed trial.
"""


def write(root: Path, docs: Path) -> Path:
    """Write the page and its figures, and return the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    parts = [INTRODUCTION]
    for study in (study for study in PUBLIC if study.is_test):
        parts.append(f"## {study.trials} trials\n")
        if is_there(study, root):
            parts += _section(report.read(study, root), root, docs)
        else:
            parts.append(f"Not run yet. Make it with `neuralbo lab run {study.name} --test`.\n")
    path = docs / "benchmarks.md"
    path.write_text("\n".join(parts))
    return path


def _section(results: BenchmarkResults, root: Path, docs: Path) -> list[str]:
    """Return the tables of a study, and draw its figures."""
    study, families = results.study, list(results.families)
    parts = [
        f"{len(results.runs)} of {len(list(study.cells()))} runs; {_made(study, root)}.\n",
        *markdown(report.COLUMNS, report.standings(results, families)),
        f"\n{report.in_words(results, families)}\n",
    ]
    drawn = _draw(target_curves(results), docs, f"{study.name}-targets")
    if drawn:
        parts += [f"![Shares of BBOB's targets that are reached]({drawn})\n"]
    for group, members in results.groups.items():
        rows = report.each(results, members)
        parts += [f"### {group}\n", f"{report.in_words(results, members)}\n"]
        parts += markdown(report.COLUMNS, report.standings(results, members))
        parts += ["", "<details><summary>each problem, the worst for us first</summary>\n"]
        parts += [*markdown(report.EACH, rows), "", "</details>\n"]
    return [*parts, *_failed(results.failures())]


def _failed(failures: list[tuple[str, str]]) -> list[str]:
    lines = [f"- {file}: {why}" for file, why in failures]
    return ["Runs that failed, and count with what they had found:\n", *lines, ""] if lines else []


def _made(study: BenchmarkStudy, root: Path) -> str:
    """Return when the lines were committed, and with which commit."""
    path = packed(study, root)
    found = subprocess.run(
        ["git", "log", "-1", "--format=%cs, commit %h", "--", path.name],
        cwd=path.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return found.stdout.strip() or "not committed"


def target_curves(results: BenchmarkResults) -> "Figure | None":
    """Draw the share of (run, target) pairs reached after each trial, for each group of BBOB.

    As COCO draws them, but over trials and without simulated restarts: all runs are as long.
    """
    groups = {g: f for g, f in results.groups.items() if g.startswith("BBOB")}
    if not groups:
        return None
    figure, grid = problem_panels(groups)
    trials = np.arange(1, results.study.trials + 1)
    for axes, families in zip(grid, groups.values(), strict=True):
        for i, method in enumerate(results.study.methods):
            shares = results.ecdf(method, families)
            if shares is not None:
                axes.plot(trials, shares, **line_style(i), label=method)
        finish_trials(axes, "")
    figure.supylabel("share of targets reached")
    legend_below(figure)
    return figure


def _draw(figure: "Figure | None", docs: Path, name: str) -> str:
    """Save a figure, the same bytes for the same lines, and return its path from the page."""
    if figure is None:
        return ""
    import matplotlib as mpl

    (docs / FOLDER).mkdir(exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(docs / FOLDER / f"{name}.svg", metadata={"Date": None})
    return f"{FOLDER}/{name}.svg"
