"""Figures of the publications that have no table: each is a cell with numbers of its own."""

from neuralbo_lab.reproductions.illustrations.density_ratios import RATIOS
from neuralbo_lab.reproductions.illustrations.illustration import Illustrated, Illustration
from neuralbo_lab.reproductions.illustrations.posteriors import POSTERIORS
from neuralbo_lab.reproductions.illustrations.prior_functions import FUNCTIONS
from neuralbo_lab.reproductions.illustrations.ring import RING

ILLUSTRATED: dict[str, Illustration] = {**RING, **FUNCTIONS, **POSTERIORS, **RATIOS}

__all__ = ["ILLUSTRATED", "Illustrated", "Illustration"]
