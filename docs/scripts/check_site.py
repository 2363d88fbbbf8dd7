"""Check the site that was built: links lead somewhere, and nothing is loaded from elsewhere.

    python docs/scripts/check_site.py site

mkdocs checks the links of Markdown; this looks at what browsers get, the API pages included.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import final
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}
NOT_LOADED = {"next", "prev", "canonical", "alternate"}  # kinds of <link> that load nothing
NOT_FOUND = "404.html"  # a server shows it at any address, so it has links of its own


@final
class Page(HTMLParser):
    """What a page names: its anchors, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.formulas = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        kind = set(values.get("rel", "").split())
        if tag in LOADED and LOADED[tag] in values and not kind & NOT_LOADED:
            self.loaded.append(values[LOADED[tag]])
        self.formulas += tag == "math"


def problems(site: Path) -> list[str]:
    """Return what is wrong, a line each; empty if all is well."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != NOT_FOUND
    }
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} loads {url}" for url in page.loaded if _is_elsewhere(url)]
        for url in page.links + page.loaded:
            if not _is_elsewhere(url) and not url.startswith("data:"):
                wrong = _wrong(path, url, pages)
                found += [f"{name}: {url} {wrong}"] if wrong else []
    return found


def _is_elsewhere(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto", "javascript")


def _wrong(path: Path, url: str, pages: dict[Path, Page]) -> str:
    """Return what is wrong with a link within the site."""
    parts = urlsplit(url)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return "is not there"
    anchor = unquote(parts.fragment)
    known = pages[target].anchors if target in pages else set()
    is_text = anchor.startswith(":~:") or anchor in ("", "__skip")
    return "" if is_text or target not in pages or anchor in known else "has no such anchor"


def main() -> int:
    """Check the folder that is named."""
    site = Path(sys.argv[1]).resolve()
    found = problems(site)
    for line in found:
        print(line, file=sys.stderr)
    n = len(list(site.rglob("*.html")))
    print(f"{n} pages, {len(found)} links that lead nowhere or load from elsewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
