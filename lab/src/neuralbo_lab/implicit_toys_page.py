"""Tables and figures of the implicit laws in the plane."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from neuralbo.engine.step import generator

from neuralbo_lab import html
from neuralbo_lab.experiment_study import ExperimentResults
from neuralbo_lab.figures.style import panel_title, panels
from neuralbo_lab.implicit_toys import DIMENSIONS, SHOWN, TARGETS, WAYS, Bumps
from neuralbo_lab.report import markdown, write_csv
from neuralbo_lab.store import Line, folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORES = ("modes", "of", "near", "order", "spread", "hops")
COLUMNS = ("target", "way", "seeds", *SCORES)
CRITIC_COLUMNS = (
    "numbers P", "seeds", "known, per number", "critic at half", "critic at the end",
    "flat law at half", "flat law at the end",
)  # fmt: skip
EXPLANATION = """\
Means over the seeds. modes: those that have a fifth of their share of 2000 samples; near: part of
the samples within three deviations of a mode; order: Spearman's correlation of log p(z) and the
log density of the target; spread: how far the log density varies along a traced level set, as a
part of how far it varies over all samples, by quartiles; hops: modes covered by the likeliest code
alone."""
CLAIMS = (
    ("less mode collapse: more modes covered", "modes", 1),
    ("the order of level sets is kept: a larger correlation", "order", 1),
    ("a code stays on its level set: a smaller spread", "spread", -1),
)
OF_CRITICS = """\
A critic is trained between N(0, I) in P numbers and a law that does not change. Of N(0, I/4) the
divergence is known. Of a law in at most five of the dimensions it is infinite: what the critic
says is a matter of how long it was trained."""


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each target and way."""
    rows = []
    for target in TARGETS:
        for way in WAYS:
            lines = results.lines(f"{target}-{way}")
            scores = (_mean([line[name] for line in lines]) for name in SCORES)
            rows.append((target, way, str(len(lines)), *scores))
    return rows


def critic_table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each number of dimensions."""
    rows = []
    for P in DIMENSIONS:
        lines = results.lines(f"critic-{P}")
        cells = [_mean([line["known"] for line in lines])]
        for name in ("learnt", "flat"):
            cells += [_mean([line[name][i] for line in lines]) for i in (0, 1)]
        rows.append((str(P), str(len(lines)), *cells))
    return rows


def verdicts(results: ExperimentResults) -> list[tuple[str, str, str]]:
    """Return the document's claims of each target, and whether they hold here.

    Means that are equal decide nothing: a plain law that covers all modes leaves nothing to gain.
    """
    rows = []
    for target in TARGETS:
        ordered, plain = (results.lines(f"{target}-{way}") for way in WAYS)
        for words, name, sign in CLAIMS:
            if not ordered or not plain:
                rows.append((target, f"{words} (000 6.4)", "N/A"))
                continue
            a, b = (np.mean([line[name] for line in found]) for found in (ordered, plain))
            answer = "equal" if a == b else "holds" if sign * (a - b) > 0 else "does not hold"
            rows.append((target, f"{words} (000 6.4)", f"{answer}: {a:.3g} and {b:.3g}"))
    return rows


def answer(results: ExperimentResults) -> str:
    """Return in words whether order prevents the collapse of modes, over all targets."""
    shares = []
    for way in WAYS:
        lines = [line for target in TARGETS for line in results.lines(f"{target}-{way}")]
        missed = sum(line["of"] - line["modes"] for line in lines)
        shares.append((missed, sum(line["of"] for line in lines), len(lines)))
    (ordered, of, laws), (plain, of_plain, laws_plain) = shares
    if not laws or not laws_plain:
        return "Is mode collapse prevented? N/A: order-preserving or plain laws are missing."
    if plain == 0:
        words = "there was none to prevent" if ordered == 0 else "order brought it about"
    elif ordered == 0:
        words = "yes"
    else:
        words = "in part" if ordered / of < plain / of_plain else "no"
    return (
        f"Is mode collapse prevented? {words}: with order {ordered} of {of} modes were not"
        f" covered ({laws} laws), without it {plain} of {of_plain} ({laws_plain} laws)."
    )


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the tables as Markdown and CSV beside the results and return the file."""
    study, rows = results.study, table(results)
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    write_csv(where / "toys.csv", COLUMNS, rows)
    lines = [f"# {study.name}", "", study.reproduces, "", answer(results), "", EXPLANATION, ""]
    lines += [*markdown(COLUMNS, rows), ""]
    lines += [*markdown(("target", "claim", "order beside plain"), verdicts(results)), ""]
    lines += [OF_CRITICS, "", *markdown(CRITIC_COLUMNS, critic_table(results)), ""]
    lines += [f"- {file} failed: {why}" for file, why in results.failures()]
    path = where / "report.md"
    path.write_text("\n".join(lines) + "\n")
    return path


def render(results: ExperimentResults) -> str:
    """Return the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    study, parts = results.study, html.experiment_head(results)
    parts.append(f"<p><b>{escape(answer(results))}</b></p>")
    parts += [f"<p>{escape(EXPLANATION)}</p>", html.table(COLUMNS, table(results))]
    parts.append(html.table(("target", "claim", "order beside plain"), verdicts(results)))
    for name, target in TARGETS.items():
        parts += _section(results, name, target)
    parts += ["<h2>What a critic knows</h2>", f"<p>{escape(OF_CRITICS)}</p>"]
    parts.append(html.table(CRITIC_COLUMNS, critic_table(results)))
    parts += html.departures(study.departures)
    return html.page(study.name, parts)


def _section(results: ExperimentResults, name: str, target: Bumps) -> Iterator[str]:
    found = {way: results.lines(f"{name}-{way}")[:1] for way in WAYS}
    shown = {way: lines[0] for way, lines in found.items() if lines}
    if shown:
        yield f"<h2>{escape(name)}</h2>"
        yield html.image(samples_and_level_sets(target, shown), name)


def samples_and_level_sets(target: Bumps, lines: dict[str, Line]) -> "Figure":
    """Draw samples of the target, of each way coloured by p(z), and traced level sets."""
    figure, grid = panels(1 + 2 * len(lines), 3, 3.3)
    _dots(grid[0], target.draw(SHOWN, generator(0, 3)).tolist(), None)
    panel_title(grid[0], "target")
    for i, (way, line) in enumerate(lines.items()):
        samples, traces = grid[1 + 2 * i], grid[2 + 2 * i]
        _dots(samples, line["samples"], line["log_codes"])
        panel_title(samples, f"{way}: {line['modes']} of {line['of']} modes")
        _contours(traces, target)
        for trace in line["traces"]:
            traces.plot(*np.array(trace).T, linewidth=0.9)
        panel_title(traces, f"{way}: level sets")
    for axes in grid:
        axes.set(aspect="equal", xlim=(-4.5, 4.5), ylim=(-4.5, 4.5))
    return figure


def _dots(axes: Any, places: Sequence[Sequence[float]], colours: Sequence[float] | None) -> None:
    x, y = np.array(places).T
    values = "tab:blue" if colours is None else np.exp(np.array(colours))
    axes.scatter(x, y, c=values, s=3, cmap=None if colours is None else "viridis")


def _contours(axes: Any, target: Bumps) -> None:
    side = torch.linspace(-4.5, 4.5, 121, dtype=torch.float64)
    places = torch.stack(torch.meshgrid(side, side, indexing="xy"), -1)
    axes.contourf(side, side, target.log_density(places).exp(), levels=8, cmap="Greys", alpha=0.6)


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.3g}" if values else "N/A"
