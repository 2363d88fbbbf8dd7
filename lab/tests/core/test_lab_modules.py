"""Modules of the laboratory are described and short, and it adds its command to the library's."""

import ast
import importlib.metadata
from pathlib import Path

import pytest
from neuralbo import cli

import neuralbo_lab

ROOT = Path(neuralbo_lab.__file__).parent
TEXTS = {path.relative_to(ROOT): path.read_text() for path in sorted(ROOT.rglob("*.py"))}
MOST_LINES = 450


def test_every_module_says_what_it_is():
    assert [name for name, text in TEXTS.items() if not ast.get_docstring(ast.parse(text))] == []


def test_no_module_is_too_long_to_read():
    assert [name for name, text in TEXTS.items() if len(text.splitlines()) > MOST_LINES] == []


def test_the_command_is_found_by_its_entry_point(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["lab", "--help"])
    assert ended.value.code == 0
    assert "replay" in capsys.readouterr().out


def test_without_the_laboratory_the_command_says_how_to_get_it(capsys, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    with pytest.raises(SystemExit) as ended:
        cli.main(["lab", "run", "auto"])
    assert ended.value.code == 2
    assert "pip install neuralbo-lab" in capsys.readouterr().err
