"""A sum of functions, each of few columns.

Notation
    G  a partition of the columns into groups      x^(j)  the columns of group j
    E(G)  the log evidence of the inner surrogate that is a sum over the groups of G
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, single_output
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess, GaussianProcessModel, Search
from neuralbo.surrogates.gp.kernels import Additive as AdditiveKernel
from neuralbo.surrogates.gp.kernels import Constant, Within
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import GaussianModel, Scaling

Groups = tuple[tuple[int, ...], ...]
Evidence = Callable[[Groups], float]


@final
@dataclass(frozen=True, slots=True)
class Additive:
    """f(x) = sum_j f_j(x^(j)) over disjoint groups of columns, each f_j as `inner` has it.

    Kandasamy et al. (2015), "High dimensional Bayesian optimisation and bandits via additive
    models"; Agrawal (2016), Eq. (4.1). The sum has a closed form where `inner` has one: a Gaussian
    process whose kernel is a sum, or a random-feature network each of whose units sees one group.

    Groups are learnt by the evidence: from columns that are all apart, or from those that fewer
    trials gave, `tries` changes are tried at random, and kept if E(G) rises: two groups become
    one, a column leaves its own, or two change places. For Gaussian processes E(G) is that at the
    hyper-parameters of the groups at the beginning. The authors draw whole partitions at random
    instead. The groups are those of the last refit (8, 12, 18, 27, ... trials): a function of
    the data.

    Attributes:
        inner: a `GaussianProcess`, whose kernel becomes a sum of Matern-5/2 kernels, or a
            `BayesianRVFL`.
        groups: None to learn them.
        size: the most columns of a group that is learnt.
        tries: changes that are tried at each refit; None for twice as many as columns.
    """

    inner: GaussianProcess | BayesianRVFL = field(default_factory=GaussianProcess)
    groups: Groups | None = None
    size: int = 2
    tries: int | None = None

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.inner, GaussianProcess | BayesianRVFL):
            raise TypeError(
                "Additive needs a surrogate whose sum has a closed form, a GaussianProcess or a "
                f"BayesianRVFL, got {self.inner!r}."
            )
        if self.size < 1 or (self.tries or 0) < 0:
            raise ValueError(f"Additive needs size >= 1 and tries >= 0, got {self}.")
        columns = [column for group in self.groups or () for column in group]
        if len(columns) != len(set(columns)):
            raise ValueError(f"Additive needs disjoint groups, got {self.groups}.")

    def fit(self, data: Data, rng: Generator) -> "AdditiveModel":
        """Learn the groups, then the functions."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> "AdditiveModel":
        """Learn from the groups of `start`, or keep them until the data have outgrown them."""
        is_ours = isinstance(start, AdditiveModel) and start.d == data.X.shape[-1]
        return self._fit(data, rng, start if is_ours else None)  # type: ignore[arg-type]

    def _fit(self, data: Data, rng: Generator, start: "AdditiveModel | None") -> "AdditiveModel":
        single_output(data)
        d = data.X.shape[-1]
        if not all(0 <= column < d for group in self.groups or () for column in group):
            raise ValueError(f"the groups {self.groups} name columns beyond the {d} of the data.")
        groups = self.groups or (tuple((i,) for i in range(d)) if start is None else start.groups)
        learnt_on = 0 if start is None else start.learnt_on
        if self.groups is None and d > 1 and data.n >= learnt_on * 3 // 2:
            evidence = self._evidence(data, rng, groups)
            groups, learnt_on = self._search(groups, evidence, rng), data.n
        model = _summed(self.inner, groups).fit(data, rng)
        return AdditiveModel(model, groups, learnt_on, d)

    def _search(self, groups: Groups, evidence: Evidence, rng: Generator) -> Groups:
        d = sum(len(group) for group in groups)
        best = evidence(groups)
        for _ in range(2 * d if self.tries is None else self.tries):
            other = _changed(groups, self.size, rng)
            value = best if other == groups else evidence(other)
            if value > best:
                groups, best = other, value
        return groups

    def _evidence(self, data: Data, rng: Generator, groups: Groups) -> Evidence:
        """Return E; for a Gaussian process at the hyper-parameters that `groups` has."""
        if isinstance(self.inner, BayesianRVFL):
            state = rng.get_state()

            def of_features(other: Groups) -> float:
                same = torch.Generator()
                same.set_state(state)
                model = _summed(self.inner, other).fit(data, same)
                return float(model.facts["log_evidence"])

            return of_features
        recipe = _summed(self.inner, groups)
        model = recipe.fit(data, rng)
        assert isinstance(recipe, GaussianProcess) and isinstance(model, GaussianProcessModel)
        pairs = Within(input_units(recipe.inputs, data.X).numbers(data.X))

        def of_kernel(other: Groups) -> float:
            sums = _summed(recipe, other)
            assert isinstance(sums, GaussianProcess)
            settings = [*sums.kernel.settings(pairs.d), sums.noise]
            return -float(Search(sums, pairs, model.y, settings)(model.theta[None])[0])

        return of_kernel


def _summed(inner: GaussianProcess | BayesianRVFL, groups: Groups) -> Any:
    """Return the recipe of the sum over groups."""
    if isinstance(inner, BayesianRVFL):
        return replace(inner, groups=groups)
    return replace(inner, kernel=Constant() * AdditiveKernel(groups))


def _changed(groups: Groups, size: int, rng: Generator) -> Groups:
    """Return groups of which two have become one, or one has lost a column; or the same."""
    columns = [column for group in groups for column in group]
    a, b = (columns[int(i)] for i in torch.randint(len(columns), (2,), generator=rng))
    mine = next(group for group in groups if a in group)
    other = next(group for group in groups if b in group)
    rest = [group for group in groups if group not in (mine, other)]
    if mine == other:
        if len(mine) == 1:
            return groups
        changed = [(a,), tuple(column for column in mine if column != a)]
    elif len(mine) + len(other) <= size:
        changed = [tuple(sorted(mine + other))]
    else:  # the columns change places
        changed = [
            tuple(sorted(b if column == a else column for column in mine)),
            tuple(sorted(a if column == b else column for column in other)),
        ]
    return tuple(sorted([*rest, *changed]))


@final
class AdditiveModel(GaussianModel):
    """The posterior of the sum.

    Attributes:
        groups: of the columns.
        learnt_on: how many trials they were learnt from.
        d: how many columns there are.
    """

    def __init__(self, model: GaussianModel, groups: Groups, learnt_on: int, d: int) -> None:
        super().__init__()
        self.model, self.groups, self.learnt_on, self.d = model, groups, learnt_on, d
        self.noise_variance = model.noise_variance
        largest = max(len(group) for group in groups)
        self.facts = {
            **model.facts, "surrogate": "additive", "groups": len(groups), "largest": largest,
        }  # fmt: skip

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        return self.model.moments(X)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        return self.model.joint(X)

    def conditioned(self, X: Tensor, Y: Tensor) -> "AdditiveModel":
        """Return the model after further observations; the groups stay."""
        model = self.model.conditioned(X, Y)
        return AdditiveModel(model, self.groups, self.learnt_on, self.d)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one function."""
        return self.model.draw(rng)
