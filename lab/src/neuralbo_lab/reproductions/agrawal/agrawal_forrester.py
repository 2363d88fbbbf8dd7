"""Agrawal (2016), Sec. 5.2, Fig. 11: Forrester's function step by step, from 4 random points.

Of interest is the gallery of steps that the page draws for problems with one variable.
"""

from neuralbo_lab.claims.claim import Between
from neuralbo_lab.core.optimization_study import OptimizationStudy

_BNN, _FORRESTER = "bnn_hmc_fast/lcb/multistart", "agrawal-forrester"

AGRAWAL_FORRESTER = OptimizationStudy(
    name="agrawal-forrester",
    reproduces="Agrawal (2016) 5.2, Fig. 11: model and proposals on Forrester's function",
    problems=(_FORRESTER,),
    methods=(_BNN, "gp_gpyopt/lcb/multistart", "gp/lcb", "brvfl4/lcb", "random"),
    trials=12,
    start=4,
    seeds=10,
    claims=(
        Between(
            _BNN, _FORRESTER, -6.021, -6.0,
            "Agrawal (2016), Sec. 5.2, Fig. 11: the minimum, -6.02074, is found in a "
            "reasonable number of evaluations",
            "median", "value",
        ),
    ),
    departures=(
        "8 proposals: Agrawal (2016) shows the first one and says 'a few more'.",
        "10 sets of initial points: Agrawal (2016) shows one, and not which; its first proposal, "
        "x = 0, is therefore not to be expected again.",
        "The other methods are ours: Agrawal (2016) shows its network alone, here in the preset"
        " bnn_hmc_fast.",
    ),
    quick_trials=12,
)  # fmt: skip
