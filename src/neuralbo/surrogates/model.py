"""What BoTorch asks of a model, once for all models of the package."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.posteriors import Posterior
from botorch.sampling.base import MCSampler
from torch import Generator, Tensor

# what every module of torch has; the rest is a model's own
_OF_TORCH = frozenset(torch.nn.Module().__dict__)


class DrawsFunctions(Model, ABC):
    """A fitted model that can draw a whole function of its posterior.

    A model states its outputs (`num_outputs`) and its distribution (`joint_distribution`); what
    BoTorch's criteria and optimizers need beside that is here. The state of a model is all that it
    holds, so `load_state_dict` turns a model of the same recipe into the other one, whatever data
    it was fitted to.
    """

    @abstractmethod
    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function, b x q x d to b x q x m, smooth in its argument."""

    @abstractmethod
    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f at b x q x d points, or of y, joint over q and all outputs.

        Args:
            X: points.
            observation_noise: whether it is that of y; variances, b x q x m or less, are added.
        """

    @property
    def batch_shape(self) -> torch.Size:
        """A model that was fitted is a single one: the empty shape."""
        return self.batch_of_models()

    def batch_of_models(self) -> torch.Size:
        """Return the shape of the models in it; only fantasies are several."""
        return torch.Size([])

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Return the distribution of f, or of y if `observation_noise`, joint over q.

        B x q x d.
        """
        model = self if output_indices is None else self.subset_output(output_indices)
        posterior = model.joint_distribution(X, observation_noise)
        if posterior_transform is None:
            return posterior
        transformed: Posterior = posterior_transform(posterior=posterior, X=X)
        return transformed

    def subset_output(self, idcs: list[int]) -> "DrawsFunctions":
        """Return the model of the outputs named; negative ones count from the end.

        Raises:
            ValueError: if the model has no such output.
        """
        m = int(self.num_outputs)
        if any(not -m <= i < m for i in idcs):
            outputs = "one output" if m == 1 else f"{m} outputs"
            raise ValueError(f"this model has {outputs}, got the indices {list(idcs)}.")
        chosen = [i % m for i in idcs]
        return self if chosen == list(range(m)) else self.some_outputs(chosen)

    def some_outputs(self, indices: list[int]) -> "DrawsFunctions":
        """Return the model of some outputs; asked of models of several only."""
        raise NotImplementedError(f"{type(self).__name__} cannot be parted: {indices}.")

    def condition_on_observations(self, X: Tensor, Y: Tensor, **kwargs: Any) -> "DrawsFunctions":
        """Return the model after further observations, settings unchanged.

        Args:
            X: n x d points, or b x n x d.
            Y: n x m values, or s x b x n x m: then the result is s x b models.
            kwargs: `noise` holds variances of the observations, like Y; others are BoTorch's own
                and mean nothing here.

        Raises:
            NotImplementedError: if the model has to be fitted anew.
        """
        noise = kwargs.get("noise")
        if X.ndim == 2 and Y.ndim == 2 and noise is None:
            return self.conditioned(X, Y)
        return self.fantasies(X, Y, noise)

    def conditioned(self, X: Tensor, Y: Tensor) -> "DrawsFunctions":
        """Return the model after further observations, n x d and n x m."""
        return self.fantasies(X, Y, None)

    def fantasies(self, X: Tensor, Y: Tensor, noise: Tensor | None) -> "DrawsFunctions":
        """Return a model for each batch of Y, ... x n x m."""
        raise NotImplementedError(
            f"{type(self).__name__} takes no observations after its fit, or not in batches: fit "
            "its recipe to all the data."
        )

    def fantasize(
        self,
        X: Tensor,
        sampler: MCSampler,
        observation_noise: Tensor | None = None,
        **kwargs: Any,
    ) -> "DrawsFunctions":
        """Return models that have seen draws of y at X, b x n x d: as many as the sampler draws.

        Args:
            X: points.
            sampler: draws s of them; the models are of shape s x b.
            observation_noise: variances of the observations; None for the model's own.
            kwargs: passed on.
        """
        noise = True if observation_noise is None else observation_noise
        Y = sampler(self.posterior(X, observation_noise=noise))
        if observation_noise is not None:
            kwargs["noise"] = observation_noise.expand(Y.shape)
        return self.condition_on_observations(X, Y, **kwargs)

    def get_extra_state(self) -> dict[str, Any]:
        """Return what the model holds beside tensors that torch knows of."""
        return {name: value for name, value in self.__dict__.items() if name not in _OF_TORCH}

    def set_extra_state(self, state: Any) -> None:
        """Take what another model held."""
        self.__dict__ |= state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Become the model that the state was of, which may have had more or fewer data."""
        for name, value in state_dict.items():
            place, _, last = name.rpartition(".")
            owner = self.get_submodule(place)
            if last in dict(owner.named_buffers(recurse=False)):
                owner.register_buffer(last, torch.empty_like(value))
        return super().load_state_dict(state_dict, strict=strict, assign=assign)


class Around(Model):
    """A model that answers by another one, with as many outputs."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    @property
    def num_outputs(self) -> int:
        """The outputs of the model."""
        outputs: int = self.model.num_outputs
        return outputs

    @property
    def batch_shape(self) -> torch.Size:
        """The batch shape of the model."""
        return self.model.batch_shape
