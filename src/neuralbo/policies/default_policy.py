"""The policy of a surrogate where none is named: how points are best looked for with it."""

from neuralbo.criteria.criterion import Criterion
from neuralbo.maximizers.maximizer import Maximizer
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.multistart import Multistart
from neuralbo.policies.exploring import Exploring
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion
from neuralbo.surrogates.surrogate import StatesUsual, Surrogate, Usual


def default_policy(
    surrogate: Surrogate, criterion: Criterion | None = None, maximizer: Maximizer | None = None
) -> Standard | TrustRegion | Exploring:
    """Return the step around a surrogate, and around it what it states as `usual`.

    A criterion or a maximizer that is named takes the place of the usual one, and nothing else.
    """
    usual = surrogate.usual if isinstance(surrogate, StatesUsual) else Usual()
    local = Multistart(restarts=usual.restarts, rounds=usual.rounds)
    standard = Standard(surrogate, criterion, maximizer or Mixed(local, rounds=usual.sweeps))
    if usual.exploration:
        return Exploring(standard, usual.exploration)
    return TrustRegion(standard) if usual.trust_region else standard
