"""The site: its navigation, its reference of the public names, and its formulas."""

import importlib
import re
import runpy
from pathlib import Path

import pytest
import yaml

import neuralbo

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
API = runpy.run_path(str(DOCS / "scripts/api_pages.py"))
GALLERY = sorted(path.stem for path in (ROOT / "examples/gallery").iterdir() if path.is_file())
MADE = {*API["pages"](), *(f"gallery/{name}.md" for name in [*GALLERY, "index"])}
MADE |= {"changelog.md", "contributing.md"}
NAMESPACES = ("surrogates", "criteria", "maximizers", "policies", "report", "analysis", "plots")


def in_navigation(part):
    """Return all pages that a part of the navigation names."""
    if isinstance(part, str):
        return [part]
    inner = part.values() if isinstance(part, dict) else part
    return [page for one in inner for page in in_navigation(one)]


def test_every_page_stands_once_in_the_navigation():
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | MADE
    assert sorted(in_navigation(CONFIG["nav"])) == sorted(pages)


def test_the_reference_has_every_public_name():
    shown = {name for _, _, names in API["PAGES"].values() for name in names}
    assert shown - {"testing"} == set(neuralbo.__all__)


@pytest.mark.parametrize("name", NAMESPACES)
def test_the_reference_has_every_name_of_a_namespace(name):
    page = next(page for page, (_, _, names) in API["PAGES"].items() if name in names)
    module = getattr(neuralbo, name)
    full = set(API["names_of"](page))
    for public in module.__all__:
        found = getattr(module, public)
        assert f"{found.__module__}.{found.__qualname__}" in full


@pytest.mark.parametrize("page", API["PAGES"])
def test_what_the_reference_shows_is_there(page):
    for full in API["names_of"](page):
        module, _, name = full.rpartition(".")
        assert vars(importlib.import_module(module))[name].__doc__


def test_nothing_of_the_site_is_loaded_from_elsewhere():
    text = (ROOT / "mkdocs.yml").read_text()
    assert CONFIG["theme"]["font"] is False
    assert not re.findall(r"https?://", text)


def test_the_figure_of_the_benchmark_is_that_of_the_table(monkeypatch):
    """If not: python docs/scripts/pictures.py benchmark."""
    monkeypatch.syspath_prepend(str(DOCS / "scripts"))
    draw = runpy.run_path(str(DOCS / "scripts/benchmark_picture.py"))["picture"]
    text = (DOCS / "comparisons.md").read_text()
    assert draw(text) == (DOCS / "images/benchmark.svg").read_text()
    assert draw(text.replace("| GPSampler | 0.24", "| GPSampler | 0.48")) != draw(text)


class TestLinks:
    CHECK = runpy.run_path(str(DOCS / "scripts/check_site.py"))["problems"]

    @pytest.fixture
    def site(self, folder):
        (folder / "a.html").write_text('<h1 id="top">a</h1><a href="b.html#there">b</a>')
        (folder / "b.html").write_text('<p id="there">b</p><a href="a.html">a</a>')
        return folder.resolve()

    def test_a_whole_site_is_well(self, site):
        assert TestLinks.CHECK(site) == []

    @pytest.mark.parametrize(
        ("html", "problem"),
        [
            ('<a href="c.html">c</a>', "a.html: c.html is not there"),
            ('<a href="b.html#gone">b</a>', "a.html: b.html#gone has no such anchor"),
            ('<img src="d.svg">', "a.html: d.svg is not there"),
            ('<script src="https://host/s.js"></script>', "a.html loads https://host/s.js"),
            ('<link rel="stylesheet" href="//host/s.css">', "a.html loads //host/s.css"),
        ],
    )
    def test_what_is_wrong_is_found(self, site, html, problem):
        (site / "a.html").write_text(html)
        assert TestLinks.CHECK(site) == [problem]
