"""The path of one suggestion, traced: `python -m neuralbo_lab.core.trace_suggestion [SURROGATE]`.

It prints each function of ours between `NeuralSampler.sample_relative` and the first fit.
"""

import inspect
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import neuralbo
import optuna
from neuralbo import NeuralSampler

ROOT = Path(neuralbo.__file__).parent
FIRST, LAST = "sample_relative", ("fit", "fit_from")
TRIALS = 13  # of which the next suggestion is between two numbers of the refit schedule


def trace(surrogate: str = "auto") -> list[str]:
    """Return "file: function" of each frame from the front to the fit of a surrogate."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=NeuralSampler(surrogate, seed=0))
    study.optimize(_objective, n_trials=TRIALS)
    found: list[list[str]] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_name
        is_fit = name in LAST and "surrogates" in Path(frame.f_code.co_filename).parts
        if event == "call" and is_fit:
            found.append(_path(frame))

    sys.setprofile(look)
    try:
        study.ask({"x": optuna.distributions.FloatDistribution(-1, 1)})
    finally:
        sys.setprofile(None)
    return min((path for path in found if path), key=len)


def _path(frame: FrameType | None) -> list[str]:
    """Return our frames from the front down to this one; none if the front is not among them."""
    path: list[str] = []
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if ROOT in file.parents:
            owner = frame.f_locals.get("self")
            name = frame.f_code.co_name
            said = f"{type(owner).__name__}.{name}" if owner is not None else name
            path.append(f"{file.relative_to(ROOT)}: {said}")
        if frame.f_code.co_name == FIRST:
            return path[::-1]
        frame = frame.f_back
    return []


def _objective(trial: optuna.Trial) -> float:
    return float((trial.suggest_float("x", -1, 1) - 0.3) ** 2)


if __name__ == "__main__":
    print(inspect.cleandoc(__doc__ or "").splitlines()[0], file=sys.stderr)
    for number, frame in enumerate(trace(*sys.argv[1:]), 1):
        print(number, frame)
