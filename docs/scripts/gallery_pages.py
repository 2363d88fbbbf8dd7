"""The pages of the gallery: words, picture, what is printed, and code of each example."""

import ast
from pathlib import Path

import notebook

ROOT = Path(__file__).parents[2]
EXAMPLES, KEPT = ROOT / "examples/gallery", ROOT / "docs/images/gallery"
ORDER = (
    "boosting_with_pruning", "training_with_checkpoints", "pipeline", "wine_chemistry",
    "crashing_simulation", "controller", "two_objectives", "noisy_measurements",
    "fifty_dimensions", "ask_and_tell", "four_workers", "what_matters",
)  # fmt: skip
HEAD = """\
# Gallery

Examples to copy, from `examples/gallery`. `make gallery` runs them all and makes the pictures, and
what is printed, again; the tests run each of them, shortened.
"""
FOOT = """\
Also: [a notebook](notebook.md), [Ray and Dask](../ray-and-dask.md), [Ax](../ax.md),
[scikit-learn's searches](../scikit-learn.md), and `examples/digits.py`, which `make run` runs.
"""


def words_of(name: str) -> tuple[str, str]:
    """Return the title and the words of an example: its docstring."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    title, _, words = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
    return title.removesuffix("."), words.strip()


def page_of(name: str) -> str:
    """Return the page of an example."""
    title, words = words_of(name)
    code = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[2].strip()
    said = (KEPT / f"{name}.txt").read_text(encoding="utf-8").strip()
    picture = (KEPT / f"{name}.svg").read_text(encoding="utf-8")
    caption = picture.partition('aria-label="')[2].partition('"')[0]
    return (
        f"# {title}\n\n{words}\n\n"
        f"![{caption}](../images/gallery/{name}.svg){{ .wide width=640 }}\n\n*{caption}*\n\n"
        f"It prints:\n\n```text\n{said}\n```\n\n"
        f"`examples/gallery/{name}.py`:\n\n```python\n{code}\n```\n"
    )


def overview() -> str:
    """Return the first page, a picture of each."""
    cards = []
    for name in ORDER:
        title, _ = words_of(name)
        cards.append(f"[![](../images/gallery/{name}.svg)<br>{title}]({name}.md){{ .card }}")
    body = "\n".join(cards)
    return f'{HEAD}\n<div class="shots" markdown="1">\n{body}\n</div>\n\n{FOOT}'


def pages() -> dict[str, str]:
    """Return all pages by their path in the site."""
    found = {"gallery/index.md": overview()}
    found |= {f"gallery/{name}.md": page_of(name) for name in ORDER}
    return found | {"gallery/notebook.md": notebook.markdown(EXAMPLES / "notebook.ipynb")}
