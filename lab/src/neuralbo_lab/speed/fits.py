"""Fits of a Gaussian process, ours beside BoTorch's, and our quasi-Newton beside SciPy's.

All maximize the evidence of a process with a Matern-5/2 kernel and a length scale for each
parameter, on the same points. Ours begins at several starts at once. SciPy's L-BFGS-B gets the
same function, gradients, starts and tolerances, one start after the other: so that ratio is what
the batch is worth. BoTorch's fits its own default process, from one start.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood
from neuralbo.data import Data, input_units
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.inference.quasi_newton import minimize
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.gaussian_process import Search
from neuralbo.surrogates.gp.kernels import Within
from scipy.optimize import minimize as scipy_minimize
from torch import Tensor

from neuralbo_lab.speed.goals import Measured, at_most

D, SIZES, REPEATS = 6, (20, 50, 100), 5
RESTARTS = 8
GRADIENT_TOLERANCE, VALUE_TOLERANCE, ROUNDS = 1e-3, 1e-5, 30


def run(is_quick: bool) -> Measured:
    """Measure at all sizes; the quick way at the least one, twice."""
    sizes = SIZES[:1] if is_quick else SIZES
    repeats = 2 if is_quick else REPEATS
    with one_thread():
        fits = {n: of_fits(n, repeats) for n in sizes}
        searches = {n: of_searches(n, repeats) for n in sizes}
    return measured(fits, searches)


def measured(
    fits: dict[int, tuple[float, float]], searches: dict[int, tuple[float, float, float]]
) -> Measured:
    """Return seconds and their ratios as figures and goals."""
    figures: dict[str, Any] = {
        "milliseconds of a fit": {
            str(n): {"gp": 1e3 * ours, "BoTorch": 1e3 * peer, "BoTorch / gp": peer / ours}
            for n, (ours, peer) in fits.items()
        },
        f"milliseconds of {RESTARTS} searches": {
            str(n): {
                "ours": 1e3 * ours,
                "SciPy": 1e3 * peer,
                "SciPy / ours": peer / ours,
                "nats that ours is ahead": lead,
            }
            for n, (ours, peer, lead) in searches.items()
        },
    }
    goals = [
        at_most(f"gp's fit over BoTorch's at {n}", ours / peer, 1.0)
        for n, (ours, peer) in fits.items()
    ]
    goals += [
        at_most(f"quasi-Newton over L-BFGS-B at {n}", ours / peer, 1.0)
        for n, (ours, peer, _) in searches.items()
    ]
    return Measured(figures, goals)


def data_of(n: int, seed: int) -> Data:
    """Return n points of a smooth function with a little noise."""
    rng = generator(seed, n)
    X = torch.rand(n, D, generator=rng, dtype=torch.float64)
    e = torch.randn(n, 1, generator=rng, dtype=torch.float64)
    return Data(X, (3 * X[:, :3]).sin().sum(-1, keepdim=True) + X[:, 3:4] ** 2 + 0.01 * e)


def in_turns(jobs: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the median seconds of each job, which take turns."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for number in range(repeats + 1):
        for job, spent in zip(jobs, seconds, strict=True):
            began = time.perf_counter()
            job()
            if number:  # the first time is for what is made once
                spent.append(time.perf_counter() - began)
    return [statistics.median(spent) for spent in seconds]


def of_fits(n: int, repeats: int) -> tuple[float, float]:
    """Return the seconds of a fit of ours, and of BoTorch's."""
    data = data_of(n, 0)

    def botorch() -> None:
        model = SingleTaskGP(data.X, data.Y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))

    ours, peer = in_turns([lambda: GaussianProcess().fit(data, generator(0, 1)), botorch], repeats)
    return ours, peer


def of_searches(n: int, repeats: int) -> tuple[float, float, float]:
    """Return the seconds of all searches, ours and SciPy's, and by how much ours ends better."""
    data, recipe = data_of(n, 0), GaussianProcess()
    inputs = input_units(recipe.inputs, data.X)
    y = data.standard_units().numbers(data.Y).squeeze(-1)
    Z = inputs.numbers(data.X)
    search = Search(recipe, Within(Z), y, [*recipe.kernel.settings(D), recipe.noise])
    starts = search.starts(RESTARTS - 2, generator(0, 2))
    losses = [float(found(search, starts).amin()) for found in (by_quasi_newton, by_scipy)]
    ours, peer = in_turns(
        [lambda: by_quasi_newton(search, starts), lambda: by_scipy(search, starts)], repeats
    )
    return ours, peer, losses[1] - losses[0]


def by_quasi_newton(search: Search, starts: Tensor) -> Tensor:
    """Return what our searches reach, B."""
    return minimize(
        search, starts, search.bounds, rounds=ROUNDS, gradient_tolerance=GRADIENT_TOLERANCE,
        value_tolerance=VALUE_TOLERANCE,
    )[1]  # fmt: skip


def by_scipy(search: Search, starts: Tensor) -> Tensor:
    """Return what SciPy's searches reach, B, one after the other."""
    bounds = list(zip(*(bound.tolist() for bound in search.bounds), strict=True))

    def both(theta: Any) -> tuple[float, Any]:
        value, gradient = search(torch.from_numpy(theta)[None])
        return float(value), gradient[0].numpy()

    options = {"maxiter": ROUNDS, "gtol": GRADIENT_TOLERANCE, "ftol": VALUE_TOLERANCE}
    reached = [
        scipy_minimize(both, start.numpy(), jac=True, method="L-BFGS-B", bounds=bounds,
                       options=options).fun
        for start in starts
    ]  # fmt: skip
    return torch.tensor(reached, dtype=torch.float64)
