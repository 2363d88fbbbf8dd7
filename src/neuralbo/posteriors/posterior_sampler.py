"""The sampler that BoTorch's Monte Carlo acquisition functions use for our posteriors."""

from typing import final

import torch
from botorch.posteriors.posterior import Posterior
from botorch.posteriors.transformed import TransformedPosterior
from botorch.sampling.base import MCSampler
from botorch.sampling.get_sampler import GetSampler
from torch import Tensor

from neuralbo.posteriors.drawn import DrawnPosterior
from neuralbo.posteriors.function_draws import FunctionDraws
from neuralbo.posteriors.gaussian_functions import GaussianFunctions
from neuralbo.posteriors.marginals import Marginals


@final
class SharedDraws(MCSampler):
    """Draws whole functions: the same ones at every call, for every t-batch and every batch size.

    Nothing is kept between calls, since the seed alone fixes which functions are drawn. With
    `seed=None` BoTorch's constructor takes one from the global generator: give a seed.
    """

    def forward(self, posterior: Posterior) -> Tensor:
        """Draw from `posterior`; sample_shape x b x q x m.

        Raises:
            TypeError: The posterior is not one of ours.
        """
        if not isinstance(posterior, DrawnPosterior | TransformedPosterior):
            raise TypeError(
                "SharedDraws samples from FunctionDraws, GaussianFunctions and Marginals, also "
                f"transformed, got {type(posterior).__name__}: use "
                "botorch.sampling.get_sampler.get_sampler for others."
            )
        return posterior.rsample_from_base_samples(self.sample_shape, torch.tensor(self.seed))

    def _update_base_samples(self, posterior: Posterior, base_sampler: MCSampler) -> None:
        """Do nothing: there are no base samples that could get out of step."""


@GetSampler.register(FunctionDraws)  # type: ignore[untyped-decorator]
@GetSampler.register(GaussianFunctions)  # type: ignore[untyped-decorator]
@GetSampler.register(Marginals)  # type: ignore[untyped-decorator]
def _shared_draws(
    posterior: DrawnPosterior,
    sample_shape: torch.Size,
    *,
    seed: int | None = None,
) -> SharedDraws:
    return SharedDraws(sample_shape, seed)
