"""The pictures of the site, which are drawn as those of the page of a study are.

A picture within a page does not know which mode the page is in, so the colours are those that can
be read on both, and the ground is left open. Run this file to make all pictures again:

    python docs/scripts/pictures.py            # or some, by name: benchmark run methods
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from neuralbo.reporting.page.svg import STYLE, Drawing

IMAGES = Path(__file__).parents[1] / "images"
PARTS = {"run": "run_picture", "benchmark": "benchmark_picture", "methods": "method_pictures"}


def side_by_side(drawings: Sequence[tuple[Drawing, str]], title: str) -> str:
    """Return several drawings in one file, from left to right, each with a name above it."""
    gap, top, inner, x = 14.0, 22.0, [], 0.0
    for drawing, name in drawings:
        part = drawing.svg(name).replace("<svg ", f'<svg x="{x:.0f}" y="{top:.0f}" ', 1)
        size = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}" '
        inner.append(part.replace("<svg ", f"<svg {size}", 1))
        middle = x + drawing.left / 2 + drawing.width / 2
        inner.append(f'<text class="mid name" x="{middle:.0f}" y="14">{name}</text>')
        x += drawing.width + gap
    height = top + max(drawing.height for drawing, _ in drawings)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x - gap:.0f} {height:.0f}" '
        f'role="img" aria-label="{title}"><style>{STYLE}</style>{"".join(inner)}</svg>\n'
    )


def write(name: str, text: str) -> None:
    """Write a picture to docs/images."""
    path = IMAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"{path.relative_to(IMAGES.parent)}: {len(text) / 1000:.0f} kB")


def main(names: Sequence[str]) -> None:
    """Make the pictures that are named; all if none is."""
    sys.path.insert(0, str(Path(__file__).parent))
    for name in names or PARTS:
        make: Callable[[], Any] = import_module(PARTS[name]).main
        make()


if __name__ == "__main__":
    main(sys.argv[1:])
