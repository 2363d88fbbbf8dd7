"""How large a network `mixed_integer` can maximize with a proof, and how long that takes.

Networks are those of 004 2.2, with a main and a side net of equal widths, trained for a moment
on eight points of Levy's function; what is measured is one maximization of the upper bound.
"""

import statistics
import time
from dataclasses import replace
from typing import Any, final

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.posteriors import Posterior
from rich.console import Console
from rich.progress import track
from torch import Generator, Tensor

from neuralbo.criteria import UpperBound
from neuralbo.criteria.base import MomentsModel
from neuralbo.data import Data, Units, input_units
from neuralbo.lab import problems
from neuralbo.lab.goals import Measured, at_most
from neuralbo.maximizers import Mixed, MixedInteger
from neuralbo.maximizers.base import evaluate
from neuralbo.networks.piecewise_linear import Layer, PiecewiseLinearNetwork
from neuralbo.space import Space
from neuralbo.step import Step, generator
from neuralbo.threads import one_thread

LIMIT = 60.0  # seconds
SIZES = ((8, 8), (16, 16), (24, 24), (32, 32), (48, 48), (64, 64), (16, 16, 16))
QUICK_SIZES, QUICK_LIMIT = ((8, 8), (16, 16)), 10.0
DIMENSIONS, SEEDS = (1, 2, 5), 3
START, STEPS, AUGMENTED = 8, 300, 200
CERTAIN = 1e-5  # a difference to what is best elsewhere that is none


def run(is_quick: bool) -> Measured:
    """Measure all sizes in all dimensions; the quick way takes two sizes, one network each."""
    sizes, seeds = (QUICK_SIZES, 1) if is_quick else (SIZES, SEEDS)
    maximizer = MixedInteger(seconds=QUICK_LIMIT if is_quick else LIMIT)
    cells = [(widths, d) for widths in sizes for d in DIMENSIONS]
    figures: dict[str, Any] = {}
    behind = []
    for widths, d in track(cells, "mixed_integer", console=Console(stderr=True)):
        rows = [measured_once(maximizer, widths, d, seed) for seed in range(seeds)]
        name = "x".join(map(str, widths))
        figures[f"2 nets of {name}, {d} variables"] = {
            "median seconds": statistics.median(row["seconds"] for row in rows),
            "proven": f"{sum(row['is_optimal'] for row in rows):.0f} of {seeds}",
            "largest gap": max(row["gap"] for row in rows),
            "multistart seconds": statistics.median(row["climbing"] for row in rows),
            "multistart behind by": max(row["behind"] for row in rows),
        }
        behind += [row["short"] for row in rows]
    goal = at_most("largest amount by which multistart is better", max(behind), CERTAIN)
    words = f"one maximization, at most {maximizer.seconds:g} seconds; values have a range of 2"
    return Measured({words: figures}, [goal])


def measured_once(
    maximizer: MixedInteger, widths: tuple[int, ...], d: int, seed: int
) -> dict[str, float]:
    """Train one network, and maximize its upper bound with and without a proof."""
    with one_thread():
        step = _step(d, seed)
        acquisition = UpperBound(1.0)(step, NetworkModel(trained(step.data, widths, seed)))
        began = time.perf_counter()
        proven = evaluate(acquisition, maximizer(step, acquisition, 1))
        seconds = time.perf_counter() - began
        climbed = evaluate(acquisition, Mixed()(replace(step, record={}), acquisition, 1))
        climbing = time.perf_counter() - began - seconds
    return {
        "seconds": seconds,
        "climbing": climbing,
        "gap": float(step.record["mip_gap"]),
        "is_optimal": float(step.record["mip_status"] == "optimal"),
        "behind": max(float(proven - climbed), 0.0),
        "short": max(float(climbed - proven), 0.0),
    }


def _step(d: int, seed: int) -> Step:
    problem = problems.levy(d)
    domain = Space(problem.space()).domain
    X = domain.sample(START, generator(seed, d))
    Y = -problem.f(problem.low + (problem.high - problem.low) * X)[:, None]
    data = Data(X, Y, torch.arange(START))
    return Step.of(Data(X, data.range_units().numbers(Y)), domain, seed=seed, number=START)


@final
class NetworkModel(MomentsModel):
    """A model that is a description of a network."""

    num_outputs = 1

    def __init__(self, network: PiecewiseLinearNetwork) -> None:
        super().__init__()
        self.network = network

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance, ... x d to ... and ...."""
        mean, deviation = self.network.moments(X)
        return mean, deviation.square()

    def piecewise_linear(self) -> PiecewiseLinearNetwork:
        """Return the network."""
        return self.network

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Do not: there is no joint law here."""
        raise NotImplementedError("only moments are measured here.")


def trained(data: Data, widths: tuple[int, ...], seed: int) -> PiecewiseLinearNetwork:
    """Train both nets with the loss of 004 Eq. (4.3) by Adam, on the raw deviation."""
    rng, d = generator(seed, len(widths)), data.X.shape[-1]
    main = _layers((d, *widths), widths[-1], rng)
    side = _layers((d, *widths), 2 * widths[-1], rng)
    one = Units(data.Y.new_zeros(1), data.Y.new_ones(1))
    raw = PiecewiseLinearNetwork(main, side, -1e9, 1e9, input_units("symmetric", data.X), one)
    adam = torch.optim.Adam([part for layer in main + side for part in layer], lr=3e-3)
    for _ in range(STEPS):
        more = torch.rand(AUGMENTED, d, generator=rng, dtype=torch.float64)
        mean, deviation = raw.moments(torch.cat([data.X, more]))
        n = data.n
        loss = (mean[:n] - data.Y[:, 0]).square().sum() + deviation[:n].square().sum()
        loss = loss + 0.01 * (-30 * deviation[n:]).exp().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
    frozen = [tuple((W.detach(), b.detach()) for W, b in layers) for layers in (main, side)]
    return replace(raw, main=frozen[0], side=frozen[1], low=1e-6, high=2.0)


def _layers(sizes: tuple[int, ...], last: int, rng: Generator) -> tuple[Layer, ...]:
    """Draw layers of these sizes and one output; He et al. (2015), Eq. (10)."""
    shapes = [*zip(sizes[1:], sizes[:-1], strict=True), (1, last)]
    return tuple(
        (
            ((2 / into) ** 0.5 * torch.randn(out, into, generator=rng, dtype=torch.float64))
            .requires_grad_(),
            torch.zeros(out, dtype=torch.float64, requires_grad=True),
        )
        for out, into in shapes
    )  # fmt: skip
