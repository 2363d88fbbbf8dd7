"""The file that defines objective(trial), for `neuralbo run`. Nothing heavy is loaded here."""

import importlib.util
import sys
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any


def load_objective(path: Path) -> Any:
    """Import a file and return its objective.

    The file may import its neighbours, which go before installed packages of the same name, but
    never before the standard library: a file random.py beside it stays unused. A file that has
    such a name itself is imported under another, so that nobody else takes it for a library.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a Python file, or has no objective.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; expected a Python file.")
    is_taken = _is_taken(path)
    # functions of a module that can be imported by its name can be sent to other processes
    name = f"objective_in_{path.stem}" if is_taken else path.stem
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    place = len(sys.path) if is_taken else _after_standard_library()
    sys.path.insert(place, str(path.parent.resolve()))
    spec.loader.exec_module(module)
    objective = getattr(module, "objective", None)
    if not callable(objective):
        raise ValueError(f"{path} defines no objective; it needs: def objective(trial): ...")
    return objective


def declared(path: Path, name: str) -> Any:
    """Return what a file that was imported calls by a name, None if nothing."""
    module = f"objective_in_{path.stem}" if _is_taken(path) else path.stem
    return getattr(sys.modules.get(module), name, None)


def _is_taken(path: Path) -> bool:
    """Return whether a library has the name of a file."""
    if path.stem in sys.stdlib_module_names:
        return True
    known = PathFinder.find_spec(path.stem)
    if known is None:
        return False
    return known.origin is None or Path(known.origin).resolve() != path.resolve()


def _after_standard_library() -> int:
    """Return the index in `sys.path` behind all that belongs to Python itself."""
    roots = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    standard = roots | {root / "lib-dynload" for root in roots}
    found = [i for i, entry in enumerate(sys.path) if Path(entry) in standard]
    return max(found, default=-1) + 1
