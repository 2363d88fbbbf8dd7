"""One suggestion's view of the study."""

import copy
import pickle
from dataclasses import replace

import pytest
import torch

from neuralbo.criteria import Thompson
from neuralbo.data import FIRST_REFIT, Data, refit_size
from neuralbo.engine.step import FIT, MOST_KEPT, SUGGEST, Memory, Recent, Step, generator
from neuralbo.maximizers import Multistart
from neuralbo.policies import Standard
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BayesianRVFL, BySize, GaussianProcess
from neuralbo.testing.toys import SQUARE, multimodal, no_global_randomness, uniform

GP = GaussianProcess(restarts=1)


def trials(n):
    """Return the first n of one study's trials, numbered as they came."""
    X = uniform(60, 2, seed=1)[:n]
    return Data(X, multimodal(X), torch.arange(n))


def step_of(n, memory=None, seed=4):
    return Step.of(trials(n), SQUARE, seed=seed, number=n, memory=memory)


def same(left, right):
    X = uniform(5, 2, seed=9)
    return all(torch.equal(a, b) for a, b in zip(left.joint(X), right.joint(X), strict=True))


def test_refits_are_8_12_18_27_and_half_as_many_more_each_time():
    refit_sizes = sorted({refit_size(n) for n in range(1, 400)} - {None})
    assert refit_sizes[:9] == [8, 12, 18, 27, 40, 60, 90, 135, 202]


@pytest.mark.parametrize(("n", "last"), [(1, None), (8, None), (9, 8), (12, 8), (13, 12)])
def test_a_refit_lies_before_the_number_of_trials(n, last):
    assert refit_size(n) == last
    assert FIRST_REFIT == 8


@pytest.mark.parametrize("recipe", [GP, BayesianRVFL(), BySize(few=GP, most=15)], ids=str)
@pytest.mark.parametrize("n", [5, 9, 20])
def test_a_filled_memory_gives_the_same_model_to_the_last_bit(recipe, n):
    memory = Memory()
    for earlier in range(1, n):
        step_of(earlier, memory).fit(recipe, trials(earlier))
    filled = step_of(n, memory).fit(recipe, trials(n))
    assert same(filled, step_of(n).fit(recipe, trials(n)))


def test_models_do_not_depend_on_the_number_of_the_suggestion():
    left = Step.of(trials(9), SQUARE, seed=4, number=9).fit(GP, trials(9))
    right = Step.of(trials(9), SQUARE, seed=4, number=30).fit(GP, trials(9))
    assert same(left, right)


def test_equal_data_are_fitted_once():
    step = step_of(9)
    assert step.fit(GP, trials(9)) is step.fit(GP, trials(9))


def test_other_data_and_other_recipes_are_fitted_anew():
    step = step_of(9)
    model = step.fit(GP, trials(9))
    assert step.fit(GP, trials(8)) is not model
    assert step.fit(GaussianProcess(restarts=0), trials(9)) is not model


def test_a_resumed_study_fits_the_refits_only():
    memory = Memory()
    step_of(30, memory).fit(GP, trials(30))
    assert len(memory.models) == 5  # 8, 12, 18, 27 and 30


def test_surrogates_that_cannot_begin_elsewhere_fit_no_refits():
    memory = Memory()
    step_of(30, memory).fit(BayesianRVFL(), trials(30))
    assert len(memory.models) == 1


def test_a_later_trial_changes_no_refit():
    memory = Memory()
    step_of(13, memory).fit(GP, trials(13))
    known = set(memory.models)
    step_of(14, memory).fit(GP, trials(14))
    assert len(set(memory.models) - known) == 1


def test_pending_and_failed_points_change_no_fit():
    data = trials(9)
    other = Data(data.X, data.Y, data.numbers, uniform(2, 2, seed=5), uniform(1, 2, seed=6))
    assert data.digest() == other.digest()


def test_the_digest_tells_values_and_shapes_apart():
    data = trials(9)
    changed = data.Y.clone()
    changed[3] += 1e-12
    others = [
        Data(data.X, changed, data.numbers),
        Data(data.X[:8], data.Y[:8], data.numbers[:8]),
        Data(data.X.flip(-1), data.Y, data.numbers),
    ]
    assert len({d.digest() for d in [data, *others]}) == 4


def test_generators_of_different_keys_are_independent():
    keys = [(0, FIT), (0, SUGGEST, 0), (0, SUGGEST, 1), (1, FIT), (1, SUGGEST, 0)]
    draws = torch.stack([torch.randn(4000, generator=generator(*key)) for key in keys])
    correlation = draws.corrcoef() - torch.eye(len(keys))
    assert correlation.abs().max() < 5 / 4000**0.5


def test_generators_of_equal_keys_are_equal():
    with no_global_randomness():
        left, right = (torch.rand(5, generator=generator(3, SUGGEST, 7)) for _ in range(2))
    assert torch.equal(left, right)


def test_fits_leave_the_random_numbers_of_the_suggestion_alone():
    step = step_of(9)
    before = step.rng.get_state()
    step.fit(GP, trials(9))
    assert torch.equal(step.rng.get_state(), before)


def test_the_points_of_a_thompson_batch_come_from_different_draws():
    """Pending points alone would move them too: here there is nothing to learn from them."""
    X = torch.tensor([[0.5, 0.5]], dtype=torch.float64)
    step = Step.of(Data(X, torch.zeros(1, 1)), SQUARE, seed=1, number=1)
    policy = Standard(GP, Thompson(), Multistart(candidates=64, local=8, restarts=2))
    points = policy.propose(step, 4).points
    assert torch.pdist(points).min() > 0.01


def test_a_memory_keeps_the_latest_fits():
    recent = Recent()
    for i in range(100):
        recent[i] = None
    assert list(recent) == list(range(36, 100))


def test_a_step_without_memory_has_one_of_its_own():
    left, right = step_of(9), step_of(9)
    left.fit(GP, trials(9))
    assert len(right.memory.models) == 0


def test_variables_must_follow_their_parents():
    with pytest.raises(ValueError, match="does not precede it"):
        Domain((Variable(when=((1, frozenset([0])),)), Variable("category", 2)))


def test_fits_of_another_seed_are_not_taken_from_memory():
    memory, recipe = Memory(), BayesianRVFL(units=10)
    fits = [step_of(9, memory, seed).fit(recipe, trials(9)) for seed in (1, 2)]
    assert not same(*fits)


def test_what_was_looked_up_last_is_forgotten_last():
    recent = Recent()
    for i in range(64):
        recent[i] = i
    assert recent[0] == 0
    recent[64] = None
    assert 0 in recent and 1 not in recent
    assert list(recent)[-2:] == [0, 64]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_has_what_was_kept_and_forgets_as_it_does(again):
    recent = Recent()
    for i in range(70):
        recent[i] = i
    other = again(recent)
    assert type(other) is Recent and list(other.items()) == list(recent.items())
    other["new"] = 1
    assert len(other) == MOST_KEPT and "new" not in recent


def test_what_was_computed_from_the_same_is_computed_once():
    step, calls = step_of(9), []
    for key in ("a", "a", "b"):
        assert step.remember(key, lambda key=key: calls.append(key) or key) == key
    assert calls == ["a", "b"]


def test_a_chosen_surrogate_shares_its_fits_with_the_one_it_chose():
    step, auto = step_of(20), BySize(few=GP, most=15)
    assert step.fit(auto, trials(20)) is step.fit(auto.many, trials(20))
    assert step.fit(auto, trials(9)) is step.fit(GP, trials(9))


def test_a_selection_is_fitted_without_refits():
    step = step_of(20)
    alone = replace(step, chains=False)
    assert alone.fit(GP, trials(20)) is not step.fit(GP, trials(20))
    assert alone.fit(GP, trials(20)) is alone.fit(GP, trials(20))
    fresh = GP.fit(trials(20), generator(step.seed, FIT))
    assert torch.equal(alone.fit(GP, trials(20)).theta, fresh.theta)
