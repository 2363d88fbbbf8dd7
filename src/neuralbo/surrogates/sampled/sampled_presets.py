"""Sampled networks with the settings of the publications, and faster ones of ours.

The fast ones draw a tenth or less: the output layer is integrated out, so that the chains mix
sooner, four or more of them run side by side, and a fit begins where one to fewer trials ended.
`bohamiann_fast` makes a fifth of the steps with four chains side by side, and each step sees all
rows: the noise of batches of 20 is more than so few steps can average.
"""

from dataclasses import replace
from typing import Any

from neuralbo.inference.adaptation import DualAveraging, MovingAverage, WindowedMass
from neuralbo.inference.hmc import HMC
from neuralbo.inference.nuts import NUTS
from neuralbo.networks.noise import FixedNoise, GammaStd, InverseGammaVariance
from neuralbo.networks.priors import Cauchy, Gaussian, Hierarchical
from neuralbo.networks.sparse_prior import SparseInputs
from neuralbo.surrogates.sampled.bohamiann import Bohamiann
from neuralbo.surrogates.sampled.sampled_network import SampledNetwork

_FAST: dict[str, Any] = {
    "kernel": HMC(10, jitter=0.2), "adapt": DualAveraging(), "chains": 4, "warmup": 60,
    "draws": 25, "thin": 1, "rewarm": 20, "networks": 100, "is_collapsed": True,
}  # fmt: skip

# Aryan (2020), Sec. 3.2 and 3.5
SBNN = SampledNetwork(
    widths=(10,), activation="sigmoid", prior=Gaussian(100.0), noise=GammaStd(2.0, 200.0),
    kernel=NUTS(8), adapt=WindowedMass(), chains=1, warmup=2500, draws=500, thin=2,
)  # fmt: skip
HBNN = replace(SBNN, prior=Hierarchical(2.0, 0.02, is_centred=True))
# The posterior of ten units has many modes: many chains, each with its own step size.
_MANY: dict[str, Any] = _FAST | {
    "chains": 24, "draws": 4, "thin": 5, "networks": None, "adapt": DualAveraging(pooled=False),
}  # fmt: skip

# Agrawal (2016), Sec. 2 and 5.1 with the numbers of 6.3; its 5000 draws, of which 100 are looked
# at
BNN_HMC = SampledNetwork(
    noise=FixedNoise(0.05), kernel=HMC(20), adapt=MovingAverage(), chains=1, warmup=1500,
    rewarm=500, draws=5000, networks=100,
)  # fmt: skip

# Kruse (2022), Table 5.1
BNN_NUTS = SampledNetwork(
    noise=InverseGammaVariance(1000.0, 1.0), kernel=NUTS(10), adapt=WindowedMass(), chains=4,
    warmup=500, draws=500, inputs="standard",
)  # fmt: skip

# Agrawal (2016), Sec. 5.1: Neal's prior of the output layer, for functions that jump
BNN_CAUCHY = replace(BNN_HMC, prior=Cauchy())

# Agrawal (2016), Sec. 4.2 expects a network to find the few directions that matter: few of its
# inputs, at least. The output layer has no closed form beside the scales of the inputs, hence a
# longer warm-up.
BNN_SPARSE: dict[str, Any] = _FAST | {"is_collapsed": False, "warmup": 200, "rewarm": 50}

PRESETS: dict[str, SampledNetwork | Bohamiann] = {
    "sbnn": SBNN,
    "hbnn": HBNN,
    "bnn_hmc": BNN_HMC,
    "bnn_nuts": BNN_NUTS,
    "bnn_cauchy": BNN_CAUCHY,
    "bohamiann": Bohamiann(),
    "sbnn_fast": replace(SBNN, **_MANY),
    "hbnn_fast": replace(HBNN, **_MANY),
    "bnn_hmc_fast": replace(BNN_HMC, **_FAST),
    "bnn_nuts_fast": replace(BNN_NUTS, **_FAST),
    "bnn_sparse_fast": replace(BNN_HMC, prior=SparseInputs(), **BNN_SPARSE),
    "bohamiann_fast": Bohamiann(chains=4, burn_in=400, steps=200, keep_every=8, batch=1000),
}
