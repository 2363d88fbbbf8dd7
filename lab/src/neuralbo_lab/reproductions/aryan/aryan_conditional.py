"""The point and the network chosen together, with three surrogates; on other data.

Aryan (2020), Sec. 5.4.
"""

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.aryan.aryan_names import BOHAMIANN, CONDITIONAL, FOREST, GP, SEARCH
from neuralbo_lab.reproductions.aryan.aryan_stand_ins import DEPARTURES, PROBLEMS, QUICK
from neuralbo_lab.reproductions.aryan.aryan_tables_hpo import CONDITIONAL_TABLES

_BOHAMIANN_CL, _GP_CL, _RF_CL = CONDITIONAL.values()
_TABLE = "Aryan (2020), Table 5.1"

ARYAN_CONDITIONAL = OptimizationStudy(
    name="aryan-conditional",
    reproduces="Aryan (2020) 5.4: Table 5.1, the conditional criterion, on other data",
    problems=PROBLEMS,
    methods=(
        BOHAMIANN, _BOHAMIANN_CL, GP, _GP_CL, FOREST, _RF_CL, "gp/conditional_map",
        "gp_one_stage", SEARCH,
    ),
    trials=50,
    start=2,
    seeds=30,
    document=CONDITIONAL_TABLES,
    claims=(
        Beats(
            _BOHAMIANN_CL, (BOHAMIANN,), PROBLEMS,
            f"{_TABLE}: BOHAMIANN_cl has the lower median 9 times of 9", "median",
        ),
        BordaOver(_BOHAMIANN_CL, (BOHAMIANN,), f"{_TABLE}: the criterion helps BOHAMIANN"),
        BordaOver(GP, (_GP_CL,), f"{_TABLE}: the criterion gives GP nothing"),
        BordaOver(FOREST, (_RF_CL,), f"{_TABLE}: nor Random Forest"),
    ),
    departures=(
        *DEPARTURES,
        "How (x, w) is minimized is not given: 8 starts, half of them at the maximum of EI,"
        " 200 steps of Adam.",
        "gp_one_stage, and gp with our own maximizer, are not in the table.",
        "All begin with two random points; Aryan (2020) does not say how many it had.",
    ),
    quick_trials=12,
    quick_seeds=1,
    quick_problems=QUICK,
)  # fmt: skip
