"""The functions of Högger (2021), with inputs and outputs scaled to [-1, 1] and the sign flipped.

Högger (2021) maximizes; problems here are minimized, so `scaled` leaves the sign as it is
(least value -1) and `flipped` gives the function that Högger (2021) draws (greatest value 1).
Regrets are the same. Scaling uses the true maxima, and Levy's function is the right one; the
published code of Högger (2021) has others.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from neuralbo_lab.problems import agrawal, classic
from neuralbo_lab.problems.base import Function, Problem, box, float64

_BETA = 0.5  # of Perm
MOST_PLACES = 2**10


def scaled(problem: Problem, peak: Sequence[float], name: str) -> Problem:
    """Map inputs to [-1, 1]^d and values to [-1, 1]; the function is greatest at the peak."""
    span = problem.high - problem.low
    half = (float(problem.f(float64(peak))) - problem.minimum) / 2
    noise = problem.noise

    def inner(X: Tensor) -> Tensor:
        return problem.low + (X + 1) / 2 * span

    return Problem(
        name=f"hoegger-{name}",
        f=lambda X: (problem.f(inner(X)) - problem.minimum) / half - 1,
        low=-torch.ones_like(span),
        high=torch.ones_like(span),
        minimum=-1.0,
        places=2 * (problem.places - problem.low) / span - 1,
        noise=None if noise is None else lambda X, rng: noise(inner(X), rng) / half,
        holds_outside=problem.holds_outside,
    )


def flipped(f: Function) -> Function:
    """Return the function to maximize, as Högger (2021) has it."""
    return lambda X: -f(X)


def _perm(X: Tensor) -> Tensor:
    d = X.shape[-1]
    j = torch.arange(1, d + 1, dtype=X.dtype)
    i = j[:, None]
    terms = (j**i + _BETA) * ((X[..., None, :] / j) ** i - 1)  # ... x i x j
    return terms.sum(-1).square().sum(-1)


def _g_function(X: Tensor) -> Tensor:
    a = (torch.arange(1, X.shape[-1] + 1, dtype=X.dtype) - 2) / 2
    return (((4 * X - 2).abs() + a) / (1 + a)).prod(-1)


def perm(d: int) -> Problem:
    """So flat in five dimensions that random search does as well.

    With beta = 0 all d! permutations of (1, ..., d) are lowest. Of these roots, followed to
    beta = 0.5, the box keeps one besides (1, 2) in two dimensions, which is not in Högger (2021),
    and none in three and five; for other d only (1, ..., d) is listed.
    """
    places = [[float(j) for j in range(1, d + 1)]]
    if d == 2:
        places.append([23 / 13, 14 / 13])
    return Problem(f"perm{d}", _perm, *box(d, -d, d), 0.0, float64(places), holds_outside=True)


def g_function(d: int) -> Problem:
    """A product of tents; x1 = 1/2 and any corner of the others is lowest, 2^(d-1) places.

    Where these are more than `MOST_PLACES`, only one is listed.
    """
    axes = [[0.5]] + [[0.0, 1.0] if 2 ** (d - 1) <= MOST_PLACES else [0.0]] * (d - 1)
    places = torch.cartesian_prod(*(float64(axis) for axis in axes)).reshape(-1, d)
    least = -(d + 1) * (d + 2) / 6  # -1 times the product over i = 2..d of (i + 2) / i
    return Problem(f"g-function{d}", _g_function, *box(d, 0, 1), least, places)


def forrester() -> Problem:
    """One minimum far above the global one."""
    return scaled(agrawal.forrester(), [1.0], "forrester")


def sin_one() -> Problem:
    """Many narrow optima."""
    return scaled(classic.sin_one(), [0.8675262135920881], "sinone")


def branin() -> Problem:
    """Three global optima."""
    return scaled(classic.branin(), [-5.0, 0.0], "branin")


def camelback() -> Problem:
    """Six humps, two global optima."""
    return scaled(classic.camelback(), [3.0, 2.0], "camelback")


def goldstein_price() -> Problem:
    """Very flat."""
    return scaled(classic.goldstein_price(), [-1.7373725380799394, 2.0], "goldstein-price")


def levy(d: int) -> Problem:
    """A bowl with small waves, on [-10, 10]^d before scaling."""
    return scaled(classic.levy(d), [-10.0] * d, f"levy{d}")


def rosenbrock(d: int) -> Problem:
    """A curved valley."""
    return scaled(classic.rosenbrock(d), [10.0] * (d - 1) + [-5.0], f"rosenbrock{d}")


def scaled_perm(d: int) -> Problem:
    """Perm; that a corner is its maximum was checked for two and five dimensions."""
    return scaled(perm(d), [-float(d)] * d, f"perm{d}")


def scaled_g_function(d: int) -> Problem:
    """A product of tents."""
    return scaled(g_function(d), [0.0] * d, f"g-function{d}")
