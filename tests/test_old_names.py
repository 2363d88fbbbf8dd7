"""Public names that were renamed keep working, and say what they are called now."""

import pytest

from neuralbo.engine.recommendation import Recommendation


def test_the_standard_deviation_of_a_recommendation_has_its_old_name_too():
    found = Recommendation({"x": 1.0}, 2.0, 0.5, 0.1, (2.1,))
    assert found.std == 0.5
    with pytest.warns(DeprecationWarning, match="is called std"):
        assert found.deviation == 0.5
