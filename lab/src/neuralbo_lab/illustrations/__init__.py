"""Figures of the documents that have no table: each is a cell with numbers of its own. 000 E0."""

from neuralbo_lab.illustrations.base import Illustrated, Illustration
from neuralbo_lab.illustrations.functions import FUNCTIONS
from neuralbo_lab.illustrations.posteriors import POSTERIORS
from neuralbo_lab.illustrations.ratios import RATIOS
from neuralbo_lab.illustrations.ring import RING

ILLUSTRATED: dict[str, Illustration] = {**RING, **FUNCTIONS, **POSTERIORS, **RATIOS}

__all__ = ["ILLUSTRATED", "Illustrated", "Illustration"]
