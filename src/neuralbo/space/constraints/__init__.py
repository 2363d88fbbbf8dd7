"""Known constraints: what the parameters of every trial must satisfy, known before any trial.

Constraints on the outcome, which only an evaluation tells, are in `Data.C`.
"""

from neuralbo.space.constraints.statements import at_most, sum_to

__all__ = ["at_most", "sum_to"]
