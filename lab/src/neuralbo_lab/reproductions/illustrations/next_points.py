"""Where criteria would evaluate next, on a Gaussian process of one variable.

Aryan (2020), Figs. 2.11 and 2.12; Kruse (2022), Figs. 2.2 and 2.3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from neuralbo.catalog import SURROGATES
from neuralbo.criteria import ExpectedImprovement, ProbabilityOfImprovement, UpperBound
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates.surrogate import moments_of
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)
from neuralbo_lab.reproductions.illustrations.prior_functions import FIVE, UNIT, sinusoid

Build = Callable[[Step, Model], AcquisitionFunction]
BOUNDS: Mapping[str, Build] = {f"bound, k = {k:g}": UpperBound(k) for k in (0.5, 1.0, 2.0, 4.0)}
IMPROVEMENTS: Mapping[str, Build] = {
    **{f"probability, a = {a:g}": ProbabilityOfImprovement(trade_off=a) for a in (0.0, 0.1)},
    "expected improvement": ExpectedImprovement(),
}
OF_KRUSE: Mapping[str, Build] = {
    "expected improvement": ExpectedImprovement(),
    "bound, confidence 0.841": UpperBound(1.0),
    "bound, confidence 0.999": UpperBound(3.0),
}


@final
@dataclass(frozen=True, slots=True)
class Toy:
    """A function that is minimized, and where it has been evaluated.

    Attributes:
        surrogate: by its name in the catalog.
        low, high: of its variable.
        x: places in these units.
    """

    function: Callable[[Tensor], Tensor]
    surrogate: str
    low: float
    high: float
    x: Tensor

    def unit(self, x: Tensor) -> Tensor:
        """Return places in the unit cube, n x 1."""
        return ((x - self.low) / (self.high - self.low))[:, None]


def wave(x: Tensor) -> Tensor:
    """Return 2 cos(4 pi x/100), the toy of Kruse (2022), Fig. 2.2, in its published code."""
    return 2 * torch.cos(4 * torch.pi * x / 100)


SINUSOID = Toy(sinusoid, "gp", 0.0, 1.0, FIVE)
WAVE = Toy(
    wave, "gp_kruse", -100.0, 100.0,
    torch.tensor(np.random.RandomState(21).uniform(-100, 100, 10), dtype=torch.float64),
)  # fmt: skip


def _next_points(
    toy: Toy, criteria: Mapping[str, Build], rng: Generator, is_quick: bool
) -> Illustrated:
    """Fit once; for each criterion say where it is largest, and what is known there."""
    y = toy.function(toy.x)
    data = Data(toy.unit(toy.x), -y[:, None])  # larger is better inside
    model = SURROGATES[toy.surrogate].fit(data, rng)
    x = toy.low + (toy.high - toy.low) * UNIT
    with torch.no_grad():
        mean, variance = (m.flatten() for m in moments_of(model.posterior(UNIT[:, None, None])))
    sd, best = variance.sqrt(), float(toy.x[y.argmin()])
    band = torch.stack([-mean, -mean - 2 * sd, -mean + 2 * sd])
    lines = [
        LinePanel(
            title=f"{toy.surrogate}, ±2 sd", x=rounded(x), band=rounded(band),
            curves=[rounded(toy.function(x))], points=rounded(torch.stack([toy.x, y])),
        )
    ]  # fmt: skip
    numbers = {}
    step = Step(data, Domain((Variable(),)), 0, len(y))
    for name, build in criteria.items():
        with torch.no_grad():
            a = build(step, model)(UNIT[:, None, None])
        at = int(a.argmax())
        numbers[name] = {
            "next": float(x[at]),
            "from the best": abs(float(x[at]) - best),
            "mean there": float(-mean[at]),
            "sd there": float(sd[at]),
        }
        place = torch.stack([x[at : at + 1], a[at : at + 1]])
        lines.append(
            LinePanel(title=name, x=rounded(x), curves=[rounded(a)], points=rounded(place))
        )
    return Illustrated(numbers, lines=lines)


NEXT_POINTS = {
    "lower-bounds": Illustration(
        partial(_next_points, SINUSOID, BOUNDS), "Aryan (2020), Fig. 2.11",
        "The larger k, the farther from the best point; 0.5 evaluates beside it. Drawn as the "
        "upper bound of the negative function, which is the same place.",
    ),
    "improvements": Illustration(
        partial(_next_points, SINUSOID, IMPROVEMENTS), "Aryan (2020), Fig. 2.12 and Sec. 2.4",
        "Without a margin the probability of improvement is largest beside the best point; a "
        "margin a, or the size of the improvement, drives it away.",
    ),
    "next-of-kruse": Illustration(
        partial(_next_points, WAVE, OF_KRUSE), "Kruse (2022), Figs. 2.2 and 2.3",
        "In the publication 26.06, 25.40 and, with the confidence 0.999, -13.29.",
    ),
}  # fmt: skip
