"""Policies by name: the default, those around a surrogate, designs, baselines."""

from collections.abc import Callable

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.criterion_presets import HOEGGER
from neuralbo.criteria.mean_width import MeanWidth
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.multistart import Multistart
from neuralbo.policies.auto import Auto, Candidate
from neuralbo.policies.autoencoder import Autoencoder
from neuralbo.policies.default_policy import default_policy
from neuralbo.policies.designs import LatinHypercube, RandomSearch, Sobol
from neuralbo.policies.dynamic_c import Decay
from neuralbo.policies.gradient_descent import GradientDescent
from neuralbo.policies.grid_search import Grid
from neuralbo.policies.one_stage import OneStage
from neuralbo.policies.policy import Policy
from neuralbo.policies.random_embedding import RandomEmbedding
from neuralbo.policies.rbf import RadialBasis
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.gp.gp_presets import GP_CORRELATION
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.wrappers.by_size import BySize
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

# The default. Whole local searches between changes of integers and categories gain nothing.
SEARCHES = Mixed(Multistart(restarts=6, rounds=30, tolerance=1e-4), rounds=5, between=6)
GP = Standard(GaussianProcess(follows=True, clip=None), None, SEARCHES)
MANY = default_policy(BayesianRVFL())
assert isinstance(MANY, TrustRegion)
AUTO = Auto(
    candidates=(
        Candidate("gp", GP),
        Candidate("gp_log_warp_3", GP, warp=3.0, margin=6.0),
        Candidate("gp_log_warp_30", GP, warp=30.0, margin=6.0),
    ),
    high_dimension=HIGH_DIMENSION,
    many=MANY,
    whole=Standard(BySize(), None, Mixed()),
)

PRESETS: dict[str, Policy] = {
    "auto": AUTO,
    **{name: around(Standard(BySize(), None, Mixed())) for name, around in AROUND.items()},
    "high_dimension": HIGH_DIMENSION,
    "random": RandomSearch(),
    "sobol": Sobol(),
    "latin_hypercube": LatinHypercube(),
    "grid": Grid(),
    "gradient_descent": GradientDescent(),
    "rbf": RadialBasis(),
    "gp_one_stage": OneStage(),
    "gp_one_stage_aryan": OneStage(GP_CORRELATION, is_concentrated=True),
}

# Dynamic C is a policy that is named like the criterion in it.
DYNAMIC_C: dict[str, tuple[MeanWidth, Decay]] = {"dynamic_c": (MeanWidth(budget=0.05), Decay())}
for _kind, _decay in {
    "lin": Decay("linear", padding=0),
    "lin_pad": Decay("linear"),
    "exp_pad": Decay("exponential"),
}.items():
    for _name, _criterion in HOEGGER.items():
        _rest = _name.removeprefix("mean_width_")
        DYNAMIC_C[f"dynamic_c_{_kind}_{_rest}"] = _criterion, _decay
