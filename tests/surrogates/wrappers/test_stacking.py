"""Weights of a stack against a plain search, and factors against their distribution."""

import math

import torch
from scipy.optimize import minimize

from neuralbo.surrogates.leave_one_out import LeftOut
from neuralbo.surrogates.wrappers.stacking import (
    LEAST_FACTOR,
    WORTH,
    counts_of,
    member_scores,
    rank_correlation,
    scale_factor,
    stacking_weights,
)
from neuralbo.testing.toys import seeded


def test_weights_maximize_the_log_score_on_the_simplex():
    g = seeded()
    logs = torch.randn(3, 40, generator=g, dtype=torch.float64)
    counts = torch.rand(40, generator=g, dtype=torch.float64)
    pseudo = torch.tensor([2.0, 1.0, 0.5], dtype=torch.float64)

    def loss(theta):
        w = torch.softmax(torch.tensor([*theta, 0.0]), 0)
        score = counts @ (w.log()[:, None] + logs).logsumexp(0) + pseudo @ w.log()
        return -float(score)

    found = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8})
    wanted = torch.softmax(torch.tensor([*found.x, 0.0]), 0)
    # EM stops when no weight moves by 1e-6; it converges linearly
    assert torch.allclose(stacking_weights(logs, counts, pseudo), wanted, atol=1e-3)


def test_without_observations_the_prior_decides():
    pseudo = torch.tensor([3.0, 1.0], dtype=torch.float64)
    w = stacking_weights(torch.zeros(2, 0).double(), torch.zeros(0).double(), pseudo)
    assert torch.allclose(w, pseudo / 4, atol=1e-3)


def test_the_better_half_counts_more():
    u = counts_of(torch.arange(10.0).double())
    assert math.isclose(float(u.mean()), 1.0)
    assert u[9] == 2 * u[0]


def test_ranks_near_the_best_decide_the_correlation():
    y = torch.arange(20.0).double()
    means = torch.where(y < 9, -y, y.square())  # wrong where it does not matter
    assert rank_correlation(means, y) == 1.0
    assert rank_correlation(-y, y) == -1.0
    assert rank_correlation(y[:5], y[:5]) == 0.0  # three are no half to speak of


def test_the_factor_is_the_size_of_the_errors_shrunk_to_one():
    y = torch.tensor([1.0, -1.0] * 5).double()
    distribution = LeftOut.gaussian(y, torch.zeros(10).double(), torch.full((10,), 0.5).double())
    assert math.isclose(scale_factor(y, distribution) ** 2, (10 * 4 + WORTH) / (10 + WORTH))
    sure = distribution._replace(stds=torch.full((10,), 100.0).double())
    assert math.isclose(
        scale_factor(y, sure) ** 2, max(WORTH / (10 + WORTH), LEAST_FACTOR**2), rel_tol=1e-4
    )


def test_who_predicts_better_weighs_more():
    g = seeded()
    y = torch.randn(60, generator=g, dtype=torch.float64)
    good = LeftOut.gaussian(
        y, y + 0.1 * torch.randn(60, generator=g).double(), torch.full_like(y, 0.1)
    )
    vague = LeftOut.gaussian(y, torch.zeros_like(y), torch.ones_like(y))
    pseudo = torch.ones(2, dtype=torch.float64)
    for stacks in (True, False):
        first, second = member_scores(y, [good, vague], pseudo, calibrates=True, stacks=stacks)
        assert first.weight > 0.9 > second.weight
        assert first.correlation > 0.9
