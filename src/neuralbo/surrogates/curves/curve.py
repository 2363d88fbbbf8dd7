"""What one trial reported on its way."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

MOST_REPORTS = 200  # of one trial; of more so many are read, evenly chosen


@final
@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The values of one trial by step; larger is better.

    Attributes:
        point: d numbers in [0,1], the parameters.
        steps: n increasing numbers.
        values: n finite values.
        has_ended: whether the last value is the trial's result, and no step is missing.
        has_diverged: whether the last report was NaN or infinite: the result will be bad.
    """

    point: Tensor
    steps: Tensor
    values: Tensor
    has_ended: bool = False
    has_diverged: bool = False

    @staticmethod
    def of(
        point: Tensor, reports: Mapping[int, float], sign: float = 1.0, *, has_ended: bool = False
    ) -> "Curve":
        """Read reports in any order; those that are no numbers count only if they are the last.

        A training that has diverged reports NaN until its end, while a single NaN in the middle
        is a value that was not measured.

        Args:
            point: the parameters in the unit cube.
            reports: values by step, as `trial.intermediate_values` has them.
            sign: 1 if larger values are better, else -1.
            has_ended: whether the trial ran to its end.
        """
        steps = sorted(reports)
        finite = [step for step in steps if math.isfinite(reports[step])]
        has_diverged = bool(steps) and finite[-1:] != steps[-1:]
        n = len(finite)
        if n > MOST_REPORTS:
            finite = [finite[i * (n - 1) // (MOST_REPORTS - 1)] for i in range(MOST_REPORTS)]
        values = torch.tensor([sign * reports[step] for step in finite], dtype=torch.float64)
        return Curve(
            point, torch.tensor(finite, dtype=torch.float64), values, has_ended, has_diverged
        )

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.steps)

    def until(self, n: int) -> "Curve":
        """Return the curve as it was after n values."""
        is_all = n >= self.n
        return Curve(
            self.point, self.steps[:n], self.values[:n],
            self.has_ended and is_all, self.has_diverged and is_all,
        )  # fmt: skip
