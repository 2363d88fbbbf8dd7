"""The lines of a finished cell in few bytes, for the file of a study; and the lines again.

Of a run of trials are kept
    values    of all trials
    seconds   of each suggestion, 3 digits
    means     of the seconds after the initial design, of the suggestion ("ask"), of what is known
              of its parts ("fit", "choose") and of the "objective"
    points    of the first seed: of problems with one or two parameters all of them, which figures
              show; of others the first six suggestions, with which tests compare new ones
    truths    values without noise of the trials that were the best observed so far, where a study
              reports these
    facts     those in `FACTS`, which tables and figures show
    attempts  of each trial, in a study with restarts
    end       the last line, if the run failed, was stopped or reached its target

A value that is not the best so far has `DIGITS` digits, but for the first seed, whose trials are
told again to methods. It stays above the best so far, so that no table depends on the digits.
Cells of one line keep it as it is. In brief, for studies of many thousand runs: no points, fewer
digits, and of the means the suggestion's alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Line = dict[str, Any]
Truth = Callable[[Mapping[str, Any]], float]

DIGITS = 7
DIGITS_OF_SECONDS = 3
DIGITS_OF_MEANS = 6
BRIEF_DIGITS = 3
BRIEF_DIGITS_OF_BEST = 12  # of a value that is the best so far: its regret may be a small part
BRIEF_DIGITS_OF_SECONDS = 1
PARTS = ("ask", "fit", "choose", "objective")  # of a trial's seconds
FACTS = ("doublings", "mean_width_c")
FEW_PARAMETERS = 2
SUGGESTIONS = 6


def compact(lines: Sequence[Line], truth: Truth | None = None, *, is_brief: bool = False) -> Line:
    """Return a finished cell; `truth` is of a study that reports values without noise."""
    header, rest = (lines[0], lines[1:]) if lines else ({}, [])
    trials = [line for line in rest if "number" in line]
    if not trials:
        return {"lines": list(rest)}
    start, is_first = header.get("start", 0), header.get("seed") == 0 and not is_brief
    values = [line["value"] for line in trials]
    best = _best_so_far(values)
    means = header.get("means", means_of(trials[start:]))
    digits = BRIEF_DIGITS_OF_SECONDS if is_brief else DIGITS_OF_SECONDS
    cell: Line = {
        "start": start,
        "values": values if is_first else _shortened(values, best, is_brief),
        "seconds": [_rounded(line["seconds"]["ask"], digits) for line in trials],
        "means": {"ask": means["ask"]} if is_brief and "ask" in means else means,
    }
    if is_first:
        cell |= _points(trials, start)
    if truth is not None:
        cell["truths"] = _truths(trials, best, truth)
    facts = {name: [line.get("facts", {}).get(name) for line in trials] for name in FACTS}
    facts = {name: found for name, found in facts.items() if found.count(None) < len(found)}
    cell |= {"facts": facts} if facts else {}
    attempts = [line.get("attempt", 0) for line in trials]
    cell |= {"attempts": attempts} if any(attempts) else {}
    return cell | ({"end": rest[-1]} if "number" not in rest[-1] else {})


def expanded(header: Line, cell: Line) -> list[Line]:
    """Return the lines of a cell behind a header: what `compact` has kept of them."""
    if "lines" in cell:
        return [header, *cell["lines"]]
    points: dict[int, Line] = {
        cell["first_point"] + i: params for i, params in enumerate(cell.get("points", ()))
    }
    trials = []
    for number, (value, ask) in enumerate(zip(cell["values"], cell["seconds"], strict=True)):
        line: Line = {"number": number}
        if number in points:
            line["params"] = points[number]
        line["value"] = value
        if any(cell.get("attempts", ())) and cell["attempts"][number]:
            line["attempt"] = cell["attempts"][number]
        facts = {name: found[number] for name, found in cell.get("facts", {}).items()}
        facts = {name: fact for name, fact in facts.items() if fact is not None}
        trials.append(line | ({"facts": facts} if facts else {}) | {"seconds": {"ask": ask}})
    if "truths" in cell:
        for i in (i for i, is_best in enumerate(_best_so_far(cell["values"])) if is_best):
            trials[i]["truth"] = cell["truths"].get(str(i), cell["values"][i])
    header = header | {"start": cell["start"], "means": cell["means"]}
    return [header, *trials, *([cell["end"]] if "end" in cell else [])]


def means_of(trials: Sequence[Line]) -> dict[str, float]:
    """Return the mean seconds of the parts of a trial that are known."""
    means = {}
    for part in PARTS:
        known = [line["seconds"][part] for line in trials if part in line["seconds"]]
        if known:
            means[part] = _rounded(math.fsum(known) / len(known), DIGITS_OF_MEANS)
    return means


def _best_so_far(values: Sequence[float | None]) -> list[bool]:
    """Return whether each value is below all before it."""
    found, best = [], math.inf
    for value in values:
        found.append(value is not None and value < best)
        best = value if value is not None and value < best else best
    return found


def _shortened(
    values: Sequence[float | None], is_best: Sequence[bool], is_brief: bool
) -> list[float | None]:
    digits = BRIEF_DIGITS if is_brief else DIGITS
    found: list[float | None] = []
    best = math.inf
    for value, now in zip(values, is_best, strict=True):
        if value is None:
            found.append(None)
        elif now:
            best = _rounded(value, BRIEF_DIGITS_OF_BEST) if is_brief else value
            found.append(best)
        else:
            short = _rounded(value, digits)
            found.append(short if short > best else max(value, best))
    return found


def _points(trials: Sequence[Line], start: int) -> Line:
    names = {name for line in trials for name in line.get("params", ())}
    first = 0 if len(names) <= FEW_PARAMETERS else start
    last = len(trials) if len(names) <= FEW_PARAMETERS else start + SUGGESTIONS
    points = [line["params"] for line in trials[first:last] if "params" in line]
    return {"first_point": first, "points": points} if points else {}


def _truths(trials: Sequence[Line], is_best: Sequence[bool], truth: Truth) -> dict[str, float]:
    """Return those that differ from the values, by the number of the trial."""
    found = {}
    for i, line in enumerate(trials):
        if is_best[i]:
            true = line["truth"] if "truth" in line else truth(line["params"])
            if true != line["value"]:
                found[str(i)] = true
    return found


def _rounded(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")
