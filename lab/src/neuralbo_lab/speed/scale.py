"""How a suggestion's time grows with the number of trials, beside BoTorch's Gaussian process."""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import optuna
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.samplers import BaseSampler, RandomSampler
from rich.console import Console
from rich.progress import track
from torch import Tensor

from neuralbo_lab import problems
from neuralbo_lab.speed.goals import Goal, Measured, at_most

D, REPEATS = 20, 9
SIZES = (1_000, 2_000, 10_000, 100_000, 1_000_000)
GP_SIZES = (500, 1_000, 2_000)
SAMPLER_SIZES = (1_000, 10_000)
SLOWER, FASTER, MOST_GIBIBYTES = 1.5, 100.0, 2.0

Params = dict[str, float]


def run(is_quick: bool) -> Measured:
    """Measure the three of them; the quick way ends at 10,000 trials and a smaller process."""
    sizes = SIZES[:3] if is_quick else SIZES
    seconds, memory = through_optimizer(sizes)
    rivals = {n: gaussian_process(n) for n in (GP_SIZES[:2] if is_quick else GP_SIZES)}
    samplers = {n: through_sampler(n) for n in SAMPLER_SIZES[: 1 if is_quick else 2]}
    figures = {
        "tell + ask through Optimizer, seconds": {
            str(n): {"brvfl4": seconds[n], "resident MiB": memory[n]} for n in sizes
        },
        "BoTorch's SingleTaskGP, fit + LogEI, seconds": {str(n): t for n, t in rivals.items()},
        "through NeuralSampler, seconds": {
            str(n): {"brvfl4": ours, "Optuna itself (random)": own}
            for n, (ours, own) in samplers.items()
        },
    }
    return Measured(figures, _goals(seconds, memory, rivals, samplers))


def _goals(
    seconds: Mapping[int, float],
    memory: Mapping[int, float],
    rivals: Mapping[int, float],
    samplers: Mapping[int, tuple[float, float]],
) -> list[Goal]:
    first, last = min(seconds), max(seconds)
    goals = [at_most(f"time at {last:,} over that at {first:,}", seconds[last] / seconds[first],
                     SLOWER)]  # fmt: skip
    for n in sorted(rivals)[-1:]:
        if n in seconds:
            ratio = seconds[n] / rivals[n]
            goals.append(at_most(f"time over the Gaussian process's at {n:,}", ratio, 1 / FASTER))
    goals.append(at_most(f"GiB resident at {last:,}", memory[last] / 1024, MOST_GIBIBYTES))
    if len(samplers) > 1:
        few, many = (samplers[n][0] - samplers[n][1] for n in (min(samplers), max(samplers)))
        words = f"through NeuralSampler, Optuna's own time apart, {max(samplers):,} over"
        goals.append(at_most(f"{words} {min(samplers):,}", many / few, SLOWER))
    return goals


def _points(n: int, seed: int) -> Tensor:
    return torch.rand(n, D, generator=generator(seed), dtype=torch.float64)


def through_optimizer(sizes: tuple[int, ...]) -> tuple[dict[int, float], dict[int, float]]:
    """Return the median seconds of tell and ask, and the MiB of the process, at each size."""
    problem = problems.levy(D)
    optimizer = Optimizer(problem.space(), surrogate="brvfl4", seed=0)
    names, observed = list(problem.space()), 0
    seconds, memory = {}, {}
    for size in track(sizes, "brvfl4", console=Console(stderr=True)):
        U = _points(size - observed, observed)
        values = problem.f(problem.low + (problem.high - problem.low) * U)
        rows = (problem.low + (problem.high - problem.low) * U).tolist()
        for row, value in zip(rows, values.tolist(), strict=True):
            optimizer.tell(dict(zip(names, row, strict=True)), value)
        observed = size + REPEATS + 1
        seconds[size] = _median(lambda: _ask_and_tell(optimizer, problem))
        memory[size] = _resident()
    return seconds, memory


def _ask_and_tell(optimizer: Optimizer, problem: problems.Problem) -> float:
    began = time.perf_counter()
    params = optimizer.ask()
    suggested = time.perf_counter()
    value = problem.evaluate(params)
    evaluated = time.perf_counter()
    optimizer.tell(params, value)
    return time.perf_counter() - evaluated + suggested - began


def gaussian_process(n: int) -> float:
    """Return the seconds of one fit and one maximization of LogEI."""
    problem, U = problems.levy(D), _points(n, 1)
    Y = -problem.f(problem.low + (problem.high - problem.low) * U)[:, None]
    with one_thread(), manual_seed(0):
        began = time.perf_counter()
        model = SingleTaskGP(U, Y, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        bounds = torch.stack([torch.zeros(D), torch.ones(D)]).double()
        criterion = LogExpectedImprovement(model, best_f=Y.max())
        optimize_acqf(criterion, bounds, q=1, num_restarts=10, raw_samples=512)
        return time.perf_counter() - began


def through_sampler(n: int) -> tuple[float, float]:
    """Return the median seconds of a trial with our sampler, and with Optuna's random one."""
    with quiet_optuna():
        return _sampler(NeuralSampler("brvfl4", seed=0), n), _sampler(RandomSampler(seed=0), n)


def _sampler(sampler: BaseSampler, n: int) -> float:
    problem = problems.levy(D)
    study = optuna.create_study(sampler=sampler)
    space = {name: real.distribution() for name, real in problem.space().items()}
    points = problem.low + (problem.high - problem.low) * _points(n, 2)
    values = problem.f(points)
    study.add_trials(
        optuna.trial.create_trial(
            params=dict(zip(space, row, strict=True)), distributions=space, value=value
        )
        for row, value in zip(points.tolist(), values.tolist(), strict=True)
    )

    def one() -> float:
        began = time.perf_counter()
        trial = study.ask(space)
        suggested = time.perf_counter()
        value = problem.evaluate(trial.params)
        evaluated = time.perf_counter()
        study.tell(trial, value)
        return time.perf_counter() - evaluated + suggested - began

    return _median(one)


def _median(one: Callable[[], float]) -> float:
    one()  # what is done once in a while: sums after the points that came at once
    return statistics.median(one() for _ in range(REPEATS))


def _resident() -> float:
    """Return the most MiB that the process has had in memory."""
    import resource  # not on every system, and the other measurements do not need it

    usage: Any = resource.getrusage(resource.RUSAGE_SELF)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return float(usage.ru_maxrss) / unit
