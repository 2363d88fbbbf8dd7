"""Constraints as people write them: "x1 + x2 <= 1", "lower < upper", "0.2 <= a + 2*b < 0.9".

A text is read as a tree of Python's, of which only names, numbers, sums and products with numbers
are allowed. So a text can be evaluated as Python does, in the order in which it was written.
"""

import ast
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

FORMS = (
    'write a linear one as "x1 + x2 <= 1", "lower < upper" or "a + b + c == 1", with numbers as '
    'coefficients, or give a function of the parameters: lambda p: p["x"] * p["y"] <= 1'
)
SENSES = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}


class Affine(NamedTuple):
    """sum of weights times parameters, plus a constant."""

    weights: dict[str, float]
    constant: float

    def times(self, factor: float) -> "Affine":
        """Return the multiple."""
        return Affine({n: factor * w for n, w in self.weights.items()}, factor * self.constant)

    def plus(self, other: "Affine") -> "Affine":
        """Return the sum."""
        names = {**self.weights, **other.weights}
        both = {n: self.weights.get(n, 0.0) + other.weights.get(n, 0.0) for n in names}
        return Affine(both, self.constant + other.constant)


class Comparison(NamedTuple):
    """left <sense> right, and the difference of both as weights."""

    left: str
    sense: str
    right: str
    difference: Affine  # left - right


def comparisons(text: str) -> list[Comparison]:
    """Read a text; a chain such as "a < b < c" is several comparisons.

    Raises:
        ValueError: if it cannot be read, or is not linear.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        hint = " Equality is written with two signs, ==." if _has_single_sign(text) else ""
        raise ValueError(f"the constraint {text!r} cannot be read; {FORMS}.{hint}") from None
    if not isinstance(tree, ast.Compare) or not all(type(op) in SENSES for op in tree.ops):
        raise ValueError(
            f"the constraint {text!r} compares nothing with <, <=, ==, >= or >; {FORMS}."
        )
    sides = [tree.left, *tree.comparators]
    found = []
    for left, op, right in zip(sides[:-1], tree.ops, sides[1:], strict=True):
        difference = _affine(left, text).plus(_affine(right, text).times(-1.0))
        if not all(map(math.isfinite, [*difference.weights.values(), difference.constant])):
            raise ValueError(f"the constraint {text!r} has a number that is not finite.")
        sense = SENSES[type(op)]
        found.append(Comparison(ast.unparse(left), sense, ast.unparse(right), difference))
    return found


def _has_single_sign(text: str) -> bool:
    bare = text
    for sign in ("==", "<=", ">=", "!="):
        bare = bare.replace(sign, "")
    return "=" in bare


def _affine(node: ast.expr, text: str) -> Affine:  # noqa: C901, PLR0911
    """Return a side of a comparison as weights and a constant."""
    match node:
        case ast.Name(id=name):
            return Affine({name: 1.0}, 0.0)
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return Affine({}, float(number))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _affine(inner, text).times(-1.0)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _affine(inner, text)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _affine(left, text).plus(_affine(right, text))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _affine(left, text).plus(_affine(right, text).times(-1.0))
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            first, second = _affine(left, text), _affine(right, text)
            if isinstance(op, ast.Div):
                if not second.weights and second.constant != 0:
                    return first.times(1 / second.constant)
            elif not second.weights:
                return first.times(second.constant)
            elif not first.weights:
                return second.times(first.constant)
    raise ValueError(
        f"the constraint {text!r} is not linear: {ast.unparse(node)!r} is no number, parameter, "
        f"sum or multiple; {FORMS}."
    )


@lru_cache(maxsize=1024)
def _compiled(side: str) -> Any:
    return compile(ast.parse(side, mode="eval"), "<constraint>", "eval")


def evaluated(side: str, params: Mapping[str, Any]) -> float:
    """Return a side of a comparison as Python evaluates it; it was read by `comparisons`."""
    found: float = eval(_compiled(side), {"__builtins__": {}}, dict(params))
    return found
