"""Four functions of BBOB in 2, 3, 5 dimensions, 5 + 30 evaluations, 20 repetitions.

Kruse (2022), Sec. 6.4.2.
"""

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import Beats, Claim
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.reproductions.kruse.kruse_names import (
    BBOB,
    BBOB_INSTANCE,
    BBOB_TEN,
    BNN,
    BOHAMIANN,
    EMPIRICAL,
    EXACT,
    FAST,
    GMR,
    GP,
    KDE,
    MIXTURES,
    OUR_MIXTURES,
    OURS,
    SPN,
    exact,
    optimizer,
    without,
)

_F3, _F9, _F15, _F21 = BBOB[:3], BBOB[3:6], BBOB[6:9], BBOB[9:]
_SEARCH = optimizer(EMPIRICAL)


def _beats(
    better: str, worse: tuple[str, ...], problems: tuple[str, ...], says: str,
    trial: int | None = None,
) -> Beats:  # fmt: skip
    names = tuple(optimizer(model) for model in worse)
    return Beats(
        optimizer(better), names, problems, f"Kruse (2022), Sec. 6.4.2: {says}", trial=trial
    )


# A claim about all models waits for the last of them, so that about GP and random search stands
# apart. What is said of single functions is from the author's final text.
CLAIMS: tuple[Claim, ...] = (
    BordaOver(optimizer(GP), (_SEARCH,), "Kruse (2022), Sec. 6.4.2: GP best overall"),
    BordaOver(optimizer(GP), tuple(map(optimizer, without(GP))), "Kruse (2022), Sec. 6.4.2: "
        "GP best overall"),
    _beats(GP, (EMPIRICAL,), BBOB, "GP is best, or among the two best, on each function"),
    _beats(GP, without(GP, BOHAMIANN), (*_F3, *_F21), "f3, f21: GP and BOHAMIANN best"),
    _beats(BOHAMIANN, without(GP, BOHAMIANN), (*_F3, *_F21), "f3, f21: GP and BOHAMIANN best"),
    _beats(GP, without(GP), (*_F9, *_F15), "f9, f15: GP best"),
    _beats(EMPIRICAL, (KDE,), _F9[1:], "f9: mixtures worse than random; no KDE data in 2-D"),
    _beats(BNN, (EMPIRICAL,), _F9[:2], "f9: BNN beats random search in 2-D and 3-D"),
    *(_beats(m, (EMPIRICAL,), _F15, "f15: beats random search") for m in (BOHAMIANN, KDE)),
    _beats(
        EMPIRICAL, without(EMPIRICAL), _F21[1:2], "f21, 3-D: random search leads until 25", 25
    ),
    _beats(EMPIRICAL, (BNN,), (*_F3, _F9[2], *_F15, *_F21), "BNN worse than random search"),
    _beats(EMPIRICAL, (GMR,), BBOB, "GMR bad everywhere, read as worse than random search"),
    _beats(
        EMPIRICAL, (SPN,), BBOB,
        "SPN bad everywhere, read as worse than random search; likely the author's fault D3",
    ),
)  # fmt: skip

KRUSE_BO_BBOB = OptimizationStudy(
    name="kruse-bo-bbob",
    reproduces="Kruse (2022) 6.4.2, Figs. 6.13 to 6.15: f3, f9, f15, f21 of BBOB",
    problems=BBOB,
    methods=(
        *map(optimizer, (GP, BNN, BOHAMIANN, *MIXTURES)),
        *map(exact, MIXTURES),
        "gp", "brvfl4", _SEARCH, "random",
    ),
    trials=35,
    start=5,
    seeds=20,
    claims=CLAIMS,
    departures=(
        OURS,
        f"{FAST}.",
        f"{OUR_MIXTURES}.",
        EXACT,
        "SPN pairs all variables up to one root, so that y depends on every input; the author's"
        " code does not (section 14, D3).",
        BBOB_INSTANCE,
        BBOB_TEN,
        "Regret, not the gap by |f*| of the author's code: a problem's order is the same.",
        "The standard deviation of GP is its standard deviation, not its variance, in its "
        "published code.",
        "Borda counts are ours; the thesis has figures alone.",
    ),
    quick_trials=15,
    quick_problems=("bbob-f3-d2", "bbob-f9-d3", "bbob-f15-d2", "bbob-f21-d5"),
)  # fmt: skip
