"""Tuning of networks with switches, as boosted trees know it: three problems of `ax-platform`.

The package has trees that were fitted to validation accuracies of networks on CIFAR-10, MNIST and
Fashion-MNIST, one model for each setting of two switches; a switch that is on brings a parameter
of its own. The trees are read here, so that xgboost is not needed. The value is 1 - accuracy of
the model, which on MNIST goes below zero; the greatest value of a dense grid that the package
knows gives the minimum.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Categorical, Parameter, Real
from numpy.typing import NDArray

FOLDER = Path("benchmark/problems/surrogate/hss/checkpoints")
Numbers = NDArray[np.float32]
Space = dict[str, Parameter]


@final
@dataclass(frozen=True, slots=True)
class Switch:
    """A parameter that exists only if its switch is on."""

    name: str
    parameter: str


@final
@dataclass(frozen=True, slots=True)
class Task:
    """One of the three.

    Attributes:
        always: the parameters that always exist.
        switches: two of them; model number 2 a + b is for the first at a and the second at b.
        order: of the parameters in a model.
        greatest: accuracy on a dense grid, as the package has it.
    """

    file: str
    always: Space
    switches: tuple[Switch, Switch]
    optional: Space
    order: tuple[str, ...]
    greatest: float


def _residual(file: str, greatest: float) -> Task:
    return Task(
        file,
        {"lr": Real(1e-5, 1e-1, log=True), "two_more_blocks": Categorical([False, True])},
        (
            Switch("use_softplus", "softplus_beta"),
            Switch("use_weight_decay", "weight_decay"),
        ),
        {
            "softplus_beta": Real(0.5, 2.0, when={"use_softplus": [True]}),
            "weight_decay": Real(1e-8, 1e-2, log=True, when={"use_weight_decay": [True]}),
        },
        ("lr", "two_more_blocks", "softplus_beta", "weight_decay"),
        greatest,
    )


TASKS = {
    "ax-cifar10": _residual("cifar10", 0.82043886),
    "ax-fashion-mnist": _residual("fashion_mnist", 0.9225427),
    "ax-mnist": Task(
        "mnist",
        {"lr": Real(1e-5, 1.0, log=True)},
        (Switch("use_dropout", "dropout"), Switch("use_weight_decay", "weight_decay")),
        {
            "dropout": Real(0.1, 0.5, when={"use_dropout": [True]}),
            "weight_decay": Real(1e-5, 1.0, log=True, when={"use_weight_decay": [True]}),
        },
        ("lr", "dropout", "weight_decay"),
        1.0790634,
    ),
}


@final
@dataclass(frozen=True, slots=True)
class ConditionalSurrogate:
    """One task; `minimum` is 1 - the greatest accuracy of a dense grid."""

    name: str
    task: Task

    @property
    def minimum(self) -> float:
        """The least value of a dense grid."""
        return 1 - self.task.greatest

    def space(self) -> Space:
        """Return the parameters, of which two exist under conditions."""
        switches: Space = {s.name: Categorical([False, True]) for s in self.task.switches}
        return self.task.always | switches | self.task.optional

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return 1 - what the trees predict."""
        first, second = self.task.switches
        model = 2 * bool(params[first.name]) + bool(params[second.name])
        x = np.array([params[n] for n in self.task.order if n in params], dtype=np.float32)
        return 1 - _trees(self.task.file, model).predict(x)


def conditional_surrogate(name: str) -> ConditionalSurrogate:
    """Return a problem by its name.

    Raises:
        ImportError: if ax-platform is not installed.
    """
    _folder()
    return ConditionalSurrogate(name, TASKS[name])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Boosted trees: the sum of one leaf each, of x < threshold to the left."""

    base: float
    trees: tuple[dict[str, list[Any]], ...]

    def predict(self, x: Numbers) -> float:
        """Return the prediction for one point."""
        total = np.float32(self.base)
        for tree in self.trees:
            node = 0
            while tree["left_children"][node] >= 0:
                threshold = np.float32(tree["split_conditions"][node])
                side = "left" if x[tree["split_indices"][node]] < threshold else "right"
                node = tree[f"{side}_children"][node]
            total += np.float32(tree["split_conditions"][node])  # a leaf has its value there
        return float(total)


@cache
def _trees(file: str, number: int) -> Trees:
    learner = json.loads((_folder() / f"{file}_xgb_model_{number}.json").read_text())["learner"]
    names = ("left_children", "right_children", "split_conditions", "split_indices")
    trees = learner["gradient_booster"]["model"]["trees"]
    kept = tuple({name: tree[name] for name in names} for tree in trees)
    return Trees(float(learner["learner_model_param"]["base_score"]), kept)


def _folder() -> Path:
    """Return where the package has the trees, without importing it."""
    found = find_spec("ax")
    if found is None or found.origin is None:
        raise ImportError("this problem needs ax-platform: pip install 'neuralbo-lab[peers]'")
    return Path(found.origin).parent / FOLDER
