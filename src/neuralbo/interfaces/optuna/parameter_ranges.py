"""The parameters that trials have had, each with the bounding range."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import final

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

FINEST = 10_000  # steps of a bounding range: of more the grid is given up


@final
class BoundingRanges:
    """Every parameter of any trial with the bounding range.

    Names whose kind or choices changed are left out: they are drawn on their own.
    """

    def __init__(self) -> None:
        self._found: dict[str, BaseDistribution] = {}
        self._mixed: set[str] = set()

    def add(self, trial: FrozenTrial) -> None:
        """Take a further trial into account."""
        for name, new in trial.distributions.items():
            old = self._found.get(name, new)
            if old is new:
                self._found[name] = new
                continue
            # the same attributes are the same ranges; Optuna's comparison takes ten times as long
            is_same = type(old) is type(new) and vars(old) == vars(new)
            ranges = new if is_same else _bounding_ranges(old, new)
            self._mixed |= {name} if ranges is None else set()
            self._found[name] = ranges or new

    def copy(self) -> "BoundingRanges":
        """Return another that can be added to."""
        other = BoundingRanges()
        other._found, other._mixed = dict(self._found), set(self._mixed)
        return other

    def distributions(self) -> dict[str, BaseDistribution]:
        """Return the parameters by name."""
        return {name: self._found[name] for name in sorted(self._found.keys() - self._mixed)}


def union(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Return every parameter of any trial with the bounding range."""
    ranges = BoundingRanges()
    for trial in trials:
        ranges.add(trial)
    return ranges.distributions()


def _bounding_ranges(old: BaseDistribution, new: BaseDistribution) -> BaseDistribution | None:
    if old == new or type(old) is not type(new) or isinstance(new, CategoricalDistribution):
        return new if old == new else None
    assert isinstance(new, FloatDistribution | IntDistribution)
    assert isinstance(old, FloatDistribution | IntDistribution)
    if old.log != new.log:
        return None
    low, high = min(old.low, new.low), max(old.high, new.high)
    step = _common_step(old, new)
    if low == high:
        return new
    if isinstance(new, IntDistribution):
        assert step is not None
        return IntDistribution(int(low), int(high), log=new.log, step=1 if new.log else int(step))
    if step is None or new.log or (high - low) / float(step) > FINEST:
        return FloatDistribution(low, high, log=new.log)
    return FloatDistribution(low, high, step=float(step))


def _common_step(
    old: FloatDistribution | IntDistribution, new: FloatDistribution | IntDistribution
) -> Fraction | None:
    """Return the widest step of a grid from the lower bound that has all values of both."""
    steps = [d.step for d in (old, new) if not d.single()]
    if None in steps:
        return None
    offset = abs(_fraction(old.low) - _fraction(new.low))
    # a value alone is on any grid, and so says nothing but where it is
    return _divisor(offset, *(_fraction(step) for step in steps if step is not None))


def _fraction(number: float) -> Fraction:
    """Return a number as people write it: 0.1 is a tenth."""
    return Fraction(str(number))


def _divisor(*numbers: Fraction) -> Fraction:
    """Return the greatest number of which all are multiples."""
    below = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * below) for number in numbers)), below)
