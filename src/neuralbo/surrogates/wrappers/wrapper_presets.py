"""Surrogates around others by name: by size, stacked, sums over groups of columns, warped axes."""

from neuralbo.surrogates.gp.additive import Additive
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.random_features.rvfl_presets import PRESETS as RVFL
from neuralbo.surrogates.surrogate import Surrogate, Usual
from neuralbo.surrogates.trained.neural_linear import NeuralLinear
from neuralbo.surrogates.wrappers.by_size import BySize
from neuralbo.surrogates.wrappers.stacked import Member, Stacked
from neuralbo.surrogates.wrappers.warped import Warped

# Fast ones of different kinds; the Gaussian process until its cost forbids it.
POOL = (
    Member("gp", GaussianProcess(), 2.0, most=300),
    Member("brvfl2", RVFL["brvfl2"]),
    Member("brvfl4", RVFL["brvfl4"]),
    Member("kde", KernelDensity(), most=300),
    Member("neural_linear", NeuralLinear(), least=18, most=1000),
)

PRESETS: dict[str, Surrogate] = {
    "by_size": BySize(),
    "stacked": Stacked(POOL),
    "additive": Additive(),
    "additive_brvfl4": Additive(BayesianRVFL(noise_precision=None)),
    "gp_warped": Warped(),
    "brvfl4_warped": Warped(BayesianRVFL()),
    "brvfl4_relevance": BayesianRVFL(relevance=3, usual=Usual()),
}
