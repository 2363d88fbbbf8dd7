"""The table of all trials: complete, harmless, and what its script does in a browser."""

import base64
import csv
import io
import re

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

import neuralbo as nb
from neuralbo.reporting.analysis.record import Record
from neuralbo.reporting.page import html, picture
from neuralbo.reporting.page.trials_section import MOST_ROWS, SCRIPT_HASH, csv_of, trial_table


def study_of(*rows, state=TrialState.COMPLETE):
    study = optuna.create_study(study_name="mine")
    for x, kind in rows:
        distributions = {"x": FloatDistribution(-9, 9), "kind": CategoricalDistribution([kind])}
        study.add_trial(
            create_trial(
                value=None if state == TrialState.FAIL else x * x, state=state,
                params={"x": x, "kind": kind}, distributions=distributions,
            )
        )  # fmt: skip
    return study


def section(study):
    return trial_table(Record.of(study))


def file_in(text):
    data = re.search(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', text)[1]
    return list(csv.reader(io.StringIO(base64.b64decode(data).decode())))


def test_the_file_has_every_trial_with_all_its_digits():
    x = 1 / 3
    head, *rows = file_in(section(study_of((x, "a"), (2.0, "b"))))
    assert head == ["trial", "state", "value", "x", "kind", "seconds"]
    assert [row[:2] for row in rows] == [["0", "complete"], ["1", "complete"]]
    assert float(rows[0][2]) == x * x and float(rows[0][3]) == x and rows[1][4] == "b"


def test_a_trial_without_a_value_is_there():
    study = study_of((1.0, "a"))
    study.add_trials(study_of((2.0, "a"), state=TrialState.FAIL).trials)
    rows = file_in(section(study))
    assert rows[2][1:4] == ["fail", "", "2.0"]


def test_the_table_has_the_latest_trials_and_the_file_all():
    study = study_of((0.0, "a"))
    trial = study.trials[0]
    study.add_trials([trial] * MOST_ROWS)
    found = section(study)
    assert found.count("<tr>") == MOST_ROWS + 1 and len(file_in(found)) == MOST_ROWS + 2
    assert f"The latest {MOST_ROWS:,} of {MOST_ROWS + 1:,} trials" in found


def test_texts_are_escaped_and_are_no_formulas():
    hostile = '=1+<script>alert(1)</script>"'
    found = section(study_of((1.0, hostile)))
    assert found.count("<script>") == 1 and "&lt;script&gt;alert(1)" in found
    assert file_in(found)[1][4] == f"'{hostile}"


def test_numbers_in_the_file_are_numbers_also_below_zero():
    assert csv_of(["x"], [[-1.5]]).split() == ["x", "-1.5"]


def test_an_optimizer_has_no_times():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, seed=0)
    opt.tell(opt.ask(), 1.0)
    assert file_in(section(opt))[0] == ["trial", "state", "value", "x"]


DRIVE = """\
<script nonce="drive">
  var heads = document.querySelectorAll("#trials-table th"), seen = [];
  function values() {
    return Array.from(document.querySelectorAll("#trials-table tbody tr"))
      .filter(function (row) { return !row.hidden; })
      .map(function (row) { return row.cells[3].textContent; }).join(" ");
  }
  heads[3].click(); seen.push(values());
  heads[3].click(); seen.push(values());
  var filter = document.getElementById("trials-filter");
  filter.value = "complete BEE"; filter.dispatchEvent(new Event("input")); seen.push(values());
  seen.push(document.getElementById("trials-count").textContent);
  document.body.dataset.seen = seen.join("|");
</script></body>"""


@pytest.mark.slow
@pytest.mark.skipif(picture.browser() is None, reason="no Chromium on the PATH")
def test_in_a_browser_it_is_sorted_as_numbers_and_filtered(folder):
    study = study_of((9.0, "bee"), (-3.0, "ant"), (0.5, "bee"))
    page = html.page("t", [section(study)], scripts=[SCRIPT_HASH])
    page = page.replace(f"'{SCRIPT_HASH}'", f"'{SCRIPT_HASH}' 'nonce-drive'")
    path = folder / "page.html"
    path.write_text(DRIVE.join(page.rsplit("</body>", 1)), encoding="utf-8")
    dom = picture._run(picture.browser(), ["--dump-dom", path.as_uri()], str(folder))
    seen = re.search(r'data-seen="([^"]+)"', dom)[1]
    assert seen.split("|") == ["-3 0.5 9", "9 0.5 -3", "9 0.5", "2 of 3"]
