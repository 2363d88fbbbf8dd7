"""Surrogates around others by name: sums over groups of columns, bent axes, scaled columns."""

from neuralbo.surrogates.gp.additive import Additive
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.surrogate import Surrogate
from neuralbo.surrogates.wrappers.warped import Warped

PRESETS: dict[str, Surrogate] = {
    "additive": Additive(),
    "additive_brvfl4": Additive(BayesianRVFL(noise_precision=None)),
    "gp_warped": Warped(),
    "brvfl4_warped": Warped(BayesianRVFL()),
    "brvfl4_relevance": BayesianRVFL(relevance=3),
}
