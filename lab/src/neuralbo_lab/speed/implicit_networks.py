"""How fast `ivbnn_fast` and `conditional_map` suggest, beside Optuna's Gaussian process.

Seconds are of the CPU, with one thread, since other processes may want it too.
"""

import itertools
from typing import Any

from neuralbo.catalog import make_policy
from neuralbo.engine.threads import one_thread
from rich.console import Console
from rich.progress import track

from neuralbo_lab.speed.goals import Goal, Measured, at_most
from neuralbo_lab.speed.mixtures import PEER, Sizes, peer_suggestion
from neuralbo_lab.speed.training import suggestion

METHODS = {
    "ivbnn_fast": ("ivbnn_fast", None),
    "conditional_map": ("gp", "conditional_map"),
    "gp_one_stage": ("gp_one_stage", None),
}
MOST = {"ivbnn_fast": 60.0, "conditional_map": 8.0}


FULL, QUICK = Sizes(trials=(20, 50)), Sizes(trials=(6, 8), suggestions=1)
Table = dict[int, dict[str, float]]


def run(is_quick: bool) -> Measured:
    """Measure; the quick way is too small to mean anything."""
    sizes = QUICK if is_quick else FULL
    seconds: Table = {n: {} for n in sizes.trials}
    jobs = list(itertools.product(sizes.trials, [*METHODS, PEER]))
    for n, name in track(jobs, "measuring", console=Console(stderr=True)):
        if name == PEER:
            seconds[n][name] = peer_suggestion(n, sizes)
        else:
            with one_thread():
                seconds[n][name] = suggestion(
                    make_policy(*METHODS[name]), n, sizes.d, sizes.suggestions
                )
    return measured(seconds)


def measured(seconds: Table) -> Measured:
    """Turn seconds into tables and goals; conditional_map has one at the most trials only."""
    figures: dict[str, Any] = {
        "seconds of a suggestion": {f"{n} trials": row for n, row in seconds.items()},
        f"suggestion over {PEER}'s": {
            f"{n} trials": {name: value / row[PEER] for name, value in row.items()}
            for n, row in seconds.items()
        },
    }
    goals: list[Goal] = [
        at_most(f"{name} over {PEER} at {n} trials", row[name] / row[PEER], MOST[name])
        for n, row in seconds.items()
        for name in MOST
        if name != "conditional_map" or n == max(seconds)
    ]
    return Measured(figures, goals)
