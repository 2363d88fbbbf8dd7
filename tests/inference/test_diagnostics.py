"""R-hat and effective sample sizes, against loops and chains of known autocorrelation."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import norm, rankdata

from neuralbo.inference.chains import Info
from neuralbo.inference.diagnostics import (
    bulk_ess,
    ess,
    mcse,
    split_r_hat,
    summarize,
    tail_ess,
)
from neuralbo.testing.toys import seeded

ALL = [split_r_hat, ess, bulk_ess, tail_ess, mcse]
SIZES = [ess, bulk_ess, tail_ess]
COUNT = 64  # quantities in a test of known numbers, whose mean is eight times as sure as one


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def autoregressive(rho, K, C, *shape, seed=0):
    """Return x_t = rho x_(t-1) + sqrt(1 - rho^2) e_t, of variance 1 and autocorrelation rho^t."""
    noise = normal(K, C, *shape, seed=seed)
    x = [noise[0]]
    for e in noise[1:]:
        x.append(rho * x[-1] + math.sqrt(1 - rho**2) * e)
    return torch.stack(x)


# --- The formulas, in loops over numbers


def halves(x):
    half = len(x) // 2
    return [chain[part] for chain in x.T for part in (slice(half), slice(-half, None))]


def naive_r_hat(chains):
    n = len(chains[0])
    W = np.mean([np.var(chain, ddof=1) for chain in chains])
    B = n * np.var([np.mean(chain) for chain in chains], ddof=1)
    return math.sqrt(((n - 1) / n * W + B / n) / W)


def naive_scores(chains):
    pooled = np.concatenate(chains)
    z = norm.ppf((rankdata(pooled) - 3 / 8) / (len(pooled) + 1 / 4))
    return np.split(z, len(chains))


def naive_ess(chains):
    n, m = len(chains[0]), len(chains)
    if np.ptp(chains) == 0:
        return math.nan
    W = np.mean([np.var(chain, ddof=1) for chain in chains])
    V = (n - 1) / n * W + np.var([np.mean(chain) for chain in chains], ddof=1)

    def rho(t):
        if t == 0:
            return 1.0
        lagged = [
            sum((c[i] - c.mean()) * (c[i + t] - c.mean()) for i in range(n - t)) / n
            for c in chains
        ]
        return 1 - (W - np.mean(lagged)) / V

    tau, before = -1.0, math.inf
    for k in range(n // 2):
        pair = rho(2 * k) + rho(2 * k + 1)
        if pair <= 0:
            tau += max(rho(2 * k), 0.0)
            break
        before = min(before, pair)
        tau += 2 * before
    return n * m / max(tau, 1 / math.log10(n * m))


def naive(name, x):
    chains = halves(x)
    folded = [abs(chain - np.median(np.concatenate(chains))) for chain in chains]
    match name:
        case "split_r_hat":
            return max(naive_r_hat(naive_scores(chains)), naive_r_hat(naive_scores(folded)))
        case "ess":
            return naive_ess(chains)
        case "bulk_ess":
            return naive_ess(naive_scores(chains))
        case "tail_ess":
            tails = [1.0 * (x <= np.quantile(x, p)) for p in (0.05, 0.95)]
            return np.nanmin([naive_ess(halves(tail)) for tail in tails])
        case "mcse":
            return np.std(x, ddof=1) / math.sqrt(naive_ess(chains))


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.5, 0.95])
@pytest.mark.parametrize(("K", "C"), [(40, 3), (41, 1), (5, 2)])
def test_it_is_the_formula_in_loops(measure, rho, K, C):
    x = autoregressive(rho, K, C, seed=K)
    assert float(measure(x)) == pytest.approx(naive(measure.__name__, x.numpy()), rel=1e-9)


@pytest.mark.parametrize("measure", ALL)
def test_draws_with_ties_are_as_in_loops(measure):
    """As of a chain that rejects."""
    x = autoregressive(0.5, 60, 2).round(decimals=0)
    assert float(measure(x)) == pytest.approx(naive(measure.__name__, x.numpy()), rel=1e-9)


# --- Known numbers


def relative_error(rho, N):
    """Return the relative standard error of tau, summed up to the lag W where rho^t is noise.

    var(tau) / tau^2 = 2 (2 W + 1) / N: Sokal (1997), Sec. 3.
    """
    tau = (1 + rho) / (1 - rho)
    W = math.log(math.sqrt(tau / N)) / math.log(abs(rho)) if rho else 1
    return math.sqrt(2 * (2 * W + 1) / N)


@pytest.mark.parametrize("rho", [-0.5, -0.2, 0.0, 0.5, 0.9])
def test_autoregressive_chains_have_their_known_size(rho):
    K, C = 2000, 4
    exact, error = K * C * (1 - rho) / (1 + rho), relative_error(rho, K * C)
    values = ess(autoregressive(rho, K, C, COUNT)) / exact
    assert (values - 1).abs().max() < 6 * error  # of 64
    # The mean is surer; pairs are kept while positive, and the largest part of the noise with
    # them, so that tau is too large by less than one standard error.
    assert float(values.mean()) == pytest.approx(1.0, abs=5 * error / math.sqrt(COUNT) + error)


def test_antithetic_chains_are_worth_more_than_they_have():
    assert (ess(autoregressive(-0.5, 1000, 4, COUNT)) > 2 * 4000).all()


def test_the_size_is_bounded():
    """Of chains that are nearly their own mirror: at most N log10(N)."""
    x = autoregressive(-0.999, 1000, 4, 8)
    assert (ess(x) <= 4000 * math.log10(4000) * (1 + 1e-12)).all()


@pytest.mark.parametrize("measure", SIZES)
def test_independent_draws_are_worth_themselves(measure):
    values = measure(normal(1000, 4, COUNT)) / 4000
    error = relative_error(0.0, 4000)
    # Minimum of two tails, one standard error below their mean or so.
    assert float(values.mean()) == pytest.approx(1.0, abs=5 * error / 8 + 1.5 * error)
    assert (values - 1).abs().max() < 7 * error  # of 128


def test_the_standard_error_is_that_of_the_mean():
    """Over 256 chains the means, of known expectation 0, have the standard error stated."""
    x = autoregressive(0.8, 1000, 2, 256)
    z = x.mean((0, 1)) / mcse(x)
    # z has variance 1, with relative error sqrt(2/256), and mean 0, with error 1/16; that of
    # the mcse itself is half of that of tau and adds its square.
    assert float(z.var()) == pytest.approx(1.0, abs=5 * math.sqrt(2 / 256) + 0.05)
    assert abs(float(z.mean())) < 5 / 16


# --- Whether chains agree


def test_chains_that_agree_have_an_r_hat_of_one():
    # R-hat - 1 is half of B / W, of mean 1/n, in the larger of two; n = 1000 and 8 halves.
    assert (split_r_hat(normal(2000, 4, COUNT)) < 1.01).all()
    assert (split_r_hat(normal(2000, 4, COUNT)) > 1 - 1 / 1000).all()


def test_a_shifted_chain_is_seen():
    x = normal(500, 4) + torch.tensor([0.0, 0.0, 0.0, 2.0])
    assert split_r_hat(x) > 1.1


def test_a_chain_of_another_scale_is_seen():
    """By the folded draws only: the means agree."""
    x = normal(500, 4) * torch.tensor([1.0, 1.0, 1.0, 5.0])
    assert naive_r_hat(naive_scores(halves(x.numpy()))) < 1.02
    assert split_r_hat(x) > 1.1


def test_a_trend_is_seen_in_one_chain():
    x = normal(500, 1) + torch.linspace(0, 3, 500, dtype=torch.float64)[:, None]
    assert split_r_hat(x) > 1.1


def test_a_chain_that_stands_still_among_others_is_seen():
    x = normal(500, 4)
    x[:, 0] = 1.5
    assert split_r_hat(x) > 1.1


def test_a_cauchy_target_has_a_sound_r_hat():
    """Ranks need no variance."""
    cauchy = normal(1000, 4, COUNT) / normal(1000, 4, COUNT, seed=1)
    assert (split_r_hat(cauchy) < 1.02).all()
    assert (bulk_ess(cauchy) > 3000).all()


# --- Properties


@pytest.mark.parametrize("measure", [bulk_ess, tail_ess])
@pytest.mark.parametrize("rising", [torch.exp, torch.atan, lambda x: x**3, lambda x: 7 * x - 1])
def test_ranks_are_the_same_after_a_rising_map(measure, rising):
    x = autoregressive(0.5, 1000, 2)
    torch.testing.assert_close(measure(rising(x)), measure(x), rtol=1e-9, atol=0.0)


@pytest.mark.parametrize("measure", ALL)
def test_many_quantities_are_a_loop(measure):
    x = autoregressive(0.7, 101, 3, 2, 5) * torch.arange(1, 6)
    together = measure(x)
    assert together.shape == (2, 5)
    alone = torch.stack([measure(x[..., i, j]) for i in range(2) for j in range(5)])
    torch.testing.assert_close(together.flatten(), alone)


@pytest.mark.parametrize("measure", ALL)
def test_the_order_of_the_chains_does_not_matter(measure):
    x = autoregressive(0.7, 100, 3, 4)
    torch.testing.assert_close(measure(x[:, [2, 0, 1]]), measure(x))


@pytest.mark.parametrize("measure", ALL)
def test_draws_are_not_changed(measure):
    x = normal(50, 2, 3)
    before = x.clone()
    measure(x)
    assert torch.equal(x, before)


# --- The edges


@pytest.mark.parametrize("measure", ALL)
def test_what_never_changes_has_no_answer(measure):
    x = torch.full((30, 2, 3), 0.1, dtype=torch.float64)
    assert measure(x).isnan().all()


def test_chains_that_stand_still_at_different_places_are_one_draw_each():
    x = torch.tensor([0.1, 0.2, 0.3]).double().expand(100, 3)
    assert float(split_r_hat(x)) == math.inf
    # N / (2 n - 1), since rho is 1 at all n lags; n = 50.
    assert float(ess(x)) == pytest.approx(300 / 99)
    assert float(bulk_ess(x)) == pytest.approx(300 / 99)


def test_two_values_have_an_r_hat_and_sizes():
    """Also +1 and -1, which are constant when folded."""
    x = normal(400, 4).sign()
    for measure in ALL:
        assert measure(x).isfinite()
    assert split_r_hat(x) < 1.02


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_draws_that_are_not_finite_concern_their_quantity_only(measure, bad):
    x = normal(50, 2, 3)
    whole = measure(x)
    x[7, 1, 1] = bad
    value = measure(x)
    assert value[1].isnan()
    torch.testing.assert_close(value[[0, 2]], whole[[0, 2]])


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 2), (10,), (10, 0)])
def test_too_few_draws_are_an_error(measure, shape):
    with pytest.raises(ValueError, match="at least 4 draws of at least one chain"):
        measure(torch.zeros(shape))


# --- The summary


def info(K, C):
    return Info(
        acceptance=torch.full((K, C), 0.8),
        is_accepted=torch.ones(K, C, dtype=torch.bool),
        is_divergent=(torch.arange(K) < 3)[:, None].expand(K, C),
        steps=torch.full((K, C), 7),
    )


def test_a_summary_says_what_the_measures_say():
    x = autoregressive(0.5, 100, 4, 3)
    summary = summarize(x, info(100, 4))
    for measure in (split_r_hat, bulk_ess, tail_ess, mcse):
        field = "r_hat" if measure is split_r_hat else measure.__name__
        assert torch.equal(getattr(summary, field), measure(x))
    assert summary.divergences.tolist() == [3] * 4
    assert summary.steps.tolist() == [700] * 4
    torch.testing.assert_close(summary.acceptance, torch.full((4,), 0.8).double())


def test_a_summary_is_a_table_with_the_worst_first():
    x = normal(100, 4, 3)
    x[:, 0, 1] += 3
    lines = str(summarize(x, info(100, 4), ("a", "bad", "c"))).splitlines()
    head = "4 chains of 100 draws; acceptance 0.80 (0.80 to 0.80); 12 divergences; 2800 gradients"
    assert lines[0] == head
    assert lines[1].split() == ["mean", "sd", "mcse", "R-hat", "bulk", "ESS", "tail", "ESS"]
    assert lines[2].startswith("bad")
    assert len(lines) == 5
    assert len({len(line) for line in lines[1:]}) == 1


def test_a_summary_of_many_quantities_is_short_and_begins_with_what_has_no_answer():
    x = normal(100, 2, 40)
    x[:, :, 17] = 1.0
    lines = str(summarize(x, info(100, 2))).splitlines()
    assert lines[2].startswith("q17")
    assert lines[-1] == "... and 30 with smaller R-hat"
    assert len(lines) == 13


def test_a_summary_of_other_shapes_is_an_error():
    with pytest.raises(ValueError, match="K x C x p and each field of info K x C"):
        summarize(normal(100, 2, 3), info(100, 3))
    with pytest.raises(ValueError, match="expected 3 names, one a quantity, got 2"):
        summarize(normal(100, 2, 3), info(100, 2), ("a", "b"))
