"""The closed form of all curves against the Gaussian distribution of all their reports."""

import pytest
import torch
from torch.distributions import MultivariateNormal

from neuralbo.engine.step import generator
from neuralbo.inference.quasi_newton import with_gradient
from neuralbo.surrogates.curves.conformal_scores import prefix_predictions, without_own
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel, CurveRegression
from neuralbo.surrogates.curves.learn_variances import (
    Packing,
    first_variances,
    learn_variances,
    log_prior,
)
from neuralbo.surrogates.curves.linear_curves import LinearCurves, TrialSums, Variances
from neuralbo.testing.toys import uniform

TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}  # double precision, less what solving 40 rows costs


def curves_of(n, seed=0, d=2):
    """Make curves of different lengths with gaps, of which the first half ended."""
    rng, points = generator(seed), uniform(n, d, seed=seed)
    made = []
    for i, point in enumerate(points):
        steps = torch.randperm(20, generator=rng)[: 3 + i % 5].tolist()
        reports = {s: float(torch.randn((), generator=rng)) - s / 10 for s in steps}
        made.append(Curve.of(point, reports, has_ended=i < n // 2))
    return made


def some_variances(K, seed=3):
    rng = generator(seed)
    start = first_variances(K)
    more = 0.1 * torch.randn(K, K, generator=rng, dtype=torch.float64).tril(-1)
    weights = 0.2 + torch.rand(K, generator=rng, dtype=torch.float64)
    return Variances(torch.tensor(0.05).double(), weights, start.L + more)


@pytest.fixture(scope="module")
def curves():
    return curves_of(6)


@pytest.fixture(scope="module")
def model(curves):
    fitted = CurveRegression(units=5).fit(curves, generator(1))
    other = LinearCurves.of(fitted.learnt.sums, some_variances(fitted.steps.size))
    return CurveModel(fitted.features, fitted.steps, fitted.values, other)


def reports_of(model, curves):
    """Return psi, Phi and z of every report, and the trial that it is of."""
    parts = [model.reports(curve) for curve in curves]
    Phi, z = (torch.cat(column) for column in zip(*parts, strict=True))
    trials = torch.repeat_interleave(
        torch.arange(len(curves)), torch.tensor([len(z) for _, z in parts])
    )
    psi = model.psi(torch.stack([curve.point for curve in curves]))[trials]
    return psi, Phi, z, trials


def covariance(first, second, variances):
    """Return the covariance of reports under the prior, without noise: N x N."""
    psi, Phi, _, trials = first
    psi2, Phi2, _, trials2 = second
    d = variances.prior(psi.shape[-1])
    features = (psi[:, :, None] * Phi[:, None]).flatten(1)
    features2 = (psi2[:, :, None] * Phi2[:, None]).flatten(1)
    own = Phi @ variances.L @ variances.L.mT @ Phi2.mT
    return features * d.flatten() @ features2.mT + own * (trials[:, None] == trials2[None])


def dense_log_evidence(model, curves, variances):
    rows = reports_of(model, curves)
    n = len(rows[2])
    C = covariance(rows, rows, variances) + variances.noise * torch.eye(n, dtype=torch.float64)
    return MultivariateNormal(C.new_zeros(n), C).log_prob(rows[2])


def dense_end(model, curves, curve, variances):
    """Return mean and variance of the value at the end of a curve given all reports."""
    rows = reports_of(model, [*curves, curve])
    z = rows[2]
    end = (
        model.psi(curve.point[None]),
        model.steps.basis(torch.tensor([model.steps.last]).double()),
        None,
        torch.tensor([len(curves)]),
    )
    C = covariance(rows, rows, variances) + variances.noise * torch.eye(len(z)).double()
    cross = covariance(end, rows, variances)
    solved = torch.linalg.solve(C, cross.mT)[:, 0]
    variance = covariance(end, end, variances)[0, 0] - cross[0] @ solved + variances.noise
    return solved @ z, variance


def test_the_evidence_is_the_density_of_all_reports(model, curves):
    dense = dense_log_evidence(model, curves, model.variances)
    torch.testing.assert_close(model.learnt.log_evidence(), dense, **TOLERANCE)


def test_the_gradient_of_the_evidence_is_that_of_the_density(model, curves):
    packing = Packing(model.steps.size)
    theta = packing.theta(model.variances)

    def dense(at):
        return dense_log_evidence(model, curves, packing.variances(at[0]))[None]

    _, expected = with_gradient(dense)(theta[None])
    found = packing.gradient(model.learnt.gradient(), model.variances)
    torch.testing.assert_close(found, expected[0], rtol=1e-7, atol=1e-7)


def test_the_gradient_of_the_prior_is_right(model):
    packing = Packing(model.steps.size)
    theta = packing.theta(model.variances)
    _, expected = with_gradient(lambda at: log_prior(packing.variances(at[0]))[0][None])(
        theta[None]
    )
    found = packing.gradient(log_prior(model.variances)[1], model.variances)
    torch.testing.assert_close(found, expected[0], **TOLERANCE)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_end_of_a_new_curve_is_that_of_the_joint_gaussian(model, curves, n):
    new = Curve.of(torch.tensor([0.3, 0.8]).double(), {0: -0.5, 2: -0.4, 3: -0.2, 11: 0.1}).until(
        n
    )
    found = model.predict(new)
    mean, variance = dense_end(model, curves, new, model.variances)
    torch.testing.assert_close(found.mean, mean, **TOLERANCE)
    torch.testing.assert_close(found.variance, variance, **TOLERANCE)


def test_a_further_trial_is_as_if_it_had_been_there(model, curves):
    added = model.with_sums(TrialSums.joined([model.learnt.sums, model.sums_of(curves_of(3, 7))]))
    at_once = model.with_sums(model.sums_of([*curves, *curves_of(3, 7)]))
    torch.testing.assert_close(added.learnt.mean, at_once.learnt.mean, **TOLERANCE)
    torch.testing.assert_close(added.learnt.LP, at_once.learnt.LP, **TOLERANCE)


def test_leaving_a_trial_out_is_to_learn_without_it(model, curves):
    mean, covariance = without_own(model.learnt)
    for i in range(len(curves)):
        others = [curve for j, curve in enumerate(curves) if j != i]
        without = model.with_sums(model.sums_of(others))
        m, G = without.learnt.population(model.learnt.sums.psi[i : i + 1])
        torch.testing.assert_close(mean[i], m[0], rtol=1e-7, atol=1e-7)
        torch.testing.assert_close(covariance[i], G[0], rtol=1e-7, atol=1e-7)


def test_prefixes_are_predicted_from_other_trials_and_their_own_reports(model, curves):
    rows = [0, 2]
    z, m, s = prefix_predictions(model, [curves[i] for i in rows], rows)
    for k, i in enumerate(rows):
        others = [curve for j, curve in enumerate(curves) if j != i]
        without = model.with_sums(model.sums_of(others))
        torch.testing.assert_close(z[k], model.values(curves[i].values[-1:])[0])
        # the first moment is after one report, the last before the last
        for moment, n in ((0, 1), (-1, curves[i].n - 1)):
            expected = without.predict(curves[i].until(n))
            torch.testing.assert_close(m[k, moment], expected.mean, rtol=1e-7, atol=1e-7)
            torch.testing.assert_close(
                s[k, moment], expected.variance.sqrt(), rtol=1e-7, atol=1e-7
            )


def test_learning_raises_the_evidence_with_its_prior(model):
    sums = model.learnt.sums
    start = first_variances(model.steps.size)
    learnt = learn_variances(sums)
    before, after = (
        float(LinearCurves.of(sums, v).log_evidence() + log_prior(v)[0]) for v in (start, learnt)
    )
    assert after > before + 1


def test_packing_is_undone():
    packing, variances = Packing(4), some_variances(4)
    again = packing.variances(packing.theta(variances))
    for one, other in ((again.noise, variances.noise), (again.weights, variances.weights)):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(again.L, variances.L)


def test_without_parameters_the_constant_is_the_only_feature():
    curves = curves_of(4, d=2)
    bare = [Curve(curve.point[:0], curve.steps, curve.values, True) for curve in curves]
    fitted = CurveRegression().fit(bare, generator(0))
    assert fitted.learnt.mean.shape == (1, fitted.steps.size)
    dense = dense_log_evidence(fitted, bare, fitted.variances)
    torch.testing.assert_close(fitted.learnt.log_evidence(), dense, rtol=1e-7, atol=1e-7)
