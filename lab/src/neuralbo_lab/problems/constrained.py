"""Problems whose constraints are known before any evaluation.

Three designs of machines as they are published, with the best value known; a mixture of seven
parts and an ordered pair of our own, whose minima are on the border of what is feasible.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from neuralbo.space import Integer, Real, Space, sum_to
from neuralbo.space.constraints.statements import Constraint
from neuralbo.space.parameters import Parameter

Params = Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Constrained:
    """A function to minimize where constraints hold.

    Attributes:
        minimum: the best value known of what is feasible.
        best: where it is.
        rest: a parameter that the others of a mixture leave, for methods that know no equality.
    """

    name: str
    f: Callable[[Params], float]
    parameters: Mapping[str, Parameter]
    constraints: tuple[Constraint, ...]
    minimum: float
    best: Params
    rest: str | None = None

    def space(self) -> Space:
        """Return the space with its constraints."""
        return Space(self.parameters, constraints=self.constraints)

    def unconstrained(self) -> Space:
        """Return the space without them, and without the parameter that the others leave."""
        return Space({n: p for n, p in self.parameters.items() if n != self.rest})

    def whole(self, params: Params) -> dict[str, Any]:
        """Return the parameters with the one that the others leave."""
        if self.rest is None:
            return dict(params)
        return {**params, self.rest: 1.0 - sum(params.values())}


def vessel_cost(p: Params) -> float:
    """Return the cost of a pressure vessel. Sandgren (1990)."""
    s, h, r, length = 0.0625 * p["shell"], 0.0625 * p["head"], p["radius"], p["length"]
    shell = 0.6224 * s * r * length + 3.1661 * s**2 * length + 19.84 * s**2 * r
    return float(shell + 1.7781 * h * r**2)


def vessel_holds_enough(p: Params) -> bool:
    """Return whether the volume is at least 1,296,000 cubic inches."""
    r = p["radius"]
    return bool(math.pi * r**2 * p["length"] + 4 / 3 * math.pi * r**3 >= 1_296_000)


VESSEL = Constrained(
    "pressure-vessel", vessel_cost,
    {"shell": Integer(1, 99), "head": Integer(1, 99), "radius": Real(10, 200),
     "length": Real(10, 200)},
    ("0.0193*radius <= 0.0625*shell", "0.00954*radius <= 0.0625*head", vessel_holds_enough),
    6059.7143, {"shell": 13, "head": 7, "radius": 42.09844, "length": 176.6366},
)  # fmt: skip


def beam_cost(p: Params) -> float:
    """Return the cost of a welded beam. Ragsdell and Phillips (1976)."""
    return float(
        1.10471 * p["weld"] ** 2 * p["joint"]
        + 0.04811 * p["height"] * p["width"] * (14 + p["joint"])
    )


def beam_holds(p: Params) -> bool:
    """Return whether shear, bending, buckling and deflection are within their limits."""
    h, joint, t, b = p["weld"], p["joint"], p["height"], p["width"]
    load, length, young, shear = 6000.0, 14.0, 30e6, 12e6
    direct = load / (math.sqrt(2) * h * joint)
    arm = math.sqrt(joint**2 / 4 + ((h + t) / 2) ** 2)
    inertia = 2 * math.sqrt(2) * h * joint * (joint**2 / 12 + ((h + t) / 2) ** 2)
    torsion = load * (length + joint / 2) * arm / inertia
    stress = math.sqrt(direct**2 + direct * torsion * joint / arm + torsion**2)
    buckling = (
        4.013 * young * math.sqrt(t**2 * b**6 / 36) / length**2
        * (1 - t / (2 * length) * math.sqrt(young / (4 * shear)))
    )  # fmt: skip
    return (
        stress <= 13_600
        and 6 * load * length / (b * t**2) <= 30_000
        and 4 * load * length**3 / (young * t**3 * b) <= 0.25
        and buckling >= load
    )


BEAM = Constrained(
    "welded-beam", beam_cost,
    {"weld": Real(0.125, 2), "joint": Real(0.1, 10), "height": Real(0.1, 10),
     "width": Real(0.1, 2)},
    ("weld <= width", beam_holds), 1.724852,
    {"weld": 0.20573, "joint": 3.470489, "height": 9.036624, "width": 0.20573},
)  # fmt: skip


def reducer_weight(p: Params) -> float:
    """Return the weight of a speed reducer. Golinski (1970)."""
    x1, x2, x3, x4, x5, x6, x7 = (p[f"x{i}"] for i in range(1, 8))
    return float(
        0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
        - 1.508 * x1 * (x6**2 + x7**2)
        + 7.4777 * (x6**3 + x7**3)
        + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    )


def reducer_holds(p: Params) -> bool:
    """Return whether teeth and shafts bear their loads."""
    x1, x2, x3, x4, x5, x6, x7 = (p[f"x{i}"] for i in range(1, 8))
    return bool(
        27 <= x1 * x2**2 * x3
        and 397.5 <= x1 * x2**2 * x3**2
        and 1.93 * x4**3 <= x2 * x3 * x6**4
        and 1.93 * x5**3 <= x2 * x3 * x7**4
        and math.sqrt((745 * x4 / (x2 * x3)) ** 2 + 16.9e6) <= 110 * x6**3
        and math.sqrt((745 * x5 / (x2 * x3)) ** 2 + 157.5e6) <= 85 * x7**3
        and x2 * x3 <= 40
    )


REDUCER = Constrained(
    "speed-reducer", reducer_weight,
    {"x1": Real(2.6, 3.6), "x2": Real(0.7, 0.8), "x3": Integer(17, 28), "x4": Real(7.3, 8.3),
     "x5": Real(7.3, 8.3), "x6": Real(2.9, 3.9), "x7": Real(5.0, 5.5)},
    ("5*x2 <= x1", "x1 <= 12*x2", "1.5*x6 + 1.9 <= x4", "1.1*x7 + 1.9 <= x5", reducer_holds),
    2994.4711,
    {"x1": 3.5, "x2": 0.7, "x3": 17, "x4": 7.3, "x5": 7.71532, "x6": 3.350215, "x7": 5.286655},
)  # fmt: skip

PARTS = tuple(f"w{i}" for i in range(7))
WANTED = (0.4, 0.25, 0.15, 0.12, 0.08, 0.0, 0.0)  # two parts are best left out


def mixture_loss(p: Params) -> float:
    """Return how far a mixture is from the wanted one, with waves: 0 is the least."""
    away = [p[name] - c for name, c in zip(PARTS, WANTED, strict=True)]
    waves = sum(1 - math.cos(6 * math.pi * a) for a in away)
    return float(sum((1 + i) * a**2 for i, a in enumerate(away)) + 0.02 * waves)


MIXTURE = Constrained(
    "mixture-of-seven", mixture_loss, {name: Real(0, 1) for name in PARTS}, (sum_to(1, PARTS),),
    0.0, dict(zip(PARTS, WANTED, strict=True)), rest=PARTS[-1],
)  # fmt: skip


def pair_loss(p: Params) -> float:
    """Return a loss that would be least where the pair is the wrong way round."""
    low, high = p["lower"], p["upper"]
    waves = 2 - math.cos(20 * (low - 0.45)) - math.cos(20 * (high - 0.45))
    return float((low - 0.6) ** 2 + (high - 0.3) ** 2 + 0.02 * waves)


PAIR = Constrained(
    "ordered-pair", pair_loss, {"lower": Real(0, 1), "upper": Real(0, 1)}, ("lower <= upper",),
    0.045, {"lower": 0.45, "upper": 0.45},
)  # fmt: skip

CONSTRAINED = {p.name: p for p in (VESSEL, BEAM, REDUCER, MIXTURE, PAIR)}
