"""Effective draws of a sampled network per second, beside Pyro's and NumPyro's NUTS.

All draw from the posterior of `sampling_toy`, with one thread; seconds are of the CPU, since
other processes may want it too. Effective draws are those of f on a grid, by our estimator for
all: the median over the grid, and beside it the least.
"""

import statistics
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import optuna
import torch
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.inference.adaptation import DualAveraging
from neuralbo.inference.chains import Kernel
from neuralbo.inference.diagnostics import ess, split_r_hat
from neuralbo.inference.hmc import HMC
from neuralbo.inference.nuts import NUTS
from neuralbo.inference.sampling import sample
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import FixedNoise
from neuralbo.networks.priors import Gaussian
from neuralbo.surrogates.sampled.sampled_network import LARGEST_WHOLE
from optuna.samplers import GPSampler
from rich.console import Console
from rich.progress import track

from neuralbo_lab import problems
from neuralbo_lab.speed.goals import Goal, Measured, at_most
from neuralbo_lab.speed.sampling_peers import DEPTH, Draws, ask_peer
from neuralbo_lab.speed.sampling_toy import NOISE, WIDTHS, grid, toy

SIZES = (20, 100)
CHAINS = 4  # side by side; eight give no more effective draws per second
OURS = {True: "output integrated out", False: "all weights"}


@final
@dataclass(frozen=True, slots=True)
class Contestant:
    """A sampler of ours, with settings that were the best of a few by effective draws."""

    kernel: Kernel
    is_collapsed: bool
    warmup: int
    draws: int


CONTESTANTS = {
    "HMC, output integrated out": Contestant(HMC(10, jitter=0.2), True, 200, 400),
    "NUTS, output integrated out": Contestant(NUTS(DEPTH), True, 50, 30),
    "HMC, all weights": Contestant(HMC(100, jitter=0.2), False, 200, 150),
    "NUTS, all weights": Contestant(NUTS(DEPTH), False, 50, 30),
}
# Warm-up and draws. A gradient of Pyro's takes milliseconds, and its trees have 1023 of them: it
# draws until its time is over.
PEERS = {"NumPyro": (200, 200), "Pyro": (50, 100)}
QUICK_WARMUP, QUICK_DRAWS = 5, 8
QUICK_DEPTH = 3

SURROGATE = "bnn_hmc_fast"
TRIALS, D, SUGGESTIONS = 50, 5, 8
FEW, MANY, REPEATS = 100, 400, 200

FASTER, SLOWER, GROWTH = 10.0, 10.0, 4.5
WORST = 99.0  # R-hat of chains that stand still, a number for JSON
SOUND = 1.1  # R-hat, the median over the grid, above which effective draws mean little


class Score(NamedTuple):
    """A row of the table."""

    ess_per_second: float
    least_per_second: float
    ess: float
    draws: int
    r_hat: float
    gradients: int
    compile_seconds: float
    warmup_seconds: float
    seconds: float


Scores = dict[str, Score | str]  # by contestant; words if there is no score


def run(is_quick: bool) -> Measured:
    """Measure draws, suggestions and growth; the quick way is too short to mean anything."""
    jobs = [(n, name) for name in (*CONTESTANTS, *PEERS) for n in SIZES]
    scores: dict[int, Scores] = {n: {} for n in SIZES}
    seconds, growth = suggestions(is_quick), growths(is_quick)
    console = Console(stderr=True)
    for n, name in track(jobs, "sampling", console=console):
        scores[n][name] = _scored(_draws(name, n, is_quick))
        console.print(f"n = {n}, {name}: {scores[n][name]}")
    return measured(scores, seconds, growth)


def measured(
    scores: Mapping[int, Scores], seconds: Mapping[str, float], growth: Mapping[str, float]
) -> Measured:
    """Turn scores, seconds of a suggestion and ratios of gradients into tables and goals."""
    figures: dict[str, Any] = {
        f"effective draws of f at n = {n}, seconds of one CPU": {
            name: score if isinstance(score, str) else score._asdict()
            for name, score in rows.items()
        }
        for n, rows in scores.items()
    }
    figures[f"seconds of a suggestion at n = {TRIALS}, d = {D}"] = dict(seconds)
    figures[f"time of a gradient at n = {MANY} over that at {FEW}"] = dict(growth)
    return Measured(figures, _goals(scores, seconds, growth))


def _goals(
    scores: Mapping[int, Scores], seconds: Mapping[str, float], growth: Mapping[str, float]
) -> list[Goal]:
    goals = []
    for peer, wanted in (("Pyro", 1 / FASTER), ("NumPyro", 1.0)):
        for n, rows in scores.items():
            theirs = rows[peer]
            if not isinstance(theirs, str):
                words = f"{peer}'s effective draws per second over our best at n = {n}"
                ratio = theirs.ess_per_second / _best(rows).ess_per_second
                goals.append(at_most(words, ratio, wanted))
    for n, rows in scores.items():
        goals.append(at_most(f"R-hat of our best at n = {n}", _best(rows).r_hat, SOUND))
    ratio = seconds[SURROGATE] / seconds["GPSampler"]
    goals.append(at_most(f"{SURROGATE}'s suggestion over GPSampler's at {TRIALS}", ratio, SLOWER))
    for name, ratio in growth.items():
        goals.append(at_most(f"gradient at {MANY} over that at {FEW}, {name}", ratio, GROWTH))
    return goals


def _best(rows: Scores) -> Score:
    """Return our best whose chains agree; the best of all if none do, and a goal then says so."""
    ours = [score for score in map(rows.get, CONTESTANTS) if isinstance(score, Score)]
    sound = [score for score in ours if score.r_hat <= SOUND]
    return max(sound or ours, key=lambda score: score.ess_per_second)


def _draws(name: str, n: int, is_quick: bool) -> Draws | str:
    if name in CONTESTANTS:
        return draw(CONTESTANTS[name], n, is_quick)
    return "N/A: left out by --quick" if is_quick else ask_peer(name, n, *PEERS[name])


def _scored(draws: Draws | str) -> Score | str:
    if isinstance(draws, str):
        return draws
    each = ess(draws.f).nan_to_num(nan=0.0)  # a chain that stands still is worth nothing
    median, least = float(each.median()), float(each.min())
    return Score(
        median / draws.seconds, least / draws.seconds, median, draws.f.shape[:2].numel(),
        float(split_r_hat(draws.f).nan_to_num(nan=WORST).clamp(max=WORST).median()), draws.steps,
        draws.compile, draws.warmup, draws.seconds,
    )  # fmt: skip


@one_thread()
def draw(contestant: Contestant, n: int, is_quick: bool) -> Draws:
    """Draw with a sampler of ours; the output layer, if integrated out, is drawn in time."""
    target, rng = _target(contestant.is_collapsed, n), generator(1)
    warmup, draws = contestant.warmup, contestant.draws
    kernel = contestant.kernel
    if is_quick:
        warmup, draws = QUICK_WARMUP, QUICK_DRAWS
        kernel = NUTS(QUICK_DEPTH) if isinstance(kernel, NUTS) else kernel
    start = target.draw_prior(CHAINS, rng) * (1.0 if contestant.is_collapsed else LARGEST_WHOLE)
    began = time.process_time()
    warm = sample(kernel, target, start, warmup=warmup, draws=1, rng=rng, adapt=DualAveraging())
    ready = time.process_time()
    found = sample(
        kernel, target, warm.state, warmup=0, draws=draws, rng=rng, adapt=None, tuning=warm.tuning
    )
    q = found.q.flatten(0, 1)
    weights = (
        target.draw_output(q, rng) if isinstance(target, CollapsedPosterior) else target.weights(q)
    )
    end = time.process_time()
    with torch.no_grad():
        f = target.net(weights, grid()).reshape(draws, CHAINS, -1)
    return Draws(f, int(found.infos.steps.sum()), 0.0, ready - began, end - ready)


def _target(is_collapsed: bool, n: int) -> LogPosterior | CollapsedPosterior:
    kind = CollapsedPosterior if is_collapsed else LogPosterior
    return kind(MLP(1, WIDTHS), *toy(n), Gaussian(1.0), FixedNoise(NOISE))


@one_thread()
def growths(is_quick: bool) -> dict[str, float]:
    """Return how much longer a gradient takes for four times the data, in medians."""
    found = {}
    for is_collapsed, name in OURS.items():
        q = _target(is_collapsed, FEW).draw_prior(CHAINS, generator(2))
        targets = {n: _target(is_collapsed, n) for n in (FEW, MANY)}
        times: dict[int, list[float]] = {n: [] for n in targets}
        for _ in range(5 if is_quick else REPEATS):
            for n, target in targets.items():
                began = time.process_time()
                target(q)
                times[n].append(time.process_time() - began)
        found[name] = statistics.median(times[MANY]) / statistics.median(times[FEW])
    return found


def suggestions(is_quick: bool) -> dict[str, float]:
    """Return the mean seconds of a suggestion after the same trials; each tells its own value.

    The first one is left out of the mean, and ours is given apart: later fits begin at the
    chains, or the length scales, of the one before.
    """
    repeats = 2 if is_quick else SUGGESTIONS
    problem, space = problems.levy(D), problems.levy(D).space()
    U = torch.rand(TRIALS, D, generator=generator(3), dtype=torch.float64)
    points = problem.low + (problem.high - problem.low) * U
    values = problem.f(points).tolist()
    rows = [dict(zip(space, row, strict=True)) for row in points.tolist()]
    optimizer = Optimizer(space, surrogate=SURROGATE, seed=0)
    distributions = {name: real.distribution() for name, real in space.items()}
    with quiet_optuna(), one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=GPSampler(seed=0))
        for params, value in zip(rows, values, strict=True):
            optimizer.tell(params, value)
            study.add_trial(
                optuna.trial.create_trial(params=params, distributions=distributions, value=value)
            )
        ours, theirs = [], []
        for _ in range(repeats + 1):
            began = time.process_time()
            suggested = optimizer.ask()
            ours.append(time.process_time() - began)
            optimizer.tell(suggested, problem.evaluate(suggested))
            began = time.process_time()
            trial = study.ask(distributions)
            theirs.append(time.process_time() - began)
            study.tell(trial, problem.evaluate(trial.params))
    first = {f"{SURROGATE}, the first": ours[0]}
    means = {SURROGATE: statistics.mean(ours[1:]), "GPSampler": statistics.mean(theirs[1:])}
    return means | first
