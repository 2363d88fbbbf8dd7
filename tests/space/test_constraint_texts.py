"""What constraints may be written as, and what is said of those that cannot be."""

import math

import pytest

import neuralbo as nb
from neuralbo.space.constraints.statements import statements_of

SPACE = {
    "a": nb.Real(0, 1),
    "b": nb.Real(0, 2),
    "n": nb.Integer(0, 9),
    "k": nb.Categorical(["u", "v"]),
    "deep": nb.Real(0, 1, when={"k": ["u"]}),
    "wide": nb.Real(0, 1, when={"k": ["v"]}),
}


@pytest.mark.parametrize(
    ("text", "holds", "breaks"),
    [
        ("a + b <= 1", {"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.6}),
        ("2*a - b >= 0.5", {"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.6}),
        ("a < b", {"a": 0.5, "b": 0.6}, {"a": 0.5, "b": 0.5}),
        ("a > b", {"a": 0.6, "b": 0.5}, {"a": 0.5, "b": 0.5}),
        ("(a + b)/2 == 0.25", {"a": 0.25, "b": 0.25}, {"a": 0.25, "b": 0.26}),
        ("0.1 <= a < b", {"a": 0.1, "b": 0.2}, {"a": 0.05, "b": 0.2}),
        ("-(a - 3*b) <= +1", {"a": 0.5, "b": 0.5}, {"a": 0.1, "b": 0.5}),
        ("1 <= 2*a*3 + b", {"a": 0.2, "b": 0.0}, {"a": 0.1, "b": 0.0}),
        (({"a": 1, "b": 2}, "<=", 1), {"a": 0.5, "b": 0.25}, {"a": 0.5, "b": 0.3}),
        (({"a": 1, "b": 2}, ">", 1), {"a": 0.5, "b": 0.3}, {"a": 0.5, "b": 0.25}),
        (nb.sum_to(1, ["a", "b"]), {"a": 0.1, "b": 0.9}, {"a": 0.1, "b": 0.8}),
        (nb.at_most(1, ["a", "b"]), {"a": 0, "b": "off"} | {"a": True}, {"a": True, "b": "on"}),
        (lambda p: p["a"] != p["b"], {"a": 1, "b": 2}, {"a": 1, "b": 1}),
    ],
)
def test_each_form_means_what_it_says(text, holds, breaks):
    statements = statements_of([text])
    assert all(s.holds(holds) for s in statements)
    assert not all(s.holds(breaks) for s in statements)


def test_a_comparison_is_evaluated_as_python_does():
    """0.1 + 0.2 is above 0.3 for Python, so for the objective it breaks the constraint."""
    (statement,) = statements_of(["a + b <= 0.3"])
    assert not statement.holds({"a": 0.1, "b": 0.2})
    assert statement.holds({"a": 0.2, "b": 0.1 - 1e-15})


def test_a_constraint_on_absent_parameters_holds():
    (linear,) = statements_of(["a + deep <= 0"])
    assert linear.holds({"a": 0.5})
    assert nb.at_most(0, ["deep"]).holds({"a": 0.5})


@pytest.mark.parametrize(
    ("constraint", "error", "words"),
    [
        ("a + b", ValueError, "compares nothing"),
        ("a = 1", ValueError, "two signs, =="),
        ("a +* b <= 1", ValueError, "cannot be read"),
        ("a != 0.5", ValueError, "compares nothing"),
        ("a*b <= 1", ValueError, "is not linear: 'a \\* b'.*lambda p"),
        ("a**2 <= 1", ValueError, "is not linear"),
        ("1/a <= 1", ValueError, "is not linear"),
        ("a/0 <= 1", ValueError, "is not linear"),
        ("__import__('os') <= 1", ValueError, "is not linear"),
        ("1 <= 2", ValueError, "names no parameter"),
        ("a <= 1e999", ValueError, "not finite"),
        ("a + c <= 1", ValueError, "names 'c', which is not in the space; it has a, b, n"),
        ("a + k <= 1", ValueError, "names 'k', whose choices are not all numbers"),
        ("deep + wide <= 1", ValueError, "never exist together"),
        (nb.at_most(1, ["a", "n"]), ValueError, "names 'a', which is continuous"),
        (({"a": "x"}, "<=", 1), ValueError, "dictionary of numbers"),
        (({"a": 1}, "=", 1), ValueError, "dictionary of numbers"),
        (({}, "<=", 1), ValueError, "dictionary of numbers"),
        (7, TypeError, "cannot be read.*got 7 of type int"),
        (None, TypeError, "cannot be read"),
        (lambda _: None, ValueError, "must return True or False, got None"),
        (lambda _: math.nan, ValueError, "must return True or False, got nan"),
        (lambda _: 1, ValueError, "must return True or False, got 1 of type int"),
        (lambda p: p["c"], ValueError, "raised KeyError: 'c'.*use p.get"),
        (lambda p: p["deep"] < 2, ValueError, "raised KeyError: 'deep'.*use p.get"),
        (lambda p: 1 / 0 < p["a"], ValueError, "raised ZeroDivisionError"),
    ],
)
def test_what_cannot_be_meant_is_said_before_any_trial(constraint, error, words):
    with pytest.raises(error, match=words):
        nb.Space(SPACE, constraints=[constraint])


@pytest.mark.parametrize("constraints", ["a <= 1", {"a": 1}, 5, None])
def test_constraints_are_a_list(constraints):
    with pytest.raises(TypeError, match="constraints must be a list"):
        nb.Space(SPACE, constraints=constraints)


@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        (["a + b <= 1", "a + b >= 1.5", "n <= 4"], "'a \\+ b <= 1' and 'a \\+ b >= 1.5' together"),
        (["a >= 2"], "'a >= 2': the constraints contradict each other or the ranges"),
        (["n == 2.5"], "'n == 2.5'"),
        ([nb.sum_to(4, ["a", "b"])], "'sum_to"),
    ],
)
def test_contradictions_are_named_and_nothing_else(constraints, named):
    with pytest.raises(ValueError, match=f"no parameters of the space satisfy {named}"):
        nb.Space(SPACE, constraints=constraints)


@pytest.mark.parametrize("constraints", [["a <= 0.5", "a >= 0.5"], ["a < b", "b < a"]])
def test_what_has_no_inside_leaves_no_room(constraints):
    with pytest.raises(ValueError, match=r"leave no room.*=="):
        nb.Space(SPACE, constraints=constraints)


def test_a_predicate_that_nothing_satisfies_says_how_many_points_were_tried():
    from neuralbo.space.constraints import feasible_set as feasible

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "TRIES", (100, 1200))
        with pytest.raises(ValueError, match=r"none of 1,200 points satisfies .*test_constraint"):
            nb.Space(SPACE, constraints=[lambda p: p["a"] > 2])
        with pytest.raises(ValueError, match="none of 1,200 points that the other constraints"):
            nb.Space(SPACE, constraints=["a + b == 1", lambda p: p["a"] > 2])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: nb.at_most(1.5, ["a"]), TypeError),
        (lambda: nb.at_most(-1, ["a"]), ValueError),
        (lambda: nb.at_most(1, "ab"), TypeError),
        (lambda: nb.at_most(1, []), ValueError),
        (lambda: nb.at_most(1, ["a", "a"]), ValueError),
        (lambda: nb.sum_to(1, "ab"), TypeError),
        (lambda: nb.sum_to(1, []), ValueError),
        (lambda: nb.sum_to("x", ["a"]), ValueError),
    ],
)
def test_helpers_check_what_they_get(call, error):
    with pytest.raises(error):
        call()


def test_constants_are_parts_of_the_bound():
    space = nb.Space({"a": nb.Real(0, 1), "c": nb.Categorical([0.75])}, constraints=["a + c <= 1"])
    a = [p["a"] for p in space.decode(space.domain.sample(200, _rng()))]
    assert max(a) <= 0.25
    assert max(a) > 0.2
    with pytest.raises(ValueError, match="no parameters of the space"):
        nb.Space({"a": nb.Real(0, 1), "c": nb.Categorical([3])}, constraints=["c <= 1"])
    nb.Space({"c": nb.Categorical([1])}, constraints=["c <= 1"])


def _rng():
    import torch

    return torch.Generator().manual_seed(0)
