"""The section with all trials: a table that can be sorted and filtered, and a file for others."""

import base64
import csv
import hashlib
import io
import math
from collections.abc import Sequence
from html import escape

from optuna.trial import FrozenTrial

from neuralbo.interfaces.optuna.facts import suggestion_seconds
from neuralbo.reporting.analysis.record import Record, evaluation_seconds
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import short

MOST_ROWS = 2000  # of the table: the latest; the file has all
TIMES = ("seconds", "suggestion seconds")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a text that begins so is a command to a spreadsheet

# Sorts by the header that is clicked, and hides the rows that lack a word of the filter. It reads
# and writes nothing but this table; the page allows this text alone to run, by its hash.
SCRIPT = """\
(function () {
  var table = document.getElementById("trials-table");
  var body = table.tBodies[0], heads = table.tHead.rows[0].cells;
  var filter = document.getElementById("trials-filter");
  var count = document.getElementById("trials-count");
  function key(row, k) {
    var cell = row.cells[k], exact = cell.dataset.v;
    var text = exact === undefined ? cell.textContent : exact;
    var number = text === "" ? NaN : Number(text);
    return isNaN(number) ? text : number;
  }
  function compare(a, b) {
    if (typeof a === typeof b) { return a < b ? -1 : a > b ? 1 : 0; }
    return typeof a === "number" ? -1 : 1;
  }
  function sort(k) {
    var up = heads[k].getAttribute("aria-sort") !== "ascending";
    Array.from(heads).forEach(function (head) { head.removeAttribute("aria-sort"); });
    heads[k].setAttribute("aria-sort", up ? "ascending" : "descending");
    var rows = Array.from(body.rows).map(function (row) { return [key(row, k), row]; });
    rows.sort(function (a, b) { return up ? compare(a[0], b[0]) : compare(b[0], a[0]); });
    rows.forEach(function (pair) { body.appendChild(pair[1]); });
  }
  function show() {
    var words = filter.value.toLowerCase().split(" ").filter(Boolean), shown = 0;
    Array.from(body.rows).forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = shown + " of " + body.rows.length;
  }
  Array.from(heads).forEach(function (head, k) {
    head.tabIndex = 0;
    head.addEventListener("click", function () { sort(k); });
    head.addEventListener("keydown", function (event) { if (event.key === "Enter") { sort(k); } });
  });
  filter.addEventListener("input", show);
  document.getElementById("trials-tools").hidden = false;
  show();
})();
"""
SCRIPT_HASH = "sha256-" + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()


def trial_table(record: Record) -> str:
    """Return the section; empty where there is no trial."""
    if not record.trials:
        return ""
    columns, rows = columns_and_rows(record)
    shown = rows[-MOST_ROWS:]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    words = "Click a column to sort." if len(rows) <= MOST_ROWS else (
        f"The latest {MOST_ROWS:,} of {len(rows):,} trials; the file has all."
    )  # fmt: skip
    table = (
        '<div class="tools" id="trials-tools" hidden><label>only rows with '
        '<input id="trials-filter" type="search" placeholder="words"></label> '
        '<span class="soft" id="trials-count"></span></div>'
        f'<div class="scroll tall"><table id="trials-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div><script>{SCRIPT}</script>"
    )
    return html.section(
        "All trials",
        html.more(f"{len(rows):,} trials", html.text(words) + table),
        f'<p><a download="{escape(_file_name(record))}" href="{_address(columns, rows)}">'
        "download as CSV</a></p>",
    )


def columns_and_rows(record: Record) -> tuple[list[str], list[list[object]]]:
    """Return the whole table; times stand in it where any is on record."""
    columns = _columns(record)
    rows = [_cells(record, trial, columns) for trial in record.trials]
    while columns[-1] in TIMES and all(row[-1] is None for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return columns, rows


def _columns(record: Record) -> list[str]:
    several = len(record.directions)
    values = ["value"] if several == 1 else [f"objective {k + 1}" for k in range(several)]
    params = dict.fromkeys(name for trial in record.trials for name in trial.params)
    return ["trial", "state", *values, *params, *TIMES]


def _cells(record: Record, trial: FrozenTrial, columns: Sequence[str]) -> list[object]:
    """Return what a row has, in the order of the columns; None for nothing."""
    m = len(record.directions)
    values: list[object] = list(trial.values or [None] * m)
    params = [trial.params.get(name) for name in columns[2 + m : -len(TIMES)]]
    chosen = suggestion_seconds(trial)
    seconds = [evaluation_seconds(trial), None if chosen is None else sum(chosen)]
    return [trial.number, trial.state.name.lower(), *values, *params, *seconds]


def _cell(value: object) -> str:
    """Return a cell; a number keeps all its digits for the order."""
    if value is None:
        return "<td></td>"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"<td>{escape(str(value))}</td>"
    if math.isnan(value):
        return "<td></td>"
    exact = repr(value) if math.isfinite(value) else ""
    return f'<td data-v="{exact}">{escape(short(value))}</td>'


def csv_of(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a file for spreadsheets; a text that they would take for a formula begins with '."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(map(_harmless, columns))
    for row in rows:
        writer.writerow(map(_harmless, row))
    return out.getvalue()


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _address(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    data = base64.b64encode(csv_of(columns, rows).encode("utf-8")).decode("ascii")
    return f"data:text/csv;charset=utf-8;base64,{data}"


def _file_name(record: Record) -> str:
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in record.name)
    return f"{kept[:80]}.csv"
