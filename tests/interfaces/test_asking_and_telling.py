"""What ask and tell can do beside one suggestion and one value: batches, noise, queue, file."""

import json

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from neuralbo import Categorical, Integer, Measured, NeuralboWarning, Optimizer, Real
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.surrogates import GaussianProcess

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
LINE = {"x": Real(0, 1)}
MIXED = {
    "lr": Real(1e-5, 1, log=True),
    "k": Integer(1, 9),
    "kind": Categorical(["a", "b", None, float("inf")]),
    "depth": Integer(1, 5, when={"kind": ["a"]}),
}


def quick(space=LINE, **options):
    return Optimizer(space, **({"surrogate": "gp", "maximizer": "random", "seed": 0} | options))


def bowl(params):
    return (params.get("x", 0.1) - 0.3) ** 2 + params.get("depth", 3) / 9


class TestBatches:
    def test_a_batch_is_told_as_one_after_the_other(self):
        one, other = quick(), quick()
        batch = one.ask(4)
        one.tell(batch, [1.0, None, 3.0, 0.5], noise=0.1)
        for params, value in zip(other.ask(4), [1.0, None, 3.0, 0.5], strict=True):
            other.tell(params, value, noise=0.1)
        assert one.trials == other.trials
        assert one.ask() == other.ask()

    def test_arrays_and_several_objectives_are_welcome(self):
        opt = quick(direction=["minimize", "maximize"])
        opt.tell(opt.ask(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
        assert [trial.values for trial in opt.trials] == [(1.0, 2.0), (3.0, 4.0)]

    @pytest.mark.parametrize("values", [1.0, None, [1.0], [1.0, 2.0, 3.0], "ab", {"a": 1, "b": 2}])
    def test_there_must_be_as_many_values(self, values):
        opt = quick()
        with pytest.raises(ValueError, match="2 parameters is told with a list of 2 values"):
            opt.tell(opt.ask(2), values)

    def test_after_an_error_none_of_a_batch_is_told(self):
        opt = quick()
        batch = opt.ask(3)
        with pytest.raises(TypeError, match="must be a number"):
            opt.tell(batch, [1.0, 2.0, "three"])
        assert opt.trials == []
        with pytest.raises(ValueError, match="is told twice"):
            opt.tell([batch[0], batch[0]], [1.0, 2.0])
        assert opt.trials == []


class TestNoise:
    def test_noise_reaches_the_data_in_the_order_of_the_trials(self):
        opt = quick()
        first, second, third = opt.ask(3)
        opt.tell(third, 3.0, noise=0.3)
        opt.tell(first, Measured(1.0, noise=0.1))
        opt.tell(second, 2.0)
        assert_allclose(opt.step().data.V[:, 0], [0.01, 0.0, 0.09])

    def test_repeated_measurements_are_their_mean_and_its_standard_error(self):
        found = Measured.mean_of([1.0, 2.0, 6.0])
        assert found == 3.0
        assert_allclose(found.noise, np.std([1, 2, 6], ddof=1) / np.sqrt(3))

    def test_a_value_without_noise_counts_more(self):
        """Two values at one point: the mean there is nearer to the one that is exact."""
        opt = quick(n_startup_trials=1)
        opt.tell([{"x": x} for x in (0.1, 0.4, 0.9)], [0.5, 0.2, 0.7], noise=1e-3)
        opt.tell([{"x": 0.6}, {"x": 0.6}], [1.0, -1.0], noise=[1e-3, 2.0])
        assert opt.predict({"x": 0.6}).mean > 0.6

    @pytest.mark.parametrize("noise", [-0.1, float("nan"), float("inf")])
    def test_noise_is_a_standard_deviation(self, noise):
        opt = quick()
        with pytest.raises(ValueError, match="noise must be the standard deviation"):
            opt.tell(opt.ask(), 1.0, noise=noise)
        with pytest.raises(ValueError, match="noise must be the standard deviation"):
            Measured(1.0, noise=noise)

    def test_a_surrogate_that_cannot_use_it_says_so(self):
        opt = quick(surrogate="brvfl4", n_startup_trials=1)
        opt.tell([{"x": 0.1}, {"x": 0.5}, {"x": 0.9}], [1.0, 0.3, 0.8], noise=0.1)
        with pytest.warns(NeuralboWarning, match="BayesianRVFL does not use the noise"):
            suggested = opt.ask()
        assert suggested.facts["known_noise"] == "not used by BayesianRVFL"

    @pytest.mark.parametrize("values", [[1.0], [], [1.0, float("nan")]])
    def test_one_measurement_says_nothing_of_its_noise(self, values):
        with pytest.raises(ValueError, match="two finite values"):
            Measured.mean_of(values)


class TestQueue:
    def test_guesses_come_first_and_what_they_leave_open_is_chosen(self):
        opt = quick(MIXED, guesses=[{"lr": 1e-3, "k": 3, "kind": "b"}, {"kind": "a", "depth": 2}])
        first, second, third = opt.ask(3)
        assert first == {"lr": 1e-3, "k": 3, "kind": "b"}
        assert (second["kind"], second["depth"]) == ("a", 2)
        assert set(second) == set(MIXED)
        assert third != second

    def test_what_is_left_open_is_chosen_by_the_model(self):
        opt = quick({"x": Real(0, 1), "y": Real(0, 1)}, maximizer=QUICK, n_startup_trials=1)
        for x in np.linspace(0, 1, 5):
            for y in (0.0, 0.5, 1.0):
                opt.tell({"x": x, "y": y}, (x - 0.3) ** 2 + y)
        opt.enqueue({"y": 0.25})
        suggested = opt.ask()
        assert suggested["y"] == 0.25
        assert abs(suggested["x"] - 0.3) < 0.15

    @pytest.mark.parametrize(
        ("params", "says"),
        [
            ({"z": 1}, "unknown parameter 'z'"),
            ({"k": 10}, "'k' must be a whole number from 1 to 9"),
            ({"kind": "b", "depth": 2}, "'depth' exists only when"),
        ],
    )
    def test_what_is_not_legal_is_refused_at_once(self, params, says):
        opt = quick(MIXED)
        with pytest.raises(ValueError, match=says):
            opt.enqueue(params)
        with pytest.raises(ValueError, match=says):
            quick(MIXED, guesses=[params])
        with pytest.raises(ValueError, match=says):
            quick(MIXED, fixed=params)

    def test_guesses_are_a_list(self):
        with pytest.raises(TypeError, match="guesses must be a list of dictionaries"):
            quick(guesses={"x": 0.5})


class TestFixed:
    @pytest.mark.parametrize("surrogate", ["gp", "auto", "trust_region", "bore", "sobol"])
    def test_fixed_parameters_keep_their_values(self, surrogate):
        space = MIXED | {"x": Real(0, 1), "y": Real(0, 1)}
        fixed = {"kind": "a", "lr": 0.01, "x": 0.25}
        opt = quick(space, surrogate=surrogate, maximizer=None, fixed=fixed, n_startup_trials=4)
        if surrogate == "gp":  # data elsewhere are welcome
            opt.tell({"lr": 0.5, "k": 2, "kind": "b", "x": 0.9, "y": 0.5}, 1.0)
        for _ in range(7):
            for suggested in opt.ask(2):
                assert {name: suggested[name] for name in fixed} == pytest.approx(fixed)
                opt.tell(suggested, bowl(suggested))
        assert len({trial.params["y"] for trial in opt.trials}) > 7

    def test_a_fixed_domain_with_few_points_is_gone_through(self):
        space = {"a": Integer(1, 4), "b": Categorical(["u", "v"]), "x": Real(0, 1)}
        opt = quick(space, fixed={"x": 0.5}, surrogate="random", maximizer=None)
        assert len({tuple(suggested.items()) for suggested in opt.ask(8)}) == 8


class TestCancel:
    def test_a_cancelled_suggestion_is_gone(self):
        opt = quick()
        first, second = opt.ask(2)
        opt.cancel(first)
        assert len(opt.step().data.X_pending) == 1
        with pytest.raises(ValueError, match="cancel takes parameters that ask"):
            opt.cancel(first)
        opt.cancel(dict(second))
        assert opt.trials == []
        assert "0 trials" in repr(opt)

    def test_what_was_cancelled_can_be_told_all_the_same(self):
        opt = quick()
        suggested = opt.ask()
        opt.cancel(suggested)
        opt.tell(suggested, 1.0)
        assert [(trial.number, trial.value) for trial in opt.trials] == [(1, 1.0)]

    def test_later_trials_settle(self):
        opt = quick()
        batch = opt.ask(3)
        opt.cancel(batch[0])
        opt.tell(batch[1:], [1.0, 2.0])
        assert opt.step().data.numbers.tolist() == [1, 2]
        assert opt.pending == []


class TestPredict:
    @pytest.mark.parametrize("direction", ["minimize", "maximize"])
    def test_it_is_the_model_in_the_units_of_the_values(self, direction):
        opt = quick(direction=direction)
        for x in np.linspace(0, 1, 7):
            opt.tell({"x": x}, 100 + 7 * x)
        found = opt.predict([{"x": 0.21}, {"x": 0.77}])
        posterior = opt.model.posterior(torch.tensor([[[0.21]], [[0.77]]], dtype=torch.float64))
        assert_allclose([p.mean for p in found], posterior.mean.flatten())
        assert_allclose([p.std**2 for p in found], posterior.variance.flatten())
        assert opt.predict({"x": 0.21}) == found[0]
        assert_allclose(found[0].mean, 101.47, atol=0.2)

    def test_a_classifier_has_no_mean(self):
        opt = quick(surrogate="bore", maximizer=None)
        opt.tell([{"x": 0.1}, {"x": 0.5}], [1.0, 2.0])
        with pytest.raises(ValueError, match="predicts no values"):
            opt.predict({"x": 0.3})


def after(opt, n):
    found = []
    for _ in range(n):
        suggested = opt.ask()
        found.append(dict(suggested))
        opt.tell(suggested, bowl(suggested))
    return found


@pytest.fixture
def saved(tmp_path):
    """Return an optimizer with trials of all kinds, and the path of its file."""
    opt = quick(MIXED, fixed={"k": 4}, maximizer=None, surrogate="auto", n_startup_trials=5)
    for number in range(9):
        suggested = opt.ask()
        if number != 6:
            opt.tell(
                suggested,
                None if number == 3 else bowl(suggested),
                noise=0.1 if number % 2 else None,
            )
    opt.cancel(opt.ask())
    opt.enqueue({"kind": float("inf"), "lr": 1e-3})
    opt.save(tmp_path / "study.json")
    return opt, tmp_path / "study.json"


class TestFile:
    def test_a_loaded_optimizer_goes_on_in_the_same_way(self, saved):
        opt, path = saved
        loaded = Optimizer.load(path)
        assert repr(loaded) == repr(opt)
        assert loaded.trials == opt.trials
        assert after(loaded, 10) == after(opt, 10)

    def test_several_objectives_and_conditions_on_numbers(self, tmp_path):
        space = {"k": Integer(1, 3), "x": Real(0, 1, step=0.25, when={"k": [1, 2]})}
        opt = quick(
            space, direction=["minimize", "maximize"], surrogate=["gp", "brvfl4"],
            reference_point=np.array([3.0, 0.0]), n_trials=np.int64(20),
        )  # fmt: skip
        opt.tell(opt.ask(3), [[1.0, 2.0], [2.0, 1.0], None])
        opt.save(tmp_path / "front.json")
        assert Optimizer.load(tmp_path / "front.json").front == opt.front

    def test_a_recipe_is_given_again(self, tmp_path):
        opt = quick(surrogate=GaussianProcess(restarts=2))
        opt.tell({"x": 0.5}, 1.0)
        opt.save(tmp_path / "a.json")
        with pytest.raises(ValueError, match=r"surrogate=GaussianProcess\(.*give it again"):
            Optimizer.load(tmp_path / "a.json")
        with pytest.raises(ValueError, match=r"but surrogate=.* was given: load it with the same"):
            Optimizer.load(tmp_path / "a.json", surrogate=GaussianProcess(restarts=3))
        loaded = Optimizer.load(tmp_path / "a.json", surrogate=GaussianProcess(restarts=2))
        assert loaded.trials == opt.trials

    def test_a_file_that_is_cut_off_is_refused(self, saved):
        _, path = saved
        path.write_text(path.read_text()[:-40])
        with pytest.raises(ValueError, match="cut off or no JSON"):
            Optimizer.load(path)

    def test_a_file_that_was_changed_is_refused(self, saved):
        _, path = saved
        found = json.loads(path.read_text())
        found["content"]["trials"][0]["values"] = [-100.0]
        path.write_text(json.dumps(found))
        with pytest.raises(ValueError, match="was changed after it was saved"):
            Optimizer.load(path)

    def test_a_file_that_is_newer_is_refused(self, saved):
        _, path = saved
        path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
        with pytest.raises(ValueError, match="written by a newer neuralbo: its version is 99"):
            Optimizer.load(path)

    def test_a_file_of_another_kind_is_refused(self, saved):
        _, path = saved
        path.write_text("[1, 2]")
        with pytest.raises(ValueError, match="JSON of another kind"):
            Optimizer.load(path)

    def test_a_file_is_replaced_as_a_whole(self, saved):
        opt, path = saved
        opt.save(path)
        assert [found.name for found in path.parent.iterdir()] == ["study.json"]
