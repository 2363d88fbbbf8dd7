"""Where curves are predicted to end, and how often they end elsewhere."""

import math

import pytest
import torch

from neuralbo.engine.step import generator
from neuralbo.surrogates.curves.conformal_scores import (
    GOOD,
    PRIOR_SCORES,
    most_underrated,
    of_the_good,
    scores,
)
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel, CurveRegression, Normal
from neuralbo.surrogates.curves.learn_variances import first_variances
from neuralbo.surrogates.curves.linear_curves import LinearCurves
from neuralbo.surrogates.curves.step_scale import StepScale
from neuralbo.surrogates.curves.value_scale import ValueScale

STEPS, NINE_TENTHS = (
    30,
    1.6449,
)  # 90 % of a normal variable is within so many standard deviations of 0


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


def covered(model, curves, n):
    """Return which results lie in the interval of 90 % predicted from n values."""
    found = []
    for curve in curves:
        predicted = model.predict(curve.until(n))
        off = float(model.values(curve.values[-1:])[0] - predicted.mean)
        found.append(abs(off) < NINE_TENTHS * float(predicted.variance) ** 0.5)
    return sum(found) / len(found)


@pytest.mark.parametrize("n", [1, 8])
def test_curves_of_the_model_end_where_it_says(n):
    steps, values = StepScale(STEPS - 1.0, 1.0), ValueScale(0.0, 1.0)
    variances = first_variances(steps.size)
    basis = steps.basis(torch.arange(STEPS).double())

    def drawn(count, seed):
        c = normal(count, steps.size, seed=seed) @ variances.L.mT
        z = c @ basis.mT + variances.noise.sqrt() * normal(count, STEPS, seed=seed + 1)
        y = values.values(z.clamp(min=values.worst))
        empty = torch.empty(0, dtype=torch.float64)
        return [Curve(empty, torch.arange(STEPS).double(), row, True) for row in y]

    bare = CurveModel(None, steps, values, None)
    sums = bare.sums_of(drawn(60, 1))
    model = CurveModel(None, steps, values, LinearCurves.of(sums, variances))
    share = covered(model, drawn(400, 5), n)
    assert share == pytest.approx(0.9, abs=5 * (0.9 * 0.1 / 400) ** 0.5)  # five standard errors


SHAPES = {
    "power": lambda t, end, height, rate: end - height * (1 + t) ** -rate,
    "exponential": lambda t, end, height, rate: end - height * torch.exp(-rate * t / 5),
    "logarithm": lambda t, end, height, rate: end + height * rate * torch.log1p(t) / 4,
    "sigmoid": lambda t, end, height, rate: end - height / (1 + torch.exp(rate * (t - 12) / 4)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_of_other_shapes_at_least_as_many_are_covered_as_it_says(shape):
    def made(count, seed):
        x, e = (
            torch.rand(count, 2, generator=generator(seed)).double(),
            normal(count, 3, seed=seed),
        )
        end, height = 0.3 * x[:, :1] + 0.2 * e[:, :1], 0.5 + 0.3 * x[:, 1:] + 0.1 * e[:, 1:2]
        rate = 0.75 + 0.15 * e[:, 2:].clamp(-2, 2)
        y = SHAPES[shape](torch.arange(STEPS).double(), end, height, rate)
        y = y + 0.01 * normal(count, STEPS, seed=seed + 1)
        return [
            Curve(point, torch.arange(STEPS).double(), row, True)
            for point, row in zip(x, y, strict=True)
        ]

    model = CurveRegression(units=16).fit(made(30, 1), generator(0))
    share = covered(model, made(120, 5), 8)
    assert share > 0.9 - 5 * (0.9 * 0.1 / 120) ** 0.5  # five standard errors


def test_moments_are_those_of_draws():
    model = CurveModel(None, StepScale(9.0), ValueScale(2.0, 0.5), None)
    result = Normal(torch.tensor([-0.5]).double(), torch.tensor([0.09]).double())
    mean, variance = model.moments(result)
    draws = model.values.values(result.mean + 0.3 * normal(400_000))
    assert float(mean) == pytest.approx(float(draws.mean()), abs=5 * float(draws.std()) / 632)
    assert float(variance) == pytest.approx(float(draws.var()), rel=0.02)


@pytest.mark.parametrize("level", [0.1, 0.3])
def test_a_further_score_is_above_in_the_share_that_was_asked_for(level):
    u = torch.rand(2000, 41, generator=generator(3)).double()
    rows = 3 + u.pow(-0.5)  # above all of the scores taken to have been seen, with a heavy tail
    above = [float(row[-1]) > most_underrated(row[:-1], level) for row in rows]
    share = sum(above) / len(above)
    prior = len(PRIOR_SCORES) / 40  # which are below, and count among the n
    error = 5 * (level * (1 - level) / 2000) ** 0.5
    assert share < level * (1 + prior) + error
    assert share > level - 2 / 40 - error


def test_before_anything_is_seen_the_scores_are_those_taken_for_granted():
    none = torch.empty(0, dtype=torch.float64)
    assert most_underrated(none, 0.01) == max(PRIOR_SCORES)
    assert most_underrated(none, 0.5) == sorted(PRIOR_SCORES)[2]


def test_the_good_are_those_with_the_best_results_in_one_objective():
    e = torch.arange(6.0).double()
    assert math.ceil(GOOD * 6) == 2
    one = torch.tensor([[1.0], [6.0], [2.0], [5.0], [3.0], [4.0]]).double()
    assert of_the_good(e, one).tolist() == [1.0, 3.0]
    both = torch.cat([one, one.flip(0)], -1)
    assert of_the_good(e, both).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_scores_are_of_trials_that_ended_well_and_say_how_far_they_were_underrated():
    def curve(x, late=0.0, **settings):
        reports = {s: x - math.exp(-s / 3) + (late if s == 9 else 0.0) for s in range(10)}
        return Curve.of(torch.tensor([x]).double(), reports, **settings)

    curves = [curve(i / 12, has_ended=True) for i in range(12)]
    curves += [curve(0.5, 2.0, has_ended=True), curve(0.5)]  # the first rises at the last moment
    z, e = scores(CurveRegression(units=8).fit(curves, generator(0)), curves)
    assert len(z) == len(e) == 13
    assert int(e.argmax()) == int(z.argmax()) == 12
