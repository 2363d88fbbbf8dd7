"""Nevergrad's NGOpt, which chooses an algorithm by the space and the budget."""

from typing import Any

import nevergrad as ng
import numpy as np


class Peer:
    """NGOpt, told of the initial points as of points that it did not ask for."""

    def __init__(self, axes: list[dict[str, Any]], seed: int, trials: int) -> None:
        np.random.seed(seed)  # noqa: NPY002 (some of its algorithms draw from the global one)
        self.names = [axis["name"] for axis in axes]
        space = ng.p.Dict(**{axis["name"]: parameter(axis) for axis in axes})
        space.random_state.seed(seed)
        self.optimizer = ng.optimizers.NGOpt(space, budget=trials, num_workers=1)
        self.suggested: Any = None
        self.answer: dict[str, float] = {}

    def tell(self, numbers: dict[str, float], value: float) -> None:
        """Tell a value of what was asked last, or of another point."""
        if self.suggested is not None and numbers == self.answer:
            candidate, self.suggested = self.suggested, None
        else:
            ours = {n: int(x) if float(x).is_integer() else x for n, x in numbers.items()}
            candidate = self.optimizer.parametrization.spawn_child(new_value=ours)
        self.optimizer.tell(candidate, value)

    def ask(self) -> dict[str, float]:
        """Return one suggestion."""
        self.suggested = self.optimizer.ask()
        self.answer = {name: float(self.suggested.value[name]) for name in self.names}
        return self.answer


def parameter(axis: dict[str, Any]) -> Any:
    """Return Nevergrad's name for an axis."""
    low, high = axis["low"], axis["high"]
    if axis["kind"] == "category":
        return ng.p.Choice(list(range(int(high) + 1)))
    scalar = ng.p.Log(lower=low, upper=high) if axis["log"] else ng.p.Scalar(lower=low, upper=high)
    return scalar.set_integer_casting() if axis["kind"] == "integer" else scalar
