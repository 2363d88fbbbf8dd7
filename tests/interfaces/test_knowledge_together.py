"""What a user knows, together: constraints with beliefs, fixed values, batches and files."""

import pytest

import neuralbo as nb

SPACE = {"a": nb.Real(0, 1, prior=nb.around(0.9)), "b": nb.Real(0, 1), "k": nb.Integer(0, 5)}
CONSTRAINTS = ["a + b <= 1", nb.at_most(1, ["k"])]


def f(params):
    return (params["a"] - 0.8) ** 2 + (params["b"] - 0.7) ** 2 + 0.1 * params["k"]


def run(opt, n):
    found = []
    for _ in range(n):
        params = opt.ask()
        found.append(dict(params))
        opt.tell(params, f(params))
    return found


@pytest.mark.parametrize("surrogate", ["gp", "brvfl4", "auto"])
def test_points_that_are_drawn_from_a_belief_satisfy_the_constraints(surrogate):
    opt = nb.Optimizer(
        SPACE, surrogate=surrogate, seed=0, constraints=CONSTRAINTS, n_startup_trials=5
    )
    assert all(params["a"] + params["b"] <= 1 for params in run(opt, 9))


def test_a_file_keeps_constraints_and_what_constraints_on_the_outcome_gave(tmp_path):
    opt = nb.Optimizer(
        SPACE, surrogate="gp", seed=0, constraints=CONSTRAINTS, n_outcome_constraints=1,
        n_startup_trials=4,
    )  # fmt: skip
    batch = opt.ask(6)
    opt.tell(batch, [f(p) for p in batch], constraints=[[p["a"] - 0.5] for p in batch])
    opt.save(tmp_path / "opt.json")
    loaded = nb.Optimizer.load(tmp_path / "opt.json")
    assert loaded.best == opt.best and loaded.best.params["a"] <= 0.5
    next_ones = [opt.ask(3), loaded.ask(3)]
    assert next_ones[0] == next_ones[1]
    assert all(p["a"] + p["b"] <= 1 for p in next_ones[1])


def test_a_function_is_not_written_into_a_file(tmp_path):
    opt = nb.Optimizer(SPACE, constraints=[lambda p: p["a"] < p["b"]])
    with pytest.raises(ValueError, match="is a function, which a file does not hold"):
        opt.save(tmp_path / "opt.json")


def test_a_guess_that_breaks_a_constraint_is_refused_at_once():
    with pytest.raises(ValueError, match=r"breaks the constraint 'a \+ b <= 1'"):
        nb.Optimizer(SPACE, constraints=CONSTRAINTS, guesses=[{"a": 0.9, "b": 0.9, "k": 0}])


@pytest.mark.parametrize("surrogate", ["gp", "auto"])
def test_the_others_satisfy_the_constraints_beside_what_is_fixed(surrogate):
    opt = nb.Optimizer(
        SPACE, surrogate=surrogate, seed=0, constraints=CONSTRAINTS, fixed={"a": 0.6, "k": 2},
        guesses=[{"b": 0.1}], n_startup_trials=3,
    )  # fmt: skip
    first, *others = run(opt, 8)
    assert first["b"] == 0.1 and first["a"] <= 0.9
    assert {(params["a"], params["k"]) for params in others} == {(0.6, 2)}
    assert all(params["a"] + params["b"] <= 1 for params in others)
    assert max(params["b"] for params in others) > 0.3  # 0.4 is as near to the minimum as may be


def test_what_is_fixed_against_the_constraints_is_refused_at_once():
    with pytest.raises(ValueError, match=r"fixed cannot be .*satisfy"):
        nb.Optimizer(SPACE, constraints=["a + b <= 1", "b >= 0.5"], fixed={"a": 0.9})


def test_a_parameter_with_one_choice_takes_the_place_of_a_fixed_one():
    space = {**SPACE, "k": nb.Categorical([1])}
    opt = nb.Optimizer(space, surrogate="gp", seed=0, constraints=CONSTRAINTS, n_startup_trials=3)
    found = run(opt, 5)
    assert {params["k"] for params in found} == {1}
    assert all(params["a"] + params["b"] <= 1 for params in found)


def test_constraints_of_a_batch_are_a_list_for_each():
    opt = nb.Optimizer(SPACE, surrogate="gp", seed=0, n_outcome_constraints=2)
    batch = opt.ask(2)
    with pytest.raises(ValueError, match="a list of 2"):
        opt.tell(batch, [1.0, 2.0], constraints=[[0.0, 1.0]])
    opt.tell(batch, [1.0, 2.0], constraints=[[0.0, 1.0], [0.0, 0.0]])
    assert opt.best.value == 2.0
