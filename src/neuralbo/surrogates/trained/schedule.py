"""A setting that changes with the number of observations."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Schedule:
    """From `first` at no observation, by a constant factor, to `last` at `trials`; then that.

    A function of the data, so that a resumed study goes on with it.
    """

    first: float
    last: float
    trials: int

    def __post_init__(self) -> None:
        if not (self.first > 0 and self.last > 0 and self.trials > 0):
            raise ValueError(f"Schedule needs positive values and trials, got {self}.")

    def at(self, n: int) -> float:
        """Return the value at n observations."""
        return float(self.first * (self.last / self.first) ** min(n / self.trials, 1.0))


def value_at(setting: float | Schedule, n: int) -> float:
    """Return a setting at n observations."""
    return setting.at(n) if isinstance(setting, Schedule) else setting
