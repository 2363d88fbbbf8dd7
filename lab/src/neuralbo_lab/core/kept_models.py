"""The models and proposals of a run, kept for inspection: `neuralbo lab run STUDY --keep-models`.

step = load_step(Path("runs/lab/.../models/branin__gp__000/0012.pt"))
step["model"].posterior(X)      # in the units of the values, X in the unit cube

A file has tensors and text in it and no code: the observations that a suggestion was made from,
and the names and numbers that say how. A model is a function of these, so it is fitted again when
the file is loaded.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from botorch.models.model import Model
from neuralbo import __version__
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.policies import Plans, Policy
from neuralbo.policies.box import ZoomedModel
from neuralbo.space import Space
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.surrogate import Negated

from neuralbo_lab.core.methods import AskTellOptimizer, find_method
from neuralbo_lab.problems import find

TENSORS = ("X", "Y", "numbers", "X_pending", "X_failed", "X_censored", "Y_censored", "C")


def models_folder(where: Path, file: str) -> Path:
    """Return where the steps of a cell are kept."""
    return where / "models" / file.removesuffix(".jsonl")


class CannotKeepError(OSError):
    """A step could not be written: the disk's fault, and not the method's."""


def save_step(
    where: Path,
    number: int,
    optimizer: AskTellOptimizer,
    params: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> None:
    """Save what was proposed and, if the method is one of ours, what its model is made from.

    The model is the one that the proposal came from: nothing was told since.

    Args:
        where: the folder of the run.
        number: of the trial.
        optimizer: who proposed.
        params: what was proposed.
        settings: the names of problem and method, and the number of trials.
    """
    observed = optimizer.step() if isinstance(optimizer, Optimizer) else None
    text = {"number": number, "params": dict(params), "facts": dict(getattr(params, "facts", {})),
            "version": __version__, **settings}  # fmt: skip
    if observed is not None:
        text["step"] = {
            "seed": observed.seed,
            "number": observed.number,
            "horizon": observed.horizon,
        }
    tensors = {} if observed is None else {name: getattr(observed.data, name) for name in TENSORS}
    try:
        where.mkdir(parents=True, exist_ok=True)
        torch.save({"text": json.dumps(text), "data": tensors}, where / f"{number:04d}.pt")
    except (OSError, RuntimeError) as error:  # torch says RuntimeError if the disk is full
        raise CannotKeepError(f"{where} cannot be written: {error}") from error


def load_step(path: Path) -> dict[str, Any]:
    """Return a step that was kept, with its model fitted again; None where there was none."""
    kept = torch.load(path, weights_only=True)
    found: dict[str, Any] = json.loads(kept["text"])
    seen = found.pop("step", None)
    model = None
    if seen is not None:
        optimizer = find_method(found["method"]).make(
            Space(find(found["problem"]).space()), seen["seed"], found["trials"]
        )
        assert isinstance(optimizer, Optimizer)
        model = _model(
            optimizer.policy, Step.of(Data(**kept["data"]), optimizer.space.domain, **seen)
        )
    return found | {"model": model}


@one_thread()
def _model(policy: Policy, step: Step) -> Model | None:
    """Return the model that chose, in the units and the sign of the values, if there is one."""
    plan = policy.plan(step) if step.data.n and isinstance(policy, Plans) else None
    if plan is None:
        return None
    model = plan.step.fit(plan.standard.surrogate, plan.step.data)
    model = model if plan.box is None else ZoomedModel(model, plan.box)
    # the laboratory minimizes; a classifier has no sign
    return model if isinstance(model, ClassModel) else Negated(model)
