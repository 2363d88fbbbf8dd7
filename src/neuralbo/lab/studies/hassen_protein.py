"""003 3.2: nine hyper-parameters of a network for the Protein data, from a table."""

from neuralbo.lab.claims import Beats
from neuralbo.lab.studies.hassen_synthetic import OURS, RIVALS
from neuralbo.lab.study import Minutes, OptimizationStudy

_PROTEIN = "hpo-fcnet-protein"
_GP = "gp_gpyopt/ei"  # with `mixed`, since the table has integers and choices
_RIVALS = (*(name for name in RIVALS if "/" not in name and name != "botorch"), _GP)

HASSEN_PROTEIN = OptimizationStudy(
    name="hassen-protein",
    reproduces="Hassen and Rish (2021) 5.2, Fig. 3: HPOBench, regret on the Protein data",
    problems=(_PROTEIN,),
    methods=(_GP, "gp", "brvfl4", *OURS, "bore_forest", "tpe", "random"),
    trials=80,
    start=10,
    seeds=200,
    claims=tuple(
        Beats("boggn", (rival,), (_PROTEIN,), "003 3.2: BOGGN outperforms all others", "median")
        for rival in _RIVALS
    ),
    departures=(
        "80 evaluations of which 10 are start points; the document says neither.",
        "200 repetitions as for its synthetic functions; the document does not say.",
        "Medians decide the claims: the document does not say what it plots.",
        "No Hyperband: an evaluation here is a whole training.",
        "The table has the last epoch of each training. An observation is one of its four "
        "trainings, and regret is above the least mean of four: it can be negative.",
        "`boggn`, `bore` and `lfbo` are as we would use them, see their pages. `bore_forest` is "
        "for comparison: forests know no distance between choices.",
        "No BoTorch: its tutorial's Gaussian process is for continuous variables.",
    ),
    quick_trials=40,
    quick_seeds=4,
    minutes=Minutes(2, 330),
)
