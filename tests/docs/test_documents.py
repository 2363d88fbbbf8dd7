"""What the documents say is true: every Python block in them runs."""

import re
import sys
import tomllib
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from neuralbo_lab.speed.measurements import SPEEDS

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python(?: needs=(\w+))?[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def is_there(module):
    """Return whether a module can be imported."""
    return module in sys.modules or find_spec(module) is not None


def blocks_of(path):
    """Return the Python blocks of a document, each with the lines before it left empty.

    A block that needs a module which is not installed is left out.
    """
    text = path.read_text()
    return [
        "\n" * text[: match.start(2)].count("\n") + match[2]
        for match in BLOCK.finditer(text)
        if match[1] is None or is_there(match[1])
    ]


def test_the_readme_has_a_python_block():
    assert blocks_of(ROOT / "README.md")


def test_the_readme_tells_how_to_install():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = re.findall(r"^pip install .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert lines
    named = {
        name
        for line in lines
        for found in re.findall(r"\[(.*?)\]", line)
        for name in found.split(",")
    }
    assert named <= set(extras["optional-dependencies"])


def test_the_readme_tells_how_long_a_measurement_takes():
    (line,) = re.findall(
        r"^neuralbo lab speed quality.*$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    minutes = re.search(r"(\d+) minutes", SPEEDS["quality"][1])[0]
    assert minutes in line


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_fences_are_closed_and_python_is_spelt_python(path):
    fences = re.findall(r"^```(.*)$", path.read_text(), re.MULTILINE)
    assert len(fences) % 2 == 0
    assert not {fence.strip() for fence in fences} & {"py", "python3", "Python", "pycon"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if blocks_of(path)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_the_blocks_of_a_document_run_one_after_the_other(path, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what an extra says at its import
        for needed in {match[1] for match in BLOCK.finditer(path.read_text())} - {None}:
            if is_there(needed):
                import_module(needed)
    namespace = {"__name__": "__main__"}
    for block in blocks_of(path):
        with warnings.catch_warnings():
            if path.name == "ax.md":  # it calls what it and pandas have deprecated
                warnings.simplefilter("ignore", DeprecationWarning)
            exec(compile(block, str(path), "exec"), namespace)
