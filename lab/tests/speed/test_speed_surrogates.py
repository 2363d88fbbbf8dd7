"""The seconds of `neuralbo surrogates`: measured, limited, and written where they lack."""

import csv
import time

import pytest

from neuralbo_lab.speed import surrogates
from neuralbo_lab.speed.measurements import SPEEDS


def test_it_is_a_measurement_of_the_laboratory():
    assert SPEEDS["surrogates"][0] is surrogates.run


def test_seconds_are_those_of_the_suggestions_alone():
    began = time.process_time()
    seconds = surrogates.seconds_of("random", trials=8)
    assert 0 <= seconds < time.process_time() - began


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork while threads are there
class TestLimit:
    def test_a_name_has_its_seconds(self):
        assert surrogates.limited("sobol") >= 0

    def test_what_takes_longer_has_none(self, monkeypatch):
        def forever(name):
            while True:
                pass

        monkeypatch.setattr(surrogates, "seconds_of", forever)
        monkeypatch.setattr(surrogates, "MOST_SECONDS", 1)
        assert surrogates.limited("gp") is None

    def test_a_failure_is_not_taken_for_long(self, monkeypatch):
        def fail(name):
            raise ValueError(name)

        monkeypatch.setattr(surrogates, "seconds_of", fail)
        with pytest.raises(RuntimeError, match="gp made no suggestion"):
            surrogates.limited("gp")

    def test_only_rows_without_a_number_are_measured(self, folder, monkeypatch, capsys):
        table = folder / "table.csv"
        table.write_text("name,family,line,seconds\na,f,one,0.5\nb,f,two,\nc,f,three,\n")
        monkeypatch.setattr(surrogates, "TABLE", table)
        monkeypatch.setattr(surrogates, "limited", {"b": 0.1234, "c": None}.get)
        surrogates.main()
        with table.open() as file:
            assert [row["seconds"] for row in csv.DictReader(file)] == ["0.5", "0.12", ">20"]
