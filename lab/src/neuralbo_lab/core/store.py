"""Where the results of a study lie: a file a cell while it runs, one compressed file when packed.

    ROOT/STUDY/neuralbo-VERSION/PROTOCOL/CELL.jsonl     one JSON line a trial
    ROOT/STUDY/neuralbo-VERSION/PROTOCOL.jsonl.gz       all, each after a line {"cell": FILE}

A file of a cell goes before what is packed of it.
"""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from neuralbo import __version__

Line = dict[str, Any]
FOLDER = "neuralbo-"


class HasResults(Protocol):
    """What is known of a study here."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        ...


def folder(study: HasResults, root: Path) -> Path:
    """Return where the results of a study lie; those of another version lie elsewhere."""
    return root / study.name / f"{FOLDER}{__version__}" / study.protocol


def packed(study: HasResults, root: Path) -> Path:
    """Return where the results of a study lie when they are packed."""
    where = folder(study, root)
    return where.with_name(f"{where.name}.jsonl.gz")


def is_there(study: HasResults, root: Path) -> bool:
    """Return whether there are any results of this version and protocol."""
    return folder(study, root).is_dir() or packed(study, root).is_file()


def must_be_there(study: HasResults, root: Path, typed: str) -> None:
    """Raise if there is nothing to report; `typed` is what a user calls the study.

    Raises:
        FileNotFoundError: The study has never been run with this version and protocol.
    """
    if not is_there(study, root):
        raise FileNotFoundError(
            f"there are no results in {folder(study, root)}; make them with: "
            f"neuralbo lab run {typed}"
        )


def other_versions(study: HasResults, root: Path) -> list[str]:
    """Return the other versions of neuralbo that have left results of this study."""
    found = (path.name for path in (root / study.name).glob(f"{FOLDER}*"))
    return sorted(name for name in found if name != f"{FOLDER}{__version__}")


def read_lines(path: Path) -> list[Line]:
    """Return the whole lines of a file; what follows a half-written one is not trusted."""
    lines: list[Line] = []
    if not path.exists():
        return lines
    for text in path.read_text().splitlines(keepends=True):
        try:
            if not text.endswith("\n"):
                break
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return lines


def read_cells(study: HasResults, root: Path, files: Iterable[str]) -> dict[str, list[Line]]:
    """Return the lines of those of the files that are finished."""
    where, before = folder(study, root), _unpack(packed(study, root))
    found = {}
    for file in files:
        if (where / file).exists():
            found[file] = read_lines(where / file)
        elif file in before:
            found[file] = before[file]
    return found


def finished(study: HasResults, root: Path, files: Iterable[str]) -> set[str]:
    """Return which of the files are finished."""
    where, before = folder(study, root), _unpack(packed(study, root))
    return {file for file in files if file in before or (where / file).exists()}


def pack(study: HasResults, root: Path, files: Iterable[str], into: Path) -> Path:
    """Write what is finished into one compressed file; equal results give equal bytes.

    What was packed there before is kept.
    """
    path = packed(study, into)
    cells = _unpack(path) | read_cells(study, root, files)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps(rounded(line))
        for file in sorted(cells)
        for line in ({"cell": file}, *cells[file])
    )
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        for line in lines:
            out.write(f"{line}\n".encode())
    part.rename(path)
    return path


def rounded(line: Line) -> Line:
    """Return a line with its seconds rounded to microseconds.

    Their further digits say nothing, and would be a good part of a file.
    """
    if not isinstance(line.get("seconds"), dict):
        return line
    return line | {"seconds": {name: round(s, 6) for name, s in line["seconds"].items()}}


def _unpack(path: Path) -> dict[str, list[Line]]:
    if not path.is_file():
        return {}
    cells: dict[str, list[Line]] = {}
    lines: list[Line] = []
    with gzip.open(path, "rt", encoding="utf-8") as source:
        for text in source:
            line = json.loads(text)
            if "cell" in line:
                lines = cells.setdefault(line["cell"], [])
            else:
                lines.append(line)
    return cells
