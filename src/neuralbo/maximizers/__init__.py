"""How the largest value of a criterion is found."""

from neuralbo.maximizers.base import Maximizer
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.multistart import Multistart
from neuralbo.maximizers.random import RandomPoints

__all__ = ["Maximizer", "Mixed", "Multistart", "RandomPoints"]
