"""Precision of the prior and share of good ones: class balance and calibration.

Hassen and Rish (2021), Sec. 5.3.

Hassen and Rish (2021) name the experiment and prints no values; the sweep is ours.
"""

import time
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from neuralbo.data import Data
from neuralbo.engine.step import FIT, generator
from neuralbo.inference.laplace import Laplace
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio
from neuralbo.surrogates.classifiers.labels import label
from torch import Tensor

from neuralbo_lab import figures, problems
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.tables import folder_for, markdown, mean_in_words, write_csv
from neuralbo_lab.pages import html
from neuralbo_lab.statistics.calibration import Reliability, brier_score, reliability

DELTAS, GAMMAS = (0.01, 0.1, 1.0, 10.0), (0.1, 0.25, 1 / 3, 0.5)
SETTINGS = {f"delta-{d:g}-gamma-{g:.2g}": (d, g) for d in DELTAS for g in GAMMAS}
PROBLEMS = ("branin", "camelback", "hartmann6")
VARIANTS = {"plug-in": None, "averaged": Laplace()}
TRIALS, TEST, QUICK_TEST = 60, 2000, 200
SCORES = ("good", "flips", "mean_pi", "lowest_pi", "highest_pi", "ece", "brier", "brier_constant")
COLUMNS = ("problem", "delta", "gamma", "way", "seeds", *SCORES)
EXPLANATION = """\
Means over the seeds. A network is trained on 60 random points; good is their share of good ones,
flips how many old labels one more point changes on the mean (at most one). The other
numbers are of points it has not seen, whose classes are given by the same threshold: mean, lowest
and highest probability, calibration error in ten bins, Brier score, and the Brier score of the
constant probability that is right on the mean."""


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Train with one delta and gamma on all problems, and look at the probabilities."""
    began = time.process_time()
    delta, gamma = SETTINGS[method]
    found: list[dict[str, Any]] = []
    for problem in PROBLEMS:
        X, y = _sample(problem, TRIALS, seed, 0)
        U, v = _sample(problem, QUICK_TEST if is_quick else TEST, seed, 1)
        flips = _flips(y, gamma)
        for variant, laplace in VARIANTS.items():
            recipe = DensityRatio(gamma=gamma, delta=delta, laplace=laplace)
            model = recipe.fit(Data(X, y[:, None], torch.arange(len(y))), generator(seed, FIT))
            with torch.no_grad():
                p = model.probability(U).numpy()
            z = (v >= model.threshold).double().numpy()
            bins = reliability(p, z)
            found.append(
                {
                    "problem": problem, "way": variant,
                    "good": float(label(y, gamma).z.mean()), "flips": flips,
                    "mean_pi": float(p.mean()), "lowest_pi": float(p.min()),
                    "highest_pi": float(p.max()), "ece": bins.error,
                    "brier": brier_score(p, z),
                    "brier_constant": float(z.mean() * (1 - z.mean())),
                    "bins": [x.tolist() for x in (bins.predicted, bins.observed, bins.counts)],
                }
            )  # fmt: skip
    return {"found": found, "seconds": {"cpu": time.process_time() - began}}


def _sample(problem: str, n: int, seed: int, stream: int) -> tuple[Tensor, Tensor]:
    """Return random points of the cube and values of which large ones are good."""
    found = problems.find(problem)
    assert isinstance(found, problems.Problem)
    U = torch.rand(n, found.d, generator=generator(seed, 7, stream), dtype=torch.float64)
    return U, -found.regret(U)


def _flips(y: Tensor, gamma: float) -> float:
    """Return how many old labels one more value changes, on the mean over the sequence."""
    z = [label(y[:n], gamma).z for n in range(6, len(y) + 1)]
    changes = [float((new[:-1] != old).sum()) for old, new in pairwise(z)]
    return float(np.mean(changes))


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each problem, setting and way: means over the seeds."""
    rows = []
    for at, problem in enumerate(PROBLEMS):
        for method, (delta, gamma) in SETTINGS.items():
            lines = results.lines(method)
            for k, variant in enumerate(VARIANTS):
                entries = [line["found"][at * len(VARIANTS) + k] for line in lines]
                scores = (mean_in_words([entry[name] for entry in entries]) for name in SCORES)
                key = problem, f"{delta:g}", f"{gamma:.2g}", variant, str(len(entries))
                rows.append((*key, *scores))
    return rows


def pooled(results: ExperimentResults, problem: str, variant: str, gamma: float) -> Any:
    """Return the reliability over all seeds for each delta."""
    found = {}
    for method, (delta, other) in SETTINGS.items():
        entries = [
            entry["bins"]
            for line in results.lines(method)
            for entry in line["found"]
            if entry["problem"] == problem and entry["way"] == variant
        ]
        if other == gamma and entries:
            predicted, observed, counts = (np.concatenate(x) for x in zip(*entries, strict=True))
            found[f"delta {delta:g}"] = _merged(predicted, observed, counts)
    return found


def _merged(predicted: Any, observed: Any, counts: Any) -> Reliability:
    """Join bins of several seeds by where they lie."""
    where = np.minimum((predicted * 10).astype(int), 9)
    total = np.bincount(where, counts, 10).astype(float)
    kept = total > 0
    p, z = (np.bincount(where, counts * x, 10)[kept] / total[kept] for x in (predicted, observed))
    return Reliability(p, z, total[kept])


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results and return the file."""
    rows = table(results)
    write_csv(folder_for(results.study, root) / "balance.csv", COLUMNS, rows)
    return results.write(root, [EXPLANATION, "", *markdown(COLUMNS, rows), ""])


def render(results: ExperimentResults) -> str:
    """Return the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    parts = [f"<p>{escape(EXPLANATION)}</p>", html.table(COLUMNS, table(results))]
    parts += ["<h2>Reliability, gamma = 1/3</h2>", *_diagrams(results)]
    return html.experiment_page(results, parts)


def _diagrams(results: ExperimentResults) -> Iterator[str]:
    for problem in PROBLEMS:
        for variant in VARIANTS:
            found = pooled(results, problem, variant, 1 / 3)
            if found:
                title = f"{problem}, {variant}"
                yield html.image(figures.reliability_diagram(found, title), title)


HASSEN_BALANCE = ExperimentStudy(
    name="hassen-balance",
    reproduces="Hassen and Rish (2021) 5.3, Fig. 4: effect of the prior on class balance",
    methods=tuple(SETTINGS),
    measure=measure,
    write=write,
    render=render,
    seeds=10,
    departures=(
        "Hassen and Rish (2021) give no values of the prior, no sweep and no number; the "
        "sweep is ours.",
        "Random points instead of those of an optimization, so that probabilities can be compared"
        " with what happens at other random points.",
    ),
)
