"""What to do next: hints that follow from the trials and the model, each with its reason."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import torch

from neuralbo.analysis.landscape import Landscape
from neuralbo.analysis.record import Record, evaluation_seconds
from neuralbo.noted import suggestion_seconds
from neuralbo.step import generator

if TYPE_CHECKING:
    from neuralbo.analysis.study import Analysis

Kind = Literal["go on", "stop", "space", "failures", "model", "cost"]
NEAR_BOUND = 0.02  # of the axis of a parameter
LEADERS = 0.1  # the share of trials that are looked at as the best, five at least
MOST_LEADERS = 30
CROWDED = 0.6  # the share of the best that must lie at a bound
UNIMPORTANT = 0.01  # the total share below which a parameter does not matter
ENOUGH = 20  # trials below which nothing is said about parameters that do not matter
SMALL_GAIN = 0.01  # of the way from the median to the best
LONG = 100  # trials without a better value, however many came before
SMALL_BESIDE_NOISE = 0.2
MANY_FAILURES = 0.2
MUCH_NOISE = 0.25  # of the way from the median to the best
CANDIDATES = 1024


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


def expected_gain(landscape: Landscape) -> float:
    """Return the expected improvement on the likely best, at the best of some points.

    EI = (m - b) Phi(t) + s phi(t), t = (m - b)/s, b the best mean of a trial; the points cover
    the space, and lie around the likely best.
    """
    domain, x = landscape.space.domain, landscape.data.X[landscape.likely.row]
    rng = generator(0, 1)
    spread = domain.sobol(CANDIDATES, rng)
    steps = torch.randn(CANDIDATES, len(x), generator=rng, dtype=x.dtype)
    size = 10 ** (-3 * torch.rand(CANDIDATES, 1, generator=rng, dtype=x.dtype))
    near = domain.project((x + size * steps).clamp(0, 1))
    with torch.no_grad():
        mean, variance = landscape.model.moments(torch.cat([spread, near]))
    s = variance.sqrt()
    t = (mean - landscape.likely.mean) / s
    density = (-0.5 * t.square()).exp() / math.sqrt(2 * math.pi)
    gain = (mean - landscape.likely.mean) * torch.special.ndtr(t) + s * density
    return float(gain.max().clamp(min=0.0))


def reach(landscape: Landscape) -> float:
    """Return the way from the median of the values to the best, in the units of the objective."""
    y = landscape.data.Y[:, 0]
    return float(y[landscape.best_row] - y.median())


def _more(analysis: "Analysis", landscape: Landscape) -> Iterator[Hint]:
    record, way = analysis.record, reach(landscape)
    path = record.best_so_far()
    last = path.index(path[-1])  # the value of a trial, so that equal means the same
    since = len(path) - 1 - last
    if way <= 0:
        yield Hint(
            "space", "Check the objective: the values hardly differ.",
            "The best value is no better than the median.",
        )  # fmt: skip
        return
    gain = analysis.expected_gain
    said = (
        f"The best value came with trial {record.trials[last].number}, {since} trials ago; the "
        f"model expects a further {gain:.3g} from the next one, {gain / way:.1%} of the way from "
        "the median to the best."
    )
    is_idle = since >= min(max(10, len(path) / 3), LONG)
    is_small = gain < max(SMALL_GAIN * way, SMALL_BESIDE_NOISE * landscape.likely.noise)
    if is_small and is_idle:
        yield Hint("stop", "Stop here: little is left to gain.", said)
    elif is_small:
        yield Hint("go on", "A few more trials, then stop.", said)
    else:
        yield Hint("go on", "More trials are likely to pay.", said)


def _bounds(landscape: Landscape) -> Iterator[Hint]:
    space, n = landscape.space, landscape.data.n
    rows = landscape.data.top(min(max(5, int(LEADERS * n)), MOST_LEADERS))
    if n < 10:
        return
    for i, (name, variable) in enumerate(zip(space.names, space.domain.variables, strict=True)):
        u = landscape.U[rows, i]
        u = u[~u.isnan()]
        if variable.kind == "category" or variable.count == 2 or len(u) < 5:
            continue
        place = u if variable.count == 0 else u / (variable.count - 1)
        parameter = space.parameters[name]
        for side, at_end in (("low", place <= NEAR_BOUND), ("high", place >= 1 - NEAR_BOUND)):
            share = float(at_end.double().mean())
            if share >= CROWDED:
                end = parameter.value(0.0 if side == "low" else max(variable.count - 1, 1))
                yield Hint(
                    "space", f"Widen {name} beyond {end:.4g}, if it may be.",
                    f"{share:.0%} of the best {len(u)} trials that have it lie at that bound.",
                )  # fmt: skip


def _unimportant(analysis: "Analysis") -> Iterator[Hint]:
    if analysis.landscape is None or analysis.landscape.data.n < ENOUGH:
        return
    names = [s.name for s in analysis.shares if s.total < UNIMPORTANT]
    if names and len(names) < len(analysis.shares):
        yield Hint(
            "space", f"Leave out, or fix: {', '.join(names)}.",
            f"By the model less than {UNIMPORTANT:.0%} of the variance comes from any of these, "
            "what they do together with others included.",
        )  # fmt: skip


def _noise(landscape: Landscape) -> Iterator[Hint]:
    noise, way = landscape.likely.noise, reach(landscape)
    if way > 0 and noise > MUCH_NOISE * way and landscape.data.n >= ENOUGH:
        yield Hint(
            "model", "Repeat the best few parameters, and take the recommended ones.",
            f"What the parameters do not explain is {noise:.3g} large, {noise / way:.0%} of the "
            "way from the median to the best: the best value may be luck.",
        )  # fmt: skip


def _wrong(analysis: "Analysis") -> Iterator[Hint]:
    found = analysis.calibration
    if found is None or len(found.z) < ENOUGH:
        return
    if found.spread > 2:
        yield Hint(
            "model", "Trust the uncertainties below with care.",
            f"Values came {found.spread:.1f} times as far from the prediction as expected.",
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
