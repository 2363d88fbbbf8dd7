"""How the largest value of a criterion is found."""

from neuralbo.maximizers.base import Maximizer
from neuralbo.maximizers.differential_evolution import DifferentialEvolution
from neuralbo.maximizers.direct import Direct
from neuralbo.maximizers.grid import GridPoints
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.mixed_integer import MixedInteger
from neuralbo.maximizers.multistart import Multistart
from neuralbo.maximizers.random import RandomPoints
from neuralbo.maximizers.random_candidates import RandomCandidates

__all__ = [
    "DifferentialEvolution",
    "Direct",
    "GridPoints",
    "Maximizer",
    "Mixed",
    "MixedInteger",
    "Multistart",
    "RandomCandidates",
    "RandomPoints",
]
