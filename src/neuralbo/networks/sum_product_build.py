"""How the nodes of a sum-product network hang together: levels of pairs, in several tracks.

Notation
    V  variables, of which the last is y     T  tracks     P  pairs of a level
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor


@final
@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """T trees over the same variables, whose roots are the children of one sum.

    A node of a level stands for some channels with one scope. A pair joins two nodes of the level
    below: all products of a channel of the one and a channel of the other, and sums of these
    products, which are the channels of the pair. Kruse (2022), Sec. 4.5.

    Args:
        variables: V, the nodes below the first level.
        levels: T x P x 2 each, from the leaves to the root: the two nodes that each pair joins.
            The number past the last node is the empty set, whose only channel is 1.

    Raises:
        ValueError: A level is not T x P x 2 or names a node that is not there; the last level has
            several pairs; a product is not decomposable, or the last sum not complete.
    """

    variables: int
    levels: tuple[Tensor, ...]

    def __post_init__(self) -> None:
        if not self.levels:
            raise ValueError("a structure needs at least one level of pairs.")
        for pairs in self.levels:
            if pairs.ndim != 3 or pairs.shape[-1] != 2 or len(pairs) != self.tracks:
                shapes = [tuple(level.shape) for level in self.levels]
                raise ValueError(f"levels must be tracks x pairs x 2, got {shapes}.")
        if self.levels[-1].shape[1] != 1:
            raise ValueError(
                f"the last level must be one pair, the root, got {self.levels[-1].shape[1]}."
            )
        for track in range(self.tracks):
            self._check_root(track, self.scopes(track)[-1][0])

    @classmethod
    def random(cls, variables: int, tracks: int, rng: Generator) -> "Structure":
        """Pair the nodes of each level at random, in each track anew, until one is left.

        Where their number is odd, one is paired with the empty set. Kruse (2022), Sec. 4.5; the
        pairings are shuffled at every level and recur up to a single root, so that no two
        variables are independent given the track, as in the published code of Kruse (2022).

        Raises:
            ValueError: There are fewer than two variables or less than one track.
        """
        if variables < 2 or tracks < 1:
            raise ValueError(
                f"a network needs two variables and one track, got {variables} and {tracks}."
            )
        levels, nodes = [], variables
        while nodes > 1:
            orders = [torch.randperm(nodes, generator=rng) for _ in range(tracks)]
            order = torch.stack(orders)
            if nodes % 2:
                order = torch.cat([order, torch.full((tracks, 1), nodes)], -1)
            levels.append(order.reshape(tracks, -1, 2))
            nodes = levels[-1].shape[1]
        return cls(variables, tuple(levels))

    @property
    def tracks(self) -> int:
        """T."""
        return len(self.levels[0])

    @property
    def nodes(self) -> tuple[int, ...]:
        """How many nodes stand below each level: the index of its empty set."""
        return (self.variables, *(pairs.shape[1] for pairs in self.levels[:-1]))

    def scopes(self, track: int) -> list[list[frozenset[int]]]:
        """Return the variables below each node of a track, level by level from the leaves.

        Raises:
            ValueError: A pair is not decomposable, or names a node that is not there.
        """
        scopes = [[frozenset({v}) for v in range(self.variables)]]
        for level, pairs in enumerate(self.levels):
            below = [*scopes[-1], frozenset[int]()]
            joined = []
            for pair, (left, right) in enumerate(pairs[track].tolist()):
                where = f"pair {pair} of level {level} in track {track}"
                if not (0 <= left < len(below) and 0 <= right < len(below)):
                    raise ValueError(
                        f"{where} joins nodes {left} and {right} of {len(below) - 1}; "
                        f"{len(below) - 1} is the empty set and the largest number allowed."
                    )
                if shared := below[left] & below[right]:
                    raise ValueError(
                        f"{where} is not decomposable: its sides have the scopes "
                        f"{sorted(below[left])} and {sorted(below[right])}, which share "
                        f"{sorted(shared)}."
                    )
                joined.append(below[left] | below[right])
            scopes.append(joined)
        return scopes

    def _check_root(self, track: int, scope: frozenset[int]) -> None:
        if missing := set(range(self.variables)) - scope:
            raise ValueError(
                f"the root is not complete: track {track} has the scope {sorted(scope)}, without "
                f"{sorted(missing)}; children of a sum must share one scope."
            )
