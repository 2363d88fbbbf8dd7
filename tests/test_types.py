"""What type checkers see of the package: every public name, and no other."""

import ast
import re
import sys
from pathlib import Path

import pytest
from mypy import api

import neuralbo

ROOT = Path(neuralbo.__file__).parent
STUB = (ROOT / "__init__.pyi").read_text()


def checked(script, folder):
    """Return what mypy says of a script, what the package imports not being looked at."""
    (folder / "script.py").write_text(script)
    options = ["--strict", "--follow-imports=skip", f"--cache-dir={folder}", "--no-error-summary"]
    options += ["--config-file=", f"--python-executable={sys.executable}"]
    out, err, _ = api.run([*options, str(folder / "script.py"), str(ROOT / "__init__.pyi")])
    assert not err
    return [line for line in out.splitlines() if "script.py" in line]


def test_every_line_of_the_table_is_read():
    imports = [node for node in ast.parse(STUB).body if isinstance(node, ast.ImportFrom)]
    assert sorted(alias.asname for node in imports for alias in node.names) == neuralbo.__all__


def test_names_of_the_table_are_re_exported():
    """Type checkers take a name of a stub for public if it is imported `as` itself."""
    imports = [node for node in ast.parse(STUB).body if isinstance(node, ast.ImportFrom)]
    assert all(alias.name == alias.asname for node in imports for alias in node.names)


def test_public_names_are_known_to_mypy_and_others_are_errors(tmp_path):
    known = "\n".join(f"nb.{name}" for name in neuralbo.__all__)
    found = checked(f"import neuralbo as nb\n{known}\nnb.nonsense\n", tmp_path)
    assert len(found) == 1
    assert re.search(r'Module has no attribute "nonsense"', found[0])


@pytest.mark.parametrize("name", ["minimize", "Optimizer", "Space"])
def test_a_name_of_the_table_is_the_object_at_its_home(name):
    home = re.search(rf"^from (\S+) import {name} as {name}$", STUB, re.MULTILINE)[1]
    module = __import__(home, fromlist=[name])
    assert getattr(neuralbo, name) is getattr(module, name)
