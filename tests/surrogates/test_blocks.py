"""Sums over blocks of trials: from a cache or anew, the model is the same to the last bit."""

import pytest
import torch

from neuralbo.data import BLOCK, Data
from neuralbo.data import data as data_module
from neuralbo.engine.step import FIT, Memory, Step, generator
from neuralbo.surrogates import BayesianRVFL, BySize, GaussianProcess
from neuralbo.surrogates.surrogate import AddsUp, Chooses, fit_by_blocks
from neuralbo.testing.toys import SQUARE, multimodal, seeded, uniform

RECIPE = BayesianRVFL(units=12)
SMALL = 16  # trials of a block in these tests
ALL = 12 * SMALL


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(data_module, "BLOCK", SMALL)


def trials(numbers, scale=1.0):
    X = uniform(4000, 2, seed=1)[numbers]
    return Data(X, scale * multimodal(X), torch.as_tensor(numbers))


def fit(data, memory=None, recipe=RECIPE):
    return Step.of(data, SQUARE, seed=4, number=0, memory=memory).fit(recipe, data)


def numbers_of(model):
    mean, covariance = model.joint(uniform(6, 2, seed=9))
    return torch.cat([mean, covariance.flatten(), model.mu, model.noise_variance.reshape(1)])


def is_same(left, right):
    return torch.equal(numbers_of(left), numbers_of(right)) and left.facts == right.facts


class Counts(dict):
    """A cache that counts the hidden layers and units that were made for it."""

    @property
    def begun(self):
        return sum(key[1] == "units" for key in self)


def test_who_adds_up_and_who_chooses():
    assert isinstance(RECIPE, AddsUp)
    assert isinstance(BySize(), Chooses)
    assert not isinstance(GaussianProcess(), AddsUp | Chooses)


@pytest.mark.usefixtures("small")
class TestPurity:
    def test_a_memory_filled_trial_by_trial_changes_nothing(self):
        memory = Memory()
        for n in range(1, 5 * SMALL):
            data = trials(range(n))
            kept = fit(data, memory)
            assert is_same(kept, fit(data))
            assert is_same(kept, RECIPE.fit(data, generator(4, FIT)))

    def test_the_default_goes_by_blocks_when_it_is_a_network(self):
        recipe = BySize(GaussianProcess(restarts=0), RECIPE, most=3)
        data, memory = trials(range(50)), Memory()
        assert is_same(fit(data, memory, recipe), fit(data))
        assert len(memory.sums) == 2  # units and sums
        assert len(memory.models) == 1

    @pytest.mark.parametrize("seed", range(6))
    def test_trials_that_end_in_any_order_give_the_sums_of_those_in_order(self, seed):
        """Some are never finished or have failed: their numbers are missing."""
        memory, rng = Memory(), seeded(seed)
        order = (torch.arange(ALL) + 12 * torch.rand(ALL, generator=rng)).argsort()
        there = torch.rand(ALL, generator=rng) < 0.8
        for end in range(SMALL, ALL + 1, 5):
            observed = order[:end][there[order[:end]]]
            kept = fit(trials(observed), memory)
            assert is_same(kept, fit(trials(observed.sort().values)))

    def test_a_memory_that_forgets_at_once_is_no_error(self, monkeypatch):
        monkeypatch.setattr("neuralbo.engine.step.MOST_KEPT", 1)
        memory = Memory()
        for n in (20, 21, 40, 41, 20):
            assert is_same(fit(trials(range(n)), memory), fit(trials(range(n))))

    def test_two_studies_with_one_memory_do_not_mix(self):
        memory = Memory()
        for n in (20, 33, 40):
            for scale in (1.0, -2.0):
                kept = fit(trials(range(n), scale), memory)
                assert is_same(kept, fit(trials(range(n), scale)))

    def test_believed_values_change_no_fit(self):
        data = trials(range(40)).with_pending(uniform(2, 2, seed=8))
        believing = data.believing(data.X_pending, torch.full((2, 1), 1e6, dtype=torch.float64))
        for n in (10, 40):
            some = believing.first(n)._with(believed=believing.believed)
            fresh = RECIPE.fit(data.first(n), seeded())
            assert is_same(RECIPE.fit(some, seeded()), fresh)

    def test_clipped_values_have_another_name(self):
        data = trials(range(40))
        data.Y[3] = -1e6
        named = data._with(chain=data.digests())
        assert named.clipped(4.0)[0].digest() != named.digest()


@pytest.mark.usefixtures("small")
class TestWork:
    def test_units_are_made_anew_when_the_number_of_blocks_has_doubled(self):
        cache, begun = Counts(), []
        for n in range(1, 9 * SMALL + 1):
            data = trials(range(n))
            if data.block_ends():
                fit_by_blocks(RECIPE, data, generator(4, FIT), cache, "name")
            begun.append(cache.begun)
        changes = [i + 1 for i in range(1, len(begun)) if begun[i] != begun[i - 1]]
        assert changes == [SMALL, 2 * SMALL, 4 * SMALL, 8 * SMALL]

    @pytest.mark.parametrize(("blocks", "known"), [(1, 1), (2, 2), (3, 2), (7, 4), (8, 8)])
    def test_the_floor_is_that_of_the_first_half_or_more(self, blocks, known):
        data, cache = trials(range(blocks * SMALL + 3)), {}
        fit_by_blocks(RECIPE, data, seeded(), cache, "name")
        (sums,) = [sums for key, sums in cache.items() if key[1] == "units"]
        first = data.first(known * SMALL)
        assert torch.equal(sums.floor, first.floor(RECIPE.clip))
        assert torch.equal(sums.units.scale, first.clipped(RECIPE.clip)[0].standard_units().scale)

    def test_values_below_the_floor_are_raised_and_counted(self):
        data = trials(range(3 * SMALL + 5))
        data.Y[[2, SMALL + 1, 3 * SMALL + 2]] = -1e9
        model = RECIPE.fit(data, seeded())
        floor = data.first(2 * SMALL).floor(RECIPE.clip)
        raised = data._with(Y=data.Y.maximum(floor), chain=())
        assert model.facts["clipped"] == 3
        expected = BayesianRVFL(units=12, clip=None).fit(raised, seeded())
        torch.testing.assert_close(numbers_of(model), numbers_of(expected), rtol=1e-8, atol=1e-10)

    def test_only_new_blocks_and_the_rest_are_added(self, monkeypatch):
        added, add, memory = [], BayesianRVFL.add, Memory()

        def counted(self, sums, X, Y):
            added.append(len(X))
            return add(self, sums, X, Y)

        monkeypatch.setattr(BayesianRVFL, "add", counted)
        for n, expected in ((85, [16] * 5 + [5]), (86, [6]), (100, [16, 4]), (96, [])):
            added.clear()
            fit(trials(range(n)), memory)
            assert added == expected


@pytest.mark.parametrize("n", [BLOCK, BLOCK + 1, 2 * BLOCK + 7])
@pytest.mark.parametrize("recipe", [
    BayesianRVFL(units=12, clip=None),
    BayesianRVFL(units=12, clip=None, noise_precision=None, activation="tanh", skip=False),
], ids=str)  # fmt: skip
def test_sums_are_a_direct_fit(monkeypatch, recipe, n):
    by_blocks = recipe.fit(trials(range(n)), seeded())
    monkeypatch.setattr(data_module, "BLOCK", 10**9)
    direct = recipe.fit(trials(range(n)), seeded())
    torch.testing.assert_close(numbers_of(by_blocks), numbers_of(direct), rtol=1e-8, atol=1e-10)
    for name in ("log_evidence", "prior_precision", "noise_precision"):
        assert by_blocks.facts[name] == pytest.approx(direct.facts[name], rel=1e-8)


@pytest.mark.usefixtures("small")
class TestOddValues:
    @pytest.mark.parametrize("value", [0.0, 0.1, -3.0, 1e9, 1e-300, 1e150, -1e150])
    @pytest.mark.parametrize("noise", [0.0, 1e-16])
    def test_values_that_are_constant_up_to_rounding_are_flat(self, value, noise):
        X = uniform(3 * SMALL + 5, 2)
        Y = value * (1 + noise * torch.randn(len(X), 1, generator=seeded(), dtype=torch.float64))
        model = RECIPE.fit(Data(X, Y, torch.arange(len(X))), seeded())
        assert model.units.scale.item() == 1
        mean, variance = model.moments(uniform(9, 2, seed=3))
        assert variance.isfinite().all() and (variance > 0).all()
        torch.testing.assert_close(mean, torch.full_like(mean, value), rtol=1e-12, atol=0)

    @pytest.mark.parametrize("scale", [1e-140, 1e-9, 1e9, 1e149])
    def test_the_scale_of_the_values_does_not_matter(self, scale):
        at_one, scaled = (RECIPE.fit(trials(range(53), s), seeded()) for s in (1.0, scale))
        X = uniform(9, 2, seed=3)
        torch.testing.assert_close(scaled.moments(X)[0] / scale, at_one.moments(X)[0])
        std = scaled.moments(X)[1].sqrt() / scale
        torch.testing.assert_close(std, at_one.moments(X)[1].sqrt())

    @pytest.mark.parametrize("scale", [1e-20, 1.0, 1e150])
    def test_a_constant_beginning_hides_nothing_that_comes_later(self, scale):
        """The first block is 0, so its units are 1: the later values have a scale of their own."""
        X = uniform(SMALL + 15, 2)
        Y = scale * multimodal(X) / 4
        Y[:SMALL] = 0.0
        model = BayesianRVFL(units=12, clip=None).fit(Data(X, Y, torch.arange(len(X))), seeded())
        assert model.moments(X)[0].isfinite().all()
        assert 0.01 < float(model.units.scale) / scale < 1

    def test_the_largest_values_of_both_signs_are_finite(self):
        X = uniform(3 * SMALL + 5, 2)
        Y = 1e150 * (X[:, :1] - 0.5).sign()
        Y[:SMALL] = torch.randn(SMALL, 1, generator=seeded(), dtype=torch.float64)
        model = BayesianRVFL(units=12, clip=None).fit(Data(X, Y, torch.arange(len(X))), seeded())
        mean, variance = model.moments(X)
        assert mean.isfinite().all() and variance.isfinite().all()

    @pytest.mark.parametrize("numbers", [[40], [40, 41], [33, 64, 100], [3, 200], [-40, -3]])
    def test_blocks_in_which_all_trials_failed_are_no_end(self, numbers):
        data, memory = trials([abs(i) for i in numbers]), Memory()
        data = Data(data.X, data.Y, torch.tensor(numbers))
        assert is_same(fit(data, memory), fit(data))
        assert fit(data, memory).joint(data.X)[0].isfinite().all()
