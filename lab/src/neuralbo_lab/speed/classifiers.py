"""How fast classifiers suggest: seconds against trials, and beside Optuna's Gaussian process.

Seconds are of the CPU, with one thread, since other processes may want it too.
"""

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import torch
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.space import Space
from neuralbo.space.parameters import Categorical, Integer, Parameter, Real
from optuna import samplers
from rich.console import Console
from rich.progress import track

from neuralbo_lab.core.methods import AskTellOptimizer
from neuralbo_lab.peers.optuna import OptunaOptimizer
from neuralbo_lab.speed.goals import Goal, Measured, at_most

# Nine hyper-parameters, as many of each kind as the table of Hassen and Rish (2021), Sec. 5.2 has
# ordinals and choices.
SPACE: dict[str, Parameter] = {
    "units_1": Integer(16, 512, log=True),
    "units_2": Integer(16, 512, log=True),
    "dropout_1": Real(0.0, 0.6),
    "dropout_2": Real(0.0, 0.6),
    "rate": Real(5e-4, 1e-1, log=True),
    "batch": Integer(8, 64, log=True),
    "activation_1": Categorical(["tanh", "relu"]),
    "activation_2": Categorical(["tanh", "relu"]),
    "schedule": Categorical(["cosine", "constant"]),
}
GROWTH = 12.0
_SPACE = Space(SPACE)


@final
@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured.

    Attributes:
        surrogates: names of the catalog.
        trials: after which seconds are measured, over `suggestions` suggestions each.
        ours, theirs: trials of the whole runs of boggn and of Optuna's GPSampler.
    """

    surrogates: tuple[str, ...] = ("boggn", "bore", "lfbo", "bore_forest", "bore_svm", "bore_kde")
    trials: tuple[int, ...] = (50, 500, 5000)
    suggestions: int = 3
    ours: int = 500
    theirs: int = 200


FULL = Sizes()
QUICK = Sizes(("boggn", "bore"), (12, 20, 30), 1, 14, 14)


def run(is_quick: bool) -> Measured:
    """Measure; the quick way is too small to mean anything."""
    sizes = QUICK if is_quick else FULL
    names = track(sizes.surrogates, "suggestions", console=Console(stderr=True))
    seconds = {
        name: {str(n): suggestion(name, n, sizes.suggestions) for n in sizes.trials}
        for name in names
    }
    ours = overhead(Optimizer(SPACE, surrogate="boggn", seed=0), sizes.ours)
    theirs = overhead(OptunaOptimizer(samplers.GPSampler(seed=0), _SPACE), sizes.theirs)
    return measured(seconds, ours, theirs, sizes)


def measured(
    seconds: Mapping[str, Mapping[str, float]], ours: float, theirs: float, sizes: Sizes
) -> Measured:
    """Turn the measurements into tables and goals."""
    _, few, many = map(str, sizes.trials)
    whole = {f"boggn, {sizes.ours} trials": ours, f"GPSampler, {sizes.theirs} trials": theirs}
    figures: dict[str, Any] = {
        "seconds of a suggestion after so many trials": {k: dict(v) for k, v in seconds.items()},
        "seconds of all suggestions of a run": whole,
    }
    goals: list[Goal] = [
        at_most(
            f"{name}: seconds after {many} trials over those after {few}",
            times[many] / times[few],
            GROWTH,
        )
        for name, times in seconds.items()
        if name in ("boggn", "bore", "lfbo")
    ]
    words = f"boggn for {sizes.ours} trials over GPSampler for {sizes.theirs}"
    return Measured(figures, [*goals, at_most(words, ours / theirs, 1.0)])


def objective(params: Mapping[str, Any]) -> float:
    """Return a smooth function of the nine, with a wrong choice costing something."""
    scaled = _SPACE.encode([dict(params)])[0]
    center = torch.linspace(0.2, 0.8, len(scaled), dtype=scaled.dtype)
    return float((scaled - center).square().sum())


@one_thread()
def suggestion(name: str, trials: int, suggestions: int) -> float:
    """Return the mean CPU seconds of a suggestion after some trials, the first one left out.

    The first fits all refits, which a study that grew to this size has behind it.
    """
    optimizer = Optimizer(SPACE, surrogate=name, seed=0)
    for params in _SPACE.decode(_SPACE.domain.sample(trials, generator(3))):
        optimizer.tell(params, objective(params))
    times = []
    for _ in range(1 + suggestions):
        began = time.process_time()
        suggested = optimizer.ask()
        times.append(time.process_time() - began)
        optimizer.tell(suggested, objective(suggested))
    return statistics.mean(times[1:])


@one_thread()
def overhead(optimizer: AskTellOptimizer, trials: int) -> float:
    """Return the CPU seconds that all suggestions of a run took."""
    total = 0.0
    for _ in range(trials):
        began = time.process_time()
        suggested = optimizer.ask()
        total += time.process_time() - began
        value = objective(suggested)
        began = time.process_time()
        optimizer.tell(suggested, value)
        total += time.process_time() - began
    return total
