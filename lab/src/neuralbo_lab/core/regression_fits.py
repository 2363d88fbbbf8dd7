"""Fit a surrogate to a sample of a problem and score what it predicts.

Kruse (2022), Sec. 6.2.
"""

import time
from dataclasses import asdict
from typing import Any

import torch
from botorch.posteriors import GPyTorchPosterior, Posterior
from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.engine.step import FIT, generator
from neuralbo.engine.threads import one_thread
from neuralbo.errors import unknown_name
from neuralbo.interfaces.values import finite_or_none
from neuralbo.posteriors import FunctionDraws, GaussianFunctions, GaussianMixture, Marginals
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.surrogate import StatesFacts, moments_of
from torch import Generator, Tensor

from neuralbo_lab.core.regression_study import RegressionCell, RegressionStudy
from neuralbo_lab.problems import Problem, find
from neuralbo_lab.statistics import (
    CALIBRATION_LEVELS,
    PredictiveDistribution,
    interval_coverage,
    regression_scores,
)

Streams = tuple[int, int]  # of random numbers, for the points and for the noise
TRAINING: Streams = (5, 6)
TEST: Streams = (7, 8)
NO_WEIGHT = -70.0  # log weight: a density of e^-70 changes no score, and no search for a mode
RELATIVE_OFFSET = 1e-6  # in the denominator of the MRE, as in the author's code


def sample(problem: Problem, n: int, seed: int, streams: Streams) -> tuple[Tensor, Tensor]:
    """Return uniform points of the cube, n x d, and observations there, n x 1.

    The noise is the problem's. A larger sample of the same streams begins with the smaller one.
    """
    for_points, for_noise = (generator(seed, stream) for stream in streams)
    X = torch.rand(n, problem.d, generator=for_points, dtype=torch.float64)
    box = problem.low + (problem.high - problem.low) * X
    return X, problem.observe(box, for_noise)[:, None]


@one_thread()
def fit_and_score(study: RegressionStudy, cell: RegressionCell) -> dict[str, Any]:
    """Return the scores of a cell, and how long it took."""
    problem = find(cell.problem)
    if not isinstance(problem, Problem):
        raise ValueError(f"{cell.problem} is not on a box: regression needs points of a box.")
    if cell.method not in SURROGATES:
        raise unknown_name("surrogate", cell.method, SURROGATES)
    training = Data(*sample(problem, cell.size, cell.seed, TRAINING))
    test = sample(problem, study.test_points, cell.seed, TEST)
    return score(SURROGATES[cell.method], training, test, generator(cell.seed, FIT))


def score(
    recipe: Surrogate, training: Data, test: tuple[Tensor, Tensor], rng: Generator
) -> dict[str, Any]:
    """Fit a recipe and score its distribution of y, noise included (Kruse 2022, sec. 3.1).

    Densities are of y in units of the standard deviation of the training values, `scale`, as in
    the published code of Kruse (2022): the MLPD of y itself is mlpd - log(scale); Kruse (2022),
    Sec. 5.3. Errors are in the units of y. Y is taken as it comes, though recipes that clip take
    small values for bad ones; `facts` says how many they have clipped.
    """
    X, Y = test
    began = time.perf_counter()
    model = recipe.fit(training, rng)
    fitted = time.perf_counter()
    with torch.no_grad():
        distribution = distribution_of(model.posterior(X[:, None, :], observation_noise=True))
        predicted = time.perf_counter()
        scale = float(training.standard_units().scale)
        scores = asdict(regression_scores(distribution, Y[:, 0], scale, RELATIVE_OFFSET))
        probabilities = distribution.cdf(Y[:, 0]).numpy()
    return {
        "scores": {name: finite_or_none(value) for name, value in scores.items()},
        "coverage": [interval_coverage(probabilities, p) for p in CALIBRATION_LEVELS.tolist()],
        "scale": scale,
        "facts": dict(model.facts) if isinstance(model, StatesFacts) else {},
        "seconds": {"fit": fitted - began, "predict": predicted - fitted},
    }


def distribution_of(posterior: Posterior) -> PredictiveDistribution:
    """Return the distribution of the output at each of T points; the posterior is T x 1 x 1.

    Raises:
        TypeError: It is no Gaussian and no mixture of them; moments alone would give it a score
            that is not its own.
    """
    distribution: object = None
    if isinstance(posterior, GPyTorchPosterior):
        mean, variance = moments_of(posterior)
        distribution = GaussianMixture(torch.zeros_like(mean), mean, variance.sqrt())
    elif isinstance(posterior, FunctionDraws | GaussianFunctions | Marginals):
        distribution = posterior.marginal
    if not isinstance(distribution, GaussianMixture):
        raise TypeError(
            f"the scores need an exact distribution, and that of a {type(posterior).__name__} "
            "is not "
            "known here: teach it to neuralbo_lab.core.regression_fits.law_of."
        )
    parts = [distribution.log_weights, distribution.means, distribution.standard_deviations]
    parts = [part.reshape(-1, part.shape[-1]) for part in parts]
    # components without weight are of no account, and a kernel density has many at each point
    most = int((parts[0] > NO_WEIGHT).sum(-1).amax())
    if most < parts[0].shape[-1]:
        heavy = parts[0].topk(most, -1).indices
        parts = [part.gather(-1, heavy) for part in parts]
    return GaussianMixture(*parts)
