"""Figures of the documents that have no table: each is a cell with numbers of its own. 000 E0."""

from neuralbo.lab.illustrations.base import Illustrated, Illustration
from neuralbo.lab.illustrations.functions import FUNCTIONS
from neuralbo.lab.illustrations.posteriors import POSTERIORS
from neuralbo.lab.illustrations.ratios import RATIOS
from neuralbo.lab.illustrations.ring import RING

ILLUSTRATED: dict[str, Illustration] = {**RING, **FUNCTIONS, **POSTERIORS, **RATIOS}

__all__ = ["ILLUSTRATED", "Illustrated", "Illustration"]
