"""Our default beside the strongest peers on public suites; the plan of what runs where.

Slow methods run a stated part, and every ratio is taken over the cells that both have. The study
for development has another split than the one for testing, and is otherwise the same.
"""

from neuralbo_lab.core.benchmark_study import BenchmarkStudy, Part, benchmark_study
from neuralbo_lab.core.splits import DEVELOPMENT, TEST, Split

_ALL = tuple(range(1, 25))
_SWITCHES = tuple(f"{name}-i{{i}}" for name in ("labs25", "qubo24", "nk15", "contamination25"))
_FEW_MIXED = (1, 3, 8, 10, 15, 16, 20, 21)
_NOISY = (1, 3, 8, 11, 15, 17, 20, 21)
_FAST = ("auto", "gpsampler", "tpe", "cmaes", "pycma", "nevergrad", "random")
_MIDDLE = ("botorch", "turbo", "smac")
_MIXED = ("auto", "gpsampler", "tpe", "smac", "nevergrad", "random")

# seconds of a suggestion within 60 trials in five dimensions, for the plan: measured on three to
# 24 functions, but for botorch, turbo and smac
COSTS = {
    "auto": 0.03, "gpsampler": 0.03, "tpe": 0.0015, "cmaes": 0.0005, "pycma": 0.0002,
    "nevergrad": 0.005, "random": 0.0005, "botorch": 0.5, "turbo": 0.3, "smac": 0.3,
    "hebo": 2.0, "ax": 0.4, "baybe": 0.3, "vizier": 7.0, "saasbo": 7.0,
}  # fmt: skip


def _bbob(
    *dimensions: int, suite: str = "bbob-cut", functions: tuple[int, ...] = _ALL
) -> tuple[str, ...]:
    return tuple(f"{suite}-f{f}-d{d}-i{{i}}" for d in dimensions for f in functions)


def _parts_60(split: Split) -> tuple[Part, ...]:
    low, noisy = (
        _bbob(2, 3, 5, 10),
        (
            *_bbob(5, suite="bbob-cut-noise2", functions=_NOISY),
            *_bbob(5, suite="bbob-cut-noise10", functions=_NOISY),
        ),
    )
    mixed = _bbob(5, 10, suite="bbob-mixint-cut", functions=_FEW_MIXED)
    return (
        Part(_FAST, low, instances=5, seeds=3),
        Part(_MIDDLE, low, instances=5, seeds=1),
        Part(("hebo", "ax"), _bbob(5), instances=1, seeds=2),
        Part(("vizier", "baybe"), _bbob(5), instances=1, seeds=1),
        Part((*_FAST, "turbo"), _bbob(20), instances=2, seeds=2),
        Part(("hebo",), _bbob(20), instances=1, seeds=1),
        Part(("saasbo",), _bbob(20, functions=(8, 15, 20)), instances=1, seeds=1),
        Part((*_MIXED, "botorch"), mixed, instances=3, seeds=1),
        Part(_MIXED, (*_SWITCHES, *split.real), instances=3, seeds=3),
        Part(("hebo", "ax", "vizier"), (*_SWITCHES, *split.real), instances=1, seeds=1),
        Part((*_FAST, "botorch", "smac"), noisy, instances=3, seeds=2),
        Part(("hebo",), noisy, instances=1, seeds=1),
    )


def _parts_200(split: Split) -> tuple[Part, ...]:
    return (
        Part((*_FAST, "turbo", "smac"), _bbob(10, 20), instances=2, seeds=1),
        Part(("hebo",), _bbob(10, functions=(8, 10, 16, 20)), instances=1, seeds=1),
    )


def _parts_1000(split: Split) -> tuple[Part, ...]:
    names = _bbob(10, 20, functions=(3, 8, 10, 15, 16, 17, 20, 21))
    return (
        Part(("auto", "tpe", "cmaes", "pycma", "nevergrad", "random"), names, 2, 1),
        Part(("turbo", "smac"), names, 1, 1),
    )


def _study(split: Split, trials: int) -> BenchmarkStudy:
    parts = {60: _parts_60, 200: _parts_200, 1000: _parts_1000}[trials](split)
    ending = "-test" if split is TEST else ""
    words = "kept for the last comparison" if split is TEST else "to develop on"
    return benchmark_study(
        f"public-{trials}{ending}",
        f"the default beside the strongest peers on public suites, {trials} trials, {words}",
        split, parts, trials=trials, costs=COSTS,
    )  # fmt: skip


PUBLIC = tuple(
    _study(split, trials) for split in (DEVELOPMENT, TEST) for trials in (60, 200, 1000)
)
