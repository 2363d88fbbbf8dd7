"""The axis of the steps: from 0 to 1, and the functions of it that curves are made of.

Notation
    t  a step as it was reported      T  the step at which values are compared
    r  (t + o)/(T + o), the share of the way, in (0, 1]; o makes the first step positive
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.surrogates.curves.curve import Curve

KNOTS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)  # shares of the way
LEAST_SHARE = 1e-6  # of the way; steps before it are taken there


@final
@dataclass(frozen=True, slots=True)
class StepScale:
    """How far along the way a step is.

    Attributes:
        last: T.
        offset: o; 0 where the first step is as large as those between the others, so that
            1, 2, 3 is the same as 100, 200, 300, and as 0, 1, 2.
    """

    last: float
    offset: float = 0.0

    @staticmethod
    def of(curves: Sequence[Curve], last: float | None = None) -> "StepScale":
        """Return the scale of curves; T is the largest step of those that ended, or as given."""
        reporting = [curve for curve in curves if curve.n]
        ended = [curve for curve in reporting if curve.has_ended] or reporting
        end = last or max((float(curve.steps[-1]) for curve in ended), default=1.0)
        gaps = [float(curve.steps.diff().median()) for curve in reporting if curve.n > 1]
        gap = sorted(gaps)[len(gaps) // 2] if gaps else 1.0
        first = min((float(curve.steps[0]) for curve in reporting), default=gap)
        return StepScale(end, max(gap - first, 0.0))

    def share(self, steps: Tensor) -> Tensor:
        """Return r of steps; what comes after T counts as at T."""
        share: Tensor = (steps + self.offset) / (self.last + self.offset)
        return share.clamp(LEAST_SHARE, 1.0)

    def basis(self, steps: Tensor) -> Tensor:
        """Return K functions of each step, ... to ... x K.

        The first is 1, each other is 1 before a piece of the way, falls through it linearly in
        log r, and is 0 after. So the first coefficient is the value at T, and each other the
        height that is lost in its piece; independent ones are a random walk in log r.
        """
        x = self.share(steps)[..., None].log()
        knots = torch.tensor(KNOTS, dtype=torch.float64).log()
        ramps = (knots[1:] - x) / knots.diff()
        highest = torch.ones_like(knots[1:])
        highest[0] = torch.inf  # before the first knot it goes on to rise
        return torch.cat([torch.ones_like(x), ramps.clamp(min=0).minimum(highest)], -1)

    @property
    def size(self) -> int:
        """K, how many functions there are."""
        return len(KNOTS)
