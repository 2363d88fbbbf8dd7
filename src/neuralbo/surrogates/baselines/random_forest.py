"""Regression trees on bootstrap samples.

Notation
    t         trees                        l(x)  the leaf of a tree that holds x
    mu_l, v_l mean and variance of the values in leaf l, as the tree's bootstrap weighs them
    z_1..z_r  standard deviations from the mean that a leaf's value takes, with mean 0, variance 1
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo.data import Data, Units, single_output
from neuralbo.surrogates.set_of_functions import Functions, SetOfFunctions
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, Facts, Scaling

NOISE_VARIANCE = 1e-6  # of an observation, in units of Y's variance: the leaves hold the rest
# Values are multiples of this: sums of them are exact, so a tie between two splits is a tie in
# whatever order the rows stand, and whatever the units of Y.
GRAIN = 2.0**-30
ROUNDING = 1e-12  # scikit-learn's variance of one value repeated is not quite zero
LEAF_DRAWS = 8  # values that a leaf takes over the draws


@final
@dataclass(frozen=True, slots=True)
class RandomForest:
    """f(x) = value of leaf l(x) in a tree picked at random; leaf values ~ (mu_l, v_l).

    mean = (1/t) sum mu_l(x),  variance = (1/t) sum v_l(x) + variance over trees of mu_l(x): the
    law of total variance. Breiman (2001); Hutter et al. (2014), Sec. 4.3.2; Aryan (2020), Sec. 4.4
    (RoBO: 30 trees, bootstrap, all rows for each tree). With `min_leaf` 1, scikit-learn's, v_l is
    zero unless points repeat.

    Attributes:
        min_leaf: the fewest observations in a leaf, counted with repetition.
    """

    trees: int = 30
    min_leaf: int = 1

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.trees < 1 or self.min_leaf < 1:
            raise ValueError(f"RandomForest needs trees >= 1 and min_leaf >= 1, got {self}.")

    def fit(self, data: Data, rng: Generator) -> "RandomForestModel":
        """Grow the trees; `rng` draws their seed and the leaf values.

        Raises:
            ImportError: if scikit-learn is not installed.
        """
        values = single_output(data)
        forest = _regressor()(
            n_estimators=self.trees,
            min_samples_leaf=self.min_leaf,
            bootstrap=True,
            random_state=int(torch.randint(2**31, (1,), generator=rng)),
        )
        units = data.standard_units()
        y = (units.numbers(values[:, None]).squeeze(-1) / GRAIN).round() * GRAIN
        forest.fit(data.X.numpy(), y.numpy())
        return RandomForestModel([tree.tree_ for tree in forest.estimators_], units, rng)


def _regressor() -> Any:
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError as error:
        raise ImportError(
            "random_forest needs scikit-learn: pip install 'neuralbo[sklearn]'"
        ) from error
    return RandomForestRegressor


@final
class RandomForestModel(SetOfFunctions):
    """Functions that are constant on the leaves of one tree each, in the units of the data.

    Each tree gives r functions (one if no leaf has a variance). Over them a leaf takes the values
    mu_l + sqrt(v_l) z, z_1..z_r in an order of its own, so mean and variance over all functions
    are those of the law of total variance to the last digits, and a draw is one function.
    """

    left: Tensor  # t x nodes, of the child for small values; the node itself if it is a leaf
    right: Tensor
    column: Tensor
    threshold: Tensor
    leaf: Tensor  # t x r x nodes, value in the model's units

    def __init__(self, trees: list[Any], units: Units, rng: Generator) -> None:
        super().__init__()
        self.units = units
        self.depth = max(int(tree.max_depth) for tree in trees)
        most = max(int(tree.node_count) for tree in trees)
        stay = np.arange(most)
        is_leaf = _padded([tree.children_left < 0 for tree in trees], most, True)
        for name, children in (("left", "children_left"), ("right", "children_right")):
            below = _padded([getattr(tree, children) for tree in trees], most, -1)
            self.register_buffer(name, torch.from_numpy(np.where(is_leaf, stay, below)))
        column = _padded([tree.feature for tree in trees], most, 0).clip(min=0)
        self.register_buffer("column", torch.from_numpy(column))
        threshold = _padded([tree.threshold for tree in trees], most, 0.0)
        self.register_buffer("threshold", torch.from_numpy(threshold))
        mean = torch.from_numpy(_padded([tree.value[:, 0, 0] for tree in trees], most, 0.0))
        variance = torch.from_numpy(_padded([tree.impurity for tree in trees], most, 0.0))
        is_spread = torch.from_numpy(is_leaf) & (variance > ROUNDING)
        variance = torch.where(is_spread, variance, 0.0)
        self.register_buffer("leaf", _leaf_values(mean, variance, rng))
        within = float(variance.sum()) / sum(int(tree.n_leaves) for tree in trees)
        self.facts: Facts = {"surrogate": "random_forest", "leaf_variance": within}

    def functions(self, X: Tensor) -> Functions:
        """Return the functions of all trees at each point, ... x d."""
        least, noise = self.units.square * LEAST_VARIANCE, self.units.square * NOISE_VARIANCE
        return Functions(self._values(X, range(len(self.leaf))), least, noise)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the functions."""
        trees, draws, _ = self.leaf.shape
        k = int(torch.randint(trees * draws, (1,), generator=rng))
        only = range(k // draws, k // draws + 1)
        return lambda X: self._values(X, only)[k % draws]

    def _values(self, X: Tensor, trees: range) -> Tensor:
        """Return the functions of some trees at each point, ... x d to s x ... x 1.

        The gradient is there, and zero, as between the jumps of a function of this kind.
        """
        rows = X.detach().reshape(-1, X.shape[-1])
        chosen = slice(trees.start, trees.stop)
        node = torch.zeros(len(trees), len(rows), dtype=torch.long)
        for _ in range(self.depth):
            at = rows.mT.gather(0, self.column[chosen].gather(1, node))
            is_left = at <= self.threshold[chosen].gather(1, node)
            below = self.left[chosen].gather(1, node), self.right[chosen].gather(1, node)
            node = torch.where(is_left, *below)
        draws = self.leaf.shape[1]
        values = self.leaf[chosen].gather(2, node[:, None].expand(-1, draws, -1))
        values = self.units.values(values.reshape(-1, *X.shape[:-1], 1))
        return values + 0 * X.sum(-1, keepdim=True)


def _padded(rows: list[Any], width: int, filler: Any) -> Any:
    """Return arrays of different lengths as the rows of one."""
    table = np.full((len(rows), width), filler)
    for into, row in zip(table, rows, strict=True):
        into[: len(row)] = row
    return table


def _leaf_values(mean: Tensor, variance: Tensor, rng: Generator) -> Tensor:
    """Return r values for each node, t x r x nodes, with its mean and its variance (1/r)."""
    if not (variance > 0).any():
        return mean[:, None]
    p = (torch.arange(LEAF_DRAWS, dtype=torch.float64) + 0.5) / LEAF_DRAWS
    z: Tensor = torch.special.ndtri(p)
    z = z / z.square().mean().sqrt()
    noise = torch.rand(len(mean), LEAF_DRAWS, mean.shape[1], generator=rng, dtype=mean.dtype)
    return mean[:, None] + variance.sqrt()[:, None] * z[noise.argsort(1)]
