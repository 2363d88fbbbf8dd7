"""The random-feature networks of Table 4.1 of Aryan (2020) by name.

brvfl1 .. brvfl4   as we would use them      brvfl*_aryan  as Aryan (2020) has it, a learnt prior
ervfl1 .. ervfl4   the same of the ensemble  brvfl*_fixed  as it prints it, a fixed prior
elm                as we would use it        elm_printed   with the plain pseudo-inverse
"""

from typing import Any

from neuralbo.surrogates.random_features.elm import ExtremeLearning
from neuralbo.surrogates.random_features.ervfl import EnsembleRVFL
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import Surrogate, Usual

_TABLE = {1: ("tanh", False), 2: ("tanh", True), 3: ("relu", False), 4: ("relu", True)}
_ARYAN: dict[str, Any] = {"clip": None, "initialization": "independent"}
_ALONE: dict[str, Any] = _ARYAN | {"squares": 0.0, "usual": Usual()}

PRESETS: dict[str, Surrogate] = {}
for _i, (_activation, _skip) in _TABLE.items():
    _is: dict[str, Any] = {"activation": _activation, "skip": _skip}
    _shared = _is | _ARYAN | {"shares_precision": True}
    PRESETS[f"brvfl{_i}"] = BayesianRVFL(**_is)
    PRESETS[f"brvfl{_i}_aryan"] = BayesianRVFL(**_is, **_ALONE)
    PRESETS[f"brvfl{_i}_fixed"] = BayesianRVFL(**_is, **_ALONE, prior_precision="printed")
    PRESETS[f"ervfl{_i}"] = EnsembleRVFL(**_is)
    PRESETS[f"ervfl{_i}_aryan"] = EnsembleRVFL(**_shared)
    PRESETS[f"ervfl{_i}_fixed"] = EnsembleRVFL(**_shared, prior_precision="printed")
PRESETS["elm"] = ExtremeLearning()
PRESETS["elm_printed"] = ExtremeLearning(tolerance=1e-15)
