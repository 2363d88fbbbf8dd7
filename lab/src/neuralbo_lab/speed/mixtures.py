"""Seconds of a suggestion by mixture surrogates, beside Kruse's procedure and Optuna's GP.

The publication fits 40 settings to each of min(30, n) folds before every suggestion (Kruse 2022,
sec. 5.2), one fit after the other, from 20 starts (gmr, by scikit-learn) or 5 (spn), and
scikit-optimize chooses the settings. A few of the fits are timed and the rest is arithmetic; the
choice of the next point, which is in our seconds, is not in theirs. All contestants have their
turn in one run, with one thread; seconds are of the CPU.
"""

import itertools
import math
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import optuna
import torch
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.networks.sum_product import SumProductNetwork, VariancePrior
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.mixture_presets import GMR_KRUSE, SPN_KRUSE
from optuna.samplers import GPSampler
from rich.console import Console
from rich.progress import track
from torch import Tensor

from neuralbo_lab import problems
from neuralbo_lab.speed.goals import Goal, Measured, at_most
from neuralbo_lab.speed.training import suggestion

POINTS, FOLDS = 40, 30
PEER = "GPSampler"
FASTER = 30.0


@final
@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured.

    Attributes:
        trials: finished ones.
        d: dimensions.
        suggestions: of which the mean is taken.
        fits: of the publication's, that are timed.
        places: that scikit-optimize chooses, of 40.
    """

    trials: tuple[int, ...] = (35, 300)
    d: int = 2
    suggestions: int = 3
    fits: int = 5
    places: int = 40
    surrogates: tuple[str, ...] = ("kde", "gmr", "spn")


FULL, QUICK = Sizes(), Sizes(trials=(12,), suggestions=1, fits=1, places=11)
Table = dict[int, dict[str, float]]


def run(is_quick: bool) -> Measured:
    """Measure; the quick way is too small to mean anything."""
    sizes = QUICK if is_quick else FULL
    ours: Table = {n: {} for n in sizes.trials}
    theirs: Table = {n: {} for n in sizes.trials}
    choice = search_seconds(sizes.places)
    jobs = list(itertools.product(sizes.trials, [*sizes.surrogates, PEER]))
    for n, name in track(jobs, "measuring", console=Console(stderr=True)):
        if name == PEER:
            ours[n][name] = peer_suggestion(n, sizes)
            continue
        ours[n][name] = suggestion(name, n, sizes.d, sizes.suggestions)
        theirs[n][name] = document_seconds(name, n, sizes)
    return measured(ours, theirs, choice)


def measured(ours: Table, theirs: Table, choice: float) -> Measured:
    """Turn seconds of suggestions, and of Kruse's fits and choice, into tables and goals.

    Without scikit-optimize the choice counts as nothing.
    """
    figures: dict[str, Any] = {
        "seconds of a suggestion": {f"{n} trials": row for n, row in ours.items()},
        "seconds of the publication's fits": {f"{n} trials": row for n, row in theirs.items()},
        "seconds of its choice of 40 settings": choice,
        f"suggestion over {PEER}'s": {
            f"{n} trials": {name: seconds / row[PEER] for name, seconds in row.items()}
            for n, row in ours.items()
        },
        "suggestion over the publication's fits alone": {
            f"{n} trials": {name: ours[n][name] / seconds for name, seconds in row.items()}
            for n, row in theirs.items()
        },
    }
    goals: list[Goal] = [
        at_most(
            f"{name} over the publication's search at {n} trials",
            ours[n][name] / (seconds + choice),
            1 / FASTER,
        )
        for n, row in theirs.items()
        for name, seconds in row.items()
    ]
    return Measured(figures, goals)


@one_thread()
def search_seconds(places: int) -> float:
    """Return the seconds in which scikit-optimize chooses that many settings, as for 40.

    It is that of the publication's `BayesSearchCV`; zero if it is not installed.
    """
    try:
        from skopt import Optimizer as Peer
    except ImportError:
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer([(0.0, 1.0)] * 3, random_state=0)
        began = time.process_time()
        for _ in range(places):
            place = peer.ask()
            peer.tell(place, sum((x - 0.3) ** 2 for x in place))
    return (time.process_time() - began) * POINTS / places


@one_thread()
def document_seconds(name: str, n: int, sizes: Sizes) -> float:
    """Return the seconds of the publication's fits before a suggestion, from a few of them."""
    problem = problems.levy(sizes.d)
    U = torch.rand(n, sizes.d, generator=generator(3), dtype=torch.float64)
    y = problem.f(problem.low + (problem.high - problem.low) * U)
    V = torch.cat([U, y[:, None]], -1)
    fold = CrossValidation().fold_of(n)
    places = CrossValidation(points=sizes.fits).places(3, generator(0))
    inner_fit = INNER_FITS[name]
    times = []
    for i, place in enumerate(places.tolist()):
        training, test = V[fold != i % FOLDS], V[fold == i % FOLDS]
        shift, scale = training.mean(0), training.std(0, correction=0)
        began = time.process_time()
        inner_fit((training - shift) / scale, (test - shift) / scale, place)
        times.append(time.process_time() - began)
    return POINTS * min(FOLDS, n) * statistics.mean(times)


def kde_fit(training: Tensor, test: Tensor, place: list[float]) -> float:
    """Return the mean log density of held-out values by the kernel density, in NumPy."""
    V, T = training.numpy(), test.numpy()
    h, s = (1e-3 + (0.3 - 1e-3) * share for share in place[:2])
    with np.errstate(divide="ignore", under="ignore"):
        away = ((T[:, None, :-1] - V[None, :, :-1]) / h) ** 2
        kernels = np.exp(-0.5 * away.sum(-1)) / (h * math.sqrt(2 * math.pi)) ** (V.shape[1] - 1)
        gaps = (T[:, None, -1] - V[None, :, -1]) / s
        joint = kernels * np.exp(-0.5 * gaps**2) / (s * math.sqrt(2 * math.pi))
    background = np.exp(-0.5 * (T[:, -1] / 10) ** 2) / (10 * math.sqrt(2 * math.pi))
    ratio = (joint.sum(-1) + 1e-6 * background) / (kernels.sum(-1) + 1e-6)
    return float(np.log(ratio).mean())


def gmr_fit(training: Tensor, test: Tensor, place: list[float]) -> float:
    """Return the mean log density of held-out rows by scikit-learn's mixture, from 20 starts.

    Conditioning, which the publication does besides, is not counted.
    """
    from sklearn.mixture import GaussianMixture

    V, T = training.numpy(), test.numpy()
    K = 1 + int(place[0] * (len(V) - 1))
    em = GMR_KRUSE.em
    mixture = GaussianMixture(
        K, n_init=em.restarts, max_iter=em.loop.iterations, tol=em.loop.gain, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that EM has not converged
        return float(mixture.fit(V).score(T))


def spn_fit(training: Tensor, test: Tensor, place: list[float]) -> float:
    """Return the mean log density of held-out rows by a network, from 5 starts in turn."""
    n, V = training.shape
    net = SumProductNetwork.random(V - 1, generator(1), channels=SPN_KRUSE.channels)
    shapes = torch.tensor([place[0]] * (V - 1) + [place[1]], dtype=torch.float64)
    prior = VariancePrior(1 + 199 * shapes[None], torch.ones(1, V, dtype=torch.float64))
    ones = training.new_ones(1, n)
    update = net.update(training[None], ones, prior)
    found = []
    for restart in range(SPN_KRUSE.restarts):
        start = net.initial(1, generator(2, restart))
        found.append(SPN_KRUSE.loop.run(update, start, ones.sum(-1)))
    best = max(found, key=lambda ascent: float(ascent.log_posterior))
    return float(net.log_density(best.parameters, test).mean())


INNER_FITS: Mapping[str, Callable[[Tensor, Tensor, list[float]], float]] = {
    "kde": kde_fit, "gmr": gmr_fit, "spn": spn_fit,
}  # fmt: skip


@one_thread()
def peer_suggestion(n: int, sizes: Sizes) -> float:
    """Return the mean seconds of a suggestion of GPSampler after n trials, the first left out."""
    problem, space = problems.levy(sizes.d), problems.levy(sizes.d).space()
    ranges = {name: real.distribution() for name, real in space.items()}
    U = torch.rand(n, sizes.d, generator=generator(3), dtype=torch.float64)
    points = problem.low + (problem.high - problem.low) * U
    with quiet_optuna(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=GPSampler(seed=0))
        study.add_trials(
            [
                optuna.trial.create_trial(
                    params=dict(zip(ranges, row, strict=True)), distributions=ranges, value=value
                )
                for row, value in zip(points.tolist(), problem.f(points).tolist(), strict=True)
            ]
        )
        times = []
        for _ in range(1 + sizes.suggestions):
            began = time.process_time()
            trial = study.ask(ranges)
            times.append(time.process_time() - began)
            study.tell(trial, problem.evaluate(trial.params))
    return statistics.mean(times[1:])
