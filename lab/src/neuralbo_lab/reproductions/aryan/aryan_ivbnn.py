"""Networks from an implicit hypernetwork beside other surrogates; on other data.

Aryan (2020), Sec. 6.8.
"""

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.aryan.aryan_names import (
    BOHAMIANN,
    FOREST,
    GP,
    GP_MCMC,
    IVBNN,
    SEARCH,
)
from neuralbo_lab.reproductions.aryan.aryan_stand_ins import DEPARTURES, PROBLEMS, QUICK
from neuralbo_lab.reproductions.aryan.aryan_tables_hpo import IVBNN_TABLES

_SVM = ("tune-svm-digits",)
_REST = tuple(problem for problem in PROBLEMS if "svm" not in problem)

ARYAN_IVBNN = OptimizationStudy(
    name="aryan-ivbnn",
    reproduces="Aryan (2020) 6.8: Tables 6.2 to 6.4, IVBNN, on other data",
    problems=PROBLEMS,
    methods=(IVBNN, BOHAMIANN, GP, GP_MCMC, FOREST, SEARCH, "ivbnn_fast"),
    trials=50,
    start=2,
    seeds=30,
    document=IVBNN_TABLES,
    claims=(
        Beats(
            IVBNN,
            (BOHAMIANN,),
            _REST,
            "Aryan (2020), Sec. 6.8: IVBNN beats BOHAMIANN on all but SVM / MNIST",
        ),
        Beats(
            BOHAMIANN,
            (IVBNN,),
            _SVM,
            "Aryan (2020), Sec. 6.8: IVBNN stays near its start on SVM / MNIST",
        ),
        BordaOver(IVBNN, (BOHAMIANN,), "Aryan (2020), Sec. 6.8: IVBNN beats BOHAMIANN"),
        BordaOver(
            IVBNN,
            (SEARCH,),
            "Aryan (2020), Sec. 6.8: IVBNN among the first three, but on SVM / MNIST",
        ),
        BordaOver(
            GP_MCMC,
            (IVBNN,),
            "Aryan (2020), Sec. 6.8: GP_mcmc is the main competitor, usually better",
        ),
    ),
    departures=(
        *DEPARTURES,
        "IVBNN is ivbnn_fast: no critic, the output layer exact. A fit with the printed settings,"
        " `ivbnn`, takes minutes to hours, and steps and optimizer are not given.",
        "ivbnn_fast with our own maximizer is not in Aryan (2020).",
    ),
    quick_trials=12,
    quick_seeds=1,
    quick_problems=QUICK,
)
