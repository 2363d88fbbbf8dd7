"""Printed presets beside what stands in for them."""

from dataclasses import replace

import pytest
from neuralbo.catalog import SURROGATES

from neuralbo_lab.core import run as runner
from neuralbo_lab.core.store import folder
from neuralbo_lab.problems import Problem, find
from neuralbo_lab.reproductions import full_size
from neuralbo_lab.reproductions.full_size import COLUMNS, FULL_SIZE_FITS, PAIRS, Pair

CHEAP = replace(FULL_SIZE_FITS, methods=("additive",))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setitem(PAIRS, "additive", Pair("additive", "gp", "rastrigin20-shifted", 30))
    where = folder(CHEAP, tmp_path)
    where.mkdir(parents=True)
    for cell in CHEAP.cells():
        runner.run_cell(CHEAP, cell, where)
    return CHEAP.read(tmp_path)


def test_every_pair_is_of_known_presets_and_problems():
    for pair in PAIRS.values():
        assert {pair.full, pair.stand_in} <= SURROGATES.keys() and pair.full != pair.stand_in
        assert isinstance(find(pair.problem), Problem)


def test_a_row_has_the_preset_once_and_the_other_five_times(results, tmp_path):
    (line,) = results.lines("additive")
    assert [one["name"] for one in line["found"]] == ["gp"] * full_size.STAND_IN_FITS + [
        "additive"
    ]
    rows = {row[0]: row for row in full_size.table(results)}
    assert list(rows) == list(PAIRS) and set(rows["hbnn"][3:]) == {"—"}
    row = rows["additive"]
    errors = [one["scores"]["mre"] for one in line["found"]]
    assert len(row) == len(COLUMNS) == len(set(COLUMNS))
    at = COLUMNS.index("relative error")
    assert float(row[at]) == pytest.approx(errors[-1], rel=0.05)
    low, _, high = row[at + 1].partition(" to ")
    ends = [float(low), float(high or low)]
    assert ends == pytest.approx([min(errors[:-1]), max(errors[:-1])], rel=0.05)
    assert "| additive | gp | 30 of" in full_size.write(results, tmp_path).read_text()
    assert "additive" in full_size.render(results)


def test_what_is_quick_fits_the_stand_in_alone():
    line = full_size.measure("additive", 0, True)
    assert [one["name"] for one in line["found"]] == ["gp"]


def test_a_score_that_is_no_number_is_a_dash():
    assert full_size._range([0.1, None]) == full_size._range([]) == "—"
    assert full_size._range([0.3, 0.1]) == "0.1 to 0.3"
