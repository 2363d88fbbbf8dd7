"""Search spaces as users of scikit-learn, scikit-optimize and SciPy write them.

`Optimizer` knows numbers, strings, booleans and None. An estimator, a tuple or another object is
searched by a label, and a SciPy distribution by its quantile; `SearchSpace.values` leads back.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from numbers import Real as Number
from typing import Any, final

import numpy as np
from scipy.stats import rv_continuous, rv_discrete
from scipy.stats.distributions import rv_frozen

from neuralbo.space import Space
from neuralbo.space.constraints.statements import (
    AtMost,
    Constraint,
    Linear,
    Predicate,
    Statement,
    statements_of,
)
from neuralbo.space.parameters import Categorical, Integer, Real, When

PRIORS = {"uniform": False, "log-uniform": True}  # whether the axis is logarithmic
TAIL = 1e-3  # probability beyond the searched quantiles of a distribution without an end
LONGEST = 60  # letters of a label
FORMS = (
    'write (low, high) or (low, high, "log-uniform") for a range, [a, b, c] for choices, '
    "nb.Real, nb.Integer, nb.Categorical, or a frozen distribution of scipy.stats such as "
    "loguniform(1e-3, 1e3)"
)


@final
class SearchSpace:
    """Parameters of an estimator by name, in any of the forms of `FORMS`.

    Attributes:
        space: what an `Optimizer` searches.

    Raises:
        TypeError: if a form is not known.
        ValueError: if a form is ambiguous, or its numbers make no sense.
    """

    def __init__(self, forms: Mapping[str, Any], constraints: Sequence[Constraint] = ()) -> None:
        self._back: dict[str, Callable[[Any], Any]] = {}
        self._quantiles: dict[str, Callable[[Any], Any]] = {}
        self._labels: dict[str, dict[str, Any]] = {}
        found = {name: self._parameter(name, form) for name, form in forms.items()}
        parameters = {name: self._with_labels(p) for name, p in found.items()}
        self.space = Space(
            parameters, constraints=[self._constraint(s) for s in statements_of(constraints)]
        )

    def _constraint(self, statement: Statement) -> Statement:
        """Return a constraint on what is searched: a function gets what the estimator gets."""
        if isinstance(statement, Predicate):
            function = statement.function
            return replace(statement, function=lambda params: function(self.values(params)))
        quantiles = [n for n in _names_of(statement) if n in self._back and n not in self._labels]
        if quantiles:
            raise ValueError(
                f"the constraint {statement.text!r} names {quantiles[0]!r}, a distribution that "
                "is searched by its quantiles; give a range, or a function of the parameters."
            )
        return statement

    def values(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the estimator takes for parameters of the space."""
        return {
            name: self._back[name](value) if name in self._back else value
            for name, value in params.items()
        }

    def searched(self, params: Any) -> Any:
        """Return what the space has for values of the estimator; the inverse of `values`.

        What is no dictionary is returned as it is, for whoever checks it.
        """
        if not isinstance(params, Mapping):
            return params
        return {
            name: float(self._quantiles[name](value))
            if name in self._quantiles
            else self._label(name, value)
            for name, value in params.items()
        }

    def _parameter(self, name: str, form: Any) -> Any:
        try:
            form = _of_skopt(form)
            if isinstance(form, list | np.ndarray):
                return self._of_choices(name, form if isinstance(form, list) else form.tolist())
            if isinstance(form, rv_frozen):
                return self._of_distribution(name, form)
            if isinstance(form, rv_continuous | rv_discrete):
                raise TypeError(f"{form.name} has no bounds yet; call it, as in uniform(0, 1)")
        except (TypeError, ValueError) as error:
            raise type(error)(f"parameter {name!r}: {str(error).removesuffix('.')}.") from None
        return form

    def _of_choices(self, name: str, choices: list[Any]) -> Categorical:
        """Return a category of the choices, or of labels if some are no plain values."""
        if all(isinstance(choice, None | bool | int | float | str) for choice in choices):
            return Categorical(choices)
        labels: dict[str, Any] = {}
        for choice in choices:
            text = re.sub(r"\s+", " ", repr(choice))
            text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
            labels[f"{text} #{len(labels)}" if text in labels else text] = choice
        self._labels[name] = labels
        self._back[name] = labels.__getitem__
        return Categorical(list(labels))

    def _of_distribution(self, name: str, frozen: Any) -> Real | Integer | Categorical:
        """Return a range if the distribution is uniform on one, else its quantiles.

        A discrete distribution is a range of whole numbers, as far as its quantiles reach.
        """
        kind = frozen.dist.name
        low, high = (float(end) for end in frozen.support())
        if kind == "uniform":
            return Real(low, high)
        if kind in ("loguniform", "reciprocal"):
            return Real(low, high, log=True)
        first = 0.0 if np.isfinite(low) else TAIL
        last = 1.0 if np.isfinite(high) else 1 - TAIL
        if isinstance(frozen.dist, rv_discrete):
            low, high = (max(float(frozen.ppf(p)), low) for p in (first, last))
            return Categorical([int(low)]) if low == high else Integer(int(low), int(high))
        self._back[name] = lambda quantile: float(frozen.ppf(quantile))
        self._quantiles[name] = frozen.cdf
        return Real(first, last)

    def _with_labels(self, parameter: Any) -> Any:
        """Return a parameter whose condition names labels in the place of objects."""
        if not isinstance(parameter, Real | Integer | Categorical):
            return parameter
        if not isinstance(parameter.when, Mapping):
            return parameter
        when: When = {
            parent: [self._label(parent, value) for value in values]
            if isinstance(values, list | tuple)
            else values
            for parent, values in parameter.when.items()
        }
        return replace(parameter, when=when)

    def _label(self, parent: str, value: Any) -> Any:
        """Return the label of a choice: of the same object, or of the only one that looks alike.

        scikit-learn's `clone` copies choices and conditions one by one. What is neither stays as
        it is, and the space says what it must be.
        """
        labels = self._labels.get(parent, {})
        same = [label for label, choice in labels.items() if choice is value]
        alike = [
            label
            for label, choice in labels.items()
            if type(choice) is type(value) and repr(choice) == repr(value)
        ]
        found = same or alike
        return found[0] if len(found) == 1 else value


def _names_of(statement: Statement) -> tuple[str, ...]:
    return statement.names if isinstance(statement, Linear | AtMost) else ()


def _of_skopt(form: Any) -> Any:
    """Return what a tuple or a dimension of scikit-optimize stands for; others as they are."""
    if type(form).__module__.partition(".")[0] == "skopt":
        return _of_dimension(form)
    if not isinstance(form, tuple):
        return form
    if form and all(isinstance(choice, str | bool | np.bool_) for choice in form):
        return list(form)
    if len(form) < 2 or not (_is_number(form[0]) and _is_number(form[1])):
        raise ValueError(f"{form!r} is no range; {FORMS}; got a tuple")
    if len(form) > 2 and not (isinstance(form[2], str) and form[2] in PRIORS):
        raise ValueError(f"{form!r} may be a range or choices; {FORMS}; choices are {list(form)}")
    if len(form) > 4 or (len(form) == 4 and not _is_number(form[3])):
        raise ValueError(f"{form!r} is no range; {FORMS}; got {len(form)} entries")
    return _range(form[0], form[1], form[2] if len(form) > 2 else "uniform")


def _of_dimension(dimension: Any) -> Any:
    """Return what a dimension of scikit-optimize stands for."""
    match type(dimension).__name__:
        case "Categorical":
            return list(dimension.categories)
        case "Integer":
            return _range(int(dimension.low), int(dimension.high), dimension.prior)
        case "Real":
            return _range(float(dimension.low), float(dimension.high), dimension.prior)
    raise TypeError(f"{dimension!r} is not known; {FORMS}")


def _range(low: Any, high: Any, prior: str) -> Real | Integer:
    """Return the range of whole numbers if both ends are whole, else of all numbers."""
    log = PRIORS[prior]
    if isinstance(low, Integral) and isinstance(high, Integral):
        return Integer(int(low), int(high), log=log)
    return Real(float(low), float(high), log=log)


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool | np.bool_)
