"""A run that moves: what the model knows after each trial, and where it looks next."""

import math
import re

import torch
from pictures import write

import neuralbo as nb
from neuralbo.reporting.page.svg import STYLE, Drawing, Scale

TRIALS, FIRST = 12, 4  # all trials; those of the first frame
SECONDS = 1.4  # a frame
POINTS = 101
WIDTH, UPPER, LOWER = 640.0, 300.0, 92.0
WORDS = (
    "A run: the function (dashed), the values, the model with twice its standard deviation, the "
    "expected improvement (green), and where the next trial goes"
)
FRAMES = """\
.f{{opacity:0;animation:f {total}s step-end infinite}}.f:last-of-type{{opacity:1}}
@keyframes f{{0%{{opacity:1}}{share:.3f}%{{opacity:0}}100%{{opacity:0}}}}
@media (prefers-reduced-motion:reduce){{.f{{animation:none}}}}
.gain{{fill:#1f9d6b;fill-opacity:.35}}.next{{stroke:#1f9d6b;stroke-width:2;fill:none}}
"""


def function(x: float) -> float:
    """Return what is minimized: two basins, the deeper one narrow."""
    narrow = math.exp(-(((x - 0.86) / 0.1) ** 2))
    return 0.6 + 0.45 * math.sin(9 * x) + 0.9 * (x - 0.4) ** 2 - 1.2 * narrow


def frame(opt: nb.Optimizer, next_x: float) -> str:
    """Return one frame: the model above, the expected improvement below."""
    xs = [k / (POINTS - 1) for k in range(POINTS)]
    X = torch.tensor(xs, dtype=torch.float64)[:, None, None]
    with torch.no_grad():
        posterior = opt.model.posterior(X)
        mean, std = posterior.mean.flatten(), posterior.variance.flatten().clamp(min=0).sqrt()
    best = opt.best.value
    assert best is not None
    z = (best - mean) / std.clamp(min=1e-9)
    normal = torch.distributions.Normal(0.0, 1.0)
    gain = std * (z * normal.cdf(z) + normal.log_prob(z).exp())
    upper = Drawing(Scale(0, 1), Scale(-0.6, 1.5), width=WIDTH, height=UPPER, y_label="value")
    upper.band(xs, (mean - 2 * std).tolist(), (mean + 2 * std).tolist())
    upper.line(xs, mean.tolist())
    tried = [(t.params["x"], t.value) for t in opt.trials]
    upper.dots([x for x, _ in tried], [v or 0.0 for _, v in tried], "warm", [""] * len(tried))
    at = upper.at(next_x, 0.0)[0]
    lower = Drawing(Scale(0, 1), Scale(0, 1), width=WIDTH, height=LOWER)
    lower.left = upper.left
    share = gain / gain.max().clamp(min=1e-12)
    edge = [lower.at(x, float(s)) for x, s in zip(xs, share, strict=True)]
    corners = [lower.at(0, 0), *edge, lower.at(1, 0)]
    points = " ".join(f"{px:.1f},{py + UPPER - 30:.1f}" for px, py in corners)
    words = f"trial {len(tried)}: best {best:.3f}"
    return (
        f'{"".join(upper.parts)}<path class="next" d="M{at:.1f} 12V{UPPER + LOWER - 72:.1f}"/>'
        f'<polygon class="gain" points="{points}"/>'
        f'<text class="end name" x="{WIDTH - 16:.0f}" y="26">{words}</text>'
    )


def picture() -> str:
    """Return the whole picture."""
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, surrogate="gp", seed=8, n_startup_trials=FIRST)
    frames = []
    for number in range(TRIALS + 1):
        params = opt.ask()
        if number >= FIRST:
            frames.append(frame(opt, params["x"]))
        opt.tell(params, function(params["x"]))
    axes = Drawing(Scale(0, 1), Scale(-0.6, 1.5), width=WIDTH, height=UPPER, y_label="value")
    xs = [k / 200 for k in range(201)]
    axes.line(xs, [function(x) for x in xs], "plain")
    ground = re.sub(r"^<svg[^>]*>|</svg>$", "", axes.svg(""))
    total = SECONDS * len(frames)
    moved = "".join(
        f'<g class="f" style="animation-delay:{SECONDS * k - total:.2f}s">{inner}</g>'
        for k, inner in enumerate(frames)
    )
    style = STYLE + FRAMES.format(total=f"{total:.2f}", share=100 / len(frames))
    height = UPPER + LOWER - 44
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}"'
    name = "expected improvement, and the next trial"
    return (
        f'<svg {box} role="img" aria-label="{WORDS}"><style>{style}</style>{ground}'
        f'<g>{moved}</g><text class="mid name" x="{WIDTH / 2:.0f}" y="{height - 4:.0f}">{name}'
        "</text></svg>\n"
    )


def main() -> None:
    """Draw it."""
    torch.set_num_threads(1)
    write("run.svg", picture())
