"""neuralbo: Bayesian optimization with neural-network surrogates.

Names are loaded when they are first used, so that `import neuralbo` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralbo import (
        analysis,
        criteria,
        maximizers,
        plots,
        policies,
        report,
        stopping,
        surrogates,
    )
    from neuralbo.data import Data
    from neuralbo.errors import (
        FailedTrialWarning,
        FallbackWarning,
        FitError,
        NeuralboWarning,
        NoValueError,
        StorageError,
    )
    from neuralbo.on_demand import FittedOnDemand
    from neuralbo.optimizer import Optimizer
    from neuralbo.sampler import NeuralSampler
    from neuralbo.space import Categorical, Integer, Real, Space
    from neuralbo.study import minimize

__version__ = "0.1.0"

_HOMES = {
    "Categorical": "space",
    "Data": "data",
    "FailedTrialWarning": "errors",
    "FallbackWarning": "errors",
    "FitError": "errors",
    "FittedOnDemand": "on_demand",
    "Integer": "space",
    "NeuralSampler": "sampler",
    "NeuralboWarning": "errors",
    "NoValueError": "errors",
    "Optimizer": "optimizer",
    "Real": "space",
    "Space": "space",
    "StorageError": "errors",
    "minimize": "study",
}
_MODULES = (
    "analysis", "criteria", "maximizers", "plots", "policies", "report", "stopping", "surrogates",
)  # fmt: skip

__all__ = [
    "Categorical",
    "Data",
    "FailedTrialWarning",
    "FallbackWarning",
    "FitError",
    "FittedOnDemand",
    "Integer",
    "NeuralSampler",
    "NeuralboWarning",
    "NoValueError",
    "Optimizer",
    "Real",
    "Space",
    "StorageError",
    "analysis",
    "criteria",
    "maximizers",
    "minimize",
    "plots",
    "policies",
    "report",
    "stopping",
    "surrogates",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"neuralbo.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"neuralbo.{name}")
    raise AttributeError(f"module 'neuralbo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
