"""What Aryan (2020), Sec. 4.4.1 conclude about twelve functions."""

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import Beats, Between, Claim
from neuralbo_lab.reproductions.aryan.aryan_names import (
    BOHAMIANN,
    FIXED,
    FOREST,
    GP,
    GP_MCMC,
    LEARNT,
    OTHERS,
    SEARCH,
)

_FIXED, _LEARNT = tuple(FIXED.values()), tuple(LEARNT.values())
_RELU_WINS = ("bohachevsky", "aryan-levy10", "rosenbrock5")
_SMOOTH = ("branin", "camelback", "goldstein-price", "hartmann3", "aryan-levy2", "sintwo")


def _without(methods: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    return tuple(method for method in methods if method not in left_out)


_AT_LEVY10 = _without(OTHERS, GP_MCMC)  # which did not end in time

# A claim about all methods waits for the last of them, so those about baselines stand apart.
_BORDA = "Aryan (2020), Fig. 4.3"
FIXED_CLAIMS: tuple[Claim, ...] = (
    BordaOver(GP_MCMC, (BOHAMIANN, GP, FOREST, SEARCH), f"{_BORDA}: GP_mcmc first"),
    BordaOver(BOHAMIANN, (GP, FOREST, SEARCH), f"{_BORDA}: Bohamiann second"),
    BordaOver(GP, (FOREST, SEARCH), f"{_BORDA}: GP third"),
    BordaOver(FOREST, _FIXED, f"{_BORDA}: RVFL below Random Forest"),
    BordaOver(SEARCH, (FIXED["ERVFL1"], FIXED["ERVFL2"]), f"{_BORDA}: below random search"),
    Beats(
        FIXED["BRVFL3"], (*_without(_FIXED, FIXED["BRVFL3"]), *_AT_LEVY10), ("aryan-levy10",),
        "Aryan (2020), Fig. 4.4: BRVFL3 leads from about step 75", trial=75,
    ),
    Beats(
        FIXED["BRVFL3"], (*_without(_FIXED, FIXED["BRVFL3"]), *_AT_LEVY10), ("aryan-levy10",),
        "Aryan (2020), Table 4.4: BRVFL3 best on Levy-10D",
    ),
    Beats(
        FIXED["BRVFL4"], (*_without(_FIXED, FIXED["BRVFL3"], FIXED["BRVFL4"]), *_AT_LEVY10),
        ("aryan-levy10",), "Aryan (2020), Table 4.4: BRVFL4 second on Levy-10D",
    ),
    Beats(
        FIXED["ERVFL4"],
        (*_without(_FIXED, *(FIXED[label] for label in ("BRVFL3", "BRVFL4", "ERVFL4"))),
         *_AT_LEVY10),
        ("aryan-levy10",), "Aryan (2020), Table 4.4: ERVFL4 third on Levy-10D",
    ),
    Beats(SEARCH, _FIXED, ("goldstein-price",), "Aryan (2020), Sec. 4.4.1: no RVFL beats "
        "random search there"),
)  # fmt: skip

_BORDA_LEARNT = "Aryan (2020), Fig. 4.5"
LEARNT_CLAIMS: tuple[Claim, ...] = (
    Beats(LEARNT["BRVFL4"], (GP, FOREST, SEARCH), _RELU_WINS,
          "Aryan (2020), Sec. 4.4.1, reproduced when: relu BRVFL beat all baselines"),
    Beats(LEARNT["BRVFL4"], OTHERS, _RELU_WINS,
          "Aryan (2020), Sec. 4.4.1, reproduced when: relu BRVFL beat all baselines"),
    Beats(LEARNT["BRVFL3"], OTHERS, _RELU_WINS,
          "Aryan (2020), Sec. 4.4.1, reproduced when: relu BRVFL beat all baselines"),
    Between(LEARNT["BRVFL4"], "aryan-levy10", 0.55, 2.2,
            "Aryan (2020), Sec. 4.4.1, reproduced when: about 1.1; here within a factor of two"),
    Between(LEARNT["BRVFL4"], "rosenbrock5", 70, 280,
            "Aryan (2020), Sec. 4.4.1, reproduced when: about 1.4e2; here within a factor of two"),
    Beats(GP_MCMC, (*_LEARNT, *_without(OTHERS, GP_MCMC)), _SMOOTH,
          "Aryan (2020), Sec. 4.4.1, reproduced when: GP_mcmc best on smooth functions of 2 "
          "and 3 dimensions"),
    Beats(GP, (*_LEARNT, *_without(OTHERS, GP)), ("hartmann6", "rosenbrock2"),
          "Aryan (2020), Tables 4.7, 4.9: GP best twice"),
    Beats(LEARNT["BRVFL3"], (*_without(_LEARNT, LEARNT["BRVFL3"]), *OTHERS), ("bohachevsky",),
          "Aryan (2020), Table 4.6: BRVFL3 best"),
    Beats(LEARNT["BRVFL4"], (*_without(_LEARNT, LEARNT["BRVFL4"]), *OTHERS),
          ("rosenbrock5", "aryan-levy10"), "Aryan (2020), Tables 4.8, 4.9: BRVFL4 best"),
    BordaOver(GP_MCMC, (BOHAMIANN,), f"{_BORDA_LEARNT}: GP_mcmc first"),
    BordaOver(BOHAMIANN, (LEARNT["BRVFL2"],), f"{_BORDA_LEARNT}: Bohamiann second"),
    BordaOver(LEARNT["BRVFL2"], (GP,), f"{_BORDA_LEARNT}: BRVFL2 third"),
    BordaOver(GP, (LEARNT["BRVFL4"],), f"{_BORDA_LEARNT}: 109 to 108, so about the same"),
    BordaOver(LEARNT["BRVFL4"], (LEARNT["BRVFL1"], LEARNT["BRVFL3"]), f"{_BORDA_LEARNT}: next"),
    BordaOver(LEARNT["ERVFL3"], (SEARCH,), f"{_BORDA_LEARNT}: above random search"),
    BordaOver(LEARNT["ERVFL4"], (SEARCH,), f"{_BORDA_LEARNT}: above random search"),
    BordaOver(SEARCH, (LEARNT["ERVFL1"], LEARNT["ERVFL2"]),
              f"{_BORDA_LEARNT}: below random search"),
    *(
        BordaOver(LEARNT[label], (FIXED[label],), "Aryan (2020), Sec. 4.4.1: the learnt prior "
            "helps BRVFL strongly")
        for label in ("BRVFL1", "BRVFL2", "BRVFL3", "BRVFL4")
    ),
)  # fmt: skip
