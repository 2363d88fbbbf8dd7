"""Stochastic-gradient HMC networks."""

from dataclasses import replace

import pytest
import torch

from neuralbo.errors import FitError
from neuralbo.inference.sghmc import AdaptiveSGHMC
from neuralbo.surrogates.sampled.bohamiann import Bohamiann
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data

SMALL = Bohamiann(widths=(12,), burn_in=300, steps=300, keep_every=10)


class TestBohamiann(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return SMALL


class TestSeveralChains(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(SMALL, chains=3, steps=100, inputs="symmetric", clip=4.0)


def test_every_so_many_steps_a_network_is_kept():
    model = replace(SMALL, chains=2, steps=55, keep_every=10).fit(smooth_data(), seeded(1))
    assert len(model.weights) == 2 * 5 and model.facts["networks"] == 10


def test_batches_and_all_rows_learn_the_same_function():
    data = smooth_data(60, 2)
    small, whole = (replace(SMALL, batch=b, steps=1000).fit(data, seeded(1)) for b in (20, 60))
    for model in (small, whole):
        rest = moments_of(model.posterior(data.X[:, None]))[0][:, 0] - data.Y
        assert rest.square().mean().sqrt() < 0.3 * data.Y.std()


def test_it_says_when_it_diverges(monkeypatch):
    def lost(self, gradient, q, rng, **counts):
        state = self.init(q)
        return torch.full((3, *q.shape), torch.nan, dtype=torch.float64), state

    monkeypatch.setattr(AdaptiveSGHMC, "run", lost)
    with pytest.raises(FitError, match="smaller step_size"):
        SMALL.fit(smooth_data(), seeded(1))


@pytest.mark.parametrize("settings", [{"chains": 0}, {"batch": 0}, {"steps": 5}])
def test_wrong_counts_are_refused(settings):
    with pytest.raises(ValueError, match="Bohamiann needs"):
        Bohamiann(**settings)


def test_noise_is_learnt():
    model = SMALL.fit(smooth_data(40, 2), seeded(1))
    assert 1e-3 < model.facts["noise_sd"] < 0.5
    assert torch.isfinite(model.weights).all()
