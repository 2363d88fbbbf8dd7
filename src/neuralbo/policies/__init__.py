"""How the next points are chosen."""

from neuralbo.policies.auto import Auto, Candidate
from neuralbo.policies.autoencoder import Autoencoder
from neuralbo.policies.conditional_map import ConditionalMap
from neuralbo.policies.default_policy import default_policy
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
from neuralbo.policies.standard import HasCore, Plan, Plans, Standard
from neuralbo.policies.trust_region import TrustRegion

__all__ = [
    "Auto",
    "Autoencoder",
    "Candidate",
    "ConditionalMap",
    "Decay",
    "DynamicC",
    "Exploring",
    "GradientDescent",
    "Grid",
    "HasCore",
    "HasSurrogate",
    "LatinHypercube",
    "OneStage",
    "Plan",
    "Plans",
    "Policy",
    "Proposal",
    "RadialBasis",
    "RandomEmbedding",
    "RandomSearch",
    "SeveralObjectives",
    "Sobol",
    "Standard",
    "TrustRegion",
    "default_policy",
]
