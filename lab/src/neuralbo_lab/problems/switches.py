"""Problems of many switches or categories, with instances.

labs           binary sequences with low autocorrelation: E = sum over k of C_k^2
               Packebusch and Mertens (2016), "Low autocorrelation binary sequences"
qubo           quadratic forms of 0/1 with Gaussian coefficients, half of which are zero
nk             sites with four states each; the value of a site depends on two others
               Kauffman and Levin (1987), "Towards a general theory of adaptive walks"
contamination  whether to treat food at each stage of its way, against the cost of treatment
               Hu et al. (2010), as in Baptista and Poloczek (2018), with twice their penalty

An instance flips or shuffles the choices, so that no corner of the space is special. The minimum
of each is a lower bound: nobody has gone through all combinations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Categorical, Parameter
from numpy.typing import NDArray

States = NDArray[np.int64]
NK_STATES = 4
NK_NEIGHBOURS = 2
SCENARIOS = 100  # of contamination
LIMIT, PENALTY = 0.1, 2.0  # the share that may be contaminated, and what more costs a stage


@final
@dataclass(frozen=True, slots=True, eq=False)
class Switches:
    """A function of n choices among the same number of states.

    Attributes:
        f: of n numbers of states.
        shift: n numbers that are added to the choices, so that an instance is unlike another.
        minimum: a lower bound.
    """

    name: str
    f: Callable[[States], float]
    states: int
    shift: States
    minimum: float

    def space(self) -> Mapping[str, Parameter]:
        """Return the choices x0, x1, ...."""
        names = [f"s{state}" for state in range(self.states)]
        return {f"x{i}": Categorical(names) for i in range(len(self.shift))}

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value."""
        chosen = np.array([int(params[f"x{i}"][1:]) for i in range(len(self.shift))])
        return float(self.f((chosen + self.shift) % self.states))


def labs(n: int, instance: int) -> Switches:
    """Return the energy of a sequence of n signs."""

    def energy(x: States) -> float:
        signs = 2 * x - 1
        return float(sum(int(signs[:-k] @ signs[k:]) ** 2 for k in range(1, n)))

    return _made("labs", energy, 2, n, instance, 0.0)


def qubo(n: int, instance: int) -> Switches:
    """Return x'Qx of x in {0, 1}^n."""
    rng = np.random.default_rng((instance, n))
    Q = rng.standard_normal((n, n)) * (rng.random((n, n)) < 0.5)
    return _made("qubo", lambda x: float(x @ Q @ x), 2, n, instance, float(Q.clip(max=0).sum()))


def nk(n: int, instance: int) -> Switches:
    """Return the mean over n sites of a number for the states of the site and two others."""
    rng = np.random.default_rng((instance, n))
    sites = np.array(
        [[i, *rng.choice([j for j in range(n) if j != i], NK_NEIGHBOURS, False)] for i in range(n)]
    )
    tables = rng.random((n, NK_STATES ** (NK_NEIGHBOURS + 1)))
    weights = NK_STATES ** np.arange(NK_NEIGHBOURS + 1)

    def mean(x: States) -> float:
        return float(tables[np.arange(n), x[sites] @ weights].mean())

    return _made("nk", mean, NK_STATES, n, instance, float(tables.min(1).mean()))


def contamination(n: int, instance: int) -> Switches:
    """Return the cost of treating at some of n stages, over scenarios that are drawn once.

    Z_i = L_i (1 - x_i) (1 - Z_{i-1}) + (1 - G_i x_i) Z_{i-1}, the share that is contaminated.
    """
    rng = np.random.default_rng((instance, n))
    Z0 = rng.beta(1, 30, SCENARIOS)
    L, G = rng.beta(1, 17 / 3, (n, SCENARIOS)), rng.beta(1, 3 / 7, (n, SCENARIOS))

    def cost(x: States) -> float:
        Z, total = Z0, float(x.sum())
        for i in range(n):
            Z = L[i] * (1 - x[i]) * (1 - Z) + (1 - G[i] * x[i]) * Z
            total += PENALTY * float((Z > LIMIT).mean())
        return total

    return _made("contamination", cost, 2, n, instance, 0.0)


SWITCHES: dict[str, Callable[[int, int], Switches]] = {
    "labs": labs,
    "qubo": qubo,
    "nk": nk,
    "contamination": contamination,
}


def _made(
    name: str, f: Callable[[States], float], states: int, n: int, instance: int, minimum: float
) -> Switches:
    """Return the problem of an instance, with states that are shifted at random."""
    shift = np.random.default_rng((instance, n, 1)).integers(states, size=n)
    return Switches(f"{name}{n}-i{instance}", f, states, shift, minimum)
