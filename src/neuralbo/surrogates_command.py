"""What `neuralbo surrogates` does: the names of the catalog, from a table beside this file.

The table is `surrogates.csv`: a row for each name that `surrogate=` takes, with its family, one
line, and the CPU seconds of a suggestion, as `python -m neuralbo_lab.speed.surrogates` measures
them. Nothing here loads torch.
"""

import csv
from argparse import Namespace
from pathlib import Path

from neuralbo.errors import unknown_name

TABLE = Path(__file__).with_name("surrogates.csv")
FOOT = """\
Seconds are of one processor, for a suggestion at 50 trials of 5 parameters, as they were measured
on one machine: compare them with each other. ">20" took longer, and "-" was not measured.
docs/methods has a page for each family; `--surrogate NAME` and `surrogate="NAME"` take a name."""


def rows() -> list[dict[str, str]]:
    """Return the table: name, family, line, seconds."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def surrogates(options: Namespace) -> int:
    """Print the names, or those of a family; a part of a name or of its family is enough.

    Raises:
        ValueError: if nothing has that name; the message has the near ones.
    """
    table, wanted = rows(), options.name
    found = [
        row for row in table if wanted is None or wanted in row["name"] or wanted in row["family"]
    ]
    if not found:
        raise unknown_name("surrogate", wanted, [row["name"] for row in table], usual=USUAL)
    widths = [max(len(row[key]) for row in [*found, HEAD]) for key in ("name", "family")]
    for row in [HEAD, *found]:
        name, family = row["name"].ljust(widths[0]), row["family"].ljust(widths[1])
        print(f"{name}  {family}  {row['seconds'] or '-':>7}  {row['line']}")
    print(f"\n{FOOT}")
    return 0


HEAD = {"name": "name", "family": "family", "line": "what it is", "seconds": "seconds"}
USUAL = ("auto", "gp", "brvfl4")
