"""docs/reproductions.md has the numbers of the stored lines, and no others in its blocks."""

import re
from pathlib import Path

import pytest

from neuralbo_lab.reproductions.page import BLOCK, BLOCKS, filled, shortened

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


def test_names_of_maximizers_and_long_lists_are_left_out():
    assert shortened("kde/ei/random has a lower mean than gp/ei/random") == (
        "kde/ei has a lower mean than gp/ei"
    )
    names = ", ".join(f"some-long-name-{i:02d}" for i in range(12))
    assert shortened(f"a is better than {names} at the end: branin") == (
        "a is better than some-long-name-00 and 11 more at the end: branin"
    )
