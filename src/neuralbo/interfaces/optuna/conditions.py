"""Which parameters exist when, as finished trials tell it.

Trials with the same names of parameters have one *shape*. Of a shape those values are kept that
can explain why another parameter exists: choices seen, and the least and greatest integer. So a
trial is looked at once, and what is known takes room by the number of shapes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from neuralbo.space.parameters import Parameter, from_distribution

MOST_LEVELS = 100  # of an integer on which the existence of others may depend

Parameters = dict[str, Parameter]


@final
@dataclass(slots=True)
class _Shape:
    """What the trials of one shape have had: choices by their text, and ranges of integers."""

    choices: dict[str, dict[str, Any]] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, trial: FrozenTrial) -> None:
        for name, distribution in trial.distributions.items():
            value = trial.params[name]
            if isinstance(distribution, CategoricalDistribution):
                self.choices.setdefault(name, {})[repr(value)] = value
            elif isinstance(distribution, IntDistribution):
                low, high = self.ranges.get(name, (value, value))
                self.ranges[name] = min(low, value), max(high, value)

    def copy(self) -> "_Shape":
        choices = {name: dict(values) for name, values in self.choices.items()}
        return _Shape(choices, dict(self.ranges))


@final
class Conditions:
    """The shapes of all finished trials.

    That a failed trial lacks a parameter says nothing: it may have ended before it.
    """

    def __init__(self) -> None:
        self._shapes: dict[tuple[frozenset[str], bool], _Shape] = {}

    def add(self, trial: FrozenTrial) -> None:
        """Take a further finished trial into account."""
        key = frozenset(trial.params), trial.state != TrialState.FAIL
        self._shapes.setdefault(key, _Shape()).add(trial)

    def copy(self) -> "Conditions":
        """Return another that can be added to."""
        other = Conditions()
        other._shapes = {key: shape.copy() for key, shape in self._shapes.items()}
        return other

    def parameters(
        self, distributions: Mapping[str, BaseDistribution]
    ) -> tuple[Parameters, frozenset[str]]:
        """Return the parameters with their conditions, and the names of the optional ones.

        Where the value of another parameter decides in all trials whether one exists, that is
        its condition; where nothing does, it is optional.
        """
        found: Parameters = {}
        optional = set()
        for name, distribution in distributions.items():
            found[name] = from_distribution(distribution)
            if any(is_done and name not in names for names, is_done in self._shapes):
                when = self._condition(name, distributions)
                if when is None:
                    optional.add(name)
                else:
                    found[name] = _with_condition(found[name], when)
        return found, frozenset(optional)

    def _condition(
        self, name: str, distributions: Mapping[str, BaseDistribution]
    ) -> dict[str, list[Any]] | None:
        """Return the parameter and its values that go with the existence of another, if one does.

        A category explains by its values, an integer only as a threshold, since most integers
        take so many values that any set of trials would seem explained. With a value that was not
        seen yet the other is taken to exist: one too many does no harm, one too few is drawn at
        random.
        """
        parents = {p: d for p, d in distributions.items() if self._is_parent(p, name)}
        for parent, distribution in parents.items():
            if isinstance(distribution, CategoricalDistribution):
                with_it = self._choices(parent, self._with(name))
                without = self._choices(parent, self._without(name))
                if without and not without & with_it:
                    return {parent: [c for c in distribution.choices if repr(c) not in without]}
        for parent, distribution in parents.items():
            if isinstance(distribution, IntDistribution) and levels(distribution) <= MOST_LEVELS:
                levels_of_it = self._threshold(name, parent, distribution)
                if levels_of_it:
                    return {parent: levels_of_it}
        return self._together(name, parents)

    def _together(
        self, name: str, parents: Mapping[str, BaseDistribution]
    ) -> dict[str, list[Any]] | None:
        """Return a parameter with all of its values that never exists without another."""
        for parent, distribution in parents.items():
            if any(parent in shape.choices or parent in shape.ranges
                   for shape in self._without(name)):  # fmt: skip
                continue
            if isinstance(distribution, CategoricalDistribution):
                return {parent: list(distribution.choices)}
            if isinstance(distribution, IntDistribution) and levels(distribution) <= MOST_LEVELS:
                return {parent: list(_range(distribution))}
        return None

    def _threshold(self, name: str, parent: str, distribution: IntDistribution) -> list[int]:
        """Return the levels of an integer beyond all those without another, if there are such."""
        inside = [shape.ranges[parent] for shape in self._with(name)]
        outside = [s.ranges[parent] for s in self._without(name) if parent in s.ranges]
        if not outside:
            return []
        least, most = min(low for low, _ in inside), max(high for _, high in inside)
        low, high = min(low for low, _ in outside), max(high for _, high in outside)
        if least > high:
            return [level for level in _range(distribution) if level > high]
        if most < low:
            return [level for level in _range(distribution) if level < low]
        return []

    def _is_parent(self, parent: str, name: str) -> bool:
        """Return whether one exists wherever another does, and elsewhere too."""
        own = [names for names, _ in self._shapes if name in names]
        others = (parent in names for names, _ in self._shapes if name not in names)
        return bool(own) and all(parent in names for names in own) and any(others)

    def _with(self, name: str) -> list[_Shape]:
        return [shape for (names, _), shape in self._shapes.items() if name in names]

    def _without(self, name: str) -> list[_Shape]:
        """Return the shapes that lack a parameter although their trials were not cut short."""
        return [
            shape
            for (names, is_done), shape in self._shapes.items()
            if is_done and name not in names
        ]

    def _choices(self, parent: str, shapes: Iterable[_Shape]) -> set[str]:
        return {text for shape in shapes for text in shape.choices.get(parent, {})}


def levels(distribution: IntDistribution) -> int:
    """Return how many values there are."""
    return len(_range(distribution))


def _range(distribution: IntDistribution) -> range:
    return range(distribution.low, distribution.high + 1, distribution.step)


def _with_condition(parameter: Parameter, when: dict[str, list[Any]]) -> Parameter:
    return replace(parameter, when=when)
