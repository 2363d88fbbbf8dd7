"""The live view of a run in a terminal: curve, best parameters, weights of models, time left."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, final

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from neuralbo.interfaces.directions import sign_of
from neuralbo.interfaces.optuna.facts import model_of, suggestion_seconds, weights_of
from neuralbo.interfaces.optuna.trials import is_interrupted
from neuralbo.interfaces.values import finite_or_none

HEIGHT = 9  # lines of the curve
NARROW = 60  # columns below which the weights go under the parameters
LABEL = 10  # columns for the values beside the curve
MANY_TIMES = 10  # from this ratio of the largest to the least value on, the axis is logarithmic
FIRST = 10  # values that say which are far from all others: later ones are near the best
DOT, ARROWS = "·", "↑↓"
FAR, FAR_LOG = 10, 3  # times as far from the best as the next: on both kinds of axis
MOST_PARAMS = 12
BAR = 16  # columns of the bar of a weight


@final
class LiveView:
    """What is shown; `advance` is told of each finished trial.

    Args:
        study: the one that runs; finished trials of it are on the curve from the beginning.
        n_trials: how many will be made now; None if nobody knows.
        timeout: seconds after which none begins.
        clock: gives seconds.
    """

    def __init__(
        self,
        study: Study,
        n_trials: int | None,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.n_trials, self.timeout = study.study_name, n_trials, timeout
        self.sign = sign_of(study.direction.name.lower())
        self._clock, self._began, self._lock = clock, clock(), threading.Lock()
        self.values: list[float] = []  # one a trial; NaN without a value
        self.best: FrozenTrial | None = None
        self.last: FrozenTrial | None = None
        self.made = self.failed = 0
        self.seconds: list[float] = []
        for trial in study.get_trials(deepcopy=False):
            if trial.state.is_finished() and not is_interrupted(trial):
                self._take(trial)
        self.made = self.failed = 0

    def advance(self, study: Study, trial: FrozenTrial) -> None:
        """Take a further finished trial into account."""
        with self._lock:
            self._take(trial)

    def _take(self, trial: FrozenTrial) -> None:
        is_done = trial.state == TrialState.COMPLETE
        value = finite_or_none(trial.value) if is_done else None
        self.values.append(math.nan if value is None else value)
        self.last, self.made = trial, self.made + 1
        self.failed += trial.state == TrialState.FAIL
        spent = suggestion_seconds(trial)
        self.seconds += [] if spent is None else [sum(spent)]
        if value is None:
            return
        best = None if self.best is None else self.best.value
        if best is None or self.sign * value > self.sign * best:
            self.best = trial

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self._lock:
            inner = options.max_width - 4
            parts = [self._head(), Text("\n".join(self._curve(inner))), *self._below(inner)]
        title = Text(f" {printable(self.name)} ", style="bold")
        yield Panel(Group(*parts), title=title, box=box.ROUNDED)

    def _head(self) -> RenderableType:
        spent = self._clock() - self._began
        best = "no value yet" if self.best is None else f"best {_short(self.best.value)}"
        words = [best, f"trial {self.made}{f' of {self.n_trials}' if self.n_trials else ''}"]
        if self.failed:
            words.append(f"{self.failed} failed")
        words.append(f"{clock_time(spent)} so far")
        left = self.seconds_left(spent)
        words += [] if left is None else [f"about {clock_time(left)} left"]
        if self.seconds:
            words.append(f"{sum(self.seconds) / len(self.seconds):.2f} s/suggestion")
        line = Text(" · ".join(words), style="bold")
        if not self.n_trials:
            return line
        bar = Table.grid(expand=True)  # a bar alone ends no line
        bar.add_row(ProgressBar(total=self.n_trials, completed=self.made))
        return Group(line, bar)

    def seconds_left(self, spent: float) -> float | None:
        """Return how long the run will take yet, if that can be told."""
        found = []
        if self.n_trials and self.made:
            found.append(spent / self.made * max(self.n_trials - self.made, 0))
        if self.timeout is not None:
            found.append(max(self.timeout - spent, 0.0))
        return min(found) if found else None

    def _curve(self, width: int) -> list[str]:
        return curve(self.values, self.sign, max(width, 20), HEIGHT)

    def _below(self, width: int) -> list[RenderableType]:
        weights = {} if self.last is None else weights_of(self.last)
        name = None if self.last is None else model_of(self.last)
        one = Text(f"model: {printable(name)}" if name else "")
        right = _weights(weights) if len(weights) > 1 else one
        if width < NARROW:
            return [_params(self.best), right]
        both = Table.grid(expand=True, padding=(0, 2))
        both.add_column(ratio=3)
        both.add_column(ratio=2)
        both.add_row(_params(self.best), right)
        return [both]


def _params(best: FrozenTrial | None) -> RenderableType:
    if best is None:
        return Text("")
    table = Table.grid(padding=(0, 2))
    items = list(best.params.items())
    for name, value in items[:MOST_PARAMS]:
        table.add_row(Text(printable(name), style="cyan"), Text(printable(_short(value))))
    if len(items) > MOST_PARAMS:
        table.add_row(Text(f"and {len(items) - MOST_PARAMS} more"), Text(""))
    return table


def _weights(weights: dict[str, float]) -> RenderableType:
    table, total = Table.grid(padding=(0, 1)), sum(weights.values()) or 1.0
    for name, weight in sorted(weights.items(), key=lambda item: -item[1])[:MOST_PARAMS]:
        share = weight / total
        bar = "█" * round(BAR * share)
        table.add_row(Text(printable(name), style="cyan"), Text(bar), Text(f"{share:.0%}"))
    return table


def curve(values: Sequence[float], sign: float, width: int, height: int) -> list[str]:
    """Return lines of text: the best value so far as a line, the trials as dots.

    The axis has the best values so far. One that is very far from them, which would flatten the
    others, is beyond it; what is beyond is an arrow at the edge.

    Args:
        values: one a trial, NaN for those without.
        sign: 1 if larger is better, -1 if smaller is.
        width: columns, those of the labels included.
        height: lines.
    """
    path, best = [], -math.inf
    for value in values:
        best = best if math.isnan(value) else max(best, sign * value)
        path.append(sign * best)
    if not any(math.isfinite(value) for value in path):
        return [" " * width] * height
    axis = _axis(values, path, sign)
    columns = max(width - LABEL - 1, 1)
    cells = [[" "] * columns for _ in range(height)]
    at = [k * (columns - 1) // max(len(values) - 1, 1) for k in range(len(values))]
    for k, value in enumerate(values):
        if not math.isnan(value):
            cells[axis.row(value, height)][at[k]] = axis.mark(value)
    known = [k for k in range(len(path)) if math.isfinite(path[k])]
    _draw(cells, {at[k]: axis.row(path[k], height) for k in known})
    for k, value in enumerate(values):  # an arrow is worth more than a piece of a line
        if axis.mark(value) in ARROWS and cells[axis.row(value, height)][at[k]] == "─":
            cells[axis.row(value, height)][at[k]] = axis.mark(value)
    labels = {0: _short(axis.high), height - 1: _short(axis.low)}
    return [f"{labels.get(k, ''):>{LABEL}} " + "".join(line) for k, line in enumerate(cells)]


class _Axis(NamedTuple):
    """The ends of the vertical axis, in the units of the values."""

    low: float
    high: float
    is_log: bool

    def row(self, value: float, height: int) -> int:
        """Return the line in which a value is, the first or the last if it is beyond."""
        if self.high == self.low:
            return round(0.5 * (height - 1))
        inside = min(max(value, self.low), self.high)
        low, high, place = (
            math.log(v) if self.is_log else v for v in (self.low, self.high, inside)
        )
        return round((1 - (place - low) / (high - low)) * (height - 1))

    def mark(self, value: float) -> str:
        """Return a dot, an arrow for what is beyond, or nothing for NaN."""
        if self.low <= value <= self.high:
            return DOT
        return ARROWS[0] if value > self.high else ARROWS[1] if value < self.low else " "


def _axis(values: Sequence[float], path: Sequence[float], sign: float) -> _Axis:
    """Return an axis for the best values so far."""
    reached = [value for value in path if math.isfinite(value)]
    is_log = min(reached) > 0 and max(reached) > MANY_TIMES * min(reached)
    best, worst = reached[-1], reached[0]
    first = [value for value in values if not math.isnan(value)][:FIRST]
    far = sorted((_distance(best, value, is_log=is_log) for value in first), reverse=True)
    times = FAR_LOG if is_log else FAR
    gaps = [k for k in range(1, len(far) // 3 + 1) if 0 < times * far[k] < far[k - 1]]
    if gaps:
        inside = [v for v in reached if _distance(best, v, is_log=is_log) <= far[gaps[-1]]]
        worst = inside[0]
    if worst == best:  # then the line is flat, and the dots have something to say
        shown = [
            v for v in first if _distance(best, v, is_log=is_log) <= far[gaps[-1] if gaps else 0]
        ]
        worst = sign * min(sign * value for value in shown)
    is_log = is_log and max(worst, best) > MANY_TIMES * min(worst, best)
    return _Axis(min(worst, best), max(worst, best), is_log)


def _distance(best: float, value: float, *, is_log: bool) -> float:
    """Return how far a value is from the best one, on the axis."""
    if not is_log:
        return abs(best - value)
    return abs(math.log(best / value)) if value > 0 else 0.0


def _draw(cells: list[list[str]], rows: dict[int, int]) -> None:
    """Draw a line of steps through the row that belongs to some columns."""
    first = min(rows)
    here = rows[first]
    for column in range(first, len(cells[0])):
        there = rows.get(column, here)
        if there == here:
            cells[here][column] = "─"
            continue
        top, bottom = min(here, there), max(here, there)
        for k in range(top + 1, bottom):
            cells[k][column] = "│"
        cells[here][column], cells[there][column] = "╮╰" if there > here else "╯╭"
        here = there


def printable(text: str) -> str:
    """Return a text without what a terminal would obey instead of showing."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def clock_time(seconds: float) -> str:
    """Return seconds as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _short(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


@contextmanager
def live_view(
    study: Study, n_trials: int | None, timeout: float | None, console: Console
) -> Iterator[Callable[[Study, FrozenTrial], None]]:
    """Show the live view while a block runs; yields the callback that it is told with."""
    view = LiveView(study, n_trials, timeout)
    with Live(view, console=console, refresh_per_second=4):
        yield view.advance
