"""The section on which parameters matter."""

from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.advice import ENOUGH
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import short

MOST = 25  # parameters in a list


def importance(analysis: Analysis) -> str:
    """Return the section; empty without a model or with one parameter."""
    if analysis.landscape is None or len(analysis.shares) < 2:
        return ""
    return html.section("Which parameters matter", _shares(analysis), *_ablation(analysis))


def shares_table(analysis: Analysis) -> str:
    """Return the shares of the variance as bars."""
    rows = [
        (
            _name(analysis, s.name),
            f"{s.first:.0%}",
            f"{s.total:.0%}",
            html.bar((s.total, "light"), (s.first, "")),
        )
        for s in analysis.shares[:MOST]
    ]
    return html.table(("parameter", "alone", "with others", ""), rows)


def _name(analysis: Analysis, name: str) -> str:
    """Return a parameter's name, and how many trials have it if they are few."""
    found = analysis.model
    count = int(found.active[found.space.names.index(name)])
    is_rare = count < min(ENOUGH, found.data.n)
    return f"{name} (in {count} {'trial' if count == 1 else 'trials'} only)" if is_rare else name


def _shares(analysis: Analysis) -> str:
    words = (
        "Over the whole space, by the model: the share of the variance of the value that a "
        "parameter explains alone (dark; first-order Sobol index), and together with others "
        "(light; total index). A parameter that "
        "switches others on counts for what it switches."
    )
    return html.text(words) + shares_table(analysis)


def _ablation(analysis: Analysis) -> list[str]:
    """Return the steps from the middle of the space to the recommended point."""
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
        f"By the model: from the middle of all ranges and the first of all choices "
        f"({short(found.start)}), always the parameter next whose change improves the value most. "
        "Orange makes it worse until others have changed, too."
    )
    columns = ("parameter", "change", "value then", "gain", "")
    return [
        "<h3>Ablation: from the centre to the recommended point</h3>",
        html.text(words),
        html.table(columns, rows),
    ]
