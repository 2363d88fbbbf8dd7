"""How fast networks are trained: members side by side or one by one, and seconds of a suggestion.

Contestants take turns, with one thread; seconds are of the CPU, since other processes may want it
too.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import torch
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent
from neuralbo.policies import Policy
from neuralbo.surrogates.trained.deep_ensemble import SquaredLoss
from neuralbo.surrogates.trained.nomu import Nomu, NomuLoss
from neuralbo.surrogates.trained.trained_presets import DOCUMENT, NOMU, PRESETS
from rich.console import Console
from rich.progress import track
from torch import Tensor, nn

from neuralbo_lab import problems
from neuralbo_lab.speed.goals import Goal, Measured, at_most


@final
@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured.

    Attributes:
        members, widths, rows, steps: of the ensemble that is trained both ways.
        turns: how often each contestant has its turn.
        nomu: the recipe whose share of the peak is measured; `nomu_steps` steps of it.
        product: rows and columns of the matrices whose product is the peak.
        trials, d, suggestions: of the seconds of a suggestion.
        surrogates: names of the catalog.
    """

    members: int = 10
    widths: tuple[int, ...] = (64, 64)
    rows: int = 128
    steps: int = 1000
    turns: int = 3
    nomu: Nomu = NOMU
    nomu_rows: int = 72
    nomu_steps: int = 20
    product: int = 2048
    trials: int = 50
    d: int = 5
    suggestions: int = 3
    surrogates: tuple[str, ...] = tuple(PRESETS)


FULL = Sizes()
QUICK = Sizes(
    members=3, widths=(8, 8), rows=16, steps=20, turns=1, nomu=replace(NOMU, widths=(32, 32)),
    nomu_steps=2, product=64, trials=10, d=2, suggestions=1,
    surrogates=tuple(name for name in PRESETS if name not in DOCUMENT),
)  # fmt: skip
FASTER, SHARE = 4.0, 0.5


def run(is_quick: bool) -> Measured:
    """Measure; the quick way is too small to mean anything."""
    sizes = QUICK if is_quick else FULL
    ensemble, peak = ensembles(sizes), nomu_share(sizes)
    names = track(sizes.surrogates, "suggestions", console=Console(stderr=True))
    seconds = {}
    for name in names:
        # where it takes minutes once is enough, and what is loaded at first does not count
        first, more = (0, 1) if name in DOCUMENT else (1, sizes.suggestions)
        seconds[name] = suggestion(name, sizes.trials, sizes.d, more, first)
    return measured(ensemble, peak, seconds)


def measured(
    ensemble: Mapping[str, float], peak: Mapping[str, float], seconds: Mapping[str, float]
) -> Measured:
    """Turn the three measurements into tables and goals."""
    figures: dict[str, Any] = {
        "training an ensemble, seconds": dict(ensemble),
        "billions of operations in a second": dict(peak),
        "seconds of a suggestion": dict(seconds),
    }
    goals: list[Goal] = [
        at_most(
            "ensemble in one batch over a loop over its members",
            ensemble["one batch"] / ensemble["loop over members"],
            1 / FASTER,
        ),
        at_most(
            "matrix products' speed over that of training nomu",
            peak["matrix products"] / peak["training nomu"],
            1 / SHARE,
        ),
    ]
    return Measured(figures, goals)


@one_thread()
def ensembles(sizes: Sizes) -> dict[str, float]:
    """Return the median seconds of training the same ensemble both ways."""
    net = MLP(2, sizes.widths, 1, "relu")
    rng = generator(0)
    start = net.initial(sizes.members, rng).float()
    X = 2 * torch.rand(sizes.rows, 2, generator=rng) - 1
    Y = (3 * X).sin().sum(-1, keepdim=True)
    variants: dict[str, Callable[[int], Tensor]] = {
        "one batch": lambda steps: in_one_batch(net, start, X, Y, steps),
        "loop over members": lambda steps: in_a_loop(net, start, X, Y, steps),
    }
    times: dict[str, list[float]] = {name: [] for name in variants}
    for variant in variants.values():
        variant(2)  # torch loads what an optimizer needs when the first is made
    for _ in range(sizes.turns):
        for name, variant in variants.items():
            times[name].append(_seconds(partial(variant, sizes.steps)))
    return {name: statistics.median(values) for name, values in times.items()}


def in_one_batch(net: MLP, start: Tensor, X: Tensor, Y: Tensor, steps: int) -> Tensor:
    """Train all members side by side; the last weights, s x p."""
    s = len(start)
    loss = SquaredLoss(net, X, Y.expand(s, -1, -1), torch.ones(s, len(X)))
    return Descent(steps, 1e-3, keeps_best=False).run(loss, start)


def in_a_loop(net: MLP, start: Tensor, X: Tensor, Y: Tensor, steps: int) -> Tensor:
    """Train one member after the other in plain torch; the last weights, s x p."""
    rows = []
    for row in start:
        member = as_module(net, row[None])
        optimizer = torch.optim.Adam(member.parameters(), lr=1e-3)
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.mse_loss(member(X), Y).backward()
            optimizer.step()
        rows.append(torch.cat([p.detach().flatten() for p in member.parameters()]))
    return torch.stack(rows)


def as_module(net: MLP, weights: Tensor) -> nn.Sequential:
    """Return one relu network, 1 x p, as layers of torch."""
    parts: list[nn.Module] = []
    for W, b in net.layers(weights):
        layer = nn.utils.skip_init(nn.Linear, W.shape[-1], W.shape[-2])
        layer.weight.data, layer.bias.data = W[0].clone(), b[0].clone()
        parts += [layer, nn.ReLU()]
    return nn.Sequential(*parts[:-1])


@one_thread()
def nomu_share(sizes: Sizes) -> dict[str, float]:
    """Return the speed of products of large matrices and that of the products within NOMU.

    A weight takes part in two operations forward, two for its own gradient, and two for that of
    the layer before; the first layer has none before it.
    """
    A = torch.rand(sizes.product, sizes.product, generator=generator(0))
    net, rng = MLP(1, sizes.nomu.widths, 2, "relu"), generator(1)
    X = 2 * torch.rand(sizes.nomu_rows, 1, generator=rng) - 1
    loss = NomuLoss(sizes.nomu, net, X, X.squeeze(-1), rng)
    start = sizes.nomu.start.draw(net, 2, rng).float()
    descent = Descent(sizes.nomu_steps, 1e-3)
    rows = sizes.nomu_rows + sizes.nomu.points
    inner = net.parameters - 2 * net.widths[0]
    work = 2 * rows * (6 * inner + 4 * 2 * net.widths[0]) * (sizes.nomu_steps + 1)
    products, training = [], []
    for _ in range(sizes.turns):
        products.append(min(_seconds(lambda: A @ A) for _ in range(3)))
        training.append(_seconds(lambda: descent.run(loss, start, ridge=sizes.nomu.ridge)))
    return {
        "matrix products": 2e-9 * sizes.product**3 / min(products),
        "training nomu": 1e-9 * work / min(training),
    }


def suggestion(policy: str | Policy, n: int, d: int, suggestions: int, first: int = 1) -> float:
    """Return the mean seconds of suggestions after n trials in d dimensions.

    The `first` ones, which load what torch needs, are left out.
    """
    problem, space = problems.levy(d), problems.levy(d).space()
    U = torch.rand(n, d, generator=generator(3), dtype=torch.float64)
    points = problem.low + (problem.high - problem.low) * U
    optimizer = Optimizer(space, surrogate=policy, seed=0)
    for row, value in zip(points.tolist(), problem.f(points).tolist(), strict=True):
        optimizer.tell(dict(zip(space, row, strict=True)), value)
    times = []
    for _ in range(first + suggestions):
        began = time.process_time()
        suggested = optimizer.ask()
        times.append(time.process_time() - began)
        optimizer.tell(suggested, problem.evaluate(suggested))
    return statistics.mean(times[first:])


def _seconds(variant: Callable[[], Any]) -> float:
    began = time.process_time()
    variant()
    return time.process_time() - began
