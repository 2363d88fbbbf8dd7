"""What mkdocs calls while it builds the site: pages that are made, fences and formulas."""

import html
import re
import sys
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import api_pages  # noqa: E402  (beside this file, which is no package)
import gallery_pages  # noqa: E402

FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
NEEDS = re.compile(r"^```python needs=\w+", re.MULTILINE)  # for the tests, not for readers
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\(?:\(|\[)(.*?)\\(?:\)|\])</\1>', re.DOTALL)
# what the converter makes of "is distributed as", and the operator that it is
TILDE, DISTRIBUTED = (
    "<mi>&#x0007E;</mi>",
    "<mo>&#x0223C;</mo>",
)
RELATIVE = re.compile(r"\]\((?!https?:|#)([^)]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made: the API reference, the gallery, and what lies above docs/."""
    made = api_pages.pages() | gallery_pages.pages()
    made |= {page: from_root(ROOT / name) for page, name in FROM_ROOT.items()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def from_root(path: Path) -> str:
    """Return a document of the repository's folder, its links as seen from docs/.

    What a link of it names must be a page of the site; the rest is a name in the repository.
    """

    def seen(match: re.Match[str]) -> str:
        target = match[1]
        for page, name in FROM_ROOT.items():
            target = page if target == name else target
        return f"]({target.removeprefix('docs/')})"

    return RELATIVE.sub(seen, path.read_text(encoding="utf-8"))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Take the notes for the tests out of the fences."""
    return NEEDS.sub("```python", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Set the formulas: MathML, which browsers know without a script."""
    return FORMULA.sub(_mathml, html)


def _mathml(match: re.Match[str]) -> str:
    display = "inline" if match[1] == "span" else "block"
    found: str = convert(html.unescape(match[2]).strip(), display=display)
    found = found.replace(TILDE, DISTRIBUTED)
    return found if display == "inline" else f'<div class="formula">{found}</div>'
