"""How the next points are chosen."""

from neuralbo.policies.base import Policy, Proposal
from neuralbo.policies.designs import LatinHypercube, RandomSearch, Sobol
from neuralbo.policies.standard import Standard

__all__ = ["LatinHypercube", "Policy", "Proposal", "RandomSearch", "Sobol", "Standard"]
