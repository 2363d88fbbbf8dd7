"""neuralbo: Bayesian optimization with neural-network surrogates.

Names are loaded when they are first used, so that `import neuralbo` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralbo import criteria, maximizers, policies, surrogates
    from neuralbo.data import Data
    from neuralbo.errors import (
        FailedTrialWarning,
        FallbackWarning,
        FitError,
        NeuralboWarning,
        NoValueError,
        StorageError,
    )
    from neuralbo.interfaces import stopping
    from neuralbo.interfaces.botorch import FittedOnDemand
    from neuralbo.interfaces.minimize import minimize
    from neuralbo.interfaces.optimizer import Optimizer
    from neuralbo.interfaces.optuna.pruner import NeuralPruner
    from neuralbo.interfaces.optuna.reports import report_values, should_prune
    from neuralbo.interfaces.optuna.resume import resumed
    from neuralbo.interfaces.optuna.sampler import NeuralSampler
    from neuralbo.interfaces.sklearn import NeuralSearchCV
    from neuralbo.reporting import analysis, plots
    from neuralbo.reporting import page as report
    from neuralbo.space import Categorical, Integer, Real, Space

__version__ = "0.1.0"

_HOMES = {
    "Categorical": "space",
    "Data": "data",
    "FailedTrialWarning": "errors",
    "FallbackWarning": "errors",
    "FitError": "errors",
    "FittedOnDemand": "interfaces.botorch",
    "Integer": "space",
    "NeuralPruner": "interfaces.optuna.pruner",
    "NeuralSampler": "interfaces.optuna.sampler",
    "NeuralSearchCV": "interfaces.sklearn",
    "NeuralboWarning": "errors",
    "NoValueError": "errors",
    "Optimizer": "interfaces.optimizer",
    "Real": "space",
    "Space": "space",
    "StorageError": "errors",
    "minimize": "interfaces.minimize",
    "report_values": "interfaces.optuna.reports",
    "resumed": "interfaces.optuna.resume",
    "should_prune": "interfaces.optuna.reports",
}
_MODULES = {
    "analysis": "reporting.analysis",
    "criteria": "criteria",
    "maximizers": "maximizers",
    "plots": "reporting.plots",
    "policies": "policies",
    "report": "reporting.page",
    "stopping": "interfaces.stopping",
    "surrogates": "surrogates",
}

__all__ = [
    "Categorical",
    "Data",
    "FailedTrialWarning",
    "FallbackWarning",
    "FitError",
    "FittedOnDemand",
    "Integer",
    "NeuralPruner",
    "NeuralSampler",
    "NeuralSearchCV",
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
    "report_values",
    "resumed",
    "should_prune",
    "stopping",
    "surrogates",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"neuralbo.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"neuralbo.{_MODULES[name]}")
    raise AttributeError(f"module 'neuralbo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
