"""L-BFGS on several networks at once."""

import math

import pytest
import torch

from neuralbo.networks.limited_memory import QuasiNewton
from neuralbo.networks.train import by_autograd
from neuralbo.testing.toys import uniform

CENTER = 4 * uniform(3, 5) - 2


def bowls(w):
    """Return parabolas of different widths with minima at `CENTER`."""
    return ((w - CENTER).square() * torch.tensor([1.0, 10, 100, 3, 30]).double()).sum(-1)


def rosenbrock(w):
    return (100 * (w[:, 1:] - w[:, :-1].square()).square() + (1 - w[:, :-1]).square()).sum(-1)


def test_it_finds_every_members_minimum():
    found = QuasiNewton(100, tolerance=0).run(by_grad(bowls), torch.zeros(3, 5).double())
    torch.testing.assert_close(found, CENTER, atol=1e-5, rtol=0)


def test_it_finds_the_end_of_a_curved_valley():
    found = QuasiNewton(500, tolerance=0).run(by_grad(rosenbrock), torch.zeros(2, 4).double())
    torch.testing.assert_close(found, torch.ones_like(found), atol=1e-4, rtol=0)


def test_the_start_is_left_as_it_was():
    start = torch.zeros(3, 5).double()
    QuasiNewton(5).run(by_grad(bowls), start)
    assert not start.any()


def test_values_that_are_no_numbers_are_steps_too_far():
    def wall(w):
        return torch.where(w.sum(-1) > 1, math.nan, (w - 0.4).square().sum(-1))

    found = QuasiNewton(100).run(by_grad(wall), torch.full((1, 2), -3.0).double())
    torch.testing.assert_close(found, torch.full_like(found, 0.4), atol=1e-3, rtol=0)


@pytest.mark.parametrize("settings", [{"rounds": 0}, {"memory": 0}, {"tolerance": -1.0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="QuasiNewton needs"):
        QuasiNewton(**settings)


def by_grad(loss):
    return lambda w: by_autograd(loss)(w.clone().requires_grad_())
