"""The networks of Högger (2021) beside our small ones, 8 initial points and 5 steps.

Högger (2021), Sec. 4.1.

It answers two questions: are the small ones a fair stand-in, and is the standard deviation of deep
ensembles so small because Högger (2021) has a variance in its place (Eq. 4.17)? The factor c that
brings the standard deviations to a mean width is in the table of factors, and in the lines of each
run.
"""

from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.hoegger.hoegger_departures import STARTS
from neuralbo_lab.reproductions.hoegger.hoegger_names import SURROGATES
from neuralbo_lab.reproductions.hoegger.hoegger_tables import factors

BUDGET = "1.0"
CRITERION = f"mean_width_{BUDGET}/grid"
DOCUMENT = {"NOMU": "nomu", "DE": "deep_ensemble", "DO": "mc_dropout"}
LEGACY = ("deep_ensemble_legacy", "deep_ensemble_fast_legacy")


def _pair(name: str) -> tuple[str, str]:
    return f"{DOCUMENT[name]}/{CRITERION}", f"{SURROGATES[name]}/{CRITERION}"


_SAME = {name: (DOCUMENT[name], SURROGATES[name]) for name in DOCUMENT}
FACTORS = factors(
    f"Table 6.3, Forrester, budget {BUDGET}: mean factor c that scales the "
    "standard deviations, ± half of "
    "its 95 % interval; legacy has the variance as standard deviation",
    tuple(f"Forrester, {name}" for name in DOCUMENT),
    (BUDGET,),
    _SAME | {"DE": (*_SAME["DE"], *LEGACY)},
)

HOEGGER_FULL_SIZE = OptimizationStudy(
    name="hoegger-full-size",
    reproduces="Högger (2021) 4: networks of four million weights, and our small ones beside them",
    problems=("hoegger-forrester",),
    methods=(
        *(method for name in DOCUMENT for method in _pair(name)),
        *(f"{name}/{CRITERION}" for name in LEGACY), "random",
    ),
    trials=13,
    start=8,
    seeds=1,
    document=(FACTORS,),
    departures=("5 steps, not 15, and one repetition, not 30.", STARTS),
    quick_trials=9,
    quick_seeds=1,
)  # fmt: skip
