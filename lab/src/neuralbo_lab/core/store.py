"""Where the results of a study lie: a file a cell while it runs, one compressed file when packed.

    ROOT/STUDY/PROTOCOL/CELL.jsonl     one JSON line a trial, with all that was recorded
    ROOT/STUDY/PROTOCOL.jsonl.xz       a header, and a line a cell: what `compact` keeps of it

A file of a cell goes before what is packed of it. A cell has the key of what was run
(`protocol_key`); one whose key is not that of the study now is stale: it is still reported, with
a word, and made again by a run. Results of before, ROOT/STUDY/neuralbo-VERSION/..., are read as
well, with the key `EARLIER`: what was run is not known.
"""

import gzip
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from neuralbo_lab.core.compact import Truth, compact, expanded

Line = dict[str, Any]

EARLIER = "earlier"
FORMAT = 1
FOLDERS_OF_BEFORE = "neuralbo-*"
Cells = dict[str, Line]  # compact, by the name of the cell's file


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

    def cells(self) -> Iterator[Any]:
        """Return all cells."""
        ...

    def settings(self, cell: Any) -> dict[str, Any]:
        """Return all that the numbers of a cell depend on, but for its seed."""
        ...


def folder(study: HasResults, root: Path) -> Path:
    """Return where the results of a study lie."""
    return root / study.name / study.protocol


def packed(study: HasResults, root: Path) -> Path:
    """Return where the results of a study lie when they are packed."""
    where = folder(study, root)
    return where.with_name(f"{where.name}.jsonl.xz")


def is_there(study: HasResults, root: Path) -> bool:
    """Return whether there are any results of this protocol."""
    return (
        folder(study, root).is_dir()
        or packed(study, root).is_file()
        or any(_places_of_before(study, root))
    )


def protocols(study: HasResults, root: Path) -> list[str]:
    """Return the protocols of which there are results of a study, also those of other settings."""
    places = [root / study.name, *sorted((root / study.name).glob(FOLDERS_OF_BEFORE))]
    found = [path for place in places if place.is_dir() for path in place.iterdir()]
    names = {path.name.removesuffix(".jsonl.xz").removesuffix(".jsonl.gz") for path in found}
    return sorted(names)


def must_be_there(study: HasResults, root: Path, typed: str) -> None:
    """Raise if there is nothing to report; `typed` is what a user calls the study.

    Raises:
        FileNotFoundError: The study has never been run with this protocol.
    """
    if not is_there(study, root):
        raise FileNotFoundError(
            f"there are no results in {folder(study, root)}; make them with: "
            f"neuralbo lab run {typed}"
        )


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
    wanted = list(files)
    where, (header, cells) = folder(study, root), _unpack(packed(study, root))
    before = _before(study, root)
    found = {}
    for file in wanted:
        if (where / file).exists():
            found[file] = read_lines(where / file)
        elif file in cells:
            found[file] = _lines(header, cells[file])
        elif file in before:
            found[file] = before[file]
    return found


def as_packed(study: HasResults, lines: list[Line]) -> list[Line]:
    """Return what would be left of a cell's lines if they were packed."""
    header, cells = _merged(study, {}, {"": lines})
    return _lines(header, cells[""])


def is_packed(lines: list[Line]) -> bool:
    """Return whether these are lines of a packed cell, which has not all that was recorded."""
    return bool(lines) and "packed" in lines[0]


def keys(study: HasResults, root: Path, files: Iterable[str]) -> dict[str, str]:
    """Return the key of what was run for those of the files that are finished."""
    where, (_, cells) = folder(study, root), _unpack(packed(study, root))
    before = _before(study, root)
    found = {}
    for file in files:
        if (where / file).exists():
            found[file] = _first(where / file).get("key", EARLIER)
        elif file in cells:
            found[file] = cells[file]["key"]
        elif file in before:
            found[file] = EARLIER
    return found


def finished(study: HasResults, root: Path, files: Iterable[str]) -> set[str]:
    """Return which of the files are finished and not stale."""
    now = _keys_now(study)
    return {file for file, key in keys(study, root, files).items() if key == now.get(file)}


def stale(study: HasResults, root: Path) -> Counter[str]:
    """Return how many finished cells of each method are of another protocol than the study."""
    now, method_of = _keys_now(study), {cell.file: cell.method for cell in study.cells()}
    found = keys(study, root, method_of)
    return Counter(method_of[file] for file, key in found.items() if key != now[file])


def stale_in_words(study: HasResults, root: Path) -> str | None:
    """Return which finished cells are of another protocol; None if none is."""
    found = stale(study, root)
    if not found:
        return None
    counts = ", ".join(f"{method} ({number})" for method, number in sorted(found.items()))
    return (
        f"{found.total()} finished cells of {study.name} are of another protocol than the study "
        f"has now, or of an unknown earlier one: {counts}"
    )


def pack(study: HasResults, root: Path, files: Iterable[str], into: Path) -> Path:
    """Write what is finished into one compressed file; equal results give equal bytes.

    What was packed there before is kept.
    """
    path, source = packed(study, into), packed(study, root)
    header, cells = _unpack(path)
    if source != path:
        other, more = _unpack(source)
        wanted = set(files)
        header = _joined(header, other)
        cells |= {file: cell for file, cell in more.items() if file in wanted}
        files = wanted
    loose = _loose(study, root, files, set(cells))
    header, more = _merged(study, header, loose)
    cells |= more
    lines = [header, *({"cell": file} | cells[file] for file in sorted(cells))]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    if path.is_file() and lzma.decompress(path.read_bytes()) == text:
        return path  # another version of xz may write other bytes
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
    part.rename(path)
    return path


def rounded(line: Line) -> Line:
    """Return a line with its seconds rounded to microseconds.

    Their further digits say nothing, and would be a good part of a file.
    """
    if not isinstance(line.get("seconds"), dict):
        return line
    return line | {"seconds": {name: round(s, 6) for name, s in line["seconds"].items()}}


def _loose(
    study: HasResults, root: Path, files: Iterable[str], known: set[str]
) -> dict[str, list[Line]]:
    """Return the lines of cells that have files, and of those of before that nobody else has."""
    where, before = folder(study, root), _before(study, root)
    found = {}
    for file in files:
        if (where / file).exists():
            found[file] = read_lines(where / file)
        elif file in before and file not in known:
            found[file] = before[file]
    return found


def _merged(study: HasResults, header: Line, loose: dict[str, list[Line]]) -> tuple[Line, Cells]:
    """Return the header of these cells and of what it was before, and the cells."""
    header = _joined({"format": FORMAT, "study": study.name}, header)
    cells = {}
    for file, lines in loose.items():
        first = lines[0] if lines else {}
        versions = {name: [version] for name, version in first.get("versions", {}).items()}
        header = _joined(header, {"versions": versions})
        truth = _truth_of(study, first)
        cells[file] = {"key": first.get("key", EARLIER)} | compact(
            lines, truth, is_brief=_is_brief(study)
        )
    return header, cells


def _truth_of(study: HasResults, first: Line) -> Truth | None:
    """Return the values without noise of the problem of a run, if the study reports them."""
    from neuralbo_lab.core.benchmark_study import BenchmarkStudy
    from neuralbo_lab.core.optimization_study import OptimizationStudy
    from neuralbo_lab.problems import find

    is_reported = "problem" in first and (
        (isinstance(study, OptimizationStudy) and study.by_truth)
        or (isinstance(study, BenchmarkStudy) and "-noise" in first["problem"])
    )
    return find(first["problem"]).truth if is_reported else None


def _is_brief(study: HasResults) -> bool:
    from neuralbo_lab.core.benchmark_study import BenchmarkStudy

    return isinstance(study, BenchmarkStudy)


def _keys_now(study: HasResults) -> dict[str, str]:
    from neuralbo_lab.core.protocol_key import keys_of

    return keys_of(study)


def _joined(header: Line, other: Line) -> Line:
    """Return a header with the versions of another one as well."""
    versions = dict(header.get("versions", {}))
    for name, more in other.get("versions", {}).items():
        versions[name] = sorted({*versions.get(name, ()), *more})
    return other | header | {"versions": versions}


def _lines(header: Line, cell: Line) -> list[Line]:
    """Return the lines of a packed cell."""
    versions = {name: " and ".join(found) for name, found in header["versions"].items()}
    first = {"study": header["study"], "key": cell["key"], "packed": True, "versions": versions}
    return expanded(first, cell)


def _unpack(path: Path) -> tuple[Line, Cells]:
    if not path.is_file():
        return {}, {}
    with lzma.open(path, "rt", encoding="utf-8") as source:
        header, *cells = map(json.loads, source)
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{path} has the format {header.get('format')}, and this version of neuralbo reads "
            f"{FORMAT}; install the version that wrote it."
        )
    return header, {cell.pop("cell"): cell for cell in cells}


def _first(path: Path) -> Line:
    """Return the first line of a file of a cell."""
    with path.open() as source:
        try:
            line: Line = json.loads(source.readline())
        except json.JSONDecodeError:
            return {}
    return line


def _places_of_before(study: HasResults, root: Path) -> list[Path]:
    """Return folders and packed files of the older form."""
    names = (study.protocol, f"{study.protocol}.jsonl.gz")
    folders = sorted((root / study.name).glob(FOLDERS_OF_BEFORE))
    return [path / name for path in folders for name in names if (path / name).exists()]


def _before(study: HasResults, root: Path) -> dict[str, list[Line]]:
    """Return the cells of the older form; of two versions the later one's."""
    found: dict[str, list[Line]] = {}
    for path in _places_of_before(study, root):
        if path.is_dir():
            found |= {one.name: read_lines(one) for one in sorted(path.glob("*.jsonl"))}
        else:
            found |= {k: v for k, v in _unpack_of_before(path).items() if k not in found}
    return found


def _unpack_of_before(path: Path) -> dict[str, list[Line]]:
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
