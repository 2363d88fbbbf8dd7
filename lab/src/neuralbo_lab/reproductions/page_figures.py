"""The figures of docs/reproductions.md, drawn from the stored lines.

    python -m neuralbo_lab.reproductions.page_figures results docs/images

A panel shows the seeds that all of its methods have run, and no others. Illustrations are made
anew: they have no stored lines, and take a second.
"""

import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, final

import numpy as np
from neuralbo.engine.step import FIT, generator
from neuralbo.reporting.plots import new_figure

from neuralbo_lab import figures
from neuralbo_lab.claims.outcome import ANSWERS
from neuralbo_lab.core.claims_of_studies import counts
from neuralbo_lab.core.regression_study import KRUSE_SIZES
from neuralbo_lab.reproductions.hoegger.hoegger_names import SURROGATES, scaled
from neuralbo_lab.reproductions.illustrations import ILLUSTRATED
from neuralbo_lab.reproductions.illustrations.ring import density
from neuralbo_lab.reproductions.page import claims_by_document
from neuralbo_lab.reproductions.page_tables import (
    AGRAWAL,
    HASSEN,
    KRUSE_1D,
    KRUSE_SURROGATES,
    RVFL,
    Names,
    Stored,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 72
COLOURS = 64
SHADES = ("tab:green", "tab:red", "0.7", "0.9")  # of the answers


class Drawn(Protocol):
    """A figure of the page."""

    def draw(self, stored: Stored) -> "Figure":
        """Draw it."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Answers:
    """How many claims of each document have each answer, as bars."""

    def draw(self, stored: Stored) -> "Figure":
        """Draw a bar for each document, in the order of the page."""
        found = {name: counts(claims) for name, claims in claims_by_document(stored).items()}
        figure = new_figure(figures.FULL_WIDTH, 0.6 + 0.45 * len(found))
        axes = figure.add_subplot()
        left = np.zeros(len(found))
        for answer, shade in zip(ANSWERS, SHADES, strict=True):
            numbers = np.array([one[answer.replace(" ", "_")] for one in found.values()])
            bars = axes.barh(list(found), numbers, left=left, color=shade, label=answer)
            axes.bar_label(bars, [str(n) if n else "" for n in numbers], label_type="center")
            left = left + numbers
        axes.invert_yaxis()
        axes.set(xlabel="claims")
        figures.legend_below(figure)
        return figure  # type: ignore[no-any-return]


@final
@dataclass(frozen=True, slots=True)
class Scores:
    """A score of fits against the number of points: a panel for each problem."""

    study: str
    score: str
    sizes: tuple[int, ...]
    surrogates: Names

    def draw(self, stored: Stored) -> "Figure":
        """Draw the fits of the seeds that all surrogates share at all sizes."""
        results = stored.results(self.study)
        names = tuple(self.surrogates.values())
        panels, least = {}, []
        for problem in results.study.problems:
            shared = [
                results.shared_scores(problem, names, size, self.score) for size in self.sizes
            ]
            few = min(map(len, shared))
            values = np.stack([one[:few] for one in shared], 1)  # seeds x sizes x surrogates
            least.append(few)
            panels[problem] = {label: values[..., i] for i, label in enumerate(self.surrogates)}
        sizes, title = np.array(self.sizes, dtype=np.float64), f"{self.study}: {min(least)} fits"
        return figures.score_against_size(panels, sizes, self.score, title)


@final
@dataclass(frozen=True, slots=True)
class Illustrated:
    """A figure of a publication that has no table."""

    name: str

    def draw(self, stored: Stored) -> "Figure":
        """Make it with the first seed."""
        made = ILLUSTRATED[self.name].make(generator(0, FIT), False)
        return figures.illustration(made.planes, made.lines, density)


@final
@dataclass(frozen=True, slots=True)
class Curves:
    """Regret against the trials: a panel for each problem, a line for each method."""

    study: str
    methods: Names
    problems: Names

    def draw(self, stored: Stored) -> "Figure":
        """Draw the common seeds; the title says how many."""
        results = stored.results(self.study)
        panels, sizes = {}, []
        for label, problem in self.problems.items():
            curves = results.paired(problem, tuple(self.methods.values()))
            sizes.append(len(curves))
            panels[label] = {name: curves[:, i] for i, name in enumerate(self.methods)}
        few, many = min(sizes), max(sizes)
        seeds = str(few) if few == many else f"{few} to {many}"
        return figures.regret_panels(panels, f"{self.study}: {seeds} common seeds")


def _plain(names: Names, *chosen: str) -> dict[str, str]:
    """Return some names without the marks of code."""
    return {
        label.strip("`"): name for label, name in names.items() if not chosen or label in chosen
    }


FIGURES: Mapping[str, Drawn] = {
    "claims": Answers(),
    "kruse-regression-1d": Scores(
        "kruse-regression-1d", "exp_mlpd", KRUSE_SIZES,
        _plain(KRUSE_SURROGATES, "`kde`", "`gmr`", "`spn`", "`gp_kruse`", "empirical"),
    ),
    "two-optima": Illustrated("two-optima"),
    "one-toy": Illustrated("one-toy"),
    "kruse-bo-1d": Curves(
        "kruse-bo-1d",
        {"gp_kruse": "gp_kruse/ei/random", "BNN": "bnn_nuts_fast/ei/random",
         "BOHAMIANN": "bohamiann_fast/ei/random", "kde": "kde/ei/random",
         "kde, exact": "kde/mixture_ei/random", "random": "empirical/ei/random"},
        KRUSE_1D,
    ),
    "agrawal-benchmark": Curves(
        "agrawal-benchmark", _plain(AGRAWAL),
        {name: f"agrawal-{name.lower()}" for name in ("Forrester", "Rosenbrock", "McCormick",
                                                     "Camel")},
    ),
    "aryan-synthetic": Curves(
        "aryan-synthetic",
        {**_plain(RVFL, "`brvfl2_aryan`", "`brvfl4_aryan`"), "brvfl4": "brvfl4",
         "random": "random"},
        {name: name for name in ("bohachevsky", "hartmann6", "aryan-levy10", "rosenbrock5")},
    ),
    "hassen-synthetic": Curves(
        "hassen-synthetic",
        _plain(HASSEN, "`boggn`", "`bore`", "`bore_single`", "`lfbo`", "TPE", "random"),
        {"Branin": "branin", "camel": "camelback", "Hartmann-3": "hartmann3",
         "Hartmann-6": "hartmann6"},
    ),
    "hoegger-1d": Curves(
        "hoegger-1d", {name: scaled(name, "1.0") for name in SURROGATES},
        {"Forrester": "hoegger-forrester", "Levy": "hoegger-levy1", "SinOne": "hoegger-sinone"},
    ),
}  # fmt: skip


def main(root: Path, folder: Path) -> None:
    """Write all figures.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from PIL import Image  # what matplotlib writes with

    stored = Stored(root)
    for name, curves in FIGURES.items():
        figure = curves.draw(stored)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH)
        # a figure has few colours: this is a third of its bytes
        Image.open(drawn).convert("RGB").quantize(COLOURS).save(folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
