"""What settings are chosen on, and what is kept for the last comparison. Said here alone.

Whoever develops looks at DEVELOPMENT only; tables that are published show TEST only. Suites with
instances are divided by instance, other problems by data set, and the seeds of the two differ as
well. Instances in neither are not touched by anybody.

The runner asks `must_be_allowed` before each run: a problem or a seed of TEST is refused unless
the study is one for testing, and those need a flag (`neuralbo lab run NAME --test`).
"""

import re
from dataclasses import dataclass
from typing import final

SUITES = ("bbob-cut", "bbob-cut-noise2", "bbob-cut-noise10", "bbob-mixint-cut")
SWITCHES = ("labs", "qubo", "nk", "contamination")


@final
@dataclass(frozen=True, slots=True)
class Split:
    """One of the two halves.

    Attributes:
        instances: of the suites.
        seeds: of runs, on all problems.
        real: the problems without instances.
    """

    name: str
    instances: range
    seeds: range
    real: tuple[str, ...]


DEVELOPMENT = Split(
    "development",
    range(1, 6),
    range(100, 200),
    (
        *(f"tune-{learner}-digits-cut" for learner in ("svm", "mlp", "boosting", "forest")),
        *(f"tune-{learner}-diabetes-cut" for learner in ("svm", "mlp", "boosting", "forest")),
        "ax-mnist-cut",
        "reaction-dreher-doyle-cut",
        "features-digits-cut",
        "control-swimmer-cut",
    ),
)
TEST = Split(
    "test",
    range(11, 16),
    range(0, 100),
    (
        *(f"tune-{learner}-wine-cut" for learner in ("svm", "mlp", "boosting", "forest")),
        *(f"tune-{learner}-breast-cancer-cut" for learner in ("svm", "mlp", "boosting", "forest")),
        "ax-fashion-mnist-cut",
        "ax-cifar10-cut",
        "reaction-suzuki-miyaura-cut",
        "features-breast-cancer-cut",
        "control-double-pendulum-cut",
        "control-hopper-cut",
    ),
)
SPLITS = (DEVELOPMENT, TEST)
_INSTANCE = re.compile(
    rf"(?:(?:{'|'.join(SUITES)})-f[0-9]+-d[0-9]+|(?:{'|'.join(SWITCHES)})[0-9]+)-i([0-9]+)"
)


class SplitError(ValueError):
    """A run that the split of the benchmark forbids."""


def is_of_the_benchmark(problem: str) -> bool:
    """Return whether a problem is divided at all."""
    return _INSTANCE.fullmatch(problem) is not None or any(problem in s.real for s in SPLITS)


def split_of(problem: str) -> Split | None:
    """Return the half that a problem of the benchmark is in; None if it is in neither."""
    found = _INSTANCE.fullmatch(problem)
    if found is None:
        return next((split for split in SPLITS if problem in split.real), None)
    return next((split for split in SPLITS if int(found[1]) in split.instances), None)


def must_be_allowed(problem: str, seed: int, *, is_test: bool) -> None:
    """Refuse a run on a problem of the benchmark that is not of the half it should be of.

    Raises:
        SplitError: The problem or the seed is of the other half, or of neither.
    """
    if not is_of_the_benchmark(problem):
        return
    wanted = TEST if is_test else DEVELOPMENT
    if split_of(problem) is not wanted or seed not in wanted.seeds:
        raise SplitError(
            f"{problem} with seed {seed} is not for {wanted.name}, which has the instances "
            f"{wanted.instances[0]} to {wanted.instances[-1]} and the seeds {wanted.seeds[0]} to "
            f"{wanted.seeds[-1]}; see neuralbo_lab.core.splits."
        )
