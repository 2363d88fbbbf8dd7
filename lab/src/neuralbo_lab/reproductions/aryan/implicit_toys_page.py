"""Tables and figures of the implicit distributions in the plane."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from neuralbo.engine.step import generator

from neuralbo_lab.claims.claim import compared, difference
from neuralbo_lab.claims.outcome import Outcome, decide
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.tables import conclusions, folder_for, markdown, mean_in_words, write_csv
from neuralbo_lab.figures.style import panel_title, panels
from neuralbo_lab.pages import html
from neuralbo_lab.reproductions.aryan.implicit_toys import (
    CRITICS,
    DIMENSIONS,
    SHOWN,
    TARGETS,
    TOYS,
    VARIANTS,
    Bumps,
    measure,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORES = ("modes", "of", "near", "order", "spread", "hops")
COLUMNS = ("target", "way", "seeds", *SCORES)
SOURCE = "Aryan (2020), Sec. 6.4"
CRITIC_COLUMNS = (
    "numbers P", "seeds", "known, per number", "critic at half", "critic at the end",
    "flat distribution at half", "flat distribution at the end",
)  # fmt: skip
EXPLANATION = """\
Means over the seeds. modes: those that have a fifth of their share of 2000 samples; near: part of
the samples within three standard deviations of a mode; order: Spearman's correlation of log p(z)
and the log density of the target; spread: how far the log density varies along a traced level set,
as a part of how far it varies over all samples, by quartiles; hops: modes covered by the likeliest
code alone."""
CLAIMS = (
    ("less mode collapse: more modes covered", "modes", 1),
    ("the order of level sets is kept: a larger correlation", "order", 1),
    ("a code stays on its level set: a smaller spread", "spread", -1),
)
OF_CRITICS = """\
A critic is trained between N(0, I) in P numbers and a distribution that does not change. Of N(0,
I/4) the divergence is known. Of a distribution in at most five of the dimensions it is infinite:
what the critic says is a matter of how long it was trained."""


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each target and way."""
    rows = []
    for target in TARGETS:
        for variant in VARIANTS:
            lines = results.lines(f"{target}-{variant}")
            scores = (mean_in_words([line[name] for line in lines]) for name in SCORES)
            rows.append((target, variant, str(len(lines)), *scores))
    return rows


def critic_table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each number of dimensions."""
    rows = []
    for P in DIMENSIONS:
        lines = results.lines(f"critic-{P}")
        cells = [mean_in_words([line["known"] for line in lines])]
        for name in ("learnt", "flat"):
            cells += [mean_in_words([line[name][i] for line in lines]) for i in (0, 1)]
        rows.append((str(P), str(len(lines)), *cells))
    return rows


def outcomes(results: ExperimentResults) -> list[tuple[str, str, Outcome]]:
    """Return Aryan's claims of each target: words, source, and whether they hold here.

    Means that are equal are no gain: a plain distribution that covers all modes leaves none.
    """
    rows = []
    for target in TARGETS:
        pairs = results.shared_lines(tuple(f"{target}-{variant}" for variant in VARIANTS))
        for words, name, sign in CLAIMS:
            found = decide([], [f"both ways on {target}"], "")
            if pairs:
                numbers = np.array([[float(line[name]) for line in pair] for pair in pairs])
                part = difference(-sign * numbers, "mean", compared(numbers, "mean"))
                found = decide([part], [], f"difference of means of {name}")
            rows.append((f"{target}, with order and plain: {name}", f"{SOURCE}: {words}", found))
    return rows


def answer(results: ExperimentResults) -> str:
    """Return in words whether order prevents the collapse of modes, over all targets."""
    shares = []
    for variant in VARIANTS:
        lines = [line for target in TARGETS for line in results.lines(f"{target}-{variant}")]
        missed = sum(line["of"] - line["modes"] for line in lines)
        shares.append((missed, sum(line["of"] for line in lines), len(lines)))
    (ordered, of, distributions), (plain, of_plain, distributions_plain) = shares
    if not distributions or not distributions_plain:
        return (
            "Is mode collapse prevented? N/A: order-preserving or plain distributions are missing."
        )
    if plain == 0:
        words = "there was none to prevent" if ordered == 0 else "order brought it about"
    elif ordered == 0:
        words = "yes"
    else:
        words = "in part" if ordered / of < plain / of_plain else "no"
    return (
        f"Is mode collapse prevented? {words}: with order {ordered} of {of} modes were not"
        f" covered ({distributions} distributions), without it {plain} of {of_plain} "
        f"({distributions_plain} distributions)."
    )


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the tables as Markdown and CSV beside the results and return the file."""
    rows = table(results)
    write_csv(folder_for(results.study, root) / "toys.csv", COLUMNS, rows)
    lines = [answer(results), "", EXPLANATION, "", *markdown(COLUMNS, rows), ""]
    where = folder_for(results.study, root)
    lines += [*conclusions(where, outcomes(results), ()), ""]
    lines += [OF_CRITICS, "", *markdown(CRITIC_COLUMNS, critic_table(results)), ""]
    return results.write(root, lines)


def render(results: ExperimentResults) -> str:
    """Return the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    parts = [f"<p><b>{escape(answer(results))}</b></p>", f"<p>{escape(EXPLANATION)}</p>"]
    parts += [html.table(COLUMNS, table(results)), *html.conclusions(outcomes(results))]
    for name, target in TARGETS.items():
        parts += _section(results, name, target)
    parts += ["<h2>What a critic knows</h2>", f"<p>{escape(OF_CRITICS)}</p>"]
    parts.append(html.table(CRITIC_COLUMNS, critic_table(results)))
    return html.experiment_page(results, parts)


def _section(results: ExperimentResults, name: str, target: Bumps) -> Iterator[str]:
    found = {variant: results.lines(f"{name}-{variant}")[:1] for variant in VARIANTS}
    shown = {variant: lines[0] for variant, lines in found.items() if lines}
    if shown:
        yield f"<h2>{escape(name)}</h2>"
        yield html.image(samples_and_level_sets(target, shown), name)


def samples_and_level_sets(target: Bumps, lines: dict[str, Line]) -> "Figure":
    """Draw samples of the target, of each way coloured by p(z), and traced level sets."""
    figure, grid = panels(1 + 2 * len(lines), 3, 3.3)
    _dots(grid[0], target.draw(SHOWN, generator(0, 3)).tolist(), None)
    panel_title(grid[0], "target")
    for i, (variant, line) in enumerate(lines.items()):
        samples, traces = grid[1 + 2 * i], grid[2 + 2 * i]
        _dots(samples, line["samples"], line["log_codes"])
        panel_title(samples, f"{variant}: {line['modes']} of {line['of']} modes")
        _contours(traces, target)
        for trace in line["traces"]:
            traces.plot(*np.array(trace).T, linewidth=0.9)
        panel_title(traces, f"{variant}: level sets")
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


ARYAN_IMPLICIT_TOYS = ExperimentStudy(
    name="aryan-implicit-toys",
    reproduces="Aryan (2020) 6.4, Figs. 6.3 to 6.6: order-preserving implicit models",
    methods=(*TOYS, *CRITICS),
    measure=measure,
    write=write,
    render=render,
    conclude=outcomes,
    seeds=5,
    departures=(
        "The mixtures, the networks and their training are ours: Aryan (2020) gives none. Only"
        " the inputs of the generator are its own, a normal code and an angle, of which the"
        " network sees eight harmonics.",
        "The cost by which samples are ordered is -log of the target's density, which is known"
        " here: that of Aryan (2020) carries no order where the fit is good. It is taken"
        " five times, so that pairs which are in order hardly count.",
        "kappa grows from 0 to 0.3 in training: with order from the start modes are lost. All"
        " pairs of a batch are compared.",
        "Aryan (2020) has no numbers; the three measures are our substitutes.",
        "What a critic knows in many dimensions is not in Aryan (2020): it is why `ivbnn_fast` has"
        " none.",
    ),
    quick_seeds=1,
)
