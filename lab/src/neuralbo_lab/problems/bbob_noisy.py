"""The noisy functions of the black-box optimization benchmark, f101 to f130.

Hansen et al. (2009), "Real-parameter black-box optimization benchmarking 2009: noisy functions
definitions". `cocoex` draws its noise from streams that all problems of a process share and nobody
can seed, and does not tell the value without it. So only the functions are cocoex's here, and the
noise is drawn from the lab's own generator, by the same formulas.

Notation: v = f - f*, what the noise changes, ...; U, U' uniform on (0, 1), Z standard normal.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from neuralbo_lab.problems.base import Function, Problem
from neuralbo_lab.problems.bbob import Suite, noiseless, rowwise

NOISY = Suite("bbob-noisy", range(101, 131), (2, 3, 5, 10, 20, 40))
MODERATE = (1, 8)  # the functions below f101 to f106, three kinds of noise each
SEVERE = (1, 8, 7, 10, 14, 17, 19, 21)  # and below f107 to f130
ELLIPSOID, GRIEWANK = 10, 19  # the two that have other constants below the noise
CONDITION = 1e4  # of the ellipsoid, instead of 1e6
OFFSET = 1.01e-8  # added to each observation, so that none gets to the last target by chance
ROTATION = 1_000_000  # what the seed of a rotation adds to that of a place

Noise = Callable[
    [Tensor, Tensor], Tensor
]  # from v ... and uniform numbers ... x 2 to what is added


def noisy(function: int, d: int, instance: int = 1) -> Problem:
    """Return one of the 30 functions with noise.

    The minimum and its place are those without noise. Cauchy noise adds a constant of 10 or 1000
    to almost all observations, by its definition.

    Raises:
        ValueError: if there is no such function, dimension or instance.
        ImportError: if cocoex is not installed.
    """
    name = NOISY.problem_name(function, d, instance)
    is_severe = function >= 107
    below = SEVERE[(function - 107) // 3] if is_severe else MODERATE[(function - 101) // 3]
    plain = noiseless(below, d, instance)
    f = _function(plain, below, instance)
    added = _noises(is_severe, d)[(function - 101) % 3]

    def noise(X: Tensor, rng: Generator) -> Tensor:
        U = torch.rand((*X.shape[:-1], 2), generator=rng, dtype=torch.float64)
        v = (f(X) - plain.minimum).clamp(min=0)  # rounding may leave it below
        return added(v, U) + OFFSET

    return replace(plain, name=name, f=f, noise=noise, holds_outside=False)


def _function(plain: Problem, below: int, instance: int) -> Function:
    """Return the function below the noise; only two differ from the noiseless suite's."""
    if below == GRIEWANK:  # its factor of 10 is 1 here
        return lambda X: plain.minimum + (plain.f(X) - plain.minimum) / 10
    if below == ELLIPSOID:
        g = rotated_ellipsoid(plain.places[0].numpy(), ELLIPSOID + 10_000 * instance, CONDITION)
        return rowwise(lambda rows: plain.minimum + g(rows))
    return plain.f


def _noises(is_severe: bool, d: int) -> tuple[Noise, Noise, Noise]:
    strength = 1.0 if is_severe else 0.01
    return (
        partial(_gaussian, strength),
        partial(_uniform, strength * (0.49 + 1 / d), strength),
        partial(_cauchy, strength, 0.2 if is_severe else 0.05),
    )


def _gaussian(beta: float, v: Tensor, U: Tensor) -> Tensor:
    """V exp(beta Z) - v."""
    return v * torch.expm1(beta * torch.special.ndtri(U[..., 0]))


def _uniform(alpha: float, beta: float, v: Tensor, U: Tensor) -> Tensor:
    """V U^beta max(1, (1e9 / v)^(alpha U')) - v."""
    factor = (1e9 / (v + 1e-99)) ** (alpha * U[..., 1])
    return v * (U[..., 0] ** beta * factor.clamp(min=1) - 1)


def _cauchy(alpha: float, p: float, v: Tensor, U: Tensor) -> Tensor:
    """Return alpha max(0, 1000 + C) if U < p, with a Cauchy number C, else 1000 alpha."""
    C = torch.tan(math.pi * (U[..., 1] - 0.5))
    return alpha * (1000 + torch.where(U[..., 0] < p, C, 0)).clamp(min=0)


def rotated_ellipsoid(
    place: NDArray[np.float64], seed: int, condition: float
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return sum_i condition^((i-1)/(d-1)) T(R (x - place))_i^2, a function of rows.

    T is BBOB's oscillation, and R the rotation of the seed (Hansen et al. 2009). cocoex has it
    with a condition of 1e6 only, as f10.
    """
    d = len(place)
    R = _rotation(d, seed + ROTATION)
    weights = condition ** (np.arange(d) / (d - 1))
    return lambda rows: _oscillate((rows - place) @ R.T) ** 2 @ weights


def _oscillate(z: NDArray[np.float64]) -> NDArray[np.float64]:
    log = np.log(np.where(z == 0, 1, np.abs(z)))
    c1, c2 = np.where(z > 0, 10, 5.5), np.where(z > 0, 7.9, 3.1)
    return np.asarray(np.sign(z) * np.exp(log + 0.049 * (np.sin(c1 * log) + np.sin(c2 * log))))


def _rotation(d: int, seed: int) -> NDArray[np.float64]:
    """Return BBOB's rotation of a seed: normal columns, made orthogonal one after the other."""
    U = _legacy_uniform(2 * d * d, seed).reshape(2, d, d)
    normal = np.sqrt(-2 * np.log(U[0])) * np.cos(2 * np.pi * U[1])
    Q, R = np.linalg.qr(normal.T)
    return np.asarray(Q * np.sign(np.diag(R)))


def _legacy_uniform(n: int, seed: int) -> NDArray[np.float64]:
    """Return numbers of BBOB's own generator, a minimal standard one with a shuffled table."""
    state, table = seed, [0] * 32
    for i in range(39, -1, -1):
        state = 16807 * state % 2147483647
        if i < 32:
            table[i] = state
    last, numbers = table[0], np.empty(n)
    for i in range(n):
        state = 16807 * state % 2147483647
        k = last // 67108865
        last, table[k] = table[k], state
        numbers[i] = last / 2147483647
    return numbers
