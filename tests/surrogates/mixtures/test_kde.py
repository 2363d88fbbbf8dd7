"""Kernel density regression against naive loops, and the checks of a mixture."""

import math

import pytest
import torch
from mixture_checks import MixtureChecks

from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.kde import KernelDensity, leave_one_out
from neuralbo.surrogates.mixtures.mixture_model import Background
from neuralbo.testing import EpistemicChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform


class TestKernelDensity(MixtureChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return KernelDensity()


class TestBandwidthOfEachColumn(MixtureChecks):
    units_tolerance = 1e-3  # BFGS amplifies rounding

    @pytest.fixture
    def surrogate(self):
        return KernelDensity(bandwidths="each")


class TestKernelDensityOfTheDocument(MixtureChecks):
    @pytest.fixture
    def surrogate(self):
        return SURROGATES["kde_kruse"]


def normal(u, std):
    return math.exp(-0.5 * (u / std) ** 2) / (std * math.sqrt(2 * math.pi))


def naive_score(X, y, rows, h, s, w, p_0):
    """Return the log density of the rows' values, from those that are not in their fold."""
    total = 0.0
    for i in rows:
        joint, marginal = w * p_0(float(y[i])), w
        for j in range(len(X)):
            if j not in rows:
                kernel = math.prod(
                    normal(float(u), float(k)) for u, k in zip(X[i] - X[j], h, strict=True)
                )
                joint += kernel * normal(float(y[i] - y[j]), s)
                marginal += kernel
        total += math.log(joint / marginal)
    return total


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_leaving_one_out_is_a_loop_over_observations(d):
    X, y = 2 * uniform(9, d), uniform(9, seed=1)
    h, s, w = 0.3 + uniform(d, seed=2), 0.4, 1e-3
    exact = sum(naive_score(X, y, [i], h, s, w, lambda v: normal(v, 10.0)) for i in range(len(X)))
    numbers = torch.tensor(s, dtype=torch.float64), torch.tensor(math.log(w), dtype=torch.float64)
    found = leave_one_out(X, y, h, *numbers, Background(10.0).log_density(y))
    assert float(found) == pytest.approx(exact, rel=1e-12)


def test_the_search_finds_what_no_neighbour_betters():
    """The score in the facts is that of the loop, plus the prior; other bandwidths are worse."""
    data = smooth_data(12)
    model = KernelDensity().fit(data, seeded())
    X, y, h, s = model.joint.X, model.joint.y, model.joint.h, model.joint.s
    log_w = torch.tensor(model.facts["log_weight"], dtype=torch.float64)
    log_p0 = model.blend.background.log_density(y)
    best = leave_one_out(X, y, h, s, log_w, log_p0)
    for factor in (0.2, 5.0):
        assert best > leave_one_out(X, y, factor * h, s, log_w, log_p0)
        assert best > leave_one_out(X, y, h, factor * s, log_w, log_p0)


def test_cross_validation_is_a_loop_over_folds():
    """Each fold is standardized anew; the place chosen is the best of the 40."""
    data = smooth_data(11, 1)
    search = CrossValidation(folds=4, points=6)
    model = KernelDensity(Background(10.0), search=search, clip=None).fit(data, seeded())
    X, Y = model.units[0].numbers(data.X), model.units[1].numbers(data.Y)
    rng = seeded()
    torch.randn(128, 1, generator=rng, dtype=torch.float64)  # the field's
    places = 1e-3 + (0.3 - 1e-3) * search.places(2, rng)
    scores = []
    for h, s in places.tolist():
        total = 0.0
        for f in range(4):
            rows = list(range(f, 11, 4))
            rest = [i for i in range(11) if i not in rows]
            x = (X - X[rest].mean(0)) / X[rest].std(0, correction=0)
            y = ((Y - Y[rest].mean()) / Y[rest].std(correction=0)).flatten()
            total += naive_score(x, y, rows, [h], s, 1e-6, lambda v: normal(v, 10.0))
        scores.append(total)
    best = scores.index(max(scores))
    assert model.facts["score"] == pytest.approx(scores[best] / 11, rel=1e-9)
    assert model.facts["bandwidth_y"] == pytest.approx(places[best, 1].item())


def test_the_mean_is_that_of_nadaraya_and_watson():
    data, X = smooth_data(8), uniform(4, 2, seed=3)
    model = SURROGATES["kde_kruse"].fit(data, seeded())
    assert float(model.joint.s) == 0.05  # fewer than ten observations: Kruse's default
    Z = model.units[0].numbers(X)
    for x, mean in zip(Z, model.moments(X)[0], strict=True):
        k = [normal(float((x - other).norm()), 0.05) / normal(0, 0.05) for other in model.joint.X]
        kernels = [v / (2 * math.pi * 0.05**2) for v in k]
        exact = sum(v * float(y) for v, y in zip(kernels, model.joint.y, strict=True))
        exact /= sum(kernels) + 1e-6
        assert float(model.units[1].numbers(mean)) == pytest.approx(exact, abs=1e-9)


def test_a_column_without_a_meaning_gets_a_wide_bandwidth():
    X = uniform(60, 3)
    data = Data(X, (6 * X[:, :1]).sin())
    each = KernelDensity(bandwidths="each").fit(data, seeded())
    shared = KernelDensity().fit(data, seeded())
    assert (each.joint.h[1:] > 4 * each.joint.h[0]).all()
    assert each.facts["score"] > shared.facts["score"]


def test_blended_moments_widen_every_component():
    """Kruse (2022), Sec. 4.1, idea 2: alpha m and alpha s^2 + (1 - alpha) std^2."""
    data, X = smooth_data(), uniform(5, 2, seed=9)
    mixture, moments = (
        KernelDensity(Background(3.0, kind)).fit(data, seeded()) for kind in ("mixture", "moments")
    )
    alpha = mixture.evidence_weight(X)
    torch.testing.assert_close(moments.evidence_weight(X), alpha)
    units, distribution = mixture.units[1], moments.marginal(X)
    y, s = mixture.joint.y, mixture.joint.s
    torch.testing.assert_close(units.numbers(distribution.means), alpha[:, None] * y)
    exact = (alpha * s**2 + (1 - alpha) * 9)[:, None].expand_as(distribution.means).sqrt()
    torch.testing.assert_close(distribution.standard_deviations / units.scale, exact)


def test_the_mixture_keeps_two_branches_that_blended_moments_lose():
    X = uniform(80, 1)
    Y = torch.where(uniform(80, 1, seed=1) < 0.5, -1.0, 1.0) + 0.05 * X
    training, test = Data(X[:40], Y[:40]), (X[40:], Y[40:, 0])
    by_mixture, by_moments = (
        KernelDensity(Background(kind=kind)).fit(training, seeded()).log_density(*test).mean()
        for kind in ("mixture", "moments")
    )
    assert by_mixture > by_moments


def test_the_document_fixes_the_weight_of_the_background():
    model = SURROGATES["kde_kruse"].fit(smooth_data(), seeded())
    assert model.facts["log_weight"] == pytest.approx(math.log(1e-6))
    assert 1e-3 <= model.facts["bandwidth_x"] <= 0.3
    assert SURROGATES["kde"] == KernelDensity()


def test_bad_settings_are_told():
    with pytest.raises(ValueError, match="'shared' or 'each'"):
        KernelDensity(bandwidths="none")
    with pytest.raises(ValueError, match="positive standard deviation"):
        Background(std=0.0)
    with pytest.raises(ValueError, match="folds >= 2"):
        CrossValidation(folds=1)
