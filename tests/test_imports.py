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
LAYERS = [
    {
        "errors",
        "deadline",
        "arguments",
        "atomic_changes",
        "codes",
        "domain",
        "lattice",
        "data",
        "points",
        "quasi_newton",
        "gamma",
        "storages",
        "outages",
        "threads",
        "workers",
        "parameters",
        "space",
        "columns",
        "rows",
    },
    {"networks", "inference", "posteriors"},
    {"surrogates"},
    {"step"},
    {"criteria"},
    {"maximizers"},
    {"policies"},
    {"catalog"},
    {"suggestion", "on_demand", "recommendation"},
    {"budget"},
    {"optimizer"},
    {"conditions", "publishing", "ranges"},
    {"trials"},
    {"orphans"},
    {"kept_values", "retrying"},
    {"sampler"},
    {"noted"},
    {"live", "progress"},
    {"study", "stopping", "objective"},
    {"analysis"},
    {"plots"},
    {"report"},
    {"run_command", "objective_file"},
    {"cli", "ax", "sklearn", "sklearn_space"},
    {"__main__"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
KNOW_OPTUNA = {
    "parameters",
    "space",
    "conditions",
    "publishing",
    "ranges",
    "trials",
    "sampler",
    "study",
    "stopping",
    "atomic_changes",
    "storages",
    "outages",
    "orphans",
    "kept_values",
    "retrying",
    "objective",
    "sklearn",
    "live",
    "noted",
    "progress",
    "analysis",
    "plots",
    "report",
    "run_command",
    "cli",
}
MOST_LINES = 450


def part_of(module):
    """Return the part of the house that a module belongs to; "" for the package itself."""
    return module.split(".")[1] if "." in module else ""


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
            found.append(node.module)
            if node.module == "neuralbo":
                found += [f"neuralbo.{alias.name}" for alias in node.names]
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


def test_layers_of_one_level_do_not_go_in_a_circle():
    edges = {}
    for module, path in MODULES.items():
        if part_of(module) in LEVEL:
            edges.setdefault(part_of(module), set()).update(ours(path) & set(LEVEL))
    waiting = {part: needs - {part} for part, needs in edges.items()}
    while waiting:
        ready = [part for part, needs in waiting.items() if not needs & waiting.keys()]
        assert ready, f"{sorted(waiting)} import each other"
        for part in ready:
            del waiting[part]


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
