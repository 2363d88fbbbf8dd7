"""Figures of the publications that have no table: each is a cell with numbers of its own."""

from neuralbo_lab.reproductions.illustrations.blending import BLENDING
from neuralbo_lab.reproductions.illustrations.density_ratios import RATIOS
from neuralbo_lab.reproductions.illustrations.evidence_optima import OPTIMA
from neuralbo_lab.reproductions.illustrations.illustration import Illustrated, Illustration
from neuralbo_lab.reproductions.illustrations.next_points import NEXT_POINTS
from neuralbo_lab.reproductions.illustrations.posteriors import POSTERIORS
from neuralbo_lab.reproductions.illustrations.prior_functions import FUNCTIONS
from neuralbo_lab.reproductions.illustrations.ring import RING

ILLUSTRATED: dict[str, Illustration] = {
    **RING, **FUNCTIONS, **NEXT_POINTS, **OPTIMA, **POSTERIORS, **BLENDING, **RATIOS,
}  # fmt: skip

__all__ = ["ILLUSTRATED", "Illustrated", "Illustration"]
