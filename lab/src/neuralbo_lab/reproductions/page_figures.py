"""The figures of docs/reproductions.md, drawn from the stored lines.

    python -m neuralbo_lab.reproductions.page_figures results docs/images

A panel shows the seeds that all of its methods have run, and no others.
"""

import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from neuralbo_lab import figures
from neuralbo_lab.reproductions.hoegger.hoegger_names import SURROGATES, scaled
from neuralbo_lab.reproductions.page_tables import AGRAWAL, HASSEN, KRUSE_1D, RVFL, Names, Stored

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 72
COLOURS = 64


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


FIGURES: Mapping[str, Curves] = {
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
