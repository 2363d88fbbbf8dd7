"""docs/reproductions.md has the numbers of the stored lines, and no others in its blocks."""

import re
from pathlib import Path

import pytest

from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.core.claims_of_studies import Answered
from neuralbo_lab.reproductions.page import BLOCK, BLOCKS, _row, filled, shortened

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reproductions.md"


def test_the_page_is_what_the_stored_lines_make_of_it():
    """If not: python -m neuralbo_lab.reproductions.page results docs/reproductions.md."""
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text, ROOT / "results") == text


def test_every_block_is_on_the_page_once():
    names = [match["name"] for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert sorted(names) == sorted(BLOCKS)


def test_there_is_no_measured_number_between_the_blocks():
    """Those with a decimal point or an exponent are measured ones, but for sections."""
    prose = BLOCK.sub("", PAGE.read_text(encoding="utf-8"))
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?e-?\d+|(?<![\w.])\d+\.\d+(?![\w.])", prose)
    named = re.findall(r"(?:sec\.|Fig\.|Table|of) (\d+\.\d+)", prose)
    assert sorted(set(numbers) - set(named)) == []


def test_a_block_without_a_maker_is_an_error():
    with pytest.raises(KeyError):
        filled("<!-- made: ghost -->\n<!-- end -->\n", ROOT / "results")


def answered(*outcome):
    return Answered("kruse-bo-1d", "a beats b", "Who (2020): a is better", Outcome(*outcome))


def test_a_row_says_what_shorter_runs_gave():
    because = "needs runs of 35 evaluations; in those of 15 it is holds: 1 against 2"
    row = _row(answered("out of reach", because, (8, 8)))
    assert row[3:6] == ("out of reach", "—", "needs runs of 35 evaluations; after 15: holds")
    nothing = "needs runs of 35 evaluations; in those of 15 it is out of reach: needs runs of a"
    assert _row(answered("out of reach", nothing))[5] == "needs runs of 35 evaluations"


def test_a_row_says_where_there_are_too_few_pairs_for_an_interval():
    assert _row(answered("undecided", "", (3, 3)))[4:6] == ("3", "fewer than 5 pairs")
    assert _row(answered("undecided", "", (8, 8)))[4:6] == ("8", "—")


def test_names_of_maximizers_and_long_lists_are_left_out():
    assert shortened("kde/ei/random has a lower mean than gp/ei/random") == (
        "kde/ei has a lower mean than gp/ei"
    )
    names = ", ".join(f"some-long-name-{i:02d}" for i in range(12))
    assert shortened(f"a is better than {names} at the end: branin") == (
        "a is better than some-long-name-00 and 11 more at the end: branin"
    )
