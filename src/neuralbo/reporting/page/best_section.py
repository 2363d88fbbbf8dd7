"""The section on the best and the recommended parameters."""

from typing import Any

from optuna.trial import FrozenTrial

from neuralbo.reporting.analysis import Analysis, Landscape
from neuralbo.reporting.analysis.record import keeps_constraints
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import ABSENT, short, with_error
from neuralbo.space import Categorical

TOP = 10  # trials in the list


def best(analysis: Analysis) -> str:
    """Return the section; empty if no trial has given a value, or there are objectives."""
    record = analysis.record
    kept = [t for t in record.done if keeps_constraints(t)] or record.done
    if len(record.directions) > 1 or not kept:
        return ""
    sign = record.signs[0]
    ordered = sorted(kept, key=lambda t: (-sign * t.values[0], t.number))
    found = analysis.landscape
    parts = [_words(analysis, ordered[0]), _parameters(found, ordered[0], record.trials)]
    return html.section("Best and recommended", *parts, _list(ordered))


def _words(analysis: Analysis, first: FrozenTrial) -> str:
    found = analysis.landscape
    words = f"The best value is {short(first.values[0])}, in trial {first.number}."
    if found is None:
        return html.text(f"{words} There is no model: {analysis.why_no_model}")
    recommended, sign = found.recommended, found.sign
    number = found.number(recommended.row)
    where = "the same trial" if number == first.number else f"trial {number}"
    return html.text(
        f"{words} The model recommends {where}, which has the best posterior mean: "
        f"{with_error(sign * recommended.mean, recommended.std)} for the function, and "
        f"± {recommended.noise:.2g} for the noise (standard deviations). One value may be "
        "luck; under "
        "noise take the recommended parameters."
    )


def _parameters(
    found: Landscape | None, first: FrozenTrial, trials: tuple[FrozenTrial, ...]
) -> str:
    if found is None:
        return html.table(("parameter", "best"), first.params.items())
    number = found.number(found.recommended.row)
    second = next(t for t in trials if t.number == number)
    names = [
        n
        for n in [*found.space.parameters, *first.params]
        if n in {**first.params, **second.params}
    ]
    rows = []
    for name in dict.fromkeys(names):
        values = [t.params.get(name, ABSENT) for t in (first, second)]
        rows.append((name, *values, _range(found, name), _axis(found, name, values)))
    return html.table(("parameter", "best", "recommended", "range", ""), rows)


def _range(found: Landscape, name: str) -> str:
    parameter = found.space.parameters.get(name)
    if parameter is None:
        return ""
    if isinstance(parameter, Categorical):
        said = ", ".join(map(str, parameter.choices))
        return said if len(said) < 60 else f"{len(parameter.choices)} choices"
    return f"{short(parameter.low)} to {short(parameter.high)}{', log' if parameter.log else ''}"


def _axis(found: Landscape, name: str, values: list[Any]) -> html.Markup | str:
    if name not in found.space.names:
        return ""
    variable = found.space.domain.variables[found.space.names.index(name)]
    parameter = found.space.parameters[name]
    if variable.kind == "category":
        return ""
    marks = []
    for value, kind in zip(values, ("", "warm"), strict=True):
        if value != ABSENT and parameter.problem(value) is None:
            place = parameter.coordinate(value)
            top = max(variable.count - 1, 1)
            marks.append((place / top if variable.count else place, kind))
    return html.axis(*marks)


def _list(ordered: list[FrozenTrial]) -> str:
    names = list(dict.fromkeys(name for t in ordered[:TOP] for name in t.params))
    rows = [
        (t.number, t.values[0], *(t.params.get(name, ABSENT) for name in names))
        for t in ordered[:TOP]
    ]
    title = f"The best {len(rows)} trials"
    return html.more(title, html.table(("trial", "value", *names), rows)) if len(rows) > 1 else ""
