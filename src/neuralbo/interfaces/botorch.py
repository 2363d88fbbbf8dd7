"""Surrogates for those who make a model first and fit it later, as Ax does."""

from typing import Any, ClassVar, final

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform
from botorch.models.transforms.outcome import OutcomeTransform
from botorch.posteriors import Posterior
from botorch.sampling.base import MCSampler
from botorch.utils.datasets import SupervisedDataset
from torch import Generator, Tensor

from neuralbo.catalog import PARTS, unknown
from neuralbo.data import Data
from neuralbo.engine.threads import one_thread
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.classifiers.class_model import ClassModel

OUTSIDE = 1e-6  # how far beyond the cube a point may be by rounding


@final
class FittedOnDemand(Model):
    """A model of data that is fitted when it is first asked, or by `fit`.

    The model answers in the units and the sign of `train_Y`. It has no parameters beside its
    data, so loading a state changes the transforms only.

    Args:
        train_X: n x d points, in the unit cube after `input_transform`.
        train_Y: n x 1 values.
        recipe: a name of the catalog, or a recipe.
        seed: of the fit.
        input_transform: as BoTorch's models have it, such as `Normalize(d)`.
        outcome_transform: likewise; surrogates scale values themselves, so there need be none.
    """

    num_outputs = 1
    _supports_batched_models: ClassVar[bool] = False  # Ax makes a list of models then

    def __init__(
        self,
        train_X: Tensor,
        train_Y: Tensor,
        recipe: str | Surrogate = "auto",
        seed: int = 0,
        input_transform: InputTransform | None = None,
        outcome_transform: OutcomeTransform | None = None,
    ) -> None:
        super().__init__()
        if isinstance(recipe, str) and recipe not in PARTS:
            raise unknown("surrogate", recipe, PARTS)
        self.recipe = PARTS[recipe] if isinstance(recipe, str) else recipe
        self.seed, self._data = seed, (train_X, train_Y)
        self.train_inputs: tuple[Tensor, ...] = (train_X,)
        self._fitted: list[Model] = []  # in a list, of which torch keeps no state
        if input_transform is not None:
            self.input_transform = input_transform
        if outcome_transform is not None:
            self.outcome_transform = outcome_transform

    @classmethod
    def construct_inputs(
        cls,
        training_data: SupervisedDataset,
        recipe: str | Surrogate = "auto",
        seed: int = 0,
        **features: Any,
    ) -> dict[str, Any]:
        """Return the arguments for a data set; categories are columns like others.

        Raises:
            ValueError: if there are several tasks or fidelities.
        """
        others = {"categorical_features", "hierarchical_dependencies"}
        named = sorted(name for name, value in features.items() if value and name not in others)
        if named:
            raise ValueError(f"surrogates have one task and one fidelity, got {', '.join(named)}.")
        inputs = {"train_X": training_data.X, "train_Y": training_data.Y}
        return inputs | {"recipe": recipe, "seed": seed}

    @property
    def batch_shape(self) -> torch.Size:
        """The empty shape; only fantasies are several models."""
        return self.fitted.batch_shape

    @property
    def fitted(self) -> Model:
        """The model, fitted now if it was not before."""
        if not self._fitted:
            self.fit()
        return self._fitted[0]

    @one_thread()
    def fit(self) -> None:
        """Fit the recipe to the data.

        Raises:
            ValueError: if points are not in the unit cube.
            TypeError: if the recipe is that of a classifier, which has no posterior.
        """
        X, Y = self._data
        with torch.no_grad():
            X = self.transform_inputs(X)
            if "outcome_transform" in self._modules:
                Y = self.outcome_transform(Y)[0]
        if ((X < -OUTSIDE) | (X > 1 + OUTSIDE)).any():
            raise ValueError(
                f"points must be in the unit cube, got values from {float(X.min()):g} to "
                f"{float(X.max()):g}: give input_transform=Normalize(d={X.shape[-1]})."
            )
        model = self.recipe.fit(Data(X, Y), Generator().manual_seed(self.seed))
        if isinstance(model, ClassModel):
            raise TypeError("a classifier has no posterior; take another surrogate.")
        self._fitted = [model]

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
        fitted = self.fitted
        self.eval()
        U = self.transform_inputs(X)
        posterior = fitted.posterior(U, output_indices, observation_noise)
        if "outcome_transform" in self._modules:
            posterior = self.outcome_transform.untransform_posterior(posterior, X=X)
        if posterior_transform is None:
            return posterior
        transformed: Posterior = posterior_transform(posterior=posterior, X=X)
        return transformed

    def subset_output(self, idcs: list[int]) -> "FittedOnDemand":
        """Return the model of the outputs named: there is one."""
        self.fitted.subset_output(idcs)
        return self

    def condition_on_observations(self, X: Tensor, Y: Tensor, **kwargs: Any) -> "FittedOnDemand":
        """Return the model after further observations, as that of the recipe takes them."""
        other = FittedOnDemand(*self._data, self.recipe, self.seed)
        for name, transform in self._modules.items():
            setattr(other, name, transform)
        if "outcome_transform" in self._modules:
            Y = self.outcome_transform(Y)[0]
        U = self.transform_inputs(X)
        other._fitted = [self.fitted.condition_on_observations(U, Y, **kwargs)]
        return other

    def fantasize(
        self,
        X: Tensor,
        sampler: MCSampler,
        observation_noise: Tensor | None = None,
        **kwargs: Any,
    ) -> "FittedOnDemand":
        """Return models that have seen draws of y at X: as many as the sampler draws."""
        noise = True if observation_noise is None else observation_noise
        Y = sampler(self.posterior(X, observation_noise=noise))
        if observation_noise is not None:
            kwargs["noise"] = observation_noise.expand(Y.shape)
        return self.condition_on_observations(X, Y, **kwargs)

    def set_train_data(self, inputs: Any = None, targets: Any = None, strict: bool = True) -> None:
        """Take inputs that BoTorch has transformed; fits begin at those that were given."""
        if inputs is not None:
            self.train_inputs = (inputs,)
