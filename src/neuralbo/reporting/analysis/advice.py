"""What to do next: hints that follow from the trials and the model, each with its reason."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

from neuralbo.interfaces.optuna.facts import suggestion_seconds
from neuralbo.reporting.analysis.expected_gain import RECENT, ExpectedGain
from neuralbo.reporting.analysis.landscape import Landscape
from neuralbo.reporting.analysis.record import Record, evaluation_seconds

if TYPE_CHECKING:
    from neuralbo.reporting.analysis.analysis import Analysis

Kind = Literal["go on", "stop", "space", "failures", "model", "cost"]
NEAR_BOUND = 0.02  # of the axis of a parameter
LEADERS = 0.1  # the share of trials that are looked at as the best, five at least
MOST_LEADERS = 30
CROWDED = 0.6  # the share of the best that must lie at a bound
UNIMPORTANT = 0.01  # the total share below which a parameter does not matter
ENOUGH = 20  # trials with a parameter, below which nothing is said about whether it matters
SMALL_GAIN = 0.01  # of the range from the median to the best
LONG = 100  # trials without a better value, however many came before
SMALL_BESIDE_NOISE = 0.2
SLIGHT = 0.001  # a share below this is not told in digits
FEWEST = 10  # values below which nothing is said about them
MANY_FAILURES = 0.2
MUCH_NOISE = 0.25  # of the range from the median to the best


@final
@dataclass(frozen=True, slots=True)
class Hint:
    """One hint: what it is about, what to do, and why."""

    kind: Kind
    what: str
    why: str


def advice(analysis: "Analysis") -> list[Hint]:
    """Return the hints for a study, the most important first."""
    record = analysis.record
    if not record.trials:
        return [Hint("go on", "Run some trials.", "None is finished yet.")]
    hints = list(_failures(record))
    if not record.done:
        return hints
    if len(record.directions) == 1 and analysis.landscape is not None:
        hints = [*_more(analysis, analysis.landscape), *hints]
        hints += _bounds(analysis.landscape)
        hints += _unimportant(analysis)
        hints += _noise(analysis.landscape)
        hints += _wrong(analysis)
    hints += _cost(record)
    return hints


def reach(landscape: Landscape) -> float:
    """Return how far the best value is above the median, in the units of the objective."""
    y = landscape.data.Y[:, 0]
    return float(y[landscape.best_row] - y.median())


def _more(analysis: "Analysis", landscape: Landscape) -> Iterator[Hint]:
    span, gain = reach(landscape), analysis.expected_gain
    if span <= 0 and landscape.data.n >= FEWEST:
        yield Hint(
            "space", "Check the objective: the values hardly differ.",
            "The best value is no better than the median.",
        )  # fmt: skip
    if span <= 0 or gain is None:
        return
    path = analysis.record.best_so_far()
    since = len(path) - 1 - path.index(path[-1])  # the value of a trial: equal means the same
    is_idle = since >= min(max(RECENT, len(path) / 3), LONG)
    small = max(SMALL_GAIN * span, SMALL_BESIDE_NOISE * landscape.recommended.noise)
    said = _expected(gain, span, analysis.record)
    if gain.high < small:
        what = "Stop here: little is left to gain." if is_idle else "A few more trials, then stop."
        yield Hint("stop" if is_idle else "go on", what, said)
    elif gain.low < small:
        yield Hint("go on", "More trials may pay; the model is not sure.", said)
    elif is_idle:
        what = "More trials may pay, but the last ones have not."
        yield Hint("go on", what, said)
    else:
        yield Hint("go on", "More trials are likely to pay.", said)


def _expected(gain: ExpectedGain, span: float, record: Record) -> str:
    """Return in words what is expected of the next trial, and what the last ones have brought."""
    path = record.best_so_far()
    last = path.index(path[-1])
    words = (
        f"The expected improvement of the next trial is {gain.median:.2g}, "
        f"{_percent(gain.median / span)} of the range from the median to the best value, by "
        f"{gain.source}; {gain.low:.2g} to {gain.high:.2g} over the last suggestions. "
        f"The best value came with trial {record.trials[last].number}"
    )
    before = path[-1 - RECENT] if len(path) > RECENT else math.nan
    if math.isnan(before):
        return words + "."
    return words + f"; the last {RECENT} trials improved it by {abs(path[-1] - before):.2g}."


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= SLIGHT else f"less than {SLIGHT:.1%}"


def _bounds(landscape: Landscape) -> Iterator[Hint]:
    space, n = landscape.space, landscape.data.n
    rows = landscape.data.top(min(max(5, int(LEADERS * n)), MOST_LEADERS))
    if n < FEWEST:
        return
    for i, (name, variable) in enumerate(zip(space.names, space.domain.variables, strict=True)):
        u = landscape.U[rows, i]
        u = u[~u.isnan()]
        if variable.kind == "category" or variable.count == 2 or len(u) < 5:
            continue
        place = u if variable.count == 0 else u / (variable.count - 1)
        for side, at_end in (("lower", place <= NEAR_BOUND), ("upper", place >= 1 - NEAR_BOUND)):
            share = float(at_end.double().mean())
            if share >= CROWDED:
                coordinate = 0.0 if side == "lower" else max(variable.count - 1, 1)
                end = space.parameters[name].value(coordinate)
                beyond = "smaller" if side == "lower" else "larger"
                yield Hint(
                    "space", f"The {side} bound {end:.4g} of {name} is hit.",
                    f"{share:.0%} of the best {len(u)} trials that have it lie at that bound. "
                    f"Widen the range if {beyond} values make sense.",
                )  # fmt: skip


def _unimportant(analysis: "Analysis") -> Iterator[Hint]:
    """Yield which parameters can be left out: only those that enough trials have had.

    The upper end of the interval of the share must be small, not only the share.
    """
    landscape = analysis.model
    active = dict(zip(landscape.space.names, landscape.active.tolist(), strict=True))
    small = [s.name for s in analysis.shares if s.total < UNIMPORTANT and active[s.name] >= ENOUGH]
    if not small or len(small) == len(analysis.shares):
        return
    highest = analysis.highest_shares
    names = [name for name in small if highest[name] < UNIMPORTANT]
    if names:
        most = _percent(max(highest[name] for name in names))
        yield Hint(
            "space", f"Leave out, or fix: {', '.join(names)}.",
            f"By the model each explains less than {UNIMPORTANT:.0%} of the variance, "
            f"interactions included: {most} at most, by refits without a quarter of the trials.",
        )  # fmt: skip


def _noise(landscape: Landscape) -> Iterator[Hint]:
    noise, span = landscape.recommended.noise, reach(landscape)
    if span > 0 and noise > MUCH_NOISE * span and landscape.data.n >= ENOUGH:
        yield Hint(
            "model", "Repeat the best few parameters, and take the recommended ones.",
            f"The noise has a standard deviation of {noise:.2g}, {noise / span:.0%} of the range "
            "from the median to the best value: the best value may be luck.",
        )  # fmt: skip


def _wrong(analysis: "Analysis") -> Iterator[Hint]:
    found = analysis.calibration
    if found is None or len(found.z) < ENOUGH:
        return
    if found.spread > 2:
        yield Hint(
            "model", "Trust the uncertainties below with care.",
            f"Values were {found.spread:.1f} standard deviations from the mean that was predicted "
            "for them (root mean square).",
        )  # fmt: skip


def _failures(record: Record) -> Iterator[Hint]:
    failed, n = len(record.failed), len(record.trials)
    if failed and not record.done:
        yield Hint(
            "failures", "Look at the reasons below, and mend the objective.",
            f"None of the {n} trials has given a value.",
        )  # fmt: skip
    elif failed > MANY_FAILURES * n:
        yield Hint(
            "failures", "Keep away from what fails, by other ranges or a condition.",
            f"{failed} of {n} trials failed; below is where.",
        )  # fmt: skip


def _cost(record: Record) -> Iterator[Hint]:
    pairs = [(suggestion_seconds(t), evaluation_seconds(t)) for t in record.trials]
    spent = [(sum(s), e) for s, e in pairs if s is not None and e is not None]
    suggestion, evaluation = sum(s for s, _ in spent), sum(e for _, e in spent)
    if len(spent) >= 5 and suggestion > 2 * evaluation and suggestion > 5:
        yield Hint(
            "cost", "Choose a cheaper surrogate, as brvfl4, or set max_suggest_seconds.",
            f"Suggestions took {suggestion:.3g} s, the evaluations {evaluation:.3g} s.",
        )  # fmt: skip
