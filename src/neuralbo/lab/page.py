"""The results of a study as one HTML page that needs nothing else: figures are in it."""

import base64
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralbo.lab import figures
from neuralbo.lab.methods import find_method
from neuralbo.lab.problems import find
from neuralbo.lab.report import COLUMNS, Ranking, Results, ranking, table, text
from neuralbo.lab.run import folder
from neuralbo.lab.statistics.arrays import Array
from neuralbo.lab.study import Cell
from neuralbo.parameters import Real

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 110
PLACES = 600  # at which a function of one variable is drawn

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: .2rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left;
         vertical-align: top; font-variant-numeric: tabular-nums; }}
th {{ background: #f5f5f5; }}
img {{ max-width: 100%; height: auto; }}
pre {{ white-space: pre-wrap; background: #f7f7f7; padding: .6rem; font-size: 12px; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def write(results: Results, root: Path) -> Path:
    """Write the page beside the results and return its path.

    Raises:
        ImportError: matplotlib is not installed.
    """
    path = folder(results.study, root) / "report.html"
    path.write_text(render(results), encoding="utf-8")
    return path


def render(results: Results) -> str:
    """Return the page."""
    study, ranks = results.study, ranking(results)
    parts = [f"<h1>{escape(study.name)}</h1>", f"<p>{escape(study.reproduces)}</p>"]
    parts += [_table((), _facts(results)), *_not_available(results)]
    parts += ["<h2>Final regret</h2>", f"<p>{escape(_explanation(results))}</p>"]
    parts += [_table(COLUMNS, table(results)), *_ranks(results, ranks)]
    for problem in study.problems:
        parts.append(f"<h2>{escape(problem)}</h2>")
        if any(cell.problem == problem for cell in results.runs):
            parts += [_image(figure, alt) for alt, figure in _figures(results, problem)]
        else:
            parts.append("<p>No run is finished.</p>")
    return PAGE.format(title=escape(study.name), body="\n".join(parts))


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    """Return what the numbers were made with, and what there is of them."""
    study = results.study
    yield (
        "protocol",
        (
            f"{study.trials} trials, {study.start} of them start points ({study.design}), "
            f"{study.seeds} seeds, {len(study.methods)} methods, {len(study.problems)} problems"
        ),
    )
    if study.other_starts:
        yield "other start points", ", ".join(f"{name}: {n}" for name, n in study.other_starts)
    failed = sum(run.reason is not None for run in results.runs.values())
    cells = list(study.cells())
    yield "finished runs", f"{len(results.runs)} of {len(cells)}, {failed} of them N/A"
    yield from _not_run(results, [cell for cell in cells if cell not in results.runs])
    versions: dict[str, set[str]] = {}
    for run in results.runs.values():
        for package, version in run.versions.items():
            versions.setdefault(package, set()).add(version)
    found = (f"{package} {' and '.join(sorted(v))}" for package, v in versions.items())
    yield "versions", ", ".join(found) or "unknown"


def _not_run(results: Results, cells: Sequence[Cell]) -> Iterator[tuple[str, str]]:
    for method in results.study.methods:
        here = [cell.problem for cell in cells if cell.method == method]
        if not here:
            continue
        missing = find_method(method).missing
        problems = [problem for problem in results.study.problems if problem in here]
        counts = ", ".join(f"{here.count(problem)} on {problem}" for problem in problems)
        yield f"not run: {method}", counts if missing is None else f"{missing} ({counts})"


def _not_available(results: Results) -> list[str]:
    """Return why runs are N/A, equal reasons of a method on a problem together."""
    seeds: dict[tuple[str, str, str], list[int]] = {}
    whole: dict[tuple[str, str], str] = {}
    for cell, run in results.runs.items():
        if run.reason is not None:
            kind, last = run.reason.split(":")[0], run.reason.strip().splitlines()[-1]
            short = last if last.startswith(kind) else f"{kind}: {last}"
            key = (cell.problem, cell.method, short)
            seeds.setdefault(key, []).append(cell.seed)
            whole.setdefault((cell.method, short), run.reason)
    if not seeds:
        return []
    rows = [(*key[:2], ", ".join(map(str, sorted(s))), key[2]) for key, s in seeds.items()]
    parts = ["<h2>Runs that are not available (N/A)</h2>"]
    parts.append(_table(("problem", "method", "seeds", "reason"), rows))
    for (method, short), reason in whole.items():
        if "\n" in reason.strip():
            title = escape(f"{method}: {short}")
            parts.append(
                f"<details><summary>{title}</summary><pre>{escape(reason)}</pre></details>"
            )
    return parts


def _explanation(results: Results) -> str:
    lines = (
        "Regret is the least value observed so far less the minimum of the problem. Median and "
        "quartiles are over the runs, with a bootstrap 95 % interval of the median. A run that "
        "is N/A counts as worse than any number; a run that is not made yet does not count."
    )
    if any(np.nanmin(run.curve, initial=np.inf) < 0 for run in results.runs.values()):
        lines += (
            " Some regrets are negative: noise can put an observation below the minimum, or the "
            "minimum is known to a few digits only. Their axes are not logarithmic."
        )
    return lines


def _ranks(results: Results, ranks: Ranking | None) -> list[str]:
    parts = ["<h2>Ranks of the methods</h2>"]
    if ranks is None:
        return [*parts, "<p>Two methods that share a seed on a problem are needed.</p>"]
    problems, test = results.study.problems, ranks.final
    said = (
        f"Over {len(ranks.problems)} of {len(problems)} problems, those on which the methods "
        "below share a seed, and the runs of shared seeds only. Mean rank: of the medians at the "
        "end, 1 is best. Borda: number of methods that are worse by Friedman's ranks of the "
        "runs, summed over problems, large is good. Friedman's test of the mean ranks: "
        f"chi2 = {test.statistic:.3g}, p = {test.p_value:.3g}."
    )
    left_out = [problem for problem in problems if problem not in ranks.problems]
    said += f" Left out: {', '.join(left_out)}." if left_out else ""
    rows = zip(ranks.methods, test.mean_ranks.tolist(), ranks.borda.tolist(), strict=True)
    ordered = sorted(rows, key=lambda row: float(row[1]))
    by_name = dict(zip(ranks.methods, ranks.mean_ranks, strict=True))
    shown = {name: by_name.get(name, np.empty(0)) for name in results.study.methods}
    figure = figures.rank_over_time(shown, "mean rank over problems")
    parts += [f"<p>{escape(said)}</p>", _table(("method", "mean rank", "Borda"), ordered)]
    return [*parts, _image(figure, "mean rank after each trial")]


def _figures(results: Results, problem: str) -> "Iterator[tuple[str, Figure]]":
    methods = results.study.methods
    curves = {name: results.curves(problem, name) for name in methods}
    yield (
        f"median regret on {problem}",
        figures.regret_curves(curves, f"{problem}: median and quartiles"),
    )
    finals = {name: results.finals(problem, name) for name in methods}
    yield (
        f"final regrets on {problem}",
        figures.final_boxes(finals, f"{problem}: outliers with their seeds"),
    )
    yield f"all runs on {problem}", figures.all_paths(curves, f"{problem}: all runs")
    line = _line(problem)
    if line is not None:
        points = {name: _points(results, problem, name) for name in methods}
        title = f"{problem}: points of the first seed, dark the last ones"
        yield f"points on {problem}", figures.function_and_points(*line, points, title)


def _line(problem: str) -> tuple[Array, Array] | None:
    """Return places and true values of a problem with one real parameter, None of another."""
    objective = find(problem)
    parameters = dict(objective.space())
    name, parameter = next(iter(parameters.items()))
    if len(parameters) != 1 or not isinstance(parameter, Real):
        return None
    between = np.geomspace if parameter.log else np.linspace
    x = np.asarray(between(parameter.low, parameter.high, PLACES), dtype=np.float64)
    x = x.clip(parameter.low, parameter.high)
    return x, np.array([objective.truth({name: place}) for place in x.tolist()])


def _points(results: Results, problem: str, method: str) -> tuple[Array, Array]:
    """Return places and values of the first seed, evaluations that failed left out."""
    run = results.runs.get(Cell(problem, method, 0))
    trials = [] if run is None else run.trials
    known = [line for line in trials if line["value"] is not None]
    places = [next(iter(line["params"].values())) for line in known]
    return np.array(places), np.array([line["value"] for line in known])


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = [f"<tr>{head}</tr>"] if columns else []
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(text(cell))}</td>" for cell in row) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _image(figure: "Figure", alt: str) -> str:
    out = io.BytesIO()
    # matplotlib would write its address into the file
    figure.savefig(out, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    data = base64.b64encode(out.getvalue()).decode("ascii")
    return f'<p><img alt="{escape(alt)}" src="data:image/png;base64,{data}"></p>'
