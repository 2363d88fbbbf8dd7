"""Imports point one way, and modules are as small and described as the house wants."""

import ast
from functools import cache
from pathlib import Path

import pytest

import neuralbo

ROOT = Path(neuralbo.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
LAYERS = [  # a part is a folder or a file; the longest name that fits a module is its part
    {"errors", "arguments", "engine.deadline", "engine.threads", "reporting.page.svg"},
    {"space", "data"},
    {"networks", "inference", "posteriors"},
    {"surrogates"},
    {"engine.step"},
    {"criteria"},
    {"maximizers"},
    {"policies"},
    {"catalog"},
    {"engine"},
    {"interfaces"},
    {"reporting"},
    {"report"},
    {"surrogates_command"},
    {"cli", "completion", "run_command"},
    {"__main__"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
KNOW_OPTUNA = {"space", "interfaces", "reporting", "cli", "run_command"}
MOST_LINES = 450


def part_of(module):
    """Return the part of the house that a module belongs to; "" for the package itself."""
    name = module.partition(".")[2]
    fits = [part for part in LEVEL if name == part or name.startswith(part + ".")]
    return max(fits, key=len, default=name.partition(".")[0])


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(path):
    """Return every module named by an import of a file, wherever in the file it stands."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            if node.module in ("neuralbo", "neuralbo.engine"):
                found += [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                found.append(node.module)
    return found


def ours(path):
    return {part_of(name) for name in imports_of(path) if name.startswith("neuralbo.")}


INNER = {name: path for name, path in MODULES.items() if part_of(name) not in ("", "testing")}


def test_every_part_has_its_place_in_the_layers():
    assert {part_of(module) for module in INNER} <= LEVEL.keys()


def test_nothing_is_imported_from_a_layer_above():
    above = {
        (module, part)
        for module, path in INNER.items()
        for part in ours(path)
        if not part.startswith("__") and LEVEL[part] > LEVEL[part_of(module)]
    }
    assert not above


def without_circles(edges):
    waiting = {name: needs - {name} for name, needs in edges.items()}
    while waiting:
        ready = [name for name, needs in waiting.items() if not needs & waiting.keys()]
        assert ready, f"{sorted(waiting)} import each other"
        for name in ready:
            del waiting[name]


def test_layers_of_one_level_do_not_go_in_a_circle():
    edges = {}
    for module, path in INNER.items():
        edges.setdefault(part_of(module), set()).update(ours(path) & set(LEVEL))
    without_circles(edges)


def test_the_files_of_the_fronts_do_not_go_in_a_circle():
    fronts = {name: path for name, path in INNER.items() if part_of(name) == "interfaces"}
    without_circles({name: set(imports_of(path)) & fronts.keys() for name, path in fronts.items()})


def test_only_the_fronts_know_optuna():
    know = {
        module
        for module, path in INNER.items()
        if any(name.split(".")[0] == "optuna" for name in imports_of(path))
    }
    assert {part_of(module) for module in know} <= KNOW_OPTUNA


def test_the_library_does_not_import_the_laboratory():
    known = [
        m for m, path in MODULES.items() if any("neuralbo_lab" in i for i in imports_of(path))
    ]
    assert known == []


def test_only_tests_import_the_checks_for_tests():
    assert [module for module, path in INNER.items() if "testing" in ours(path)] == []


def test_every_module_says_what_it_is():
    silent = [name for name, path in MODULES.items() if not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_no_module_is_too_long_to_read():
    lines = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    assert {name: n for name, n in lines.items() if n > MOST_LINES} == {}


@pytest.mark.parametrize("name", neuralbo.__all__)
def test_every_public_name_is_there(name):
    assert getattr(neuralbo, name) is not None


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'minimise'"):
        _ = neuralbo.minimise


def test_public_names_are_listed():
    assert set(neuralbo.__all__) <= set(dir(neuralbo))
