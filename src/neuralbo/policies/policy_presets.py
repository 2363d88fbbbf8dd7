"""Policies around others by name, and the one for many dimensions."""

from collections.abc import Callable

from neuralbo.criteria.bounds import UpperBound
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.multistart import Multistart
from neuralbo.policies.autoencoder import Autoencoder
from neuralbo.policies.policy import Policy
from neuralbo.policies.random_embedding import RandomEmbedding
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.wrappers.auto_recipe import Auto
from neuralbo.surrogates.wrappers.quadratic_trend import Bowl

# by what they are called before the "@" of "trust_region@gp"
AROUND: dict[str, Callable[[Standard], Policy]] = {
    "trust_region": TrustRegion,
    "random_embedding": RandomEmbedding,
    "autoencoder": Autoencoder,
}

# A bowl, slopes that a hundred trials can tell, and random features for the rest. Noise is learnt,
# since what they do not explain is noise to them, but little of it: else a promising point is
# tried again and again. A failure for each of a hundred columns would be a whole study.
BOWL = Bowl(
    BayesianRVFL(
        units=100, squares=0.3, noise_precision=None, least_noise_precision=30.0, clip=None
    )
)
SHORT = Mixed(Multistart(candidates=256, local=256, restarts=4, rounds=20, per_column=0.5))
HIGH_DIMENSION = TrustRegion(
    Standard(BOWL, UpperBound(beta=1.0), SHORT), side=0.8, patience=20, central=10
)

PRESETS: dict[str, Policy] = {
    **{name: around(Standard(Auto(), None, Mixed())) for name, around in AROUND.items()},
    "high_dimension": HIGH_DIMENSION,
}
