"""Every name on the page of the architecture exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()
QUOTED = sorted(set(re.findall(r"`([^`\n]+)`", PAGE)))
PATHS = [name for name in QUOTED if "/" in name or name.endswith(".py")]
COMMANDS = [name for name in QUOTED if " " in name]
CALLS = [name for name in QUOTED if "(" in name and name not in COMMANDS]
NAMES = sorted({*QUOTED} - {*PATHS, *COMMANDS, *CALLS})
SETTINGS = {"max_suggest_seconds"}  # an argument


def defined():
    """Return what is defined anywhere in both packages: "Engine", "Engine.suggest", ...."""
    found = {"neuralbo", "neuralbo_lab", "lab"}
    for folder in ("src/neuralbo", "lab/src/neuralbo_lab"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    found |= {node.name}
                    parts = (part for part in node.body if isinstance(part, ast.FunctionDef))
                    found |= {
                        name for part in parts for name in (part.name, f"{node.name}.{part.name}")
                    }
                elif isinstance(node, ast.FunctionDef):
                    found |= {node.name}
    return found


DEFINED = defined()


@pytest.mark.parametrize("path", PATHS)
def test_every_path_is_there(path):
    assert any((ROOT / base / path).exists() for base in (".", "src/neuralbo"))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_defined(name):
    assert name in DEFINED | SETTINGS | {"fit", "Model"}


def test_every_room_is_on_the_page():
    rooms = {path.name for path in (ROOT / "src/neuralbo").iterdir() if path.is_dir()}
    on_page = {name.removesuffix("/") for name in PATHS}
    assert rooms - {"__pycache__"} <= on_page


def test_the_calls_of_the_page_are_those_of_the_trace():
    from neuralbo_lab.core.trace_suggestion import trace

    listed = re.findall(r"^\d\. \*\*`([\w.]+)`\*\* \(`([\w/.]+)`\)", PAGE, flags=re.M)
    assert [f"{path}: {call}" for call, path in listed] == trace()
