"""Networks without state: weights are an argument, s networks at once, one loop trains them."""

from neuralbo.networks.limited_memory import QuasiNewton
from neuralbo.networks.mlp import ACTIVATIONS, MLP
from neuralbo.networks.train import Descent, train

__all__ = ["ACTIVATIONS", "MLP", "Descent", "QuasiNewton", "train"]
