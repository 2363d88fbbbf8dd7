"""Several surrogates at once, each with the weight that its predictions have earned.

Notation
    w_k  weight of member k      c_k  factor of its standard deviations      K  members that are
    kept
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import torch
from botorch.models.model import Model
from botorch.posteriors import Posterior
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.posteriors import Field, GaussianMixture, Marginals
from neuralbo.surrogates.leave_one_out import leave_one_out_predictions
from neuralbo.surrogates.surrogate import (
    DrawsFunctions,
    Facts,
    GaussianModel,
    HasComponents,
    Scaling,
    Surrogate,
    WarmStarts,
    moments_of,
)
from neuralbo.surrogates.wrappers.stacking import MemberScore, member_scores

LEAST_SCORED = 4  # observations below which predictions of left-out ones mean nothing


@final
@dataclass(frozen=True, slots=True)
class Member:
    """A surrogate in the pool.

    Attributes:
        prior: its share of the pseudo-observations.
        least, most: the numbers of observations between which it takes part.
    """

    name: str
    recipe: Surrogate
    prior: float = 1.0
    least: int = 1
    most: int = 10**9


@final
@dataclass(frozen=True, slots=True)
class Stacked:
    """y | x ~ sum_k w_k p_k(y | x), p_k of member k with standard deviations times c_k.

    Weights by stacking of leave-one-out predictions: Yao et al. (2018), Sec. 2. They are found
    anew when the observations have grown by half; in between only members that have a share are
    fitted. All is a function of the data: `fit_from` takes the weights of an earlier refit.

    Attributes:
        members: the pool.
        pseudo: observations that the shares of `Member.prior` are worth.
        least_weight: members with less of the largest weight are left out.
        calibrates, stacks, keeps: whether standard deviations get factors; whether weights are
            shared, or the best has all; whether weights stay until the next refit.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, the same for all members; None for never.
    """

    members: tuple[Member, ...]
    pseudo: float = 4.0
    least_weight: float = 0.2
    calibrates: bool = True
    stacks: bool = True
    keeps: bool = True
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"

    def __post_init__(self) -> None:
        names = [member.name for member in self.members]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"Stacked needs members with different names, got {names}.")

    @property
    def is_smooth(self) -> bool:
        """Whether all members are."""
        return all(member.recipe.is_smooth for member in self.members)

    def fit(self, data: Data, rng: Generator) -> "StackedModel":
        """Fit all members, score them, and keep those with a share."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> "StackedModel":
        """Fit the members that `start` keeps; score anew if the data have grown by half."""
        if isinstance(start, StackedModel) and start.recipe == self:
            return self._fit(data, rng, start)
        return self._fit(data, rng, None)

    def _fit(self, data: Data, rng: Generator, start: "StackedModel | None") -> "StackedModel":
        single_output(data)
        data, clipped = data.clipped(self.clip)
        pool = [m for m in self.members if m.least <= data.n <= m.most] or [self.members[-1]]
        state = rng.get_state()
        found, scored_on = {}, data.n
        if start is not None and self._still_holds(start, data.n, pool):
            found, scored_on = start.member_scores, start.scored_on
            pool = [m for m in pool if m.name in start.kept]
        models = {m.name: _fitted(m, data, _again(state), start) for m in pool}
        found = found or self._scored(pool, data, state, models)
        facts: dict[str, float | str] = {"clipped": clipped}
        before = Before(self, found, scored_on, models)
        return StackedModel(before, data, (rng, state), facts)

    def _still_holds(self, start: "StackedModel", n: int, pool: list[Member]) -> bool:
        """Whether weights of `start` are to be kept: not if a member has become too dear."""
        is_young = n < start.scored_on * 3 // 2
        return self.keeps and is_young and start.kept <= {member.name for member in pool}

    def _scored(
        self, pool: list[Member], data: Data, state: Tensor, models: dict[str, Model]
    ) -> dict[str, MemberScore]:
        shares = torch.tensor([m.prior for m in pool], dtype=torch.float64)
        shares = shares / shares.sum()
        if data.n < LEAST_SCORED:
            rows = [MemberScore(float(s), 1.0, 0.0, 0.0) for s in shares]
        else:
            found = [
                leave_one_out_predictions(m.recipe, data, _again(state), models[m.name])
                for m in pool
            ]
            rows = member_scores(
                data.Y[:, 0], found, self.pseudo * shares, calibrates=self.calibrates,
                stacks=self.stacks,
            )  # fmt: skip
        most = max(row.weight for row in rows)
        kept = [row.weight if row.weight >= self.least_weight * most else 0.0 for row in rows]
        return {
            m.name: row._replace(weight=weight / sum(kept))
            for m, row, weight in zip(pool, rows, kept, strict=True)
        }


def _again(state: Tensor) -> Generator:
    """Return a generator in that state: each member draws what it would draw alone."""
    rng = torch.Generator()
    rng.set_state(state)
    return rng


def _fitted(member: Member, data: Data, rng: Generator, start: "StackedModel | None") -> Model:
    recipe = member.recipe
    before = None if start is None else start.models.get(member.name)
    if before is not None and isinstance(recipe, WarmStarts):
        return recipe.fit_from(data, rng, before)
    return recipe.fit(data, rng)


class Before(NamedTuple):
    """What a model of the stack is made of."""

    recipe: Stacked
    member_scores: dict[str, MemberScore]
    scored_on: int
    models: dict[str, Model]


@final
class StackedModel(DrawsFunctions):
    """The mixture of the members that are kept.

    Args:
        before: the members and what they are worth.
        data: that they were fitted to.
        randomness: the generator, which draws the field that ties points together, and its state
            before the fits.
        facts: for the record of the trial.
    """

    num_outputs = 1

    def __init__(
        self, before: Before, data: Data, randomness: tuple[Generator, Tensor], facts: Facts
    ) -> None:
        super().__init__()
        rng, self.state = randomness
        self.recipe, self.member_scores, self.scored_on, all_models = before
        # kept in a plain dict: they are no parts that torch should know of
        self.models = all_models
        self.kept = {name for name, v in self.member_scores.items() if v.weight > 0}
        self.data = data
        self.most_std = data.standard_units().scale[0]
        self.field = Field.draw(data.X.shape[-1], rng)
        self.facts = {**facts, **_facts(self.member_scores, self.scored_on)}

    def parts(self, X: Tensor, observation_noise: bool | Tensor = False) -> list[Any]:
        """Return log weights, means and stds of all members, each ... x d to k x ...."""
        found = []
        for name in sorted(self.kept):
            score, model = self.member_scores[name], self.models[name]
            logs, means, stds = _components(model, X)
            stds = (stds * score.factor).minimum(self.most_std)
            if observation_noise is True:
                stds = torch.hypot(stds, _noise(model).sqrt())
            shape = torch.broadcast_shapes(logs.shape, means.shape, stds.shape)
            w = torch.tensor(score.weight, dtype=X.dtype).log()
            found.append([part.expand(shape) for part in (logs + w, means, stds)])
        return [torch.cat(part) for part in zip(*found, strict=True)]

    def components(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log weights, means and standard deviations of f, ... x d to K x ... each."""
        logs, means, stds = self.parts(X)
        return logs, means, stds

    def marginal(self, X: Tensor, observation_noise: bool | Tensor = False) -> GaussianMixture:
        """Return the distribution of f or y at each point."""
        parts = self.parts(X, observation_noise)
        marginal = GaussianMixture(*(part.movedim(0, -1) for part in parts))
        if isinstance(observation_noise, Tensor):
            stds = torch.hypot(marginal.standard_deviations, observation_noise.sqrt())
            marginal = GaussianMixture(marginal.log_weights, marginal.means, stds)
        return marginal

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point, ... x d to ... and ...."""
        marginal = self.marginal(X)
        return marginal.mean, marginal.variance

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y.

        How points hang together is said by a random field.
        """
        return Marginals(self.marginal(X, observation_noise), self.field.features(X))

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function: f(x) = F_x^-1(Phi(g(x))), F_x the marginal at x, g a drawn field."""
        a = torch.randn(2 * len(self.field.frequencies), generator=rng, dtype=torch.float64)
        edge = torch.finfo(a.dtype).eps

        def f(X: Tensor) -> Tensor:
            p = torch.special.ndtr(self.field.features(X) @ a).clamp(edge, 1 - edge)
            return self.marginal(X).quantile(p)[..., None]

        return f

    def conditioned(self, X: Tensor, Y: Tensor) -> "StackedModel":
        """Return the model after further observations; weights stay, members learn."""
        joined = self.data.with_observations(X, Y)
        recipes = {member.name: member.recipe for member in self.recipe.members}
        models = {
            name: model.conditioned(X, Y)
            if isinstance(model, GaussianModel)
            else recipes[name].fit(joined, _again(self.state))
            for name, model in self.models.items()
            if name in self.kept
        }
        before = Before(self.recipe, self.member_scores, self.scored_on, models)
        facts = {"clipped": self.facts["clipped"]}
        found = StackedModel(before, joined, (_again(self.state), self.state), facts)
        found.field = self.field
        return found


def _components(model: Model, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return log weights, means and standard deviations of f, k x ... or broadcast to it."""
    if isinstance(model, HasComponents):
        return model.components(X)
    if isinstance(model, GaussianModel):
        mean, variance = model.moments(X)
    else:
        mean, variance = (m[..., 0, 0] for m in moments_of(model.posterior(X.unsqueeze(-2))))
    std = variance.clamp(min=torch.finfo(variance.dtype).tiny).sqrt()
    return torch.zeros_like(mean)[None], mean[None], std[None]


def _noise(model: Model) -> Tensor:
    if isinstance(model, GaussianModel):
        return model.noise_variance
    return torch.zeros((), dtype=torch.float64)


def _facts(found: dict[str, MemberScore], scored_on: int) -> dict[str, float | str]:
    """Return what was chosen, and why."""
    facts: dict[str, float | str] = {"surrogate": "stacked", "scored_on": scored_on}
    order = sorted(found, key=lambda name: -found[name].weight)
    facts["why"] = (
        f"leave-one-out log predictive density, nats per observation of {scored_on}: "
        + ", ".join(f"{name} {found[name].score:.3g}" for name in order)
    )
    for name in order:
        if found[name].weight > 0:
            facts[f"weight_{name}"] = found[name].weight
            facts[f"factor_{name}"] = found[name].factor
        facts[f"score_{name}"] = found[name].score
        facts[f"ranks_{name}"] = found[name].correlation
    return facts
