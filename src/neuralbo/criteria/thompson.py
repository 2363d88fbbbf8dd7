"""Trust one function drawn from the posterior."""

from dataclasses import dataclass
from typing import ClassVar, final

from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.criteria.criterion import single_points
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import DrawsFunctions


@final
class ThompsonSample(AcquisitionFunction):
    """a(x) = f(x) for one f drawn from the posterior.

    f is drawn at construction, so a is deterministic and its maximizer is a draw of
    argmax f given the data. Thompson (1933).
    """

    def __init__(self, model: DrawsFunctions, rng: Generator) -> None:
        super().__init__(model)
        self.f = model.draw(rng)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate a at X, b x 1 x d; b values."""
        return self.f(X)[..., 0, 0]


@final
@dataclass(frozen=True, slots=True)
class Thompson:
    """The maximizer of one draw of f: random in proportion to what is still possible."""

    is_log: ClassVar[bool] = False

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Draw f from the random numbers of the step."""
        if not isinstance(model, DrawsFunctions):
            raise TypeError(
                f"thompson needs a surrogate that draws functions, and {type(model).__name__} "
                "does not; use criterion='log_ei'."
            )
        return ThompsonSample(model, step.rng)
