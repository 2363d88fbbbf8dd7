"""The head of the page: what the study is, its numbers, and what to do next."""

from html import escape

from neuralbo.interfaces.optuna.facts import suggestion_seconds
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.pareto_front import front
from neuralbo.reporting.analysis.record import Record, evaluation_seconds
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import ABSENT, short, with_error


def head(analysis: Analysis) -> str:
    """Return the title and the numbers that come first."""
    record = analysis.record
    goal = " and ".join(f"{d} objective {k}" for k, d in enumerate(record.directions, 1))
    goal = record.directions[0] if len(record.directions) == 1 else goal
    said = f"{goal} · {_dates(record)}"
    return (
        f'<header><small>study</small><h1>{escape(record.name)}</h1><p class="soft">'
        f"{escape(said)}</p></header>{html.tiles(_tiles(analysis))}"
    )


def _dates(record: Record) -> str:
    starts = [t.datetime_start for t in record.trials if t.datetime_start is not None]
    ends = [t.datetime_complete for t in record.trials if t.datetime_complete is not None]
    if not record.trials:
        return "no trial is finished"
    if not starts or not ends:
        return "no times on record"
    first, last = min(starts), max(ends)
    same = first.date() == last.date()
    end = f"{last:%H:%M}" if same else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M} to {end}"


def _tiles(analysis: Analysis) -> list[tuple[str, str, str]]:
    record = analysis.record
    found = [*_best(analysis)]
    others = (
        (len(record.failed), "failed"),
        (len(record.pruned), "pruned"),
        (record.running, "running or waiting"),
        (record.interrupted, "interrupted"),
    )
    remark = ", ".join(f"{n} {name}" for n, name in others if n) or "all gave a value"
    found.append(("trials", f"{len(record.trials):,}", remark if record.trials else "none yet"))
    spent = [evaluation_seconds(t) for t in record.trials]
    if record.trials and not any(s is not None for s in spent):
        return found
    total = sum(s for s in spent if s is not None)
    chosen = [sum(s) for t in record.trials if (s := suggestion_seconds(t)) is not None]
    remark = f"and {duration(sum(chosen))} for suggestions" if chosen else "of evaluations"
    found.append(("time", duration(total), remark))
    return found


def _best(analysis: Analysis) -> list[tuple[str, str, str]]:
    record = analysis.record
    if len(record.directions) > 1:
        return [
            ("on the Pareto front", str(len(front(record))), f"of {len(record.done)} with values")
        ]
    path = record.best_so_far()
    if not path or path[-1] != path[-1]:
        return [("best value", ABSENT, "no trial has given a value")]
    at = next(t.number for t, best in zip(record.trials, path, strict=True) if best == path[-1])
    found = [("best value", short(path[-1]), f"in trial {at}")]
    if analysis.landscape is not None:
        recommended = analysis.landscape.recommended
        mean = with_error(analysis.landscape.sign * recommended.mean, recommended.std)
        number = analysis.landscape.number(recommended.row)
        found.append(("recommended", mean, f"trial {number}, by the model"))
    return found


def duration(seconds: float) -> str:
    """Return seconds as a person says them."""
    if seconds < 100:
        return f"{seconds:.3g} s"
    if seconds < 6000:
        return f"{seconds / 60:.3g} min"
    return f"{seconds / 3600:.3g} h" if seconds < 48 * 3600 else f"{seconds / 86400:.3g} days"


def next_steps(analysis: Analysis) -> str:
    """Return the section of the hints; empty if there are none."""
    items = "".join(
        f'<li class="{hint.kind.replace(" ", "-")}"><b>{escape(hint.what)}</b>'
        f"<span>{escape(hint.why)}</span></li>"
        for hint in analysis.advice
    )
    return html.section("What to do next", f'<ul class="hints">{items}</ul>') if items else ""
