"""A network with a Gaussian around its weights, as a surrogate."""

import pytest

from neuralbo.inference.laplace import Laplace
from neuralbo.surrogates.laplace import LaplaceNetwork
from neuralbo.testing import EpistemicChecks, SurrogateChecks

QUICK = LaplaceNetwork(shapes=((16, 16),), restarts=2, rounds=3)


class TestLaplace(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestLastLayer(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return LaplaceNetwork(
            shapes=((10,), (5, 5)), restarts=2, rounds=2, laplace=Laplace(last_layer=True)
        )


class TestKronecker(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return LaplaceNetwork(
            shapes=((8, 8),), activation="elu", restarts=2, rounds=2, laplace=Laplace("kronecker")
        )
