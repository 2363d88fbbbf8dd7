"""The section on which parameters matter."""

from neuralbo.analysis import Analysis
from neuralbo.report import html
from neuralbo.report.svg import short

MOST = 25  # parameters in a list


def importance(analysis: Analysis) -> str:
    """Return the section; empty without a model or with one parameter."""
    if analysis.landscape is None or len(analysis.shares) < 2:
        return ""
    return html.section("Which parameters matter", _shares(analysis), *_way(analysis))


def shares_table(analysis: Analysis) -> str:
    """Return the shares of the variance as bars."""
    rows = [
        (s.name, f"{s.first:.0%}", f"{s.total:.0%}", html.bar((s.total, "light"), (s.first, "")))
        for s in analysis.shares[:MOST]
    ]
    return html.table(("parameter", "alone", "with others", ""), rows)


def _shares(analysis: Analysis) -> str:
    words = (
        "Over the whole space, by the model: the share of the variance of the value that a "
        "parameter explains alone (dark), and together with others (light). A parameter that "
        "switches others on counts for what it switches."
    )
    return html.text(words) + shares_table(analysis)


def _way(analysis: Analysis) -> list[str]:
    """Return the steps from the middle of the space to the likely best."""
    found, sign = analysis.ablation, analysis.model.sign
    if not found.changes:
        return []
    gains = [found.gain(k, sign) for k in range(len(found.changes))]
    largest = max(*map(abs, gains), 1e-300) if len(gains) > 1 else abs(gains[0]) or 1.0
    rows = [
        (
            c.name, f"{short(c.before)} → {short(c.after)}", c.mean, f"{gain:+.3g}",
            html.bar((abs(gain) / largest, "" if gain >= 0 else "worse")),
        )
        for c, gain in list(zip(found.changes, gains, strict=True))[:MOST]
    ]  # fmt: skip
    words = (
        f"On the way to the recommended point, by the model: from the middle of all ranges and "
        f"the first of all choices ({short(found.start)}), the parameter next whose change "
        "betters the value most. Orange makes it worse until others have changed, too."
    )
    columns = ("parameter", "change", "value then", "gain", "")
    return ["<h3>The way to the best</h3>", html.text(words), html.table(columns, rows)]
