"""How the next points are chosen."""

from neuralbo.policies.auto import Automatic, Way
from neuralbo.policies.autoencoder import Autoencoder
from neuralbo.policies.basins import Basins
from neuralbo.policies.conditional_map import ConditionalMap
from neuralbo.policies.designs import LatinHypercube, RandomSearch, Sobol
from neuralbo.policies.dynamic_c import Decay, DynamicC
from neuralbo.policies.exploring import Exploring
from neuralbo.policies.gradient_descent import GradientDescent
from neuralbo.policies.grid_search import Grid
from neuralbo.policies.one_stage import OneStage
from neuralbo.policies.policy import HasSurrogate, Policy, Proposal
from neuralbo.policies.random_embedding import RandomEmbedding
from neuralbo.policies.rbf import RadialBasis
from neuralbo.policies.several_objectives import SeveralObjectives
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion

__all__ = [
    "Autoencoder",
    "Automatic",
    "Basins",
    "ConditionalMap",
    "Decay",
    "DynamicC",
    "Exploring",
    "GradientDescent",
    "Grid",
    "HasSurrogate",
    "LatinHypercube",
    "OneStage",
    "Policy",
    "Proposal",
    "RadialBasis",
    "RandomEmbedding",
    "RandomSearch",
    "SeveralObjectives",
    "Sobol",
    "Standard",
    "TrustRegion",
    "Way",
]
