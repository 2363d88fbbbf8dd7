"""Trainings that were run once and written down: the loss of each configuration after each epoch.

Tables come from a folder that the user names in the environment variable `NEURALBO_CURVES`; none
is in this package. In it are

- `taskset/NAME.npz`, from TaskSet (Metz et al. 2020) by way of the repository
  machinelearningnuremberg/DyHPO: `names` of 8 parameters, `X` (1000 x 8), `valid` (1000 x 51);
- `lcbench-curves/NAME.npz`, from LCBench (Zimmer et al. 2021): `config` (2000 x 7),
  `val_cross_entropy` and `val_accuracy` (2000 x 52).

Both have the licence Apache-2.0. Without a folder there are the trainings of `digits`, which
scikit-learn runs here in a second.
"""

import os
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

FOLDER = "NEURALBO_CURVES"
# settings and rules of the pruner were chosen on the first group; the second shows what they are
# worth elsewhere. The split is by name, every second task of TaskSet.
DEVELOPMENT = (
    "taskset/patch128_LSTM128_avg_bs64",
    "taskset/patch32_GRU128_bs128",
    "taskset/patch32_IRNN64_relu_last_bs128",
    "taskset/patch32_VRNN128_tanh_bs128",
    "lcbench-curves/blood-transfusion-service-center",
)
TEST = (
    "taskset/patch128_LSTM128_embed128_bs64",
    "taskset/patch32_IRNN64_relu_avg_bs128",
    "taskset/patch32_LSTM128_E128_bs128",
    "taskset/patch32_VRNN64_relu_avg_bs128",
)
MADE = ("digits",)
LOGARITHMIC = ("learning_rate", "epsilon", "l1", "l2", "linear_decay", "exponential_decay")
FROM_ONE = ("beta1", "beta2")  # what matters of them is the logarithm of 1 - beta
CONFIGURATIONS, EPOCHS = 40, 12  # of `digits`

Numbers = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class CurveTable:
    """Configurations in the unit cube and the loss of each after each epoch.

    Attributes:
        X: n x d.
        losses: n x T, smaller is better; NaN after a training diverged.
    """

    name: str
    X: Numbers
    losses: Numbers

    @property
    def epochs(self) -> int:
        """T, the epochs of a full training."""
        return int(self.losses.shape[1])

    def row(self, point: Numbers) -> int:
        """Return the configuration that is nearest to a point of the unit cube."""
        distances: Numbers = np.square(self.X - point).sum(-1)
        return int(np.argmin(distances))

    def regret(self, loss: float) -> float:
        """Return how far a final loss is above the least, the median of all being at 1."""
        finals = self.losses[np.isfinite(self.losses).all(1), -1]
        return float((loss - finals.min()) / (np.median(finals) - finals.min()))


def named_folder() -> Path | None:
    """Return the folder that the user names, None if there is none."""
    named = os.environ.get(FOLDER)
    return Path(named) if named else None


def tables_of(group: str) -> tuple[str, ...]:
    """Return the names of a group, "development" or "test"; without a folder those made here."""
    if named_folder() is None:
        return MADE
    return DEVELOPMENT if group == "development" else TEST


@cache
def curve_table(name: str) -> CurveTable:
    """Return a table by its name.

    Raises:
        FileNotFoundError: if no folder is named, or it has no such table.
    """
    if name in MADE:
        return CurveTable(name, *_digits())
    folder = named_folder()
    if folder is None or not (folder / f"{name}.npz").is_file():
        raise FileNotFoundError(
            f"there is no {name}.npz in {folder}; name the folder of the tables in the "
            f"environment variable {FOLDER}; neuralbo_lab.problems.training_curves says what is "
            "in it."
        )
    with np.load(folder / f"{name}.npz") as found:
        if name.startswith("taskset/"):
            columns = [
                _axis(str(label), column)
                for label, column in zip(found["names"], found["X"].T, strict=True)
            ]
            return CurveTable(name, np.stack(columns, -1), found["valid"].astype(float))
        ranks = [rankdata(column, method="dense") for column in found["config"].T]
        X = np.stack([(r - 1) / max(r.max() - 1, 1) for r in ranks], -1)
        return CurveTable(name, X, found["val_cross_entropy"].astype(float))


def _axis(label: str, column: Numbers) -> Numbers:
    """Return a parameter as a person would scale it, from 0 to 1."""
    if label in LOGARITHMIC:
        column = np.log(column)
    elif label in FROM_ONE:
        column = -np.log(np.maximum(1 - column, 1e-4))
    unit: Numbers = (column - column.min()) / (column.max() - column.min())
    return unit


def _digits() -> tuple[Numbers, Numbers]:
    """Train linear classifiers of digits by stochastic gradient descent, epoch by epoch."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import SGDClassifier
    from sklearn.metrics import log_loss

    images, labels = load_digits(return_X_y=True)
    images, rng = images / 16, np.random.default_rng(0)
    train, valid = slice(0, 600), slice(600, 1000)
    X, losses = rng.random((CONFIGURATIONS, 2)), np.empty((CONFIGURATIONS, EPOCHS))
    for i, (rate, penalty) in enumerate(X):
        model = SGDClassifier(
            loss="log_loss", learning_rate="constant", eta0=10 ** (4 * rate - 4),
            alpha=10 ** (5 * penalty - 6), random_state=0,
        )  # fmt: skip
        for epoch in range(EPOCHS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # overflow at high rates
                model.partial_fit(images[train], labels[train], classes=np.arange(10))
                shares = model.predict_proba(images[valid])
            losses[i, epoch] = log_loss(labels[valid], shares.clip(1e-12), labels=np.arange(10))
    return X, losses
