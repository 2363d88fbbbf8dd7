"""Twenty to a hundred dimensions, at which all five publications aim and none arrives."""

from dataclasses import replace

from neuralbo_lab.claims.shares import AheadOnMost, NoSlower
from neuralbo_lab.core.optimization_study import Cell, Group, OptimizationStudy

_NAMES = (
    *(f"{name}{{d}}-shifted" for name in ("levy", "ackley", "rosenbrock", "rastrigin")),
    *(f"bbob-f{f}-d{{d}}" for f in (8, 15, 20)),
)
# COCO has no rotations in so many dimensions
_OWN = {f"bbob-f15-d{d}": f"rotated-rastrigin{d}" for d in (50, 100)}
_PEERS = ("gpsampler", "tpe", "cmaes", "turbo", "botorch")
_OURS = (
    "high_dimension",
    "trust_region@gp",
    "random_embedding",
    "additive_brvfl4",
    "brvfl4",
    "gp",
)


def _problems(*dimensions: int) -> tuple[str, ...]:
    names = (name.format(d=d) for d in dimensions for name in _NAMES)
    return tuple(_OWN.get(name, name) for name in names)


def _claims(problems: tuple[str, ...]) -> tuple[AheadOnMost | NoSlower, ...]:
    return (
        AheadOnMost("high_dimension", _PEERS, problems, 2 / 3, "what it is for"),
        NoSlower("high_dimension", "gpsampler", problems, "what it is for"),
    )


def _botorch(seeds: int) -> tuple[Cell, ...]:
    """BoTorch's Gaussian process takes minutes a run in 20 dimensions, and hours in 100."""
    return tuple(Cell(p, "botorch", seed) for seed in range(seeds) for p in _problems(20))


_BOTH = _problems(20, 100)

HIGH_DIMENSION = OptimizationStudy(
    name="high-dimension",
    reproduces="many dimensions (Agrawal 2016, sec. 4.2) beside Optuna, BoTorch and a "
    "trust-region process",
    problems=_BOTH,
    methods=(*_OURS, *_PEERS, "random"),
    trials=120,
    start=20,
    seeds=2,
    design="sobol",
    groups=tuple(Group(f"{d} dimensions", _problems(d)) for d in (20, 100)),
    claims=_claims(_BOTH),
    departures=(
        "BBOB ends at 40 dimensions: f8 and f20 are COCO's beyond, f15 is ours, with a place and "
        "rotations of its own.",
        "All methods have the same twenty initial points; those of random_embedding lie off its "
        "plane, so that it learns nothing from them.",
    ),
    few=_botorch(2),
    quick_trials=30,
    quick_seeds=1,
    quick_problems=("levy20-shifted", "bbob-f15-d20"),
)

_ALL = _problems(20, 50, 100)
# the whole protocol, for those who have the hours
HIGH_DIMENSION_FULL = replace(
    HIGH_DIMENSION,
    name="high-dimension-full",
    problems=_ALL,
    trials=300,
    seeds=5,
    groups=tuple(Group(f"{d} dimensions", _problems(d)) for d in (20, 50, 100)),
    claims=_claims(_ALL),
    few=_botorch(5),
)
