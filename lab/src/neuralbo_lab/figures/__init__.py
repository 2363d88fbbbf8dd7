"""Figures that compare methods, from plain arrays; they need the extra `lab` (matplotlib).

What belongs to a method is given by its name. A method keeps its colour in all figures of a study
if all of the study's methods are given in the same order; one without runs has an empty array.
"""

from neuralbo_lab.figures.chains import bands, histograms, single_draws, traces
from neuralbo_lab.figures.curves import (
    all_paths,
    doublings_per_step,
    rank_over_time,
    regret_curves,
    regret_panels,
)
from neuralbo_lab.figures.finals import (
    borda_bars,
    critical_difference,
    final_boxes,
    performance_profiles,
    target_ecdf,
)
from neuralbo_lab.figures.improvement import criterion_surfaces, improvement_contours
from neuralbo_lab.figures.models import (
    View1D,
    View2D,
    contour_gallery,
    criterion_contours,
    first_and_last,
    posterior_1d,
    posterior_panels,
    step_gallery,
)
from neuralbo_lab.figures.panels import LinePanel, PlanePanel, illustration
from neuralbo_lab.figures.prediction_scores import calibration, score_against_size
from neuralbo_lab.figures.problem_functions import function_1d, function_2d, function_and_points
from neuralbo_lab.figures.reliability import reliability_diagram
from neuralbo_lab.figures.style import FULL_WIDTH, legend_below

__all__ = [
    "FULL_WIDTH",
    "LinePanel",
    "PlanePanel",
    "View1D",
    "View2D",
    "all_paths",
    "bands",
    "borda_bars",
    "calibration",
    "contour_gallery",
    "criterion_contours",
    "criterion_surfaces",
    "critical_difference",
    "doublings_per_step",
    "final_boxes",
    "first_and_last",
    "function_1d",
    "function_2d",
    "function_and_points",
    "histograms",
    "illustration",
    "improvement_contours",
    "legend_below",
    "performance_profiles",
    "posterior_1d",
    "posterior_panels",
    "rank_over_time",
    "regret_curves",
    "regret_panels",
    "reliability_diagram",
    "score_against_size",
    "single_draws",
    "step_gallery",
    "target_ecdf",
    "traces",
]
