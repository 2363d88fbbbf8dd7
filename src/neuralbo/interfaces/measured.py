"""A value whose noise is known: `Measured(3.2, noise=0.1)`."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

from neuralbo.arguments import is_number, shown

NOISE = "neuralbo:noise"  # the attribute of Optuna's trials: a standard deviation, or a list


@final
class Measured(float):
    """A value of an objective, and the standard deviation of its noise; it is a number.

    ```
    def f(params):
        values = [simulate(params, seed) for seed in range(5)]
        return Measured.mean_of(values)
    ```

    Attributes:
        noise: in the units of the value.
    """

    noise: float

    def __new__(cls, value: float, noise: float) -> "Measured":
        """Make it.

        Raises:
            TypeError: if value or noise is no number.
            ValueError: if the noise is negative, infinite or NaN.
        """
        if not is_number(value):
            raise TypeError(f"Measured needs a number as its value, got {shown(value)}.")
        made = super().__new__(cls, value)
        made.noise = checked_noise(noise)
        return made

    @staticmethod
    def mean_of(values: Sequence[float]) -> "Measured":
        """Return the mean of repeated measurements, with its standard error as the noise.

        That is s/sqrt(k) with s^2 = sum (v - mean)^2/(k - 1), of k values.

        Raises:
            ValueError: if there are fewer than two, or one is not finite.
        """
        found = [float(value) for value in values]
        if len(found) < 2 or not all(map(math.isfinite, found)):
            raise ValueError(
                "Measured.mean_of needs two finite values at least, since one alone says nothing "
                f"of its noise; got {shown(values)}."
            )
        mean = math.fsum(found) / len(found)
        variance = math.fsum((v - mean) ** 2 for v in found) / (len(found) - 1)
        return Measured(mean, math.sqrt(variance / len(found)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Measured, (float(self), self.noise)


def checked_noise(noise: Any) -> float:
    """Return the standard deviation of the noise of a value.

    Raises:
        TypeError: if it is no number.
        ValueError: if it is negative, infinite or NaN.
    """
    expected = "noise must be the standard deviation of a value, a finite number from 0 on"
    if not is_number(noise):
        raise TypeError(f"{expected}; got {shown(noise)}.")
    if not 0 <= float(noise) < math.inf:
        raise ValueError(
            f"{expected}; got {noise!r}. Leave it out where it is not known: then it is learnt."
        )
    return float(noise)


def noises_of(noise: Any, value: Any, m: int) -> tuple[float, ...] | None:
    """Return the standard deviations of m values: as told, else those of `Measured`, else None.

    One that is not known is 0 where others are.

    Raises:
        TypeError, ValueError: if one is no noise, or there are not m.
    """
    if noise is not None:
        is_list = isinstance(noise, Iterable) and not isinstance(noise, str | bytes | Mapping)
        several = list(noise) if is_list and not is_number(noise) else [noise] * m
        if len(several) != m:
            raise ValueError(
                f"noise must be a number, or a list of one for each of {m} objectives; got "
                f"{shown(noise)}."
            )
        return tuple(map(checked_noise, several))
    values = value if isinstance(value, list | tuple) else [value]
    if not any(isinstance(v, Measured) for v in values):
        return None
    return tuple(v.noise if isinstance(v, Measured) else 0.0 for v in values)
