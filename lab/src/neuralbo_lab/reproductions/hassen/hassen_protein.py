"""Nine hyper-parameters of a network for the Protein data, from a table.

Hassen and Rish (2021), Sec. 5.2.
"""

from neuralbo_lab.claims.claim import Beats
from neuralbo_lab.claims.paired_tests import BeatsByTest
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.hassen.hassen_synthetic import AVERAGED, OURS, RIVALS, SINGLE

_PROTEIN = "hpo-fcnet-protein"
_GP = "gp_gpyopt/ei"  # with `mixed`, since the table has integers and choices
_RIVALS = (*(name for name in RIVALS if "/" not in name and name != "botorch"), _GP)

HASSEN_PROTEIN = OptimizationStudy(
    name="hassen-protein",
    reproduces="Hassen and Rish (2021) 5.2, Fig. 3: HPOBench, regret on the Protein data",
    problems=(_PROTEIN,),
    methods=(_GP, "gp", "brvfl4", *OURS, SINGLE, "bore_forest", "tpe", "random"),
    trials=80,
    start=10,
    seeds=200,
    claims=(
        *(
            Beats(
                "boggn",
                (r,),
                (_PROTEIN,),
                "Hassen and Rish (2021), Sec. 5.2: BOGGN outperforms all others",
                "median",
            )
            for r in _RIVALS
        ),
        *(
            BeatsByTest("boggn", rival, (_PROTEIN,), source, by="difference")
            for rival, source in (
                (SINGLE, AVERAGED),
                *((r, "ours, not Hassen and Rish's") for r in _RIVALS),
            )
        ),
    ),
    departures=(
        "80 evaluations of which 10 are initial points; Hassen and Rish (2021) say neither.",
        "200 repetitions as for its synthetic functions; Hassen and Rish (2021) do not say.",
        "Medians decide the claims: it is not said what is plotted.",
        "No Hyperband: the table has the value after the last epoch only, so no training can be "
        "known by its first epochs.",
        "The table has the last epoch of each training. An observation is one of its four "
        "trainings, and regret is above the least mean of four: it can be negative.",
        "`boggn`, `bore` and `lfbo` are as we would use them, see their pages. `bore_forest` is "
        "for comparison: forests know no distance between choices.",
        "No BoTorch: its tutorial's Gaussian process is for continuous variables.",
    ),
    quick_trials=40,
    quick_seeds=4,
)
