"""What all posteriors have in common whose samples are whole functions."""

import secrets
from abc import abstractmethod

import torch
from botorch.posteriors.posterior import Posterior
from torch import Generator, Tensor


class DrawnPosterior(Posterior):
    """A posterior whose samples are drawn by a generator, one function each."""

    @property
    @abstractmethod
    def numbers(self) -> Tensor:
        """What it is made of: its device and type are the posterior's."""

    @abstractmethod
    def draw_with(self, rng: Generator, sample_shape: torch.Size) -> Tensor:
        """Draw functions; sample_shape x b x q x m.

        Which functions are drawn depends on `rng` and `sample_shape` only.
        """

    @property
    def device(self) -> torch.device:
        """The device of its numbers."""
        return self.numbers.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of its numbers."""
        return self.numbers.dtype

    @property
    def base_sample_shape(self) -> torch.Size:
        """The shape of one sample, b x q x m."""
        return self._extended_shape()

    @property
    def batch_range(self) -> tuple[int, int]:
        """The dimensions of b within b x q x m."""
        return 0, -2

    def rsample_from_base_samples(self, sample_shape: torch.Size, base_samples: Tensor) -> Tensor:
        """Draw as `draw_with` does; the one number of `base_samples` is the seed.

        Raises:
            NotImplementedError: They are those of another sampler, which cannot draw functions.
        """
        if base_samples.numel() != 1 or base_samples.is_floating_point():
            raise NotImplementedError(
                "this posterior is sampled by SharedDraws, which botorch.sampling.get_sampler "
                "returns."
            )
        return self.draw_with(Generator().manual_seed(int(base_samples)), sample_shape)

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        """Draw with fresh entropy, sample_shape x b x q x m; None is one sample.

        No generator is passed here and the global one is left alone, so no seed repeats these
        draws: a seeded draw goes through `SharedDraws` or `draw_with`.
        """
        rng = Generator().manual_seed(secrets.randbits(63))
        return self.draw_with(rng, torch.Size([1]) if sample_shape is None else sample_shape)
