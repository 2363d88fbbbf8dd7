"""Density ratios by classifiers, and what one sees while it optimizes.

Hassen and Rish (2021), Sec. 5.1, Fig. 2.

The publication defines neither function; both are those of the code of BORE, which it follows.
"""

import math
from collections.abc import Mapping
from functools import partial

import torch
from neuralbo.data import Data
from neuralbo.inference.laplace import Laplace
from neuralbo.networks.limited_memory import QuasiNewton
from neuralbo.surrogates.classifiers.class_ratio import KernelDensities, RatioClassifier
from neuralbo.surrogates.classifiers.class_sklearn import TreeClassifier
from neuralbo.surrogates.classifiers.class_support_vectors import SupportVectors
from neuralbo.surrogates.classifiers.classifier_ratio import Classifier
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio
from neuralbo.surrogates.classifiers.labels import Labels, label
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)

GAMMA = 1 / 3
REACH, PLACES = 5.0, 512
EDGE = 8.0  # the line from -8 to 8 is the cube
SAMPLES, QUICK_SAMPLES = 1000, 300
# Hassen and Rish (2021), Sec. 5.1 has three layers of 32 elu units; the precision is ours.
NETWORK = DensityRatio(delta=0.3, widths=(32, 32, 32), activation="elu", training=QuasiNewton(100))
OTHERS: Mapping[str, Classifier] = {
    "kernel densities": KernelDensities(),
    "forest": TreeClassifier("forest", trees=16, depth=3),
    "boosting": TreeClassifier("boosting", trees=16, depth=3),
    "support vectors": SupportVectors(),
    "kliep": RatioClassifier("kliep"),
    "ulsif": RatioClassifier("ulsif"),
    "rulsif": RatioClassifier("rulsif"),
}


def exact_ratio(x: Tensor) -> Tensor:
    """Return l/(gamma l + (1 - gamma) g), l = 0.3 N(2, 1) + 0.7 N(-3, 0.5^2), g = N(0, 2^2)."""
    good = 0.3 * _density(x, 2, 1) + 0.7 * _density(x, -3, 0.5)
    return good / (GAMMA * good + (1 - GAMMA) * _density(x, 0, 2))


def _density(x: Tensor, center: float, sd: float) -> Tensor:
    return (-0.5 * ((x - center) / sd).square()).exp() / (sd * math.sqrt(2 * math.pi))


def _sample(n: int, rng: Generator) -> tuple[Tensor, Labels]:
    good = n // 3
    e = torch.randn(n, generator=rng, dtype=torch.float64)
    u = torch.rand(good, generator=rng, dtype=torch.float64)
    x = torch.cat([torch.where(u < 0.3, 2 + e[:good], -3 + 0.5 * e[:good]), 2 * e[good:]])
    z = torch.cat([torch.ones(good), torch.zeros(n - good)]).double()
    return x, Labels(z, 0.0, z, 1 - z, False)


def _in_cube(x: Tensor) -> Tensor:
    return ((x + EDGE) / (2 * EDGE)).clamp(0, 1)[:, None]


def _ratios(rng: Generator, is_quick: bool) -> Illustrated:
    """Learn the ratio of two known densities by every classifier."""
    x = torch.linspace(-REACH, REACH, PLACES, dtype=torch.float64)
    exact = exact_ratio(x)
    points, labels = _sample(QUICK_SAMPLES if is_quick else SAMPLES, rng)
    learned = {
        "network": NETWORK.learn(_in_cube(points), labels, GAMMA, rng),
        **{
            name: classifier.learn(_in_cube(points), labels, rng)
            for name, classifier in OTHERS.items()
        },
    }
    numbers, panels = {"exact": _facts(x, exact, exact)}, []
    for name, odds in learned.items():
        with torch.no_grad():
            ratio = odds(_in_cube(x)).sigmoid() / GAMMA
        numbers[name] = _facts(x, ratio, exact)
        panels.append(LinePanel(title=name, x=rounded(x), curves=[rounded(exact), rounded(ratio)]))
    return Illustrated(numbers, lines=panels)


def _facts(x: Tensor, ratio: Tensor, exact: Tensor) -> dict[str, float]:
    return {
        "place of the maximum": float(x[ratio.argmax()]),
        "maximum": float(ratio.amax()),
        "mean error": float((ratio - exact).abs().mean()),
    }


def workflow_function(x: Tensor) -> Tensor:
    """sin(3x) + x^2 - 0.7x on [-1, 2]; its minimum is -0.50036 at -0.3594.

    From the code of BORE.
    """
    return (3 * x).sin() + x.square() - 0.7 * x


def _workflow(laplace: Laplace | None, rng: Generator, is_quick: bool) -> Illustrated:
    """Twenty-seven noisy values, their labels, and the probability that they teach."""
    u = torch.rand(27, generator=rng, dtype=torch.float64)
    noise = 0.2 * torch.randn(27, generator=rng, dtype=torch.float64)
    y = workflow_function(3 * u - 1) + noise
    recipe = DensityRatio(delta=0.03, laplace=laplace)
    model = recipe.fit(Data(u[:, None], -y[:, None], torch.arange(27)), rng)
    grid = torch.linspace(0, 1, PLACES // 2, dtype=torch.float64)
    with torch.no_grad():
        p = model.probability(grid[:, None])
    places = 3 * grid - 1
    order = y.sort().values
    z = label(-y, GAMMA).z
    numbers = {
        "threshold": -model.threshold,
        "good": float(z.sum()),
        "place of the maximum": float(places[p.argmax()]),
        "maximum of the ratio": float(p.amax()) / GAMMA,
        "place of the minimum": -0.3594,
    }
    truth = workflow_function(places)
    level = torch.full_like(places, -model.threshold)
    share = torch.arange(1, 28, dtype=torch.float64) / 27
    panels = [
        LinePanel(
            title="function, values, threshold", x=rounded(places),
            curves=[rounded(truth), rounded(level)],
            points=[rounded(3 * u - 1), rounded(y)],
        ),
        LinePanel(title="P(z = 1 | x)", x=rounded(places), curves=[rounded(p)]),
        LinePanel(title="share of values below", x=rounded(order), curves=[rounded(share)]),
    ]  # fmt: skip
    name = "averaged" if laplace is not None else "plug-in"
    return Illustrated({name: numbers}, lines=panels)


RATIOS = {
    "density-ratios": Illustration(
        _ratios, "Hassen and Rish (2021), Fig. 1",
        "Classifiers find the mode of the ratio, -3.20; kernel densities move it to about -3.7.",
    ),
    "class-workflow": Illustration(
        partial(_workflow, None), "Hassen and Rish (2021), Figs. 2 and 4",
        "The best third of the values, the probability that they teach, and the share of values "
        "below each.",
    ),
    "class-workflow-averaged": Illustration(
        partial(_workflow, Laplace()), "Hassen and Rish (2021), Fig. 2",
        "The same with the probability averaged over the posterior of the weights.",
    ),
}  # fmt: skip
