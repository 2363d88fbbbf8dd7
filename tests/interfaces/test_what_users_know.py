"""Guesses, fixed values, costs, wider ranges and known noise in `minimize` and Optuna."""

import inspect
import math
import sys

import optuna
import pytest

from neuralbo import (
    Categorical,
    Integer,
    Measured,
    NeuralSampler,
    Optimizer,
    Real,
    maximize,
    minimize,
)
from neuralbo.cli import main
from neuralbo.interfaces.optuna.trials import all_trials

LINE = {"x": Real(0, 1)}
BRANCHES = {
    "x": Real(0, 1),
    "kind": Categorical(["a", "b"]),
    "depth": Integer(1, 5, when={"kind": ["a"]}),
}


def bowl(params):
    return (params["x"] - 0.3) ** 2 + params.get("depth", 3) / 9


def run(f, space, n, **options):
    options = {"surrogate": "gp", "maximizer": "random", "seed": 0} | options
    return minimize(f, space, n, progress=False, **options)


def data_of(study):
    """Return what the sampler of a study learns from."""
    trials = all_trials(study)
    now = optuna.trial.create_trial(state=optuna.trial.TrialState.WAITING)
    return study.sampler._step(study, now, trials, study.sampler._space).data


class TestMaximize:
    def test_it_is_minimize_of_the_opposite(self):
        one = maximize(lambda p: -bowl(p), LINE, 8, seed=1, progress=False, surrogate="gp")
        other = minimize(bowl, LINE, 8, seed=1, progress=False, surrogate="gp")
        assert [t.params for t in one.study.trials] == [t.params for t in other.study.trials]
        assert one.best_value == -other.best_value

    def test_it_has_the_arguments_of_minimize(self):
        ours = inspect.signature(maximize).parameters
        theirs = dict(inspect.signature(minimize).parameters)
        del theirs["direction"]
        assert {n: (p.default, p.annotation) for n, p in ours.items()} == {
            n: (p.default, p.annotation) for n, p in theirs.items()
        }


class TestGuesses:
    def test_they_come_first_and_once_in_a_study(self, tmp_path):
        guesses = [{"x": 0.3, "kind": "b"}, {"kind": "a", "depth": 2}]
        options = {"storage": tmp_path / "a.db", "guesses": guesses}
        found = run(bowl, BRANCHES, 3, **options).study.trials
        assert found[0].params == guesses[0]
        assert (found[1].params["kind"], found[1].params["depth"]) == ("a", 2)
        assert len(run(bowl, BRANCHES, 1, **options).study.trials) == 4

    def test_what_is_put_in_the_queue_comes_again(self, tmp_path):
        options = {"storage": tmp_path / "a.db", "enqueue": [{"x": 0.25}]}
        run(bowl, LINE, 2, **options)
        found = run(bowl, LINE, 2, **options).study.trials
        assert [trial.params["x"] == 0.25 for trial in found] == [True, False, True, False]

    @pytest.mark.parametrize("name", ["guesses", "enqueue"])
    def test_those_that_are_not_legal_are_refused_before_the_first_trial(self, name):
        with pytest.raises(ValueError, match=f"{name}: 'x' must be a number from 0.0 to 1.0"):
            run(bowl, LINE, 3, **{name: [{"x": 2.0}]})
        with pytest.raises(TypeError, match=f"{name} must be a list of dictionaries"):
            run(bowl, LINE, 3, **{name: {"x": 0.5}})


class TestFixed:
    def test_they_stay_in_a_run_and_the_model_knows_the_others(self, tmp_path):
        storage = tmp_path / "a.db"
        run(bowl, BRANCHES, 6, storage=storage)
        study = run(bowl, BRANCHES, 4, storage=storage, fixed={"kind": "a", "depth": 4}).study
        assert [t.params["depth"] for t in study.trials[6:]] == [4] * 4
        assert data_of(study).n == 10

    def test_optuna_studies_without_a_space(self):
        def f(trial):
            x = trial.suggest_float("x", 0, 1)
            return x + (trial.suggest_categorical("c", ["u", "v"]) == "u")

        sampler = NeuralSampler("gp", maximizer="random", seed=0, fixed={"c": "u"})
        study = optuna.create_study(sampler=sampler)
        study.optimize(f, 8)
        assert {trial.params["c"] for trial in study.trials} == {"u"}

    def test_a_value_that_the_parameter_cannot_have(self):
        with pytest.raises(ValueError, match="fixed: 'kind' must be one of"):
            run(bowl, BRANCHES, 3, fixed={"kind": "c"})
        with pytest.raises(ValueError, match="fixed has the unknown parameter 'y'"):
            NeuralSampler(space=LINE, fixed={"y": 1})
        with pytest.raises(TypeError, match="fixed must be a dictionary"):
            NeuralSampler(fixed=["x"])
        study = optuna.create_study(sampler=NeuralSampler(fixed={"x": 3}))
        with pytest.raises(ValueError, match="fixed: 'x' must be a number"):
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1), 1)


class TestNoise:
    def test_an_objective_may_say_how_noisy_its_value_is(self):
        study = run(lambda p: Measured(bowl(p), noise=0.1 + p["x"]), LINE, 4).study
        expected = [(0.1 + trial.params["x"]) ** 2 for trial in study.trials]
        assert data_of(study).V[:, 0].tolist() == pytest.approx(expected)

    def test_so_may_one_of_optuna(self):
        def f(trial):
            trial.set_user_attr("neuralbo:noise", 0.5)
            return trial.suggest_float("x", 0, 1)

        study = optuna.create_study(sampler=NeuralSampler("gp", seed=0, space=LINE))
        study.optimize(f, 3)
        assert data_of(study).V.tolist() == [[0.25]] * 3

    def test_one_that_is_none_is_refused(self):
        study = optuna.create_study(sampler=NeuralSampler("gp", seed=0, space=LINE))

        def f(trial):
            trial.set_user_attr("neuralbo:noise", -1.0)
            return trial.suggest_float("x", 0, 1)

        with pytest.raises(ValueError, match="noise must be the standard deviation"):
            study.optimize(f, 3)


class TestCosts:
    @pytest.mark.parametrize("kind", ["attribute", "function"])
    def test_cheap_points_are_preferred(self, kind):
        """Two equal minima, of which one costs a thousand times as much."""

        def price(params):
            return 1000.0 if params["x"] > 0.5 else 1.0

        def f(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("price", price({"x": x}))
            return math.cos(4 * math.pi * x)

        cost = "price" if kind == "attribute" else price
        shares = []
        for known in (None, cost):
            sampler = NeuralSampler("gp", seed=1, space=LINE, cost=known)
            study = optuna.create_study(sampler=sampler)
            study.optimize(f, 14)
            chosen = [trial.params["x"] for trial in study.trials[5:]]
            shares.append(sum(x > 0.5 for x in chosen))
        assert shares[1] <= min(2, shares[0] - 1)

    def test_the_run_ends_when_the_budget_is_spent(self):
        study = run(bowl, LINE, 40, cost=lambda p: 2.0, budget_seconds=9).study
        assert len(study.trials) == 5
        assert study.user_attrs["neuralbo:stopped"] == "trials have cost 10, the budget is 9"

    def test_seconds_are_those_of_the_evaluation(self):
        study = run(bowl, LINE, 8, cost="seconds", n_jobs=1).study
        facts = [trial.user_attrs["neuralbo:facts"] for trial in study.trials]
        assert facts[-1]["cost_exponent"] == pytest.approx((8 - 7) / (8 - 5))
        assert "cost_exponent" not in facts[0]

    @pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
    def test_a_cost_is_above_0(self, cost):
        with pytest.raises(ValueError, match="must be a finite number above 0"):
            run(bowl, LINE, 8, cost=lambda p: cost)
        opt = Optimizer(LINE, cost="told")
        with pytest.raises(ValueError, match="cost must be a finite number above 0"):
            opt.tell({"x": 0.5}, 1.0, cost=cost)

    def test_an_attribute_that_no_trial_has(self):
        with pytest.raises(ValueError, match="trial 0 has "):
            run(bowl, LINE, 3, cost="price")

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="budget_seconds=3 needs cost="):
            NeuralSampler(budget_seconds=3)
        with pytest.raises(TypeError, match="cost must be 'seconds'"):
            NeuralSampler(cost=3)
        with pytest.raises(ValueError, match="budget_seconds must be above 0"):
            NeuralSampler(cost="seconds", budget_seconds=0)


class TestWiderRanges:
    def test_a_study_goes_on(self, tmp_path):
        storage = tmp_path / "a.db"
        run(bowl, LINE, 5, storage=storage)
        wider = {"x": Real(-4, 1)}
        with pytest.raises(ValueError, match="was made with x = "):
            run(bowl, wider, 2, storage=storage)
        study = run(bowl, wider, 4, storage=storage, on_change="extend").study
        assert data_of(study).n == 9
        assert min(trial.params["x"] for trial in study.trials[5:]) < 0

    @pytest.mark.parametrize(
        ("space", "says"),
        [
            ({"x": Real(0.9, 1)}, "has x = .*, which must be a number from 0.9"),
            ({"y": Real(0, 1)}, "the parameter 'x' .* is gone"),
            ({"x": Integer(0, 1)}, "is of another kind now"),
        ],
    )
    def test_nothing_is_left_out(self, tmp_path, space, says):
        storage = tmp_path / "a.db"
        run(bowl, LINE, 3, storage=storage)
        with pytest.raises(ValueError, match=says):
            run(lambda p: 0.0, space, 2, storage=storage, on_change="extend")

    def test_it_is_said_in_one_of_two_words(self):
        with pytest.raises(ValueError, match="on_change must be 'error' or 'extend'"):
            run(bowl, LINE, 2, on_change="narrow")


TWO = """
import neuralbo as nb

params = {"x": nb.Real(0, 1, prior=nb.around(0.3)), "k": nb.Categorical(["a", "b"])}


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    k = trial.suggest_categorical("k", ["a", "b"])
    return (x - 0.3) ** 2 + (k == "a"), (x - 0.8) ** 2
"""


class TestCommandLine:
    @pytest.fixture
    def file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "two_objectives.py").write_text(TWO)
        yield "two_objectives.py"
        sys.modules.pop("two_objectives", None)

    def test_several_objectives_a_space_a_guess_and_a_fixed_value(self, file, capsys):
        options = "--trials 5 --direction minimize --direction maximize --space params --seed 1"
        known = ["--guess", '{"x": 0.5, "k": "b"}', "--fix", "k=b", "--surrogate", "sobol"]
        assert main(["run", file, *options.split(), *known]) == 0
        said = capsys.readouterr().out
        assert "trials that no other is better than" in said
        (study,) = optuna.get_all_study_names("sqlite:///runs/two_objectives.db")
        trials = optuna.load_study(
            study_name=study, storage="sqlite:///runs/two_objectives.db"
        ).trials
        assert trials[0].params == {"x": 0.5, "k": "b"}
        assert {trial.params["k"] for trial in trials} == {"b"}

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--guess", "x=1"], "--guess needs parameters by name in JSON"),
            (["--fix", "x"], "--fix needs NAME=VALUE"),
            (["--space", "nothing"], "defines no dictionary of parameters of that name"),
        ],
    )
    def test_what_is_wrong_is_said(self, file, capsys, options, says):
        assert main(["run", file, *options]) == 1
        assert says in capsys.readouterr().err
