"""Code, messages and pages speak the field's words, and cite by author and year."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ["src", "lab/src", "tests", "lab/tests", "docs", "examples", "hub"]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
# what has the old words because it is about them
ABOUT_OLD_WORDS = {
    "test_words.py", "test_old_studies.py", "test_old_records.py", "old_records.py",
    "test_old_names.py",
}  # fmt: skip

OLD_CITATION = re.compile(
    r"(?<![\w.:@/,-])00[0-4](?='s|[),;:]|\s+\(?[0-9A-Z]|\s+(?:section|has|says))"
)
OWN_NUMBERS = re.compile(r"\(A\d+(?:, A\d+)*\)|\bE-\d\d\b")  # of notes that are not published
DOCUMENT = re.compile(r"\b[Tt]he document\b(?! of one)")

# identifiers, whole; what ends in Law, Asker and so on as well
NAMES = re.compile(
    r"_?(?:Way|WAYS|handicap|HANDICAP|foret\w+|judged\w*|[Vv]erdicts?|landmarks?|\w*LANDMARK|"
    r"askers?|\w*Asker|told|asked|hills?|Hills?|\w*_hills?|climb\w*|Climb\w*|\w*CLIMBS?|bent|"
    r"laws?|\w*Laws?|\w*_law|hull|Hull|apart|\w*APART|aside|ASIDES?|luckiest|likely_best|"
    r"LikelyBest|deviations?|(?!test_|standard)\w*_deviation|DEVIATIONS|KnowsSlope|with_slope|AfterStart|"
    r"start_design|start_points|by_hand)"
)
KEPT_NAMES = {
    "deviation": "recommendation.py",  # the former name of `std`
    "by_hand": "tests/",  # what a test computes step by step
}  # fmt: skip

# words of comments, docstrings, messages and pages
WORDS = re.compile(
    r"\b(?:[Ff]oret(?:ells?|old|elling)|[Hh]andicaps?|[Ll]andmarks?|[Aa]skers?|luckiest|[Hh]ull|"
    r"[Hh]ills?|[Cc]limb(?:s|ed|ing)?|[Bb]ent|verdicts?|[Ss]tart designs?|[Ss]tart points?|"
    r"slopes by hand|[Ll]ikely best|laws?(?! of (?:the )?total))\b"
    r"|(?<![Ss]tandard )(?<![Ss]tandard\n)(?<![Aa]bsolute )(?<![.`\w])deviations?\b(?! from)"
)
PLAIN_ENGLISH = re.compile(  # a curved floor, a border, "Bent cigar": no words for a warp
    r"tests/inference/test_laplace_mode\.py|feasibility\.py|problems/bbob\.py"
)

CITED = re.compile(
    r"\b((?:[A-Z][\w-]+(?:, | and ))*[A-Z][\w-]+(?: et al\.)?),? \(?((?:18|19|20)\d\d)(?=[),;:. ])"
)
NO_CITATION = re.compile(  # months, languages, versions, products
    r"January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Python|Optuna|NeurIPS|ICML|Copyright|Analysis|In|Of|BBOB|COCO|Since|From|Until|Protein"
)


def files():
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))]
    return [
        path
        for path in found + PAGES
        if path.suffix in (".py", ".md") and path.name not in ABOUT_OLD_WORDS
    ]


TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text() for path in files()}


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def found_in(pattern, texts, keeps=lambda path, match: False):
    """Return where a pattern stands: path, line and what it is."""
    return [
        f"{path}:{line_of(text, match.start())}: {match[0]}"
        for path, text in texts.items()
        for match in pattern.finditer(text)
        if not keeps(path, match)
    ]


def spoken(text):
    """Return comments and strings of a module, everything else blank, lines kept."""
    lines = [[" "] * len(line) for line in text.split("\n")]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_sentence = token.type == tokenize.STRING and " " in token.string
        if token.type == tokenize.COMMENT or is_sentence:
            for k, part in enumerate(token.string.split("\n")):
                row, begin = token.start[0] - 1 + k, token.start[1] if k == 0 else 0
                lines[row][begin : begin + len(part)] = part
    return "\n".join("".join(line) for line in lines)


PYTHON = {path: text for path, text in TEXTS.items() if path.endswith(".py")}
PROSE = {path: spoken(TEXTS[path]) if path.endswith(".py") else TEXTS[path] for path in TEXTS}


def test_citations_are_by_author_and_year():
    assert not found_in(OLD_CITATION, TEXTS)


def test_no_numbers_of_unpublished_notes_are_cited():
    assert not found_in(OWN_NUMBERS, PROSE)


def test_it_is_said_whose_the_document_is():
    pages = {path: text for path, text in PROSE.items() if "test_documents" not in path}
    assert not found_in(DOCUMENT, pages)


def test_identifiers_are_the_fields_words():
    wrong = []
    for path, text in PYTHON.items():
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            is_name = token.type == tokenize.NAME and NAMES.fullmatch(token.string)
            if is_name and KEPT_NAMES.get(token.string, "no file") not in path:
                wrong.append(f"{path}:{token.start[0]}: {token.string}")
    assert not wrong


def test_prose_has_the_fields_words():
    assert not found_in(WORDS, PROSE, lambda path, match: PLAIN_ENGLISH.search(path))


@pytest.mark.parametrize(
    ("pattern", "old", "new"),
    [
        (OLD_CITATION, "000 1.4.1", "Aryan (2020), Sec. 5.2"),
        (OLD_CITATION, "(004 section 4)", "40,000 trials, 0.001 of 1000"),
        (WORDS, "a law of y", "by the law of total variance"),
        (WORDS, "its deviation", "its standard deviation"),
        (NAMES, "OptunaAsker", "awaylaw_"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern, old, new):
    assert pattern.search(old)
    assert not pattern.fullmatch(new) and (pattern is NAMES or not pattern.search(new))


def test_every_publication_that_is_cited_is_in_the_references():
    page = (ROOT / "docs/references.md").read_text()
    known = re.findall(r"^- \*\*(.+?) \((\d{4})\)\.\*\*", page, re.MULTILINE)
    assert len(known) == len(set(known)) > 100
    names = {(name.replace(" et al.", ""), year) for name, year in known}
    missing = set()
    for path, text in PROSE.items():
        if path.startswith(("tests/", "lab/tests/", "CHANGELOG")) or path.endswith(
            "references.md"
        ):
            continue
        for match in CITED.finditer(re.sub(r"\s+(?:# )?", " ", text)):
            name = match[1].replace(" et al.", "")
            if NO_CITATION.match(name.split(" ")[0].rstrip(",")) or (name, match[2]) in names:
                continue
            if any(
                match[2] == year and (name.endswith(other) or other.endswith(name))
                for other, year in names
            ):
                continue
            missing.add(f"{match[1]} ({match[2]})")
    assert not sorted(missing)


def test_the_five_publications_are_in_the_citation_file():
    citation = (ROOT / "CITATION.cff").read_text()
    _, _, references = citation.partition("\nreferences:\n")
    for author, year in (
        ("Aryan", 2020), ("Kruse", 2022), ("Agrawal", 2016), ("Rish", 2021), ("Högger", 2021),
    ):  # fmt: skip
        (entry,) = [part for part in references.split("\n  - type:") if author in part]
        assert f"year: {year}" in entry
