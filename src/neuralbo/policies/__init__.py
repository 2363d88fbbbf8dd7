"""How the next points are chosen."""

from neuralbo.policies.base import Policy, Proposal
from neuralbo.policies.designs import LatinHypercube, RandomSearch, Sobol
from neuralbo.policies.dynamic_c import Decay, DynamicC
from neuralbo.policies.exploring import Exploring
from neuralbo.policies.gradient_descent import GradientDescent
from neuralbo.policies.grid import Grid
from neuralbo.policies.rbf import RadialBasis
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion

__all__ = [
    "Decay",
    "DynamicC",
    "Exploring",
    "GradientDescent",
    "Grid",
    "LatinHypercube",
    "Policy",
    "Proposal",
    "RadialBasis",
    "RandomSearch",
    "Sobol",
    "Standard",
    "TrustRegion",
]
