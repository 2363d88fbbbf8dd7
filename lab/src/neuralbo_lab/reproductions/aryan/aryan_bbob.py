"""Aryan (2020), Sec. 3.5: 24 functions in four dimensions, 100 evaluations, 15 repetitions."""

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import Beats, Claim
from neuralbo_lab.core.optimization_study import Group, OptimizationStudy
from neuralbo_lab.reproductions.aryan.aryan_names import (
    BAYESIAN,
    CHAPTER_3,
    ELM,
    EXTREME,
    GPO,
    HBNN,
    HBNN_EMPIRICAL,
    REPAIRED,
    SBNN,
    SBNN_EMPIRICAL,
)

DIMENSIONS = (2, 3, 5, 10)
KINDS = {  # of functions, Table 3.1
    "G1": range(1, 6),
    "G2": range(6, 10),
    "G3": range(10, 15),
    "G4": range(15, 20),
    "G5": range(20, 25),
}
A_FEW_STEPS = 20  # our reading of "f1 solved in a few steps": evaluations


def _names(functions: range | tuple[int, ...], dimensions: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"bbob-f{f}-d{d}" for d in dimensions for f in functions)


def _without(*methods: str) -> tuple[str, ...]:
    return tuple(method for method in CHAPTER_3 if method not in methods)


_GPO_EXCELS = (*_names((1, 5), (5, 10)), *_names((12, 21, 22, 23), (10,)))
_ELM_EXCELS = (*_names((2, 10, 12), (2, 3)), *_names((5,), (3,)))

CLAIMS: tuple[Claim, ...] = (
    BordaOver(HBNN, _without(HBNN), "Aryan (2020), Sec. 3.5, reproduced when: HBNN + Gaussian "
        "EI best overall"),
    BordaOver(GPO, _without(GPO), "Aryan (2020), Sec. 3.5, reproduced when: GPO leads G1", "G1"),
    BordaOver(GPO, _without(GPO), "Aryan (2020), Sec. 3.5, reproduced when: GPO leads 2-D", "2-D"),
    BordaOver(HBNN, (GPO,), "Aryan (2020), Sec. 3.5: in 3-D GPO is second to HBNN + Gaussian "
        "EI", "3-D"),
    *(
        BordaOver(bayesian, (GPO,), "Aryan (2020), Sec. 3.5, reproduced when: all BNN pass "
            f"GPO in {d}", d)
        for d in ("5-D", "10-D")
        for bayesian in BAYESIAN
    ),
    *(
        BordaOver(bayesian, (GPO,), f"Aryan (2020), Sec. 3.5: all BNN above GPO in {kind}", kind)
        for kind in ("G2", "G4", "G5")
        for bayesian in BAYESIAN
    ),
    *(
        BordaOver(better, EXTREME, "Aryan (2020), Sec. 3.5, reproduced when: ELM last")
        for better in (GPO, *BAYESIAN)
    ),
    BordaOver(HBNN, (HBNN_EMPIRICAL,), "Aryan (2020), Sec. 3.5: Gaussian EI usually beats "
        "empirical EI"),
    BordaOver(SBNN, (SBNN_EMPIRICAL,), "Aryan (2020), Sec. 3.5: Gaussian EI usually beats "
        "empirical EI"),
    BordaOver(HBNN_EMPIRICAL, (HBNN,), "Aryan (2020), Sec. 3.5: in G5 empirical EI is "
        "slightly better", "G5"),
    BordaOver(SBNN_EMPIRICAL, (SBNN,), "Aryan (2020), Sec. 3.5: in G5 empirical EI is "
        "slightly better", "G5"),
    BordaOver(HBNN, (SBNN,), "Aryan (2020), Sec. 3.5: HBNN slightly ahead of SBNN"),
    Beats(
        GPO, _without(GPO), _names((1,), DIMENSIONS),
        "Aryan (2020), Sec. 3.5, reproduced when: GPO fastest on f1; a few "
        "steps", "median", A_FEW_STEPS,
    ),
    Beats(GPO, _without(GPO), _GPO_EXCELS, "Aryan (2020), Figs. 3.6 to 3.8: GPO excels", "median"),
    Beats(
        ELM, _without(*EXTREME), _ELM_EXCELS,
        "Aryan (2020), Figs. 3.6 to 3.8: ELM has the best final values", "median",
    ),
)  # fmt: skip

ARYAN_BBOB = OptimizationStudy(
    name="aryan-bbob",
    reproduces="Aryan (2020) 3.5, Figs. 3.3 to 3.8: classic and network surrogates on BBOB",
    problems=_names(range(1, 25), DIMENSIONS),
    methods=(GPO, *BAYESIAN, *EXTREME, *REPAIRED, "gp", "brvfl4", "random"),
    trials=100,
    start=2,
    seeds=15,
    restarts=True,
    groups=(
        *(Group(f"{d}-D", _names(range(1, 25), (d,))) for d in DIMENSIONS),
        *(Group(kind, _names(functions, DIMENSIONS)) for kind, functions in KINDS.items()),
    ),
    claims=CLAIMS,
    departures=(
        "gp, brvfl4 and random are not in Aryan (2020), nor is elm, which leaves small singular "
        "values out: the plain pseudo-inverse of elm_printed gives weights of any size where "
        "units are saturated.",
        "SBNN and HBNN are our presets sbnn_fast and hbnn_fast: the output layer integrated out,"
        " HMC, 24 chains side by side, 96 networks; Aryan's NUTS takes minutes a fit.",
        "All 15 runs are on instance 1; Aryan (2020) does not say, and may have had one run on"
        " each of the 15 instances of BBOB-2015.",
        "EI is maximized from 150 starts for all methods: Aryan (2020) says so for GPO only."
        " They are points of a Sobol sequence, not independent ones.",
        "GPO's bounds of the lengthscales, its mean and how x and y are scaled are our choice, and"
        " its likelihood is maximized by L-BFGS, not COBYLA, from 50 starts.",
        "After a point is proposed again nothing is remembered but the best value; Aryan (2020)"
        " does not say.",
        "The level of a pairwise test, 0.0005, was meant for 7 methods; it is kept whatever"
        " their number. Borda counts go over all methods that were run, ours among them.",
    ),
    quick_trials=15,
    quick_problems=(
        "bbob-f1-d2",
        "bbob-f5-d3",
        "bbob-f8-d2",
        "bbob-f12-d3",
        "bbob-f15-d5",
        "bbob-f21-d10",
    ),
)
