"""What one suggestion may look at."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, final

import numpy as np
import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, refit_size
from neuralbo.engine import deadline
from neuralbo.errors import NeuralboWarning, warn
from neuralbo.space.domain import Domain
from neuralbo.surrogates.surrogate import (
    AddsUp,
    Chooses,
    Surrogate,
    UsesNoise,
    WarmStarts,
    fit_by_blocks,
)

MIN_SEPARATION = 1e-3  # points that are tried at the same time differ by this in some column
FIT, SUGGEST = 0, 1  # which stream of random numbers
MOST_KEPT = 64  # of each kind, so many that all of the refit schedule have room
T = TypeVar("T")
LogWeight = Callable[[Tensor], Tensor]  # n x d points to the logarithms of their weights, n


def generator(seed: int, *keys: int) -> Generator:
    """Return the generator of a stream; different keys give independent ones."""
    # the number of keys comes first, since SeedSequence takes missing ones for zeros
    state = np.random.SeedSequence([seed, len(keys), *keys]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(state >> np.uint64(1)))


@final
class Recent(dict[Any, T]):
    """What was used last, `MOST_KEPT` at most."""

    def __getitem__(self, key: Any) -> T:
        found = super().pop(key)
        super().__setitem__(key, found)  # it is the last that will be forgotten
        return found

    def __setitem__(self, key: Any, value: T) -> None:
        super().__setitem__(key, value)
        while len(self) > MOST_KEPT:
            del self[next(iter(self))]


@final
@dataclass(frozen=True, slots=True)
class Memory:
    """What suggestions of one study have computed.

    Attributes:
        models: by recipe, seed and data.
        sums: over blocks of trials, of surrogates that learn from sums.
        states: what policies and criteria have learned, see `Step.remember`.
    """

    models: Recent[Model] = field(default_factory=Recent)
    sums: Recent[Any] = field(default_factory=Recent)
    states: Recent[Any] = field(default_factory=Recent)


class Weight(Protocol):
    """What a criterion is weighed with beside what the model says of the values."""

    def at(self, step: "Step", model: Any) -> LogWeight | None:
        """Return the weight of points, None for none, and put on record what it is.

        The model is that of the step; None where it is in other units than the weight.
        """
        ...


@final
@dataclass(frozen=True)
class Step:
    """One suggestion's view of the study; a suggestion is a function of it and nothing else.

    Fits draw from a stream that all suggestions of a study share (so a network keeps its random
    features), the rest from a stream of this suggestion's number.

    Attributes:
        number: the number of the suggestion in the study.
        horizon: how many there will be, or None if nobody knows.
        memory: what earlier suggestions have computed; it saves time, and changes no result.
        rng: the random numbers of this suggestion.
        record: what criterion and maximizer have to say for the record; nothing reads it here.
        repeats: whether a point that gave a value may be proposed again.
        chosen: points of the same batch that are chosen already; they are pending, too.
        min_separation: how far from pending points others are kept, in some column.
        weights: of the criterion: beliefs, costs.
        chains: whether fits begin at refits; not of data that are another selection each time.
    """

    data: Data
    domain: Domain
    seed: int
    number: int
    horizon: int | None = None
    memory: Memory = field(default_factory=Memory, repr=False)
    rng: Generator = field(default_factory=Generator, repr=False)
    record: dict[str, float | str] = field(default_factory=dict, repr=False)
    repeats: bool = False
    chosen: int = 0
    min_separation: float = MIN_SEPARATION
    chains: bool = True
    weights: tuple[Weight, ...] = ()

    @staticmethod
    def of(
        data: Data,
        domain: Domain,
        *,
        seed: int,
        number: int,
        horizon: int | None = None,
        memory: Memory | None = None,
    ) -> "Step":
        """Make the step of a suggestion, with the random numbers that belong to its number."""
        rng = generator(seed, SUGGEST, number)
        return Step(data, domain, seed, number, horizon, memory or Memory(), rng)

    def with_chosen(self, points: Tensor) -> "Step":
        """Return the step of the next point of a batch; the record is that of the first."""
        data, chosen = self.data.with_pending(points), self.chosen + len(points)
        record = {} if len(points) else self.record
        return replace(self, data=data, record=record, chosen=chosen)

    def fit(self, recipe: Surrogate, data: Data) -> Model:
        """Fit a recipe, once for the same data, from the refit before if it can.

        A refit is a fit to the first 8, 12, 18, 27, ... observations, itself begun at the
        one before: the chain depends on the data alone, so a resumed study gets equal models.
        """
        recipe = recipe.choice(data) if isinstance(recipe, Chooses) else recipe
        key = (recipe, self.seed, self.chains, data.digest())
        self._say_noise_is_unused(recipe, data)
        if key in self.memory.models:
            return self.memory.models[key]
        deadline.check()
        rng, before = generator(self.seed, FIT), None
        if self.chains and isinstance(recipe, WarmStarts):
            before = refit_size(data.n)
        if isinstance(recipe, AddsUp) and data.block_ends():
            model = fit_by_blocks(recipe, data, rng, self.memory.sums, (recipe, self.seed))
        elif before is not None and isinstance(recipe, WarmStarts):
            model = recipe.fit_from(data, rng, self.fit(recipe, data.first(before)))
        else:
            model = recipe.fit(data, rng)
        self.memory.models[key] = model
        return model

    def _say_noise_is_unused(self, recipe: Surrogate, data: Data) -> None:
        """Say so where noise was told of observations, and the surrogate learns one for all."""
        if data.V.shape[-1] == 0 or (isinstance(recipe, UsesNoise) and recipe.uses_noise):
            return
        name = type(recipe).__name__
        self.record["known_noise"] = f"not used by {name}"
        warn(
            f"{name} does not use the noise that was told of single observations: it learns one "
            "for all of them. surrogate='gp' and 'gp_mcmc' use it, and so does 'auto' up to 300 "
            "observations in fewer than 16 continuous parameters.",
            NeuralboWarning,
        )

    def remember(self, key: Any, make: Callable[[], T]) -> T:
        """Return what was computed from the same key before, or compute it; not for models.

        The key must say all that the result depends on.
        """
        if key not in self.memory.states:
            self.memory.states[key] = make()
        found: T = self.memory.states[key]
        return found
