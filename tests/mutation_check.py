"""Does the suite still catch what it caught? Changes lines of the library, one at a time.

    .venv/bin/python tests/mutation_check.py BEFORE [--mutants 30] [--seed 0] [--skip 0]

picks lines of the library at random that the git revision BEFORE and HEAD both have, changes each
(an operator, a comparison, a number, a negation, or a term is left out), and runs the tests that
mirror its module (its file of tests, then the folder's) until one fails: at HEAD, and at BEFORE if
HEAD's tests miss it and are others. It prints what caught each mutant, and ends with 1 if BEFORE
catches one that HEAD misses. Run it by hand: it takes minutes.

What is slow to import is imported once; each run is a fork of that process.
"""

import argparse
import ast
import copy
import importlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("surrogates", "criteria", "maximizers", "policies", "space", "interfaces/optuna")
HEAVY = ("torch", "botorch.models", "botorch.optim", "botorch.acquisition.logei", "optuna",
         "scipy.stats", "sklearn.gaussian_process", "sqlalchemy", "pytest")  # fmt: skip
NO_TESTS = 5  # pytest's code where all are left out
LONGEST = 600  # seconds of a run; one that takes longer counts as caught
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def changed(node, rng):
    """Return another expression instead of this one, or None."""
    other = copy.deepcopy(node)
    match other:
        case ast.BinOp(op=op) if type(op) in SWAPS:
            if rng.random() < 0.3:
                return other.left  # a term is left out
            other.op = SWAPS[type(op)]()
        case ast.Compare(ops=[op]):
            other.ops = [SWAPS[type(op)]()]
        case ast.BoolOp(op=op):
            other.op = SWAPS[type(op)]()
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            return other.operand
        case ast.Constant(value=bool(value)):
            other.value = not value
        case ast.Constant(value=int(value) | float(value)):
            other.value = value + 1 if isinstance(value, int) else 2 * value + (value == 0)
        case _:
            return None
    return other


def mutant(path, rng):
    """Return the number of a line, and the line before and after; None if there is none."""
    source = path.read_text()
    nodes = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.expr) and node.lineno == node.end_lineno and changed(node, rng):
            nodes.setdefault(node.lineno, []).append(node)
    if not nodes:
        return None
    number = rng.choice(sorted(nodes))
    node = rng.choice(nodes[number])
    line = source.splitlines()[number - 1].encode()  # offsets are in bytes
    text = f"({ast.unparse(changed(node, rng))})".encode()
    after = line[: node.col_offset] + text + line[node.end_col_offset :]
    return number, line.decode(), after.decode()


def with_line(path, line, after):
    """Return the source of a file with a line changed, or None unless it has the line once."""
    lines = path.read_text().splitlines() if path.exists() else []
    if lines.count(line) != 1:
        return None
    return "\n".join(after if other == line else other for other in lines) + "\n"


def mirror(tree, module):
    """Return the tests of a module: the file of its name first, then those below its folder."""
    folder = tree / "tests" / module.parent
    own = folder / f"test_{module.stem}.py"
    return sorted(folder.rglob("test_*.py"), key=lambda path: (path != own, path))


def are_equal(trees, module):
    """Return whether both revisions have the same tests of a module, and the same checks."""
    before, after = (
        [path.read_text() for path in mirror(tree, module)]
        + [path.read_text() for path in sorted((tree / "src/neuralbo/testing").glob("*.py"))
           if any("Checks" in text.read_text() for text in mirror(tree, module))]
        for tree in trees.values()
    )  # fmt: skip
    return before == after


def failures(tree, tests, without=(), *, first=True):
    """Return the tests that fail, the first alone or all; some are left out."""
    with tempfile.TemporaryFile("w+") as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            os.chdir(tree)
            sys.path[:0] = [str(tree / "src"), str(tree / "lab/src")]
            os.environ["PYTHONPATH"] = f"{tree}/src:{tree}/lab/src"
            # a line may change within the second and to the same length: no byte code is right
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.dont_write_bytecode = True
            import pytest

            options = ["-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no", "-rfE"]
            options += ["-x"] * first
            options += [f"--{'deselect' if '::' in name else 'ignore'}={name}" for name in without]
            code = signal.alarm(LONGEST) or pytest.main([*options, *map(str, tests)])
            sys.stdout.flush()
            os._exit(int(code))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status in (0, NO_TESTS):
            return []
        out.seek(0)
        rows = [row for row in out if row.startswith(("FAILED", "ERROR"))]
        names = [row.split(" - ")[0].split(maxsplit=1)[1].strip() for row in rows]
        return names or [f"status {status}"]


def caught_by(tree, target, source, tests):
    """Return the first test that fails with another source, and does not without."""
    kept, without = target.read_text(), []
    while True:
        target.write_text(source)
        found = failures(tree, tests, without)
        target.write_text(kept)
        if not found or found[0].startswith("status") or not failures(tree, found):
            return found[0] if found else None
        without += [*found, *failures(tree, tests, without, first=False)]  # fail in any case


def written(revision, tree):
    """Write the files of a revision into a new folder."""
    tree.mkdir()
    archive = subprocess.Popen(["git", "archive", revision], cwd=ROOT, stdout=-1)
    subprocess.run(["tar", "x"], cwd=tree, stdin=archive.stdout, check=True)
    return tree


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="mutants that were tried before")
    options = parser.parse_args()
    rng, count = random.Random(options.seed), {"caught": 0, "by neither": 0, "lost": 0}
    for name in HEAVY:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        trees = {
            "before": written(options.before, Path(folder) / "before"),
            "after": written("HEAD", Path(folder) / "after"),
        }
        library = trees["after"] / "src/neuralbo"
        files = sorted(
            path for place in PLACES for path in (library / place).rglob("*.py")
            if path.name != "__init__.py"
        )  # fmt: skip
        sizes = [len(path.read_text().splitlines()) for path in files]
        made = 0
        while made < options.mutants:
            (path,) = rng.choices(files, sizes)
            found = mutant(path, rng)
            module = path.relative_to(library)
            if found is None:
                continue
            number, line, after = found
            sources = {
                name: with_line(tree / "src/neuralbo" / module, line, after)
                for name, tree in trees.items()
            }
            if None in sources.values():
                continue
            made += 1
            if made <= options.skip:
                continue
            print(
                f"{made}. {module}:{number}\n   - {line.strip()}\n   + {after.strip()}", flush=True
            )
            caught = {}
            for name, tree in reversed(trees.items()):
                if any(caught.values()) or (caught and are_equal(trees, module)):
                    break
                target = tree / "src/neuralbo" / module
                caught[name] = caught_by(tree, target, sources[name], mirror(tree, module))
                print(f"   {name}: {caught[name] or 'not caught'}", flush=True)
            lost = caught["after"] is None and caught.get("before") is not None
            count["lost" if lost else "caught" if caught["after"] else "by neither"] += 1
    print(f"of {made - options.skip}: " + ", ".join(f"{n} {name}" for name, n in count.items()))
    return int(count["lost"] > 0)


if __name__ == "__main__":
    sys.exit(main())
