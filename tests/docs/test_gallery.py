"""The gallery: every example runs, shortened, and has its picture and its page."""

import json
import runpy
import sys
from pathlib import Path

import optuna
import pytest

import neuralbo as nb

ROOT = Path(__file__).parents[2]
EXAMPLES, KEPT = ROOT / "examples/gallery", ROOT / "docs/images/gallery"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
TRIALS = {"ask_and_tell": 8, "four_workers": 6}  # of each other example 7
USUAL = 7


@pytest.fixture
def scripts(monkeypatch):
    """The scripts that build the gallery, which are beside each other and in no package."""
    monkeypatch.syspath_prepend(str(ROOT / "docs/scripts"))
    before = set(sys.modules)
    yield lambda name: runpy.run_path(str(ROOT / f"docs/scripts/{name}.py"))
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) is not None:
            if Path(sys.modules[name].__file__).parent == ROOT / "docs/scripts":
                del sys.modules[name]


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def test_there_are_a_dozen():
    assert len(NAMES) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork while threads are there
def test_an_example_runs_and_is_drawn(name, scripts, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    script = scripts("gallery")["load"](name)
    n = TRIALS.get(name, USUAL)
    found = script.main(n) if name != "four_workers" else script.main(n, workers=2)
    analysis = nb.analysis.Analysis.of(found)
    assert n <= len(analysis.record.trials) <= n + 1 and analysis.record.done
    assert capsys.readouterr().out
    picture = scripts("gallery_pictures")["PICTURES"][name](found, script)
    assert picture.startswith("<svg xmlns") and "NaN" not in picture and "nan" not in picture


def test_every_example_is_kept_and_has_its_page(scripts):
    pages = scripts("gallery_pages")["pages"]()
    assert set(pages) == {f"gallery/{name}.md" for name in [*NAMES, "index", "notebook"]}
    assert {path.stem for path in KEPT.iterdir()} == set(NAMES)
    for name in NAMES:
        assert (KEPT / f"{name}.txt").read_text().strip() in pages[f"gallery/{name}.md"]
        assert (KEPT / f"{name}.svg").stat().st_size < 100_000
        assert f"]({name}.md)" in pages["gallery/index.md"]


class TestNotebook:
    PATH = EXAMPLES / "notebook.ipynb"

    @pytest.mark.slow
    def test_it_runs_and_shows_a_result_and_an_optimizer(self, scripts):
        cells = scripts("notebook")["run"](self.PATH)["cells"]
        shown = [out["data"] for cell in cells for out in cell.get("outputs", ()) if "data" in out]
        assert "best_value" in shown[0]["text/html"] and "data:image/svg" in shown[0]["text/html"]
        assert shown[1]["text/plain"].startswith("Recommendation(")
        assert "3 trials" in shown[2]["text/html"]

    def test_the_outputs_that_are_kept_are_of_its_cells(self):
        cells = [c for c in json.loads(self.PATH.read_text())["cells"] if c["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in cells] == [1, 2, 3]
        assert all(cell["outputs"] for cell in cells)
