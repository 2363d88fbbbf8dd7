"""`neuralbo surrogates`, `neuralbo completion` and `neuralbo report --watch`."""

import shutil
import subprocess
import time
from argparse import Namespace

import optuna
import pytest

import neuralbo
from neuralbo.catalog import POLICIES, SURROGATES
from neuralbo.cli import main
from neuralbo.completion import script
from neuralbo.reporting.page import report_command
from neuralbo.surrogates_command import rows

USAGES = {
    "run": "usage: neuralbo run [-h] [--trials N] [--surrogate SURROGATE] [--quiet]\n"
    "                    [--pruner {neural,none}] file",
    "lab": "usage: neuralbo lab",
}


class TestSurrogates:
    def test_the_table_has_every_name_of_the_catalog_once(self):
        """To add a name to the catalog, add its row to src/neuralbo/surrogates.csv."""
        assert sorted(row["name"] for row in rows()) == sorted({**POLICIES, **SURROGATES})

    @pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
    def test_a_row_has_a_family_a_line_and_seconds_if_they_were_measured(self, row):
        assert row["family"] and row["line"]
        assert row["seconds"] in ("", ">20") or 0 <= float(row["seconds"]) < 60

    def test_all_are_listed(self, capsys):
        assert main(["surrogates"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert {line.split()[0] for line in lines if line} >= {row["name"] for row in rows()}

    def test_a_family_is_enough(self, capsys):
        main(["surrogates", "mixture"])
        names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:] if line]
        assert names[:6] == ["kde", "kde_kruse", "gmr", "gmr_kruse", "spn", "spn_kruse"]

    def test_an_unknown_one_is_answered_with_the_near_ones(self, capsys):
        assert main(["surrogates", "deep_ensembel"]) == 1
        said = capsys.readouterr().err
        assert "Did you mean 'deep_ensemble'" in said and said.count(",") < 10


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_the_command_prints_a_script_with_all_commands(self, shell, capsys):
        assert main(["completion", shell]) == 0
        out = capsys.readouterr().out
        for word in ("run report surrogates completion lab", "min-improvement", "deep_ensemble"):
            assert word in out

    @pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
    @pytest.mark.parametrize(
        ("words", "found"),
        [
            (["neuralbo", "r"], "run"),
            (["neuralbo", "run", "--tr"], "--trials"),
            (["neuralbo", "run", "f.py", "--surrogate", "brvfl4_w"], "brvfl4_warped"),
            (["neuralbo", "run", "--pruner", "no"], "none"),
            (["neuralbo", "run", "f.py", "--q"], "--quiet"),
        ],
    )
    def test_bash_completes(self, words, found):
        typed = " ".join(f"'{word}'" for word in words)
        test = (
            f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _neuralbo; echo ${{COMPREPLY[@]}}"
        )
        code = f"{script('bash', USAGES)}\n{test}"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [found]

    def test_fish_is_told_which_options_take_something(self):
        lines = script("fish", USAGES).splitlines()
        here = 'complete -c neuralbo -n "__fish_seen_subcommand_from run"'
        assert f"{here} -l trials -r" in lines and f"{here} -l quiet" in lines
        assert f'{here} -l pruner -x -a "neural none"' in lines


class TestWatch:
    @pytest.fixture
    def options(self, folder):
        storage = f"sqlite:///{folder}/s.db"
        study = optuna.create_study(study_name="mine", storage=storage)
        study.enqueue_trial({"x": 0.5})
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        return Namespace(
            storage=storage,
            study=None,
            out=folder / "page.html",
            watch=0.01,
            png=False,
            open=False,
        )  # fmt: skip

    def test_the_page_is_written_as_trials_come_and_is_at_rest_in_the_end(
        self, options, monkeypatch, capsys
    ):
        study = optuna.load_study(study_name="mine", storage=options.storage)
        pages = []

        def pause(seconds):
            pages.append(options.out.read_text())
            if len(pages) == 1:
                study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
            elif len(pages) == 3:
                raise KeyboardInterrupt

        monkeypatch.setattr(time, "sleep", pause)
        assert report_command.report(options) == 0
        assert "1 trials</summary>" in pages[0] and "2 trials</summary>" in pages[1]
        assert all('http-equiv="refresh" content="0.01"' in page for page in pages)
        assert pages[1] == pages[2]
        end = options.out.read_text()
        assert "refresh" not in end and "2 trials</summary>" in end
        assert capsys.readouterr().out.count("2 trials:") == 1

    def test_a_pause_that_is_none_is_a_clear_error(self, options, capsys):
        assert main(["report", options.storage, "--watch", "-1"]) == 1
        assert "--watch must be above 0" in capsys.readouterr().err


def test_python_knows_the_near_names_of_the_package():
    with pytest.raises(AttributeError) as error:
        _ = neuralbo.minimise
    assert (error.value.name, error.value.obj) == ("minimise", neuralbo)
