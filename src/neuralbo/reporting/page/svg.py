"""A small kit for drawings inside the page: axes, lines, dots, bands, bars and pictures.

Colours are the page's (CSS variables), so a drawing is right by day and by night. A drawing that
is a file of its own (`standalone`) cannot know the mode of the page around it: its colours can be
read on both, and its ground is open.
"""

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import final

import numpy as np
import numpy.typing as npt

TOP, RIGHT, BOTTOM = 10.0, 12.0, 40.0
LETTER = 7.0  # the width of a figure of the labels
TITLES = 400  # dots beyond which they are one path, without a text each
ABSENT = "\u2013"  # in the place of a value
MOST_DOTS = 4000  # that are drawn; of more every k-th is
STYLE = """\
text{fill:#8590a2;font:11.5px system-ui,-apple-system,"Segoe UI",sans-serif}text.name{fill:#7787a0}
.end{text-anchor:end}.mid{text-anchor:middle}.grid{stroke:#8590a2;stroke-opacity:.25;fill:none}
.line{fill:none;stroke:#4a86e8;stroke-width:2;stroke-linejoin:round}
.line.plain{stroke:#8590a2;stroke-dasharray:5 4;stroke-width:1.5}.line.warm{stroke:#e2711d}
.line.spread{stroke-width:1.2;opacity:.45}.line.thin{stroke-width:1.2;opacity:.75}
.line.good{stroke:#1f9d6b}.line.bad{stroke:#d8475e}.line.violet{stroke:#9b62d0}
.band{fill:#4a86e8;fill-opacity:.2}.dots{fill:none;stroke-linecap:round;stroke-width:4;stroke:#8590a2}
.dots.warm{stroke:#e2711d}.dots.main{stroke:#4a86e8}.dots.failed{stroke:#d8475e}
.dots.white{stroke:#fff;stroke-width:3.5}
circle.trial{fill:#8590a2}circle.main{fill:#4a86e8}circle.warm{fill:#e2711d}
circle.good{fill:#1f9d6b}circle.failed{fill:#d8475e}circle.white{fill:#fff;fill-opacity:.85}
circle.best{fill:none;stroke:#e2711d;stroke-width:3}
"""


def short(value: object) -> str:
    """Return a value as a person wants to read it: numbers with four digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) and abs(value) < 10**6:
        return str(value)
    return f"{value:.4g}" if math.isfinite(value) else str(value)


def with_error(value: float, std: float) -> str:
    """Return a value and its standard deviation, both to the second digit of the latter."""
    if not (math.isfinite(value) and math.isfinite(std)) or std <= 0:
        return short(value)
    digits = 1 - math.floor(math.log10(std))
    if not 0 < digits <= 6 or abs(value) >= 1e6:
        return f"{short(value)} ± {std:.2g}"
    return f"{value:.{digits}f} ± {std:.{digits}f}"


@final
@dataclass(frozen=True, slots=True)
class Scale:
    """How values become places between two ends of the drawing.

    Attributes:
        labels: of a category, whose values are 0, 1, 2, ...; else empty.
    """

    low: float
    high: float
    is_log: bool = False
    labels: tuple[str, ...] = ()

    @staticmethod
    def around(values: Sequence[float], *, is_log: bool = False, room: float = 0.05) -> "Scale":
        """Return the scale that has all finite values, with some room at both ends."""
        finite = [v for v in values if math.isfinite(v) and (v > 0 or not is_log)]
        low, high = (min(finite), max(finite)) if finite else (1.0, 10.0)
        if is_log:
            low, high = math.log(low), math.log(high)
        pad = room * (high - low) or abs(low) * 0.1 or 1.0
        low, high = low - pad, high + pad
        return Scale(math.exp(low), math.exp(high), True) if is_log else Scale(low, high)

    @staticmethod
    def of_choices(labels: Sequence[str]) -> "Scale":
        """Return the scale of a category."""
        return Scale(-0.5, len(labels) - 0.5, labels=tuple(labels))

    def share(self, value: float) -> float:
        """Return where a value lies, 0 at the low end and 1 at the high one."""
        if self.is_log:
            value = max(value, 1e-300)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 5) -> list[tuple[float, str]]:
        """Return values with their labels."""
        if self.labels:
            return [(float(k), _cut(label)) for k, label in enumerate(self.labels)]
        return _log_ticks(self, most) if self.is_log else _even_ticks(self.low, self.high, most)


def _cut(label: str, most: int = 14) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _even_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * 0.999)
    found = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    digits = max(0, -math.floor(math.log10(step)))
    large = max(abs(low), abs(high))
    if large >= 1e6 or large < 1e-3:
        return [(v, f"{v:.3g}") for v in found]
    return [(v, f"{v + 0.0:.{digits}f}") for v in found]


def _log_ticks(scale: Scale, most: int) -> list[tuple[float, str]]:
    low, high = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    pace = max(1, math.ceil((high - low) / most))
    powers = [10.0**k for k in range(low, high + 1) if (k - low) % pace == 0]
    found = [p for p in powers if scale.low <= p <= scale.high]
    if len(found) < 3 and pace == 1:
        found = [m * p for p in powers for m in (1, 2, 5) if scale.low <= m * p <= scale.high]
    if len(found) < 2:
        return _even_ticks(scale.low, scale.high, 3)
    return [(v, f"{v:g}") for v in found]


@final
@dataclass(slots=True)
class Drawing:
    """Axes on which things are drawn one after the other; `svg` gives the whole."""

    x: Scale
    y: Scale
    width: float = 360.0
    height: float = 240.0
    x_label: str = ""
    y_label: str = ""
    left: float = field(init=False)
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        longest = max((len(label) for _, label in self.y.ticks()), default=1)
        self.left = 12 + LETTER * longest + (16 if self.y_label else 0)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point, kept inside of the axes by a small margin."""
        across = min(max(self.x.share(x), -0.02), 1.02)
        upwards = min(max(self.y.share(y), -0.02), 1.02)
        right, bottom = self.width - RIGHT, self.height - BOTTOM
        return self.left + across * (right - self.left), bottom - upwards * (bottom - TOP)

    def line(
        self, xs: Sequence[float], ys: Sequence[float], kind: str = "main", *, steps: bool = False
    ) -> "Drawing":
        """Draw a line; where a value is NaN it is interrupted."""
        path, is_on = [], False
        for x, y in zip(xs, ys, strict=True):
            if not math.isfinite(y):
                is_on = False
                continue
            px, py = self.at(x, y)
            across = f"H{px:.1f}V{py:.1f}" if steps else f"L{px:.1f} {py:.1f}"
            path.append(across if is_on else f"M{px:.1f} {py:.1f}")
            is_on = True
        self.parts.append(f'<path class="line {kind}" d="{"".join(path)}"/>')
        return self

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float]) -> "Drawing":
        """Fill the area between two lines."""
        there = [self.at(x, y) for x, y in zip(xs, high, strict=True)]
        back = [self.at(x, y) for x, y in zip(xs, low, strict=True)]
        corners = " ".join(f"{px:.1f},{py:.1f}" for px, py in there + back[::-1])
        self.parts.append(f'<polygon class="band" points="{corners}"/>')
        return self

    def dots(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        kind: str = "trial",
        titles: Sequence[str] = (),
    ) -> "Drawing":
        """Draw dots, with a text each where they are few."""
        pace = math.ceil(len(xs) / MOST_DOTS) or 1
        points = [self.at(x, y) for x, y in zip(xs[::pace], ys[::pace], strict=True)]
        if len(xs) > TITLES or not titles:
            path = "".join(f"M{px:.1f} {py:.1f}h0" for px, py in points)
            self.parts.append(f'<path class="dots {kind}" d="{path}"/>')
            return self
        for (px, py), title in zip(points, titles, strict=True):
            self.parts.append(
                f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="3.2">'
                f"<title>{escape(title)}</title></circle>"
            )
        return self

    def whisker(self, x: float, low: float, high: float, kind: str = "spread") -> "Drawing":
        """Draw a vertical line from one value to another."""
        (px, p_low), (_, p_high) = self.at(x, low), self.at(x, high)
        self.parts.append(f'<path class="line {kind}" d="M{px:.1f} {p_low:.1f}V{p_high:.1f}"/>')
        return self

    def star(self, x: float, y: float, title: str) -> "Drawing":
        """Mark the best point."""
        px, py = self.at(x, y)
        self.parts.append(
            f'<circle class="best" cx="{px:.1f}" cy="{py:.1f}" r="5.5">'
            f"<title>{escape(title)}</title></circle>"
        )
        return self

    def picture(self, cells: npt.NDArray[np.uint8], *, is_smooth: bool) -> "Drawing":
        """Fill the axes with a picture, rows x columns x 4, the first row at the top."""
        data = base64.b64encode(png(cells)).decode("ascii")
        w, h = self.width - RIGHT - self.left, self.height - BOTTOM - TOP
        style = "" if is_smooth else ' style="image-rendering:pixelated"'
        self.parts.append(
            f'<image x="{self.left:.1f}" y="{TOP}" width="{w:.1f}" height="{h:.1f}" '
            f'preserveAspectRatio="none"{style} href="data:image/png;base64,{data}"/>'
        )
        return self

    def svg(self, title: str, kind: str = "") -> str:
        """Return the drawing; the title is for those who cannot see it."""
        return (
            f'<svg class="{kind}" viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img" '
            f'aria-label="{escape(title)}">{self._axes()}{"".join(self.parts)}</svg>'
        )

    def _axes(self) -> str:
        right, bottom = self.width - RIGHT, self.height - BOTTOM
        parts = []
        for value, label in self.y.ticks():
            py = self.at(self.x.low, value)[1]
            parts.append(f'<path class="grid" d="M{self.left:.1f} {py:.1f}H{right:.1f}"/>')
            parts.append(
                f'<text class="end" x="{self.left - 6:.1f}" y="{py + 4:.1f}">'
                f"{escape(label)}</text>"
            )
        for value, label in _separated(self.x.ticks(max(3, int(self.width // 90))), self):
            px = self.at(value, self.y.low)[0]
            parts.append(
                f'<text class="mid" x="{px:.1f}" y="{bottom + 16}">{escape(label)}</text>'
            )
        middle = (self.left + right) / 2
        parts.append(
            f'<text class="mid name" x="{middle:.1f}" y="{self.height - 6}">'
            f"{escape(_cut(self.x_label, 44))}</text>"
        )
        if self.y_label:
            parts.append(
                f'<text class="mid name" transform="translate(12 {(TOP + bottom) / 2:.1f}) '
                f'rotate(-90)">{escape(_cut(self.y_label, 30))}</text>'
            )
        return "".join(parts)


def _separated(ticks: list[tuple[float, str]], drawing: Drawing) -> list[tuple[float, str]]:
    """Return those ticks whose labels do not run into each other."""
    found: list[tuple[float, str]] = []
    end = -math.inf
    for value, label in ticks:
        px, half = drawing.at(value, drawing.y.low)[0], LETTER * len(label) / 2
        if px - half > end:
            found.append((value, label))
            end = px + half + 4
    return found


def standalone(drawing: Drawing, title: str) -> str:
    """Return a drawing as the text of a file."""
    head, rest = drawing.svg(title).split(">", 1)
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f"{head}><style>{STYLE}</style>{rest}\n"


def png(cells: npt.NDArray[np.uint8]) -> bytes:
    """Return a picture of rows x columns x 4 (red, green, blue, opacity) as a PNG file."""
    height, width, _ = cells.shape
    rows = b"".join(b"\0" + row.tobytes() for row in cells)

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


_VIRIDIS = np.array(
    [
        (68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142),
        (31, 158, 137), (53, 183, 121), (109, 205, 89), (180, 222, 44), (253, 231, 37),
    ],
    dtype=np.float64,
)  # fmt: skip


def colours(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Return the colours of numbers from 0 to 1, with another axis of 4; NaN is transparent."""
    known = np.isfinite(shares)
    place = np.clip(np.where(known, shares, 0.0), 0, 1) * (len(_VIRIDIS) - 1)
    ends = np.arange(len(_VIRIDIS))
    bands = [np.interp(place, ends, _VIRIDIS[:, k]) for k in range(3)]
    return np.stack([*bands, np.where(known, 255.0, 0.0)], -1).round().astype(np.uint8)
