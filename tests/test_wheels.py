"""Both distributions are built, and work in an environment with what they require and no more."""

import importlib.metadata
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
CORE = {"torch", "botorch", "gpytorch", "numpy", "scipy", "optuna", "rich"}
pytestmark = pytest.mark.slow


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the archives of the library and of the laboratory, by name and ending."""
    out = tmp_path_factory.mktemp("dist")
    for folder in (ROOT, ROOT / "lab"):
        run(sys.executable, "-m", "hatchling", "build", "-d", str(out), cwd=folder)
    return {path.name: path for path in out.iterdir()}


def wheel(built, name):
    (path,) = (p for n, p in built.items() if n.startswith(f"{name}-") and n.endswith(".whl"))
    return path


def required(wheel_path):
    """Return the requirements of a wheel that do not belong to an extra."""
    with zipfile.ZipFile(wheel_path) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        found = re.findall(r"^Requires-Dist: (.+)$", archive.read(name).decode(), re.MULTILINE)
    return [r for r in map(Requirement, found) if not r.marker or r.marker.evaluate({"extra": ""})]


def closure(names):
    """Return these installed distributions and all that they require, without extras."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        found[key] = importlib.metadata.distribution(name)
        needs = map(Requirement, found[key].requires or [])
        waiting += [r.name for r in needs if not r.marker or r.marker.evaluate({"extra": ""})]
    return found.values()


def link(distribution, site):
    """Make an installed distribution visible in a folder of packages."""
    for top in {file.parts[0] for file in distribution.files if ".." not in file.parts}:
        source = Path(distribution.locate_file(top))
        if source.exists() and not (site / top).exists():
            (site / top).symlink_to(source)


def environment(home, *wheels):
    """Make an environment with some wheels and what they require; returns its interpreter."""
    venv.create(home)
    (site,) = home.glob("lib/python*/site-packages")
    names = {r.name for path in wheels for r in required(path)} - {"neuralbo"}
    for distribution in closure(names):
        link(distribution, site)
    for path in wheels:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(site)
    return home / "bin" / "python"


@pytest.fixture
def python(built, tmp_path):
    """Return the interpreter of an environment with the library and what it requires."""
    return environment(tmp_path / "empty", wheel(built, "neuralbo"))


def test_the_library_requires_its_core_alone(built):
    assert {r.name for r in required(wheel(built, "neuralbo"))} == CORE


def test_each_wheel_holds_its_own_package_alone(built):
    for name in ("neuralbo", "neuralbo_lab"):
        with zipfile.ZipFile(wheel(built, name)) as archive:
            tops = {n.split("/")[0] for n in archive.namelist()}
        assert {t for t in tops if not t.endswith(".dist-info")} == {name}


def test_archives_of_the_sources_are_small(built):
    archives = [path for name, path in built.items() if name.endswith(".tar.gz")]
    assert len(archives) == 2
    for path in archives:
        with tarfile.open(path) as archive:
            assert not [n for n in archive.getnames() if "/results/" in n or "/tests/" in n]
        assert path.stat().st_size < 1_000_000


def test_the_examples_of_the_readme_run_on_the_core_alone(python, tmp_path):
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    (tmp_path / "readme.py").write_text("\n".join(blocks))
    run(python, "readme.py", cwd=tmp_path)
    absent = "assert not any(map(__import__('importlib.util').util.find_spec, %r))"
    run(python, "-c", absent % ["matplotlib", "neuralbo_lab", "ray"], cwd=tmp_path)


def test_without_the_laboratory_its_command_says_how_to_get_it(python, tmp_path):
    command = [python, "-m", "neuralbo", "lab", "list"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install neuralbo-lab" in done.stderr


def test_with_its_wheel_the_laboratory_adds_its_command(built, tmp_path):
    both = wheel(built, "neuralbo"), wheel(built, "neuralbo_lab")
    python = environment(tmp_path / "both", *both)
    assert "aryan-bbob" in run(python, "-m", "neuralbo", "lab", "list", cwd=tmp_path)
