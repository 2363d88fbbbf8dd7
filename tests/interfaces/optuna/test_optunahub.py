"""The folder for OptunaHub is complete and loads."""

import importlib.util
import re
from pathlib import Path

import optuna
import pytest

import neuralbo as nb

ROOT = Path(__file__).parents[3] / "hub" / "package"
FOLDER = ROOT / "samplers" / "neuralbo"


@pytest.mark.parametrize("name", ["__init__.py", "README.md", "LICENSE", "example.py"])
def test_what_the_registry_asks_for_is_there(name):
    assert (FOLDER / name).read_text().strip()


def test_the_front_matter_has_all_fields():
    _, front, _ = (FOLDER / "README.md").read_text().split("---\n", 2)
    fields = dict(re.match(r"(\w+): (.+)", line).groups() for line in front.splitlines())
    assert fields.keys() == {
        "author",
        "title",
        "description",
        "tags",
        "optuna_versions",
        "license",
    }
    assert "sampler" in fields["tags"]
    assert fields["license"] == "MIT License"


def test_the_licence_is_that_of_the_package():
    assert (FOLDER / "LICENSE").read_text() == (ROOT.parents[1] / "LICENSE").read_text()


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_module_has_the_sampler():
    assert load(FOLDER / "__init__.py").NeuralSampler is nb.NeuralSampler


def test_optunahub_loads_it():
    optunahub = pytest.importorskip("optunahub", exc_type=ImportError)
    module = optunahub.load_local_module("samplers/neuralbo", registry_root=str(ROOT))
    assert module.NeuralSampler is nb.NeuralSampler


def test_the_arguments_in_the_readme_are_the_samplers():
    import inspect

    text = (FOLDER / "README.md").read_text()
    for name in inspect.signature(nb.NeuralSampler).parameters:
        assert re.search(rf"\b{name}\b", text), name


def test_the_objective_of_the_example_runs(monkeypatch):
    import sys
    import types

    monkeypatch.setitem(sys.modules, "optunahub", types.ModuleType("optunahub"))
    study = optuna.create_study(sampler=nb.NeuralSampler("random", seed=0))
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study.optimize(load(FOLDER / "example.py").objective, n_trials=3)
    optuna.logging.set_verbosity(before)
    assert len(study.trials) == 3
