"""Trained networks with the settings of Högger (2021), and small ones of ours.

Högger's have about four million weights and take minutes. Högger (2021), Sec. 4.1 and 6.3.2.
"""

from neuralbo.networks.train import Descent
from neuralbo.surrogates.surrogate import Surrogate
from neuralbo.surrogates.trained.deep_ensemble import DeepEnsemble
from neuralbo.surrogates.trained.initial_weights import Start
from neuralbo.surrogates.trained.mc_dropout import MCDropout
from neuralbo.surrogates.trained.nomu import Nomu
from neuralbo.surrogates.trained.nomu_model import Bounds
from neuralbo.surrogates.trained.warm_start import Warm

_START = Start(half_width=0.05)
_DESCENT = Descent(1024, 1e-3)

NOMU = Nomu(
    widths=(1024, 1024, 1024), pi_sqr=1.0, pi_exp=0.01, c_exp=30.0, points=500, bounds=Bounds(),
    start=_START, values="range", clip=None, descent=_DESCENT,
)  # fmt: skip
DEEP_ENSEMBLE = DeepEnsemble(
    widths=(256, 1024, 512), start=_START, values="range", clip=None, descent=_DESCENT
)
MC_DROPOUT = MCDropout(
    widths=(1024, 2048, 1024), dropout=None, draws=None, batch=32, epochs=1024, start=_START,
    values="range", clip=None, descent=Descent(1024, 1e-3, keeps_best=False),
)  # fmt: skip

DOCUMENT: dict[str, Surrogate] = {
    "nomu": NOMU,
    "deep_ensemble": DEEP_ENSEMBLE,
    "mc_dropout": MC_DROPOUT,
}

# Ours: a hundredth of the weights and less. They begin at rougher functions than usual, part of
# which stays where there are no data, so that members differ more. They stand in for Högger's, so
# they do not clip either.
NOMU_FAST = Nomu(
    pi_sqr=0.05, bounds=Bounds(low=0.003), start=Start(scale=1.5, bias_scale=1.0), clip=None,
    descent=Descent(2000, 3e-3, anneals=True),
)  # fmt: skip
DEEP_ENSEMBLE_FAST = DeepEnsemble(
    members=10, start=Start(scale=2.0, bias_scale=1.0), clip=None,
    descent=Descent(1000, 5e-3, anneals=True),
)  # fmt: skip
MC_DROPOUT_FAST = MCDropout(clip=None)
_AGAIN = Descent(250, 3e-3, anneals=True)

PRESETS: dict[str, Surrogate] = {
    **DOCUMENT,
    "nomu_fast": NOMU_FAST,
    "nomu_warm": Warm(NOMU_FAST, _AGAIN),
    "deep_ensemble_fast": DEEP_ENSEMBLE_FAST,
    "deep_ensemble_warm": Warm(DEEP_ENSEMBLE_FAST, _AGAIN),
    "mc_dropout_fast": MC_DROPOUT_FAST,
}
