"""What every study promises to the runner, the reports and the commands."""

import pickle
from collections import Counter
from pathlib import Path

import pytest

import neuralbo_lab
from neuralbo_lab.core.options import changed, only
from neuralbo_lab.core.studies import STUDIES
from neuralbo_lab.core.study import Study

LAB = Path(neuralbo_lab.__file__).parents[2]


@pytest.mark.parametrize("name", STUDIES)
def test_its_cells_lie_in_files_of_their_own(name):
    files = [cell.file for cell in STUDIES[name].cells()]
    assert files and len(set(files)) == len(files)


@pytest.mark.parametrize("name", STUDIES)
def test_cells_are_of_its_methods_or_it_has_none(name):
    study = STUDIES[name]
    assert {cell.method for cell in study.cells()} <= set(study.methods) or not study.methods


@pytest.mark.parametrize("name", STUDIES)
def test_it_can_be_sent_to_the_processes_that_run_its_cells(name):
    assert pickle.loads(pickle.dumps(STUDIES[name])).name == name


@pytest.mark.parametrize("name", STUDIES)
def test_what_a_user_may_change_is_there_to_be_changed(name):
    study = STUDIES[name]
    for number, least in study.least.items():
        assert getattr(changed(study, **{number: least}), number) == least
        with pytest.raises(ValueError, match=f"--{number} must be"):
            changed(study, **{number: least - 1})
    for part, field in study.PARTS.items():
        first = getattr(study, field)[0]
        assert getattr(only(study, part, [first]), field) == (first,)


def test_a_kind_of_study_is_final():
    assert [kind for kind in Study.__subclasses__() if kind.__subclasses__()] == []


def test_no_two_files_have_one_name():
    names = Counter(path.name for path in LAB.rglob("*.py"))
    assert [name for name, count in names.items() if count > 1] == ["__init__.py"]
