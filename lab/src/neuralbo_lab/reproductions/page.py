"""The numbers of docs/reproductions.md, made again from the stored lines.

    python -m neuralbo_lab.reproductions.page results docs/reproductions.md

fills what stands between `<!-- made: NAME -->` and `<!-- end -->`; the text around is written by
hand and has no measured number. The names are those of `BLOCKS`.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from neuralbo_lab.claims.outcome import ANSWERS
from neuralbo_lab.core.claims_of_studies import Answered, counts, decided
from neuralbo_lab.core.studies import REPRODUCTIONS
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.reproductions.page_tables import NOTHING, TABLES, Stored

BLOCK = re.compile(r"<!-- made: (?P<name>[\w-]+) -->\n(?P<lines>.*?)<!-- end -->\n", re.DOTALL)
DOCUMENTS = {
    "Aryan (2020)": "aryan", "Kruse (2022)": "kruse", "Agrawal (2016)": "agrawal",
    "Hassen and Rish (2021)": "hassen", "Högger (2021)": "hoegger",
}  # fmt: skip
COLUMNS = ("what is said", "source", "as it is compared here", "answer", "pairs",
           "95 % interval", "`neuralbo lab claims`")  # fmt: skip
MAXIMIZER = re.compile(
    r"/(?:grid|random_candidates|random|lbfgs150|multistart|direct_5000|mixed_integer)\b"
)
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
    claims = _claims(stored)
    rows = []
    for name, prefix in DOCUMENTS.items():
        found = counts(claim for claim in claims if claim.study.startswith(f"{prefix}-"))
        rows.append((name, *found.values(), sum(found.values())))
    found = counts(claims)
    rows.append(("all", *found.values(), len(claims)))
    head = ("", *(name.replace("_", " ") for name in found), "claims")
    return markdown(head, rows)


def _claims(stored: Stored) -> list[Answered]:
    return [
        claim
        for study in REPRODUCTIONS
        for claim in decided(study, stored.run(study.name), stored.results(study.name))
    ]


def _row(claim: Answered) -> tuple[str, ...]:
    source, _, said = claim.source.replace(", reproduced when", "").partition(": ")
    o = claim.outcome
    numbers = o.pairs_in_words, f"{o.of} {o.interval_in_words}"
    if o.answer == "out of reach":
        numbers = NOTHING, shortened(o.because.partition(";")[0])
    elif o.interval_in_words == NOTHING:
        numbers = o.pairs_in_words, NOTHING
    cells = said or NOTHING, source, shortened(claim.words), o.answer, *numbers
    return (*(cell.replace("|", "\\|") for cell in cells), f"`{claim.study}`")


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
    "claims": all_claims, "answers": by_document, **TABLES,
}  # fmt: skip


def main(root: Path, page: Path) -> None:
    """Fill a page in place."""
    page.write_text(filled(page.read_text(encoding="utf-8"), root), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
