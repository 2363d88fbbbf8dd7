"""Speed and quality as ratios, measured in one run: `neuralbo lab speed NAME`.

Contestants take turns, with one thread each, so that a busy machine slows all of them.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from neuralbo.errors import unknown_name
from rich.console import Console
from rich.table import Table

from neuralbo_lab.core.machine import machine
from neuralbo_lab.speed import (
    classifiers,
    fits,
    implicit_networks,
    learning_curves,
    mixed_integer,
    mixtures,
    quality,
    sampling,
    scale,
    start,
    stopped_trainings,
    surrogates,
    training,
)
from neuralbo_lab.speed.goals import Measured, columns_and_rows

SPEEDS: dict[str, tuple[Callable[[bool], Measured], str]] = {
    "start": (start.run, "how long `import neuralbo` and `neuralbo --help` take"),
    "scale": (scale.run, "time and memory up to a million trials, and BoTorch's GP"),
    "fits": (fits.run, "fits of a Gaussian process beside BoTorch's, searches beside SciPy's"),
    "sampling": (
        sampling.run,
        "effective draws of sampled networks beside Pyro and NumPyro; ~25 minutes",
    ),
    "mixed_integer": (
        mixed_integer.run,
        "time of a proven maximum against the size of the network; ~60 minutes at most",
    ),
    "training": (
        training.run,
        "training of networks: members in one batch, share of the peak; ~30 minutes",
    ),
    "mixtures": (
        mixtures.run,
        "suggestions of kde, gmr and spn beside the publication's fits; ~10 minutes",
    ),
    "classifiers": (
        classifiers.run,
        "suggestions of classifiers up to 5,000 trials, and Optuna's GPSampler; ~10 minutes",
    ),
    "implicit": (
        implicit_networks.run,
        "suggestions of ivbnn_fast and conditional_map beside Optuna's GPSampler; ~5 minutes",
    ),
    "curves": (
        learning_curves.run,
        "reports to NeuralPruner and suggestions with learning curves; ~1 minute",
    ),
    "surrogates": (
        surrogates.run,
        "CPU seconds of a suggestion with each name of the catalog; ~20 minutes",
    ),
    "trainings": (
        stopped_trainings.run,
        "seconds to the same error with NeuralPruner and without; ~5 minutes",
    ),
    "quality": (quality.run, "regret and seconds beside Optuna's samplers; ~20 minutes"),
}


def measure(name: str, *, as_json: bool, is_quick: bool) -> int:
    """Run one measurement and print it; returns 0 also if a goal is missed."""
    console = Console(file=sys.stderr if as_json else sys.stdout)
    if name == "list":
        for known, (_, text) in SPEEDS.items():
            console.print(f"{known:14} {text}")
        return 0
    if name not in SPEEDS:
        raise unknown_name("measurement", name, SPEEDS)
    measured = SPEEDS[name][0](is_quick)
    _show(console, measured)
    if as_json:
        print(json.dumps({"name": name, **asdict(measured), "machine": machine()}))
    return 0


def _show(console: Console, measured: Measured) -> None:
    for title, rows in measured.figures.items():
        console.print(f"[bold]{title}[/bold]")
        if isinstance(rows, dict):
            _table(console, rows)
        else:
            console.print(f"  {rows}")
    for goal in measured.goals:
        sign = "[green]holds[/green]" if goal.holds else "[red]missed[/red]"
        console.print(f"{sign}: {goal.goal}: {goal.measured:.4g} (wanted {goal.wanted:.4g})")


def _table(console: Console, rows: dict[str, Any]) -> None:
    columns, cells_of = columns_and_rows(rows)
    table = Table(*columns)
    for name, *cells in cells_of:
        table.add_row(name, *(_text(cell) for cell in cells))
    console.print(table)


def _text(cell: Any) -> str:
    if isinstance(cell, list):
        return " to ".join(f"{x:.3g}" for x in cell)
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
