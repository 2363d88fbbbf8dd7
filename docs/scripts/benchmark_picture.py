"""The figure of our comparison with other libraries: a table of docs/comparisons.md, drawn."""

import math
import re
from pathlib import Path

from pictures import write

from neuralbo.reporting.page.svg import STYLE

PAGE = Path(__file__).parents[1] / "comparisons.md"
OURS = "`auto`"
SHOWN = {OURS: "neuralbo", "GPSampler": "Optuna GP", "BoTorch": "BoTorch", "TPE": "Optuna TPE",
         "SMAC": "SMAC", "random": "random search"}  # fmt: skip
WIDTH, ROW, LEFT, ACROSS = 500, 17, 104, 2
PANEL = (WIDTH - 12 * (ACROSS - 1)) / ACROSS
STYLE_HERE = """\
text.kind{font-weight:600}text.number{font-size:10.5px}
.line.plain{stroke-dasharray:none;opacity:.4}
"""


def table(text: str) -> tuple[list[str], dict[str, list[float]]]:
    """Return the kinds of problems, and the mean regrets of each method, of the section `auto`."""
    section = text.split("\n## auto\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip().replace("**", "") for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", section, re.MULTILINE)
    ]
    kinds = rows[0][1:]
    return kinds, {row[0]: [float(cell) for cell in row[1:]] for row in rows[2:]}


def picture(text: str) -> str:
    """Return the figure: for each kind how many times our mean regret the others have."""
    kinds, means = table(text)
    rows = -(-len(kinds) // ACROSS)
    height = rows * (len(SHOWN) * ROW + 46)
    parts = []
    for k, kind in enumerate(kinds):
        left, top = (k % ACROSS) * (PANEL + 12), (k // ACROSS) * (height / rows)
        parts.append(f'<text class="name kind" x="{left:.0f}" y="{top + 14:.0f}">{kind}</text>')
        ratios = {shown: means[name][k] / means[OURS][k] for name, shown in SHOWN.items()}
        low = min(math.log10(min(ratios.values())), 0.0)
        span = max(math.log10(max(ratios.values())) - low, 0.3)
        start, room = left + LEFT + 6, PANEL - LEFT - 50
        one = start - low / span * room
        parts.append(f'<path class="grid" d="M{one:.1f} {top + 22:.0f}v{len(SHOWN) * ROW}"/>')
        for i, (shown, ratio) in enumerate(ratios.items()):
            y, x = top + 30 + i * ROW, start + (math.log10(ratio) - low) / span * room
            kind_of_dot = "main" if shown == "neuralbo" else "trial"
            words = f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:,.0f}"
            parts.append(
                f'<text class="end" x="{left + LEFT - 8:.0f}" y="{y + 4:.0f}">{shown}</text>'
                f'<path class="line plain" d="M{one:.1f} {y:.0f}H{x:.1f}"/>'
                f'<circle class="{kind_of_dot}" cx="{x:.1f}" cy="{y:.0f}" r="4.5"/>'
                f'<text class="number" x="{x + 9:.1f}" y="{y + 4:.0f}">{words}</text>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        'aria-label="Mean final regret after 60 trials as a multiple of that of neuralbo, '
        f'logarithmic"><style>{STYLE}{STYLE_HERE}</style>{"".join(parts)}</svg>\n'
    )


def main() -> None:
    """Draw it."""
    write("benchmark.svg", picture(PAGE.read_text(encoding="utf-8")))
