"""NeuralSampler of the package neuralbo, as OptunaHub loads it."""

from neuralbo import NeuralSampler

__all__ = ["NeuralSampler"]
