"""How the largest value of a criterion is found."""

from neuralbo.maximizers.differential_evolution import DifferentialEvolution
from neuralbo.maximizers.direct import Direct
from neuralbo.maximizers.grid_points import GridPoints
from neuralbo.maximizers.maximizer import Maximizer
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.mixed_integer import MixedInteger
from neuralbo.maximizers.multistart import Multistart
from neuralbo.maximizers.random_candidates import RandomCandidates
from neuralbo.maximizers.random_points import RandomPoints

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
