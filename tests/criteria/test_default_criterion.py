"""Which criterion goes with which model."""

import pytest

from neuralbo.criteria import LogExpectedImprovement, UpperBound
from neuralbo.criteria.default_criterion import usual_criterion
from neuralbo.engine.step import Step
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.testing.toys import seeded, smooth_data


@pytest.mark.parametrize(
    ("surrogate", "d", "usual"),
    [
        (GaussianProcess(restarts=0), 6, LogExpectedImprovement()),
        (BayesianRVFL(units=20), 2, LogExpectedImprovement()),
        (BayesianRVFL(units=20), 6, UpperBound(beta=1.0)),
    ],
    ids=str,
)
def test_a_random_feature_network_in_many_columns_takes_the_bound(surrogate, d, usual):
    data = smooth_data(8, d)
    step = Step.of(data, Domain((Variable(),) * d), seed=0, number=8)
    assert usual_criterion(step, surrogate.fit(data, seeded())) == usual
