"""The upper confidence bound."""

import pytest

from neuralbo.criteria import UpperBound
from neuralbo.testing import CriterionChecks


class TestUpperBound(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return UpperBound(beta=1.5)

    def closed_form(self, mean, std, best):
        return mean + 1.5 * std


@pytest.mark.parametrize("beta", [-1.0, float("nan")])
def test_a_negative_beta_is_refused(beta):
    with pytest.raises(ValueError, match="beta >= 0"):
        UpperBound(beta)
