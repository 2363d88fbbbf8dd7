"""What each surrogate makes of the same nine values of one function: mean and twice the spread."""

import math

import torch
from pictures import write
from torch import Tensor

from neuralbo import Data
from neuralbo.catalog import SURROGATES
from neuralbo.reporting.page.svg import Drawing, Scale, standalone
from neuralbo.surrogates.classifiers.class_model import ClassModel

PAGES = {  # page of docs/methods -> name of the surrogate that is drawn
    "gp": "gp", "gp_mcmc": "gp_mcmc", "warped": "gp_warped", "brvfl": "brvfl4", "ervfl": "ervfl4",
    "elm": "elm", "neural_linear": "neural_linear", "nomu": "nomu_fast",
    "deep_ensemble": "deep_ensemble_fast", "mc_dropout": "mc_dropout_fast", "laplace": "laplace",
    "sampled_networks": "bnn_hmc_fast", "ivbnn": "ivbnn_fast", "kde": "kde", "gmr": "gmr",
    "spn": "spn", "stacked": "stacked", "bore": "bore", "boggn": "boggn", "lfbo": "lfbo",
}  # fmt: skip
PLACES = (0.02, 0.1, 0.21, 0.3, 0.38, 0.52, 0.58, 0.66, 0.93)
POINTS = 161


def function(x: Tensor) -> Tensor:
    """Return a wave that grows, with a step at 0.6."""
    return (14 * x).sin() * (0.4 + x) + (x > 0.6) * 1.2


def picture(name: str) -> str:
    """Return the picture of one surrogate."""
    X = torch.tensor(PLACES, dtype=torch.float64)[:, None]
    grid = torch.linspace(0, 1, POINTS, dtype=torch.float64)
    model = SURROGATES[name].fit(Data(X, function(X)), torch.Generator().manual_seed(0))
    truth, xs = function(grid).tolist(), grid.tolist()
    drawing = Drawing(Scale(0, 1), Scale(-2.3, 4.2), width=640, height=260, x_label="x")
    drawing.line(xs, truth, "plain")
    if isinstance(model, ClassModel):
        with torch.no_grad():
            good = model.log_odds(grid[:, None]).sigmoid().flatten()
        drawing.line(xs, (4.0 * good).tolist(), "warm")
        words = "the function, its values, and how likely a point is among the best (orange)"
    else:
        with torch.no_grad():
            posterior = model.posterior(grid[:, None, None])
            mean, variance = posterior.mean.flatten(), posterior.variance.flatten()
        std = variance.clamp(min=0).sqrt()
        drawing.band(xs, (mean - 2 * std).tolist(), (mean + 2 * std).tolist())
        drawing.line(xs, mean.tolist())
        words = "the function, its values, the mean of the model and twice its standard deviation"
    drawing.dots(list(PLACES), function(X).flatten().tolist(), "warm", [""] * len(PLACES))
    assert math.isfinite(sum(truth))
    return standalone(drawing, f"{name}: {words}")


def main() -> None:
    """Draw all of them."""
    torch.set_num_threads(1)
    for page, name in PAGES.items():
        write(f"methods/{page}.svg", picture(name))
