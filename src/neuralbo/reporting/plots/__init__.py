"""Figures of studies; they need the extra `lab` (matplotlib). Each function returns its figure.

All take a study of any sampler, a `Result` or an `Optimizer`; or an `Analysis` of it, so that
several figures share one model:

    analysis = nb.analysis.Analysis(study)
    nb.plots.slices(analysis).savefig("slices.png")
"""

from neuralbo.reporting.plots.figure import new_figure
from neuralbo.reporting.plots.model_plots import ablation, calibration, importance, maps, slices
from neuralbo.reporting.plots.trial_plots import choices, convergence, failures, front, seconds

__all__ = [
    "ablation",
    "calibration",
    "choices",
    "convergence",
    "failures",
    "front",
    "importance",
    "maps",
    "new_figure",
    "seconds",
    "slices",
]
