"""A study from a file: a good one runs, a bad one is refused with what is wrong in it."""

from pathlib import Path

import pytest
from neuralbo import cli

from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.regression_study import KRUSE_SIZES, RegressionStudy
from neuralbo_lab.core.run import run_cell
from neuralbo_lab.core.store import folder, read_cells
from neuralbo_lab.core.toml_study import read_study
from neuralbo_lab.pages import html

GOOD = {
    "problems": '["branin", "kruse-test1"]',
    "methods": '["gp/ei", "tpe"]',
    "trials": "12",
    "start": "4",
    "seeds": "3",
}
FITS = {"kind": '"regression"', "problems": '["kruse-test1"]', "surrogates": '["empirical"]'}


def written(tmp_path, fields, **changes):
    """Write a file with those fields, changed; a field that is None is left out."""
    fields = {key: value for key, value in (fields | changes).items() if value is not None}
    path = tmp_path / "mine.toml"
    path.write_text("".join(f"{key} = {value}\n" for key, value in fields.items()))
    return path


def refused(tmp_path, match, fields=GOOD, **changes):
    with pytest.raises(ValueError, match=match):
        read_study(written(tmp_path, fields, **changes))


def test_a_file_is_a_study_of_the_same_settings(tmp_path):
    study = read_study(written(tmp_path, GOOD))
    assert study == OptimizationStudy(
        name="mine", reproduces="the study of mine.toml", problems=("branin", "kruse-test1"),
        methods=("gp/ei", "tpe"), trials=12, start=4, seeds=3, file=str(tmp_path / "mine.toml"),
    )  # fmt: skip


def test_every_setting_of_a_file_is_taken(tmp_path):
    study = read_study(
        written(
            tmp_path, GOOD, name='"other"', reproduces='"a test"', design='"sobol"',
            seconds="60.5", restarts="true", departures='["none"]', quick_trials="6",
            quick_seeds="1", quick_problems='["branin"]',
        )
    )  # fmt: skip
    assert (study.name, study.reproduces, study.design) == ("other", "a test", "sobol")
    assert (study.seconds, study.restarts, study.departures) == (60.5, True, ("none",))
    quick = study.quick()
    assert (quick.trials, quick.seeds, quick.problems) == (6, 1, ("branin",))


def test_a_regression_file_has_the_defaults_of_a_regression_study(tmp_path):
    study = read_study(written(tmp_path, FITS, seeds="4"))
    assert isinstance(study, RegressionStudy)
    assert (study.surrogates, study.sizes, study.seeds) == (("empirical",), KRUSE_SIZES, 4)
    assert study.test_points == 10_000


def test_sizes_of_a_regression_file_are_taken(tmp_path):
    study = read_study(written(tmp_path, FITS, sizes="[5, 9]", test_points="50"))
    assert study.sizes == (5, 9)
    assert study.protocol == "regression-50"


def test_the_example_of_the_module_is_good(tmp_path):
    import neuralbo_lab.core.toml_study as module

    path = tmp_path / "example.toml"
    path.write_text(module.__doc__.split("\n\n", 1)[1])
    assert read_study(path).trials == 40


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.toml"):
        read_study(tmp_path / "none.toml")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "x.toml").mkdir()
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_study(tmp_path / "x.toml")


def test_what_is_not_toml_is_refused_with_the_line(tmp_path):
    refused(tmp_path, r"mine\.toml is not TOML: .*line 3", trials="= 3")


def test_an_unknown_key_names_the_near_ones(tmp_path):
    refused(tmp_path, r"unknown key of .*mine\.toml 'trails'. Did you mean 'trials'", trails="9")


@pytest.mark.parametrize("key", ["document", "claims", "groups", "other_starts"])
def test_what_only_python_can_say_is_an_unknown_key(tmp_path, key):
    refused(tmp_path, f"unknown key of .* '{key}'", **{key: '["x"]'})


def test_a_key_of_the_other_kind_is_unknown(tmp_path):
    refused(tmp_path, "unknown key of .* 'trials'", FITS, trials="9")
    refused(tmp_path, "unknown key of .* 'sizes'", sizes="[3]")


@pytest.mark.parametrize("key", GOOD)
def test_a_missing_key_is_named(tmp_path, key):
    refused(tmp_path, rf"mine\.toml must also have {key}\.", **{key: None})


def test_all_missing_keys_are_named_at_once(tmp_path):
    refused(tmp_path, r"must also have problems, surrogates\.", {"kind": '"regression"'})


def test_an_unknown_kind_is_refused(tmp_path):
    refused(tmp_path, "kind must be one of optimization, regression, got 'speed'", kind='"speed"')


def test_a_kind_that_is_no_text_is_refused(tmp_path):
    refused(tmp_path, "kind must be one of", kind='["regression"]')


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("problems", '"branin"', "problems must be a list of texts, got 'branin'"),
        ("problems", "[]", "problems must be a list of texts"),
        ("methods", '["gp", 3]', "methods must be a list of texts"),
        ("trials", "0", "trials must be a whole number above zero, got 0"),
        ("trials", "12.0", "trials must be a whole number above zero, got 12.0"),
        ("seeds", "true", "seeds must be a whole number above zero, got True"),
        ("start", '"4"', "start must be a whole number above zero, got '4'"),
        ("quick_seeds", "-1", "quick_seeds must be a whole number above zero"),
        ("seconds", '"long"', "seconds must be a number above zero, got 'long'"),
        ("restarts", "1", "restarts must be true or false, got 1"),
        ("design", '"spiral"', "design must be one of .*latin_hypercube.*, got 'spiral'"),
        ("name", '"a/b"', "name must be of letters, .*, got 'a/b'"),
        ("name", "7", "name must be of letters"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(tmp_path, key, value, match):
    refused(tmp_path, match, **{key: value})


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("sizes", "[10, 1.5]", "sizes must be a list of whole numbers"),
        ("sizes", "10", "sizes must be a list of whole numbers"),
        ("test_points", "0", "test_points must be a whole number above zero"),
        ("surrogates", '["empirica"]', "unknown surrogate 'empirica'. Did you mean 'empirical'"),
        ("problems", '["kruse-test"]', "unknown problem 'kruse-test'. Did you mean 'kruse-test"),
    ],
)
def test_a_bad_value_of_a_regression_file_is_refused(tmp_path, key, value, match):
    refused(tmp_path, match, FITS, **{key: value})


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("problems", '["brannin"]', "unknown problem 'brannin'. Did you mean 'branin'"),
        ("methods", '["tpee"]', "unknown method 'tpee'. Did you mean 'tpe'"),
        ("methods", '["gp/eii"]', "unknown criterion 'eii'"),
        ("methods", '["tpe/ei"]', "'tpe' is a whole method"),
    ],
)
def test_an_unknown_name_is_answered_with_the_near_ones(tmp_path, key, value, match):
    refused(tmp_path, match, **{key: value})


@pytest.mark.parametrize("start", ["12", "13"])
def test_a_study_of_initial_points_only_is_refused(tmp_path, start):
    refused(tmp_path, f"start must be below trials, got {start} and 12", start=start)


@pytest.mark.parametrize(
    ("fields", "changes"),
    [
        (GOOD, {"quick_problems": '["brannin"]'}),
        (GOOD, {"quick_trials": "4"}),  # as many as initial points
        (GOOD, {"seconds": "true"}),
        (GOOD, {"seconds": "-1"}),
        (GOOD, {"problems": '["branin", "branin"]'}),  # two workers would write one file
        (GOOD, {"name": '".."'}),
        (GOOD, {"name": '""'}),
        (FITS, {"sizes": "[0]"}),
        (FITS, {"problems": '["jenatton"]'}),  # not on a box: every fit fails
    ],
)
def test_what_would_only_show_later_is_refused_at_once(tmp_path, fields, changes):
    with pytest.raises(ValueError, match=r"mine|brannin|jenatton"):
        read_study(written(tmp_path, fields, **changes))


def test_errors_of_a_file_are_told_without_a_traceback(tmp_path, capsys):
    path = written(tmp_path, GOOD, trails="3")
    assert cli.main(["lab", "run", str(path), "--root", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert "Did you mean 'trials'" in err and "Traceback" not in err


@pytest.fixture
def drawn_nothing(tmp_path, monkeypatch):
    """Begin in an empty folder, and leave the drawing out."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(html, "image", lambda figure, alt: "")


@pytest.mark.slow
@pytest.mark.usefixtures("drawn_nothing")
def test_an_optimization_file_is_run_and_reported(tmp_path, capsys):
    cheap = {"problems": '["branin"]', "methods": '["random"]', "trials": "3", "start": "1"}
    study = read_study(written(tmp_path, cheap, seeds="2"))
    assert cli.main(["lab", "run", "mine.toml", "--workers", "1"]) == 0
    assert f"results: {folder(study, Path('runs/lab'))}" in capsys.readouterr().out
    assert cli.main(["lab", "report", "mine.toml"]) == 0
    out = capsys.readouterr().out
    assert "| branin | random | 2 |" in out and "page: runs/lab/mine/" in out
    cells = read_cells(study, Path("runs/lab"), [cell.file for cell in study.cells()])
    assert len(cells) == 2 and not any("failed" in line for c in cells.values() for line in c)


@pytest.mark.usefixtures("drawn_nothing")
def test_a_regression_file_is_reported(tmp_path, capsys):
    study = read_study(written(tmp_path, FITS, sizes="[5]", seeds="2", test_points="20"))
    where = folder(study, Path("runs/lab"))
    where.mkdir(parents=True)
    for cell in study.cells():
        run_cell(study, cell, where)
    assert cli.main(["lab", "report", "mine.toml"]) == 0
    out = capsys.readouterr().out
    assert "| kruse-test1 | empirical | 5 | 2 |" in out and "page: runs/lab/mine/" in out


def test_many_initial_points_need_no_word_about_the_quick_version(tmp_path):
    study = read_study(written(tmp_path, GOOD, start="25", trials="100"))
    assert study.quick().trials == 50
