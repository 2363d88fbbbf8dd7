"""Functions to minimize, most with known minima, and what makes them harder."""

from neuralbo_lab.problems.base import Objective, Problem
from neuralbo_lab.problems.bbob import MixedInteger
from neuralbo_lab.problems.catalog import PROBLEMS, find
from neuralbo_lab.problems.classic import ackley, branin, hartmann6, levy, rosenbrock
from neuralbo_lab.problems.jenatton_tree import JenattonTree
from neuralbo_lab.problems.tabular import Tabular
from neuralbo_lab.problems.tuning import Tuning
from neuralbo_lab.problems.wrappers import failing, noisy, padded, rising, shifted, warped

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
