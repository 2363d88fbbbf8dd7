"""Thompson sampling."""

import pytest
import torch
from botorch.models import SingleTaskGP

from neuralbo.criteria import Thompson
from neuralbo.engine.step import SUGGEST, Step, generator
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import SQUARE, OneNumber, observed, smooth_data


class TestThompson(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return Thompson()

    def closed_form(self, mean, std, best):
        """Return f of the e that the step's random numbers begin with."""
        e = torch.randn(1, generator=generator(3, SUGGEST, 4), dtype=torch.float64)
        return mean + std * e


def test_another_suggestion_draws_another_function():
    data = observed(SQUARE, 5)
    X = torch.tensor([[[0.3, 0.5]]], dtype=torch.float64)
    values = {
        float(Thompson()(Step.of(data, SQUARE, seed=0, number=n), OneNumber())(X))
        for n in range(5)
    }
    assert len(values) == 5


def test_one_step_draws_another_function_for_each_point_of_a_batch():
    step = Step.of(observed(SQUARE, 5), SQUARE, seed=0, number=0)
    X = torch.tensor([[[0.3, 0.5]]], dtype=torch.float64)
    assert Thompson()(step, OneNumber())(X) != Thompson()(step, OneNumber())(X)


def test_a_model_that_draws_nothing_is_refused():
    data = smooth_data(4)
    model = SingleTaskGP(data.X, data.Y)
    step = Step.of(data, SQUARE, seed=0, number=0)
    with pytest.raises(TypeError, match="criterion='log_ei'"):
        Thompson()(step, model)
