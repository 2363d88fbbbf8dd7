"""The legal points of a domain as rows of a mixed-integer program.

Notation
    t_l  1 if a variable has level l, else 0        a  1 if the variable is active, else 0
"""

import numpy as np
import torch

from neuralbo.maximizers.program import Columns, Program
from neuralbo.space.domain import Domain, Variable

MOST_LEVELS = 1000  # each of them a variable of the program


def add_domain(program: Program, domain: Domain) -> Columns:
    """Add the columns of the cube, held to legal points; return their places, d.

    Levels are binaries of which one is 1, evenly spaced ones a whole number. An inactive
    variable has its neutral value. Variables that may be absent for reasons that the domain does
    not know are there, as in all our candidates.

    Raises:
        ValueError: if a variable has more levels than can be written down.
    """
    x, one = program.add(np.zeros(domain.d), 1.0), program.add(1.0, 1.0)
    parents = {parent for variable in domain.variables for parent, _ in variable.when}
    levels: dict[int, Columns] = {}
    active: list[Columns] = []
    for i, (variable, start) in enumerate(zip(domain.variables, domain.starts, strict=True)):
        a = _activity(program, variable, levels) if variable.when else one
        active.append(a)
        here = x[start : start + variable.width]
        if variable.kind == "continuous":
            half = np.array([[0.5]])
            program.ask([(np.eye(1), here), (half, a)], 0.5, np.inf)  # from (1 - a)/2
            program.ask([(np.eye(1), here), (-half, a)], -np.inf, 0.5)  # to (1 + a)/2
        elif variable.kind == "ordinal" and variable.ratio == 1.0 and i not in parents:
            _whole_number(program, variable, here, a)
        else:
            levels[i] = _one_of(program, variable, here, a)
    for column, group in enumerate(domain.activity, domain.d - len(domain.activity)):
        program.ask([(np.eye(1), x[[column]]), (-np.eye(1), active[group[0]])], 0.0, 0.0)
    return x


def _activity(program: Program, variable: Variable, levels: dict[int, Columns]) -> Columns:
    """Add a: 1 if and only if every parent has one of its levels."""
    a = program.add(0.0, 1.0, is_whole=True)
    every = []
    for parent, wanted in variable.when:
        t = levels[parent][sorted(wanted)]
        program.ask([(np.eye(1), a), (-np.ones((1, len(t))), t)], -np.inf, 0.0)
        every.append((-np.ones((1, len(t))), t))
    program.ask([(np.eye(1), a), *every], 1.0 - len(every), np.inf)
    return a


def _whole_number(program: Program, variable: Variable, x: Columns, a: Columns) -> None:
    """Hold x to k/(count - 1), or 1/2 if the variable is inactive."""
    top = max(variable.count - 1, 1)
    k = program.add(0.0, variable.count - 1.0, is_whole=True)
    program.ask([(np.eye(1), k), (np.array([[-float(top)]]), a)], -np.inf, 0.0)
    program.ask([(np.eye(1), x), (np.array([[-1 / top]]), k), (np.array([[0.5]]), a)], 0.5, 0.5)


def _one_of(program: Program, variable: Variable, x: Columns, a: Columns) -> Columns:
    """Hold x to the columns of one level, or to the neutral value; return t."""
    count = variable.count
    if count > MOST_LEVELS:
        raise ValueError(
            f"mixed_integer writes down every level of categories, of integers with a "
            f"logarithmic axis and of those that conditions ask for, at most {MOST_LEVELS}; got "
            f"{count}. Use maximizer='mixed', or a Real parameter that you round."
        )
    t = program.add(np.zeros(count), 1.0, is_whole=True)
    program.ask([(np.ones((1, count)), t), (-np.eye(1), a)], 0.0, 0.0)
    width, levels = variable.width, torch.arange(count, dtype=torch.float64)
    if variable.has_position:
        places, neutral = variable.position(levels).numpy()[None], np.array([[0.5]])
    else:
        places = variable.vectors(levels).numpy().T
        neutral = variable.vectors(torch.full((1,), torch.nan, dtype=torch.float64)).numpy().T
    program.ask([(np.eye(width), x), (-places, t), (neutral, a)], neutral[:, 0], neutral[:, 0])
    return t
