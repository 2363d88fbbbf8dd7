"""The results of an optimization study as one HTML page."""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from neuralbo_lab import figures
from neuralbo_lab.claims import rank_intervals
from neuralbo_lab.claims.comparison import compared
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.report import (
    COLUMNS,
    Ranking,
    Results,
    group_ranks,
    group_standings,
    mean_known,
    outcomes,
    ranking,
    table,
)
from neuralbo_lab.pages import html
from neuralbo_lab.pages.problem_figures import few_figures, many_figures
from neuralbo_lab.statistics import BBOB_TARGETS, Standing, running_times

MANY = 12  # problems, beyond which each has a panel and not pictures of its own
PARTS = ("fit", "choose", "objective")


def render(results: Results) -> str:
    """Return the page."""
    study = results.study
    parts = html.head(study, _facts(results)) + _not_available(results)
    parts += html.conclusions(outcomes(results))
    parts += ["<h2>Final regret</h2>", f"<p>{escape(_explanation(results))}</p>"]
    parts += [html.table(COLUMNS, table(results)), *_document(results)]
    parts += [*_ranks(results, ranking(results)), *_groups(results), *_seconds(results)]
    parts += html.departures(study.departures)
    parts += many_figures(results) if len(study.problems) > MANY else few_figures(results)
    return html.page(study.name, parts)


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    """Return what the numbers were made with, and what there is of them."""
    study = results.study
    yield (
        "protocol",
        (
            f"{study.trials} trials, {study.start} of them initial points ({study.design}), "
            f"{study.seeds} seeds, {len(study.methods)} methods, {len(study.problems)} problems"
        ),
    )
    if study.restarts:
        yield "restarts", "when a point is proposed again; a run ends at its target"
    if study.other_starts:
        yield "other initial points", ", ".join(f"{name}: {n}" for name, n in study.other_starts)
    failed = sum(run.reason is not None for run in results.runs.values())
    cells = list(study.cells())
    yield "finished runs", f"{len(results.runs)} of {len(cells)}, {failed} of them N/A"
    yield from _not_run(results, [cell for cell in cells if cell not in results.runs])
    for name in study.methods:
        description = find_method(name).description
        if description:
            yield name, description
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
    parts.append(html.table(("problem", "method", "seeds", "reason"), rows))
    for (method, short), reason in whole.items():
        if "\n" in reason.strip():
            title = escape(f"{method}: {short}")
            parts.append(
                f"<details><summary>{title}</summary><pre>{escape(reason)}</pre></details>"
            )
    return parts


def _explanation(results: Results) -> str:
    what = (
        "the value without noise of the trial with the least value observed so far"
        if results.study.by_truth
        else "the least value observed so far"
    )
    lines = (
        f"Regret is {what} less the minimum of the problem. Median and "
        "quartiles are over the runs, with a bootstrap 95 % interval of the median. A run that "
        "is N/A counts as worse than any number; a run that is not made yet does not count."
    )
    if any(np.nanmin(run.curve, initial=np.inf) < 0 for run in results.runs.values()):
        lines += (
            " Some regrets are negative: noise can put an observation below the minimum, or the "
            "minimum is known to a few digits only. Their axes are not logarithmic."
        )
    return lines


def _document(results: Results) -> list[str]:
    parts = []
    for title, columns, rows in compared(results):
        parts += [f"<h2>{escape(title)}</h2>", html.table(columns, rows)]
    if parts:
        words = (
            "Ours beside the publication's, as each title says, and in brackets how many runs. A "
            "mean is ± the standard deviation of the runs if the title says nothing else; "
            "ranks are among "
            "so many as were run."
        )
        parts.insert(1, f"<p>{words}</p>")
    return parts


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
    parts += [f"<p>{escape(said)}</p>", html.table(("method", "mean rank", "Borda"), ordered)]
    parts.append(html.image(figure, "mean rank after each trial"))
    return [*parts, *_difference(ranks), *_targets(results)]


def _difference(ranks: Ranking) -> list[str]:
    if len(ranks.problems) < 2:
        return []
    means = dict(zip(ranks.methods, ranks.final.mean_ranks.tolist(), strict=True))
    figure = figures.critical_difference(means, len(ranks.problems), "mean ranks at the end")
    return [html.image(figure, "critical differences of the mean ranks")]


def _targets(results: Results) -> list[str]:
    """Return how many of the targets of BBOB are reached, if these are its problems."""
    study = results.study
    problems = [problem for problem in study.problems if problem.startswith("bbob")]
    if not problems:
        return []
    times = {}
    for method in study.methods:
        runs = [results.curves(problem, method) for problem in problems]
        found = [running_times(curves, BBOB_TARGETS) for curves in runs if len(curves)]
        times[method] = np.concatenate(found) if found else np.empty(0)
    figure = figures.target_ecdf(times, study.trials, "BBOB: targets from 100 to 1e-8")
    return [html.image(figure, "share of the targets of BBOB that are reached")]


def _groups(results: Results) -> list[str]:
    """Return Borda counts and first places of the groups, at the end and over time."""
    found = group_standings(results)
    if not found:
        return []
    methods = next(iter(found.values()))[0]
    last = {
        name: Standing(standing.borda[:, -1], standing.first_places[:, -1])
        for name, (_, standing) in found.items()
    }
    said = (
        "Partial ranks by Mann-Whitney's test of the best values at 0.0005, where they do not "
        "differ of the areas under the curves. Fewer than 9 runs a method are never significant: "
        "then all share the first place."
    )
    parts = ["<h2>Groups of problems</h2>", f"<p>{said}</p>"]
    parts.append(html.image(figures.borda_bars(last, methods, "after the last trial"), "Borda"))
    for name, (_, standing) in found.items():
        curves = dict(zip(methods, standing.borda.astype(np.float64), strict=True))
        figure = figures.rank_over_time(curves, f"{name}: Borda count", is_rank=False)
        parts.append(html.image(figure, f"Borda counts over time, {name}"))
    parts.append(
        "<p>Mean ranks of single runs, each among those of the same seed on the same problem, "
        "with bootstrap 95 % intervals over them.</p>"
    )
    for name, rows in group_ranks(results).items():
        parts += [f"<h3>{escape(name)}</h3>", html.table(rank_intervals.COLUMNS, rows)]
    return parts


def _seconds(results: Results) -> list[str]:
    """Return where the time goes, by method."""
    rows = []
    for method in results.study.methods:
        runs = [run for cell, run in results.runs.items() if cell.method == method]
        if runs:
            means = [mean_known([run.spent[part] for run in runs]) for part in PARTS]
            rows.append((method, mean_known([run.seconds for run in runs]), *means))
    columns = ("method", "suggestion", "of it: fit", "criterion and its maximum", "objective")
    said = "Mean seconds of a trial after the initial points; N/A where a method does not tell."
    return ["<h2>Seconds</h2>", f"<p>{said}</p>", html.table(columns, rows)]
