"""The section on failures: why, and where."""

from neuralbo.interfaces.optuna.parameter_ranges import union
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.record import Record, is_done
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import Drawing, Scale
from neuralbo.space import Categorical, from_distribution

REASONS = 12
PARAMETERS = 4  # by which failures are counted: those that tell most
LONGEST = 300  # letters of a reason
SLIGHT = 0.02  # a score below this tells nothing


def failures(analysis: Analysis) -> str:
    """Return the section; empty if nothing failed."""
    record = analysis.record
    if not record.failed:
        return ""
    n, failed = len(record.trials), len(record.failed)
    share = f"{failed / n:.0%}" if failed >= 0.01 * n else f"{failed / n:.2%}"
    words = html.text(f"{failed} of {n} trials ({share}) gave no value.")
    return html.section("Failures", words, _reasons(analysis), *_where(analysis))


def _reasons(analysis: Analysis) -> str:
    found = analysis.reasons
    rows = [
        (n, why if len(why) <= LONGEST else why[:LONGEST] + " …") for why, n in found[:REASONS]
    ]
    left = len(found) - len(rows)
    more = html.text(f"{left} other reasons are left out.") if left > 0 else ""
    return html.table(("trials", "reason"), rows) + more


def _where(analysis: Analysis) -> list[str]:
    shown_parameters = [w for w in analysis.failures if w.score >= SLIGHT][:PARAMETERS]
    if not shown_parameters or not analysis.record.done:
        return []
    words = "Where they lie: the share of trials that failed, by the parameters that tell most."
    parts = []
    for one in shown_parameters:
        rows = [
            (p.label, f"{p.failed} of {p.trials}", html.bar((p.share, "bad"))) for p in one.parts
        ]
        parts.append(html.table((one.name, "failed", ""), rows))
    figure = _scatter(analysis.record, [one.name for one in shown_parameters])
    parts += [figure] if figure else []
    return ["<h3>Where</h3>", html.text(words), html.figures(parts, "two")]


def _scatter(record: Record, names: list[str]) -> str:
    """Return the trials over the two parameters that tell most, if both are numbers."""
    known = union(record.trials)
    numbers = [n for n in names if not isinstance(from_distribution(known[n]), Categorical)][:2]
    if len(numbers) < 2:
        return ""
    scales = []
    for name in numbers:
        parameter = from_distribution(known[name])
        assert not isinstance(parameter, Categorical)
        scales.append(Scale.around([parameter.low, parameter.high], is_log=parameter.log))
    drawing = Drawing(
        scales[0], scales[1], width=460, height=260, x_label=numbers[0], y_label=numbers[1]
    )
    failed = {t.number for t in record.failed}
    both = [t for t in record.trials if all(name in t.params for name in numbers)]
    for kind, members in (
        ("trial", [t for t in both if is_done(t)]),
        ("failed", [t for t in both if t.number in failed]),
    ):
        drawing.dots(
            [float(t.params[numbers[0]]) for t in members],
            [float(t.params[numbers[1]]) for t in members], kind,
            [f"trial {t.number}" for t in members],
        )  # fmt: skip
    return html.figure(drawing.svg("where trials failed"), "red: failed; grey: gave a value")
