"""Run the examples of the gallery, and keep what they print and a picture of each.

    python docs/scripts/gallery.py             # all of them, about a minute
    python docs/scripts/gallery.py controller  # or some

The pages of the site show the script, what is kept here in docs/images/gallery, and no more: the
site is built without running anything.
"""

import contextlib
import importlib.util
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(pool, "1")  # before anything loads them

ROOT = Path(__file__).parents[2]
NOTEBOOK = "notebook"
EXAMPLES, KEPT = ROOT / "examples/gallery", ROOT / "docs/images/gallery"


def names() -> list[str]:
    """Return the names of the examples that are scripts."""
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def load(name: str) -> ModuleType:
    """Return the module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str) -> float:
    """Run one example; returns its CPU seconds."""
    import notebook
    from gallery_pictures import PICTURES

    if name == NOTEBOOK:
        began = time.process_time()
        notebook.write(EXAMPLES / f"{NOTEBOOK}.ipynb")
        return time.process_time() - began
    began, said = time.process_time(), io.StringIO()
    script = load(name)
    with contextlib.redirect_stdout(said):
        found = script.main()
    spent = time.process_time() - began
    (KEPT / f"{name}.txt").write_text(said.getvalue(), encoding="utf-8")
    (KEPT / f"{name}.svg").write_text(PICTURES[name](found, script), encoding="utf-8")
    return spent


def main(wanted: Sequence[str]) -> None:
    """Run the examples that are named; all if none is."""
    import optuna

    sys.path.insert(0, str(Path(__file__).parent))
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in wanted or [*names(), NOTEBOOK]:
        print(f"{name}: {run(name):.1f} s of the processor", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
