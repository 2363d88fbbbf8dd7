"""Random points, most of them anywhere, some around the best observation."""

from dataclasses import dataclass
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick


@final
@dataclass(frozen=True, slots=True)
class RandomCandidates:
    """The best of `candidates` points: uniform ones, and a part from N(incumbent, std^2).

    RoBO's `RandomSampling`, as in Aryan (2020), Sec. 4.4, 70 % and 30 %, clipped to the box. Its
    standard deviation is 0.1 in the units of each parameter, whatever the box; here it is 0.1 of
    the box. Integers and categories around the incumbent move to the nearest level, so categories
    keep theirs.

    Attributes:
        local: the part of the candidates around the incumbent.
        std: of those, in units of the cube.
    """

    candidates: int = 500
    local: float = 0.3
    std: float = 0.1

    def __post_init__(self) -> None:
        if self.candidates < 1 or not 0 <= self.local < 1 or not self.std >= 0:
            raise ValueError(
                f"RandomCandidates needs candidates >= 1, 0 <= local < 1 and std >= 0, got {self}."
            )

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best of the points drawn."""
        domain, data, rng = step.domain, step.data, step.rng
        near = int(self.candidates * self.local)
        X = domain.sample(self.candidates - near, rng)
        incumbent = data.X[data.Y[:, 0].argmax()]
        e = torch.randn(near, domain.d, generator=rng, dtype=X.dtype)
        e[:, list(domain.coded)] = 0.0  # codes are near each other, and their levels stay too
        X = torch.cat([X, domain.project(incumbent + self.std * e)])
        return pick(step, X, evaluate(acquisition, X), q)
