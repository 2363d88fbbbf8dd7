"""Functions with known minima, and what makes them harder."""

from neuralbo.lab.problems.base import Objective, Problem
from neuralbo.lab.problems.catalog import PROBLEMS, find
from neuralbo.lab.problems.classic import ackley, branin, hartmann6, levy, rosenbrock
from neuralbo.lab.problems.conditional import JenattonTree
from neuralbo.lab.problems.wrappers import failing, noisy, padded, rising, shifted, warped

__all__ = [
    "PROBLEMS",
    "JenattonTree",
    "Objective",
    "Problem",
    "ackley",
    "branin",
    "failing",
    "find",
    "hartmann6",
    "levy",
    "noisy",
    "padded",
    "rising",
    "rosenbrock",
    "shifted",
    "warped",
]
