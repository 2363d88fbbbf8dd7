"""Codes of categories with many levels."""

import pytest
import torch

from neuralbo import Categorical, Optimizer, Real
from neuralbo.space.category_codes import LENGTH, SPREAD, nearest_word, words

SECOND = [0, 3, 4, 6, 10, 11, 18, 19]  # the first ones of the word of level 1


def place_distances(left, right):
    """Return in how many columns rows differ; exact, as rounding is far below one."""
    return (torch.cdist(left, right, p=1) / (2 * SPREAD)).round()


@pytest.mark.parametrize("count", [65, 1000, 5000])
def test_words_differ_in_a_quarter_of_the_columns(count):
    W = words(count)
    assert W.shape == (count, LENGTH)
    assert set(W.unique().tolist()) == {0.5 - SPREAD, 0.5 + SPREAD}
    distance = place_distances(W[:1000], W)
    distance[torch.arange(len(distance)), torch.arange(len(distance))] = LENGTH
    assert float(distance.amin()) >= LENGTH / 4


def test_a_hundred_thousand_levels_are_still_far_from_each_other():
    W = words(100_000)
    few = place_distances(W[-20:], W).topk(2, largest=False).values
    assert float(few[:, 0].amax()) == 0
    assert float(few[:, 1].amin()) >= LENGTH / 4


def test_the_nearest_word_survives_errors_in_seven_columns():
    W, rng = words(1000), torch.Generator().manual_seed(0)
    wrong = W.clone()
    places = torch.rand(W.shape, generator=rng).argsort(-1)[:, :7]
    wrong.scatter_(1, places, 1 - W.gather(1, places))  # the other of the two numbers
    assert torch.equal(nearest_word(wrong, 1000), torch.arange(1000))


def test_words_stay_the_same():
    """Studies that are resumed must find their points again."""
    assert (words(100)[1] > 0.5).nonzero().flatten()[:8].tolist() == SECOND
    assert torch.equal(words(100), words(1000)[:100])


def test_a_choice_of_a_thousand_that_was_good_is_tried_again():
    choices = [f"word {i}" for i in range(1000)]
    opt = Optimizer({"word": Categorical(choices), "x": Real(0, 1)}, surrogate="gp", seed=0)
    for i, x in enumerate(torch.linspace(0.05, 0.95, 8).tolist()):
        opt.tell({"word": "word 7", "x": x}, (x - 0.6) ** 2)
        for j in (20, 500):
            opt.tell({"word": choices[i + j], "x": x}, 3 + (x - 0.6) ** 2)
    found = opt.ask(8)
    assert any(params["word"] == "word 7" and abs(params["x"] - 0.6) < 0.1 for params in found)
