"""The models and proposals of a run, kept for inspection: `neuralbo lab run STUDY --keep-models`.

step = load_step(Path("runs/lab/.../models/branin__gp__000/0012.pt"))
step["model"].posterior(X)      # in the units of the values, X in the unit cube
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from botorch.models.model import Model

from neuralbo.lab.methods import Asker
from neuralbo.optimizer import Optimizer
from neuralbo.policies.box import ZoomedModel
from neuralbo.policies.choice import choice_at
from neuralbo.surrogates.base import Negated
from neuralbo.surrogates.class_model import ClassModel


def models_folder(where: Path, file: str) -> Path:
    """Return where the steps of a cell are kept."""
    return where / "models" / file.removesuffix(".jsonl")


class CannotKeepError(OSError):
    """A step could not be written: the disk's fault, and not the method's."""


def save_step(where: Path, number: int, asker: Asker, params: Mapping[str, Any]) -> None:
    """Save what was proposed and, if the method is one of ours that has one, the model.

    The model is the one that the proposal came from: nothing was told since.
    """
    model = _model(asker) if isinstance(asker, Optimizer) else None
    step = {
        "number": number,
        "params": dict(params),
        "facts": dict(getattr(params, "facts", {})),
        "model": model,
    }
    try:
        where.mkdir(parents=True, exist_ok=True)
        torch.save(step, where / f"{number:04d}.pt")
    except (OSError, RuntimeError) as error:  # torch says RuntimeError if the disk is full
        raise CannotKeepError(f"{where} cannot be written: {error}") from error


def _model(asker: Optimizer) -> Model | None:
    """Return the model that chose, in the units and the sign of the values, if there is one."""
    step = asker.step()
    choice = choice_at(asker.policy, step) if step.data.n else None
    if choice is None:
        return None
    model = choice.step.fit(choice.standard.surrogate, choice.step.data)
    model = model if choice.box is None else ZoomedModel(model, choice.box)
    # the laboratory minimizes; a classifier has no sign
    return model if isinstance(model, ClassModel) else Negated(model)


def load_step(path: Path) -> dict[str, Any]:
    """Return a step that was kept; only of files that you trust, since models are code."""
    return torch.load(path, weights_only=False)  # type: ignore[no-any-return]
