"""neuralbo: Bayesian optimization with neural-network surrogates.

Names are loaded when they are first used, so that `import neuralbo` is quick. The table of them
is `__init__.pyi` beside this file, which type checkers and editors read as well.
"""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.2.0"

_LINE = re.compile(r"^from (neuralbo[\w.]*) import (\w+) as (\w+)$", re.MULTILINE)
_HOMES = {
    public: (home, name)
    for home, name, public in _LINE.findall(
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    )
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        words = f"module 'neuralbo' has no attribute {name!r}"
        raise AttributeError(words, name=name, obj=sys.modules[__name__])  # Python adds near names
    home, inner = _HOMES[name]
    found = vars(import_module(home))
    return found[inner] if inner in found else import_module(f"{home}.{inner}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
