"""How long a suggestion takes with each name of the catalog: the seconds of `neuralbo surrogates`.

    python -m neuralbo_lab.speed.surrogates

measures and writes them into `src/neuralbo/surrogates.csv`. Seconds are of the CPU, with one
thread: the mean of some suggestions after 50 trials, the first one, which loads things, left out.
"""

import csv
import multiprocessing
import resource
import time
from pathlib import Path

import neuralbo
from neuralbo import Optimizer, Real
from neuralbo.catalog import POLICIES, SURROGATES
from rich.console import Console
from rich.progress import track

from neuralbo_lab.speed.goals import Measured

TABLE = Path(neuralbo.__file__).with_name("surrogates.csv")
TRIALS, DIMENSIONS = 50, 5
MOST_SUGGESTIONS, ENOUGH_SECONDS = 10, 2.0
MOST_SECONDS = 20  # of a process; what takes longer has no number
QUICK = ("gp", "random")


def seconds_of(name: str, trials: int = TRIALS) -> float:
    """Return the CPU seconds of a suggestion after so many trials of a smooth function."""
    space = {f"x{k}": Real(0, 1) for k in range(DIMENSIONS)}
    design = Optimizer(space, surrogate="sobol", seed=0)
    opt = Optimizer(space, surrogate=name, seed=0, n_startup_trials=trials, n_trials=2 * trials)
    for params in design.ask(trials):
        opt.tell(
            params, sum((x - 0.3 * k / DIMENSIONS) ** 2 for k, x in enumerate(params.values()))
        )
    opt.tell(opt.ask(), 0.5)  # what is loaded or computed once
    began, spent, count = time.process_time(), 0.0, 0
    while count < MOST_SUGGESTIONS and spent < ENOUGH_SECONDS:
        opt.tell(opt.ask(), 0.5)
        spent, count = time.process_time() - began, count + 1
    return spent / count


def _child(name: str, pipe: "multiprocessing.connection.Connection") -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    pipe.send(seconds_of(name))


def limited(name: str) -> float | None:
    """Return the seconds of a name; None if its process took more than `MOST_SECONDS`.

    Raises:
        RuntimeError: the suggestion failed.
    """
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(name, sending))
    child.start()
    sending.close()
    try:
        return float(receiving.recv())
    except EOFError:
        child.join()
        if child.exitcode is not None and child.exitcode > 0:
            raise RuntimeError(f"{name} made no suggestion; its error is above.") from None
        return None  # a signal has ended it: the limit
    finally:
        child.join()


def run(is_quick: bool) -> Measured:
    """Measure all names; the quick way takes two of them."""
    names = QUICK if is_quick else (*POLICIES, *SURROGATES)
    found = {
        name: limited(name) for name in track(names, "measuring", console=Console(stderr=True))
    }
    rows = {name: "more" if s is None else s for name, s in found.items()}
    return Measured({f"CPU seconds of a suggestion after {TRIALS} trials": rows}, [])


def main() -> None:
    """Measure all rows of the table that lack a number, and write them."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if not row["seconds"]:
            found = limited(row["name"])
            row["seconds"] = f">{MOST_SECONDS}" if found is None else f"{found:.2g}"
            print(row["name"], row["seconds"], flush=True)
            with TABLE.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
