"""Known constraints, and constraints on the outcome, in every front."""

import math
import pickle

import optuna
import pytest
import torch

import neuralbo as nb
from neuralbo.cli import main
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import jittered
from neuralbo.policies.policy import Proposal

SPACE = {
    "lower": nb.Real(0, 1),
    "upper": nb.Real(0, 1),
    "n": nb.Integer(0, 9),
    "k": nb.Categorical(["u", "v"]),
}
CONSTRAINTS = ["lower < upper", "n + 10*upper <= 8", lambda p: p["k"] == "u" or p["n"] >= 2]


def keeps(p):
    return (
        p["lower"] < p["upper"]
        and p["n"] + 10 * p["upper"] <= 8
        and (p["k"] == "u" or p["n"] >= 2)
    )


def f(p):
    return (p["lower"] - 0.6) ** 2 + (p["upper"] - 0.3) ** 2 + 0.01 * p["n"] + (p["k"] == "u")


def test_every_suggestion_of_an_optimizer_and_its_batches_satisfies_them():
    opt = nb.Optimizer(SPACE, constraints=CONSTRAINTS, seed=0)
    chosen = opt.ask(3)
    for _ in range(6):
        chosen.append(opt.ask())
        opt.tell(chosen[-1], f(chosen[-1]))
    chosen += opt.ask(4)
    assert len(chosen) == 13
    assert all(keeps(p) for p in chosen)
    assert len({tuple(p.values()) for p in chosen}) == 13


def test_the_best_point_on_the_border_is_found():
    """Of (lower - 0.6)^2 + (upper - 0.3)^2 with lower < upper it is at (0.45, 0.45)."""
    opt = nb.Optimizer(
        {n: SPACE[n] for n in ("lower", "upper")}, constraints=["lower < upper"], seed=1
    )
    for _ in range(14):
        p = opt.ask()
        opt.tell(p, (p["lower"] - 0.6) ** 2 + (p["upper"] - 0.3) ** 2)
    assert opt.best.value < 0.045 + 1e-3


def test_all_trials_of_minimize_satisfy_them_side_by_side_too():
    for jobs in (1, 2):
        result = nb.minimize(
            f, SPACE, 9, constraints=CONSTRAINTS, seed=0, n_jobs=jobs, surrogate="sobol"
        )
        assert len(result.study.trials) == 9
        assert all(keeps(t.params) for t in result.study.trials)


def test_workers_of_a_storage_satisfy_an_equality_and_choose_different_points(tmp_path):
    """A point that another worker has taken moves along the equality, not off it."""
    names = ["a", "b", "c"]
    result = nb.minimize(
        lambda p: p["a"], {n: nb.Real(0, 1) for n in names}, 12, constraints=[nb.sum_to(1, names)],
        seed=0, n_jobs=2, surrogate="sobol", storage=tmp_path / "study.db",
    )  # fmt: skip
    rows = [t.params for t in result.study.trials]
    assert len({tuple(p.values()) for p in rows}) == 12
    assert all(abs(sum(p.values()) - 1) < 1e-9 for p in rows)


def test_a_point_that_is_taken_moves_along_the_equality():
    space = nb.Space({n: nb.Real(0, 1) for n in "abc"}, constraints=["a + b + c == 1"])
    rng = torch.Generator().manual_seed(0)
    X = space.domain.sample(3, rng)
    data = Data(X, X.sum(-1, keepdim=True), torch.arange(3), X_pending=X[:1])
    step = Step.of(data, space.domain, seed=0, number=3)
    moved = jittered(step, X[:1], rng)
    assert space.domain.holds(moved).all()
    assert 1e-3 <= (moved - X[:1]).abs().amax() < 0.6


def test_a_sampler_with_a_space_satisfies_them():
    def objective(trial):
        p = {
            "lower": trial.suggest_float("lower", 0, 1),
            "upper": trial.suggest_float("upper", 0, 1),
            "n": trial.suggest_int("n", 0, 9),
            "k": trial.suggest_categorical("k", ["u", "v"]),
        }
        assert keeps(p)
        return f(p)

    sampler = nb.NeuralSampler(space=SPACE, constraints=CONSTRAINTS, seed=0, surrogate="sobol")
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=8)
    assert len(study.trials) == 8


def test_a_sampler_without_a_space_says_that_it_needs_one():
    with pytest.raises(ValueError, match="constraints= needs space="):
        nb.NeuralSampler(constraints=["a <= 1"])


def test_a_sampler_with_constraints_can_be_pickled():
    sampler = nb.NeuralSampler(space=SPACE, constraints=["lower < upper"], seed=0)
    assert isinstance(pickle.loads(pickle.dumps(sampler)), nb.NeuralSampler)


class Corner:
    """A policy that knows nothing of constraints."""

    def propose(self, step, q=1):
        return Proposal(torch.ones(q, step.domain.d, dtype=torch.float64))


def test_a_policy_that_knows_nothing_of_them_is_corrected():
    opt = nb.Optimizer(
        {n: nb.Real(0, 1) for n in "abc"}, constraints=["a + b + c == 1"], surrogate=Corner(),
        n_startup_trials=1, seed=0,
    )  # fmt: skip
    opt.tell(opt.ask(), 1.0)
    first = opt.ask()
    assert all(value == pytest.approx(1 / 3) for value in first.values())
    assert all(sum(p.values()) == pytest.approx(1, abs=1e-9) for p in opt.ask(3))


def test_the_search_of_scikit_learn_satisfies_them():
    from sklearn.datasets import make_classification
    from sklearn.linear_model import SGDClassifier

    X, y = make_classification(60, random_state=0)
    seen = []

    def low(p):
        seen.append(p["penalty"])
        return p["penalty"] != "l1"

    search = nb.NeuralSearchCV(
        SGDClassifier(random_state=0),
        {"alpha": (1e-5, 1.0, "log-uniform"), "l1_ratio": (0.0, 1.0), "penalty": ["l1", "l2"]},
        constraints=["alpha + l1_ratio <= 0.5", low], n_iter=4, cv=2, random_state=0,
        surrogate="sobol",
    ).fit(X, y)  # fmt: skip
    for p in search.cv_results_["params"]:
        assert p["alpha"] + p["l1_ratio"] <= 0.5
        assert p["penalty"] == "l2"
    assert set(seen) == {"l1", "l2"}


FILE = """
import neuralbo as nb

space = {"a": nb.Real(0, 1), "b": nb.Real(0, 1)}
constraints = ["a + b == 1"]

def objective(trial):
    a, b = trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)
    assert abs(a + b - 1) < 1e-9
    return a
"""


def test_the_command_reads_them_from_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixture_file.py").write_text(FILE)
    assert main(["run", "mixture_file.py", "--trials", "4", "--surrogate", "sobol"]) == 0
    assert "4 trials, 0 without a value" in capsys.readouterr().out


def test_the_command_needs_the_space_they_are_about(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no_space_file.py").write_text(FILE.replace("space =", "other ="))
    assert main(["run", "no_space_file.py", "--trials", "2"]) != 0
    assert "must define the parameters" in capsys.readouterr().err


# constraints on the outcome


def circle(p):
    """The least x + y where x^2 + y^2 <= 1 and x >= y - 1: at -(sqrt(2), sqrt(2))/2."""
    x, y = p["x"], p["y"]
    return x + y, [x**2 + y**2 - 1, y - x - 1]


XY = {"x": nb.Real(-2, 2), "y": nb.Real(-2, 2)}


def test_minimize_takes_the_constraint_values_that_the_function_returns():
    result = nb.minimize(circle, XY, 22, n_outcome_constraints=2, seed=0)
    best = result.study.best_trial
    assert set(best.constraints) == {"c1", "c2"}
    assert max(best.constraints.values()) <= 0
    assert -math.sqrt(2) <= result.best_value < -1.2


def test_an_optimizer_is_told_them_and_finds_the_same():
    opt = nb.Optimizer(XY, n_outcome_constraints=2, seed=0)
    for _ in range(22):
        p = opt.ask()
        value, numbers = circle(p)
        opt.tell(p, value, constraints=numbers)
    assert all(c <= 0 for c in circle(opt.best.params)[1])
    assert -math.sqrt(2) <= opt.best.value < -1.2
    chosen = opt.recommend()
    assert all(c <= 0 for c in circle(chosen.params)[1])
    assert opt.step().data.C.shape == (22, 2)


def test_the_best_trial_is_one_that_keeps_all_constraints():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, n_outcome_constraints=1, seed=0)
    opt.tell({"x": 0.1}, 1.0, constraints=[0.5])
    with pytest.raises(ValueError, match="no trial keeps all constraints yet"):
        _ = opt.best
    opt.tell({"x": 0.2}, 2.0, constraints=[-0.5])
    opt.tell({"x": 0.3}, 1.5, constraints=[0.1])
    assert opt.best.params == {"x": 0.2}
    assert [t.number for t in opt.front] == [1]
    opt.tell({"x": 0.4}, None)
    assert len(opt.trials) == 4


@pytest.mark.parametrize(
    ("constraints", "error", "words"),
    [
        (None, TypeError, "a list of 2 numbers is needed"),
        ([1.0], TypeError, "a list of 2 numbers is needed"),
        ([1.0, "x"], TypeError, "a list of 2 numbers"),
        (3.0, TypeError, "a list of 2 numbers"),
        ([1.0, math.nan], ValueError, "is NaN"),
    ],
)
def test_what_is_told_wrongly_is_refused_and_nothing_is_lost(constraints, error, words):
    opt = nb.Optimizer(XY, n_outcome_constraints=2, seed=0)
    p = opt.ask()
    with pytest.raises(error, match=words):
        opt.tell(p, 1.0, constraints=constraints)
    opt.tell(p, 1.0, constraints=[0, 0])
    assert opt.best.value == 1.0


def test_constraints_that_were_not_announced_are_refused():
    with pytest.raises(TypeError, match="there are 0 constraints on the outcome"):
        nb.Optimizer(XY, seed=0).tell({"x": 0, "y": 0}, 1.0, constraints=[1.0])


@pytest.mark.filterwarnings("ignore::neuralbo.errors.FailedTrialWarning")
def test_a_function_that_returns_no_constraints_ends_the_run_with_what_it_should():
    with pytest.raises(TypeError, match=r"return value, \[c1, c2\]; got 1.0"):
        nb.minimize(lambda _: 1.0, XY, 5, n_outcome_constraints=2, seed=0)
    with pytest.raises(TypeError, match="n_outcome_constraints must be a whole number"):
        nb.minimize(circle, XY, 5, n_outcome_constraints=1.5)


def test_a_result_in_which_no_trial_keeps_them_says_so():
    result = nb.minimize(lambda p: (p["x"], [1.0]), XY, 3, n_outcome_constraints=1, seed=0)
    assert "no trial that keeps all constraints" in repr(result)
    with pytest.raises(ValueError, match="no trial keeps all constraints"):
        _ = result.best_params
