"""Scores of settings: the weight of the background, shares, and places of a search."""

import math

import pytest
import torch

from neuralbo.surrogates.mixtures.held_out import DEPTHS, CrossValidation, Held, blended, held
from neuralbo.testing.toys import seeded, uniform


def test_the_blended_density_is_the_documents():
    """Kruse (2022), Sec. 4.1: (n p(x, y) + w p_0(y))/(n p(x) + w)."""
    a, b, p_0, w = 0.3, 0.8, 0.1, 0.05
    numbers = [torch.tensor(math.log(x), dtype=torch.float64) for x in (a, b, w, p_0)]
    exact = math.log((a + w * p_0) / (b + w))
    assert float(blended(*numbers)) == pytest.approx(exact)


def test_each_setting_gets_the_depth_that_is_best_for_it():
    a, b = 3 * uniform(4, 9, seed=1) - 4, 3 * uniform(4, 9, seed=2) - 2
    typical, log_p0, prior = uniform(4), -uniform(9, seed=3), -uniform(4, seed=4)
    found = held(a, b, typical, log_p0, prior)
    for i in range(4):
        totals = [
            float(
                blended(a[i], b[i], typical[i] - t, log_p0).sum()
                - 0.5 * math.log(t / 8.0) ** 2
                + prior[i]
            )
            for t in DEPTHS
        ]
        assert float(found.totals[i]) == pytest.approx(max(totals))
        depth = DEPTHS[totals.index(max(totals))]
        assert float(found.log_w[i]) == pytest.approx(float(typical[i]) - depth)


def test_settings_that_are_far_worse_have_no_share_and_equal_ones_the_same():
    scores = torch.stack([uniform(20), uniform(20) - 5, uniform(20)])
    shares = Held(scores, torch.zeros(3)).shares(seeded())
    torch.testing.assert_close(shares, torch.tensor([0.5, 0.0, 0.5], dtype=torch.float64))


def test_a_lucky_observation_does_not_take_the_whole_share():
    """One observation gains 6, nine lose 0.3 each: the sum alone would give exp(3.3) to 1."""
    scores = torch.zeros(2, 10, dtype=torch.float64)
    scores[1, 0], scores[1, 1:] = 6.0, -0.3
    shares = Held(scores, torch.zeros(2)).shares(seeded())
    assert 0.1 < shares[0] < 0.5


def test_a_setting_without_a_number_has_no_share():
    scores = torch.stack([uniform(5), torch.full((5,), math.nan, dtype=torch.float64)])
    assert Held(scores, torch.zeros(2)).shares(seeded()).tolist() == [1.0, 0.0]


def test_folds_are_thirty_or_as_many_as_observations():
    assert CrossValidation().fold_of(12).tolist() == list(range(12))
    assert CrossValidation().fold_of(95).bincount().tolist() == [4] * 5 + [3] * 25
    assert CrossValidation().points == 40


def test_places_fill_the_cube_and_depend_on_the_generator():
    search = CrossValidation()
    places = search.places(3, seeded())
    assert places.shape == (40, 3)
    assert ((places >= 0) & (places < 1)).all()
    assert torch.equal(places, search.places(3, seeded()))
    assert not torch.equal(places, search.places(3, seeded(1)))


def test_each_fold_has_the_units_of_the_other_rows():
    V = uniform(7, 2)
    units = CrossValidation(folds=3).units(V)
    rest = V[[0, 2, 3, 5, 6]]
    torch.testing.assert_close(units.shift[1], rest.mean(0))
    torch.testing.assert_close(units.scale[1], rest.std(0, correction=0))
