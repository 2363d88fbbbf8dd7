"""The pages of the API reference: every public name, from the tables of the library itself.

`src/neuralbo/__init__.pyi` is the table of public names, and the `__init__.py` of the namespaces
(`nb.criteria`, ...) list theirs. Nothing is imported: mkdocstrings reads the sources, too.
"""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
LINE = re.compile(r"^from (neuralbo[\w.]*) import (\w+) as (\w+)$", re.MULTILINE)

# page -> (title, what is said first, public names; a name that is a module shows what it lists)
PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "optimization": (
        "Optimization",
        "The fronts that need no other library.",
        ("minimize", "maximize", "Result", "Optimizer", "Measured", "NeuralSearchCV"),
    ),
    "optuna": (
        "Inside Optuna",
        "A sampler, a pruner, and what goes with them.",
        ("NeuralSampler", "NeuralPruner", "report_values", "should_prune", "resumed"),
    ),
    "space": (
        "Space",
        "What a parameter may be.",
        ("Real", "Integer", "Categorical", "Space", "around", "at_most", "sum_to"),
    ),
    "data": (
        "Data and errors",
        "What a surrogate learns from, and what can be caught.",
        (
            "Data", "FittedOnDemand", "FitError", "NoValueError", "StorageError",
            "NeuralboWarning", "FailedTrialWarning", "FallbackWarning",
        ),
    ),
    "surrogates": (
        "Surrogates",
        "Recipes of `nb.surrogates`: `fit(data, rng)` returns a BoTorch `Model`.",
        ("surrogates",),
    ),
    "criteria": ("Criteria", "`nb.criteria`: what a point is worth.", ("criteria",)),
    "maximizers": (
        "Maximizers",
        "`nb.maximizers`: how the best point of a criterion is found.",
        ("maximizers",),
    ),
    "policies": ("Policies", "`nb.policies`: how the next points are chosen.", ("policies",)),
    "stopping": ("Stopping", "`nb.stopping`: rules that end a study.", ("stopping",)),
    "reporting": (
        "Report, analysis, plots",
        "`nb.report` writes the page of a study, `nb.analysis` has its numbers, `nb.plots` draws "
        "them with matplotlib.",
        ("report", "analysis", "plots"),
    ),
    "testing": (
        "Checks for your own parts",
        "`neuralbo.testing`: pytest classes that a test of yours inherits.",
        ("testing",),
    ),
}  # fmt: skip


def public_names() -> dict[str, str]:
    """Return where each public name is defined: "minimize": "neuralbo.interfaces...."."""
    table = (SOURCE / "neuralbo/__init__.pyi").read_text(encoding="utf-8")
    found = {public: f"{home}.{name}" for home, name, public in LINE.findall(table)}
    return found | {"testing": "neuralbo.testing"}  # imported by its own name: it needs pytest


def file_of(module: str) -> Path | None:
    """Return the source of a module; None if the name is none of a module."""
    base = SOURCE / module.replace(".", "/")
    places = (base / "__init__.py", base.with_suffix(".py"))
    return next((path for path in places if path.is_file()), None)


def listed(module: str) -> list[str]:
    """Return where each name is defined that a module makes public, in their order.

    That is what `__all__` lists; without it, the classes and functions without an underscore.
    """
    path = file_of(module)
    assert path is not None, module
    homes: dict[str, str] = {}
    chosen: list[str] | None = None
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("neuralbo."):
            homes |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            homes[node.name] = f"{module}.{node.name}"
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            chosen = ast.literal_eval(node.value)
    own = [n for n, home in homes.items() if home.startswith(f"{module}.") and n[0] != "_"]
    return [_at_its_definition(homes[name]) for name in (own if chosen is None else chosen)]


def _at_its_definition(name: str) -> str:
    """Follow a name through modules that hand it on."""
    module, _, last = name.rpartition(".")
    path = file_of(module)
    if path is None:
        return name
    body = ast.parse(path.read_text(encoding="utf-8")).body
    if last in {n.name for n in body if isinstance(n, ast.ClassDef | ast.FunctionDef)}:
        return name
    for node in body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("neuralbo."):
            for alias in node.names:
                if last == (alias.asname or alias.name):
                    return _at_its_definition(f"{node.module}.{alias.name}")
    return name


def names_of(page: str) -> list[str]:
    """Return the full names of what a page describes, modules taken apart."""
    homes, found = public_names(), []
    for name in PAGES[page][2]:
        found += listed(homes[name]) if file_of(homes[name]) else [homes[name]]
    return found


def text_of(page: str) -> str:
    """Return the Markdown of a page."""
    title, words, _ = PAGES[page]
    parts = [f"# {title}", words]
    parts += [f"::: {name}" for name in names_of(page)]
    return "\n\n".join(parts) + "\n"


def overview() -> str:
    """Return the Markdown of the first page: every name, with a link."""
    parts = [
        "# API reference",
        "Every public name. What does not stand here may change without notice; "
        "[what stays](../stability.md) says what that means. `import neuralbo as nb` loads a name "
        "when it is first used.",
    ]
    for page, (title, words, _) in PAGES.items():
        links = [f"[`{name.rpartition('.')[2]}`][{name}]" for name in names_of(page)]
        parts += [f"## [{title}]({page}.md)", words, " · ".join(links)]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """Return all pages by their path in the site."""
    return {"api/index.md": overview()} | {f"api/{page}.md": text_of(page) for page in PAGES}
