"""A process that follows its last refit searches from there alone, if there is little noise."""

import torch

from neuralbo.data import Data, refit_size
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp import gaussian_process as module
from neuralbo.testing.toys import seeded, smooth_data

FOLLOWS = GaussianProcess(follows=True)


def starts_of(monkeypatch, recipe, data, before):
    """Return how many starts a fit from an earlier one has, and how many steps."""
    seen = []
    whole = module.minimize

    def noting(f, start, bounds, **settings):
        seen.append((len(start), settings["rounds"]))
        return whole(f, start, bounds, **settings)

    monkeypatch.setattr(module, "minimize", noting)
    recipe.fit_from(data, seeded(), before)
    return seen[0]


def test_between_refits_there_is_one_start(monkeypatch):
    data = smooth_data(15, 2)
    before = FOLLOWS.fit(data.first(12), seeded())
    assert starts_of(monkeypatch, FOLLOWS, data, before) == (1, 15)
    assert starts_of(monkeypatch, GaussianProcess(), data, _as(GaussianProcess(), data)) == (4, 30)


def _as(recipe, data):
    return recipe.fit(data.first(12), seeded())


def test_at_a_refit_there_are_all(monkeypatch):
    data = smooth_data(18, 2)
    assert refit_size(19) == 18
    before = FOLLOWS.fit(data.first(12), seeded())
    assert starts_of(monkeypatch, FOLLOWS, data, before) == (4, 30)


def test_with_noise_there_are_all(monkeypatch):
    data = smooth_data(45, 2)
    noise = torch.randn(45, 1, generator=seeded(1), dtype=torch.float64)
    noisy = Data(data.X, data.Y / data.Y.std() + 0.3 * noise, torch.arange(45))
    before = FOLLOWS.fit(noisy.first(40), seeded())
    assert before.theta[-1].exp() > 1e-3
    assert starts_of(monkeypatch, FOLLOWS, noisy, before) == (4, 30)
