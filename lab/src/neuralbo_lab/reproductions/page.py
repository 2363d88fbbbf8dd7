"""The numbers of docs/reproductions.md, made again from the stored lines.

    python -m neuralbo_lab.reproductions.page results docs/reproductions.md

fills what stands between `<!-- made: NAME -->` and `<!-- end -->`; the text around is written by
hand and has no measured number. The names are those of `BLOCKS`.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neuralbo_lab.claims.outcome import ANSWERS
from neuralbo_lab.core.as_run import trials_of
from neuralbo_lab.core.claims_of_studies import Answered, counts, decided
from neuralbo_lab.core.recorded_times import stored as recorded_times
from neuralbo_lab.core.studies import REPRODUCTIONS
from neuralbo_lab.core.study import Study
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.reproductions.page_tables import NOTHING, TABLES, Stored
from neuralbo_lab.statistics.paired_intervals import FEWEST

BLOCK = re.compile(r"<!-- made: (?P<name>[\w-]+) -->\n(?P<lines>.*?)<!-- end -->\n", re.DOTALL)
DOCUMENTS = {
    "Aryan (2020)": "aryan", "Kruse (2022)": "kruse", "Agrawal (2016)": "agrawal",
    "Hassen and Rish (2021)": "hassen", "Högger (2021)": "hoegger",
}  # fmt: skip
COLUMNS = ("what is said", "source", "as it is compared here", "answer", "pairs",
           "95 % interval", "`neuralbo lab claims`")  # fmt: skip
COSTS = ("study", "runs made", "length of a run", "core-hours they took",
         "core-hours of the whole", "claims that wait")  # fmt: skip
SHORTER = re.compile(r"needs (runs of \d+ evaluations); in those of (\d+) it is ([\w ]+): ")
MAXIMIZER = re.compile(
    r"/(?:grid|random_candidates|random|lbfgs150|multistart|direct_5000|mixed_integer)\b"
)
TOO_FEW = f"fewer than {FEWEST} pairs"
LONGEST = 150  # letters of a comparison; longer lists are counted


def filled(page: str, root: Path) -> str:
    """Return a page with all of its blocks made from the results in a folder.

    Raises:
        KeyError: A block has no such name.
    """
    stored = Stored(root)

    def block(match: re.Match[str]) -> str:
        lines = "".join(f"{line}\n" for line in BLOCKS[match["name"]](stored))
        return f"<!-- made: {match['name']} -->\n{lines}<!-- end -->\n"

    return BLOCK.sub(block, page)


def all_claims(stored: Stored) -> list[str]:
    """Return the table of all claims: of each document first those that hold."""
    places = [f"{prefix}-" for prefix in DOCUMENTS.values()]

    def place(claim: Answered) -> tuple[int, int]:
        document = next(i for i, begin in enumerate(places) if claim.study.startswith(begin))
        return document, ANSWERS.index(claim.outcome.answer)

    return markdown(COLUMNS, [_row(claim) for claim in sorted(_claims(stored), key=place)])


def by_document(stored: Stored) -> list[str]:
    """Return how many claims of each document have each answer."""
    rows = []
    for name, claims in (*claims_by_document(stored).items(), ("all", _claims(stored))):
        rows.append((name, *counts(claims).values(), len(claims)))
    return markdown(("", *ANSWERS, "claims"), rows)


def claims_by_document(stored: Stored) -> dict[str, list[Answered]]:
    """Return the claims of each document."""
    claims = _claims(stored)
    return {
        name: [claim for claim in claims if claim.study.startswith(f"{prefix}-")]
        for name, prefix in DOCUMENTS.items()
    }


def costs(stored: Stored) -> list[str]:
    """Return what was run of each study, and what the whole of it would take.

    The hours of runs that were not made are those of `neuralbo_lab.core.recorded_times`.
    """
    rows = []
    for study in REPRODUCTIONS:
        hours, run = recorded_times()[study.name], stored.run(study.name)
        whole, length = sum(1 for _ in study.cells()), "whole"
        if trials_of(run) != trials_of(study):
            length = f"{trials_of(run)} of {trials_of(study)} evaluations"
        full = f"{'at least ' if hours.is_least else ''}{hours.full:g}"
        full += "" if hours.known == 1 else f" for {hours.known:.0%} of them"
        claims = counts(_claims_of(stored, study))
        undone = ", ".join(f"{claims[answer]} {answer.replace('_', ' ')}" for answer in
                           ("undecided", "out_of_reach") if claims[answer])  # fmt: skip
        runs = f"{hours.runs} of {whole}"
        rows.append((f"`{study.name}`", runs, length, f"{hours.spent:g}", full, undone or NOTHING))
    return markdown(COSTS, rows)


def _claims_of(stored: Stored, study: Study[Any]) -> list[Answered]:
    return decided(study, stored.run(study.name), stored.results(study.name))


def _claims(stored: Stored) -> list[Answered]:
    return [claim for study in REPRODUCTIONS for claim in _claims_of(stored, study)]


def _row(claim: Answered) -> tuple[str, ...]:
    source, _, said = claim.source.replace(", reproduced when", "").partition(": ")
    o = claim.outcome
    numbers = o.pairs_in_words, f"{o.of} {o.interval_in_words}"
    if o.answer == "out of reach":
        numbers = NOTHING, _missing(o.because)
    elif o.interval_in_words == NOTHING:
        numbers = o.pairs_in_words, TOO_FEW if o.pairs[1] < FEWEST else NOTHING
    cells = said or NOTHING, source, shortened(claim.words), o.answer, *numbers
    return (*(cell.replace("|", "\\|") for cell in cells), f"`{claim.study}`")


def _missing(because: str) -> str:
    """Return what a claim needs, and what shorter runs say of it."""
    shorter = SHORTER.match(because)
    if shorter and shorter[3] != "out of reach":
        return f"needs {shorter[1]}; after {shorter[2]}: {shorter[3]}"
    return shortened(because.partition(";")[0])


def shortened(words: str) -> str:
    """Return a claim without the names of maximizers, and with long lists counted."""
    words = MAXIMIZER.sub("", words)
    if len(words) <= LONGEST:
        return words
    return re.sub(r"[^\s,]+(?:, [^\s,]+){3,}", _counted, words)


def _counted(match: re.Match[str]) -> str:
    names = match[0].split(", ")
    return f"{names[0]} and {len(names) - 1} more"


BLOCKS: dict[str, Callable[[Stored], list[str]]] = {
    "claims": all_claims, "answers": by_document, "costs": costs, **TABLES,
}  # fmt: skip


def main(root: Path, page: Path) -> None:
    """Fill a page in place."""
    page.write_text(filled(page.read_text(encoding="utf-8"), root), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
