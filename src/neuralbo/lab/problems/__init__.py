"""Functions to minimize, most with known minima, and what makes them harder."""

from neuralbo.lab.problems.base import Objective, Problem
from neuralbo.lab.problems.bbob import MixedInteger
from neuralbo.lab.problems.catalog import PROBLEMS, find
from neuralbo.lab.problems.classic import ackley, branin, hartmann6, levy, rosenbrock
from neuralbo.lab.problems.conditional import JenattonTree
from neuralbo.lab.problems.tabular import Tabular
from neuralbo.lab.problems.tuning import Tuning
from neuralbo.lab.problems.wrappers import failing, noisy, padded, rising, shifted, warped

__all__ = [
    "PROBLEMS",
    "JenattonTree",
    "MixedInteger",
    "Objective",
    "Problem",
    "Tabular",
    "Tuning",
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
