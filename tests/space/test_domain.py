"""Domains: the cube, its legal points and its designs."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralbo.space.domain import Domain, Variable

MIXED = Domain(
    (
        Variable(),
        Variable("category", 3),
        Variable("ordinal", 5, when=((1, frozenset({0, 2})),)),
        Variable(when=((1, frozenset({0, 2})),)),
        Variable(when=((2, frozenset({1})),)),
        Variable("ordinal", 100, ratio=100.0),
        Variable("category", 2, optional=True),
    )
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_columns_are_values_then_activity():
    assert MIXED.d == 7 + 2 + 3  # a category of three levels has three columns; three groups
    assert MIXED.activity == ((2, 3), (4,), (6,))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.lists(st.floats(-1, 2), min_size=12, max_size=12))
def test_projection_is_legal_and_done_once(numbers):
    X = torch.tensor([numbers], dtype=torch.float64)
    once = MIXED.project(X)
    assert ((once >= 0) & (once <= 1)).all()
    assert torch.equal(MIXED.project(once), once)


def test_expand_undoes_reduce_on_legal_points():
    X = MIXED.sample(200, rng())
    torch.testing.assert_close(MIXED.expand(MIXED.reduce(X)), X, rtol=0, atol=1e-15)


def test_an_inactive_variable_is_neutral():
    U = torch.tensor([[0.3, 1, torch.nan, torch.nan, torch.nan, 0, torch.nan]]).double()
    X = MIXED.expand(U)[0]
    assert X[4:7].tolist() == [0.5] * 3
    assert X[-3:].tolist() == [0, 0, 0]


def in_words(domain, u):
    """Return the coordinates and columns of a row by the definition, one variable at a time."""
    u = list(u)
    for i, variable in enumerate(domain.variables):
        if any(u[parent] not in levels for parent, levels in variable.when):
            u[i] = math.nan
    x = []
    for variable, number in zip(domain.variables, u, strict=True):
        is_absent = math.isnan(number)
        if variable.width > 1:
            levels = range(variable.count)
            x += [1 / variable.count if is_absent else float(number == k) for k in levels]
        elif variable.kind == "continuous":
            x.append(0.5 if is_absent else number)
        else:
            t = number / max(variable.count - 1, 1)
            r = variable.ratio
            x.append(0.5 if is_absent else t if r == 1 else math.log1p(t * (r - 1)) / math.log(r))
    return u, x + [float(not math.isnan(u[group[0]])) for group in domain.activity]


def test_all_variables_at_once_are_what_each_is_by_itself():
    variables = (
        *MIXED.variables,
        Variable("ordinal", 1, when=((6, frozenset({1})),)),
        Variable("ordinal", 4, when=((1, frozenset({1, 2})), (6, frozenset({0})))),
        Variable(when=((1, frozenset({1, 2})), (6, frozenset({0})))),
    )
    domain = Domain(variables)
    U = domain.coordinates(domain.uniform(64, rng()))
    U[::3, 6] = torch.nan
    X = domain.expand(domain.enforce(U))
    for u, x, back in zip(U.tolist(), X, domain.reduce(X), strict=True):
        legal, columns = in_words(domain, u)
        assert x.tolist() == pytest.approx(columns)
        assert back.tolist() == pytest.approx(legal, nan_ok=True)


def test_a_coordinate_that_is_not_known_is_neutral_also_where_all_are_continuous():
    X = Domain((Variable(), Variable())).expand(torch.tensor([[torch.nan, 0.2]]).double())
    assert X.tolist() == [[0.5, pytest.approx(0.2)]]


def test_an_inactive_parent_makes_its_children_inactive():
    U = torch.tensor([[0.3, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0]]).double()
    assert MIXED.enforce(U).isnan()[0].tolist() == [False, False, True, True, True, False, False]


def test_only_active_continuous_columns_may_move():
    U = MIXED.enforce(torch.tensor([[0.3, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0]]).double())
    assert MIXED.movable(U).nonzero()[:, 1].tolist() == [0]


@pytest.mark.parametrize("ratio", [1.0, 1e6])
def test_every_level_has_its_own_position(ratio):
    variable = Variable("ordinal", 10**6, ratio=ratio)
    levels = torch.cat([torch.arange(0, 10**6, 101), torch.tensor([10**6 - 1])]).double()
    assert torch.equal(variable.level(variable.position(levels)), levels)


def test_a_variable_of_one_level_has_a_position():
    assert Variable("ordinal", 1).position(torch.zeros(1).double()).item() == 0


def test_a_parent_must_precede_its_child():
    with pytest.raises(ValueError, match="does not precede"):
        Domain((Variable(when=((1, frozenset({0})),)), Variable("category", 2)))


def test_a_latin_hypercube_has_one_point_in_each_slice():
    X = Domain((Variable(), Variable())).latin_hypercube(16, rng())
    assert torch.equal((X * 16).floor().sort(0).values[:, 0], torch.arange(16).double())
    assert torch.equal((X * 16).floor().sort(0).values[:, 1], torch.arange(16).double())


def test_levels_of_a_category_are_drawn_equally_often():
    X = Domain((Variable("category", 4),)).sample(4000, rng())
    assert ((X.mean(0) - 0.25).abs() < 5 * (0.25 * 0.75 / 4000) ** 0.5).all()


def test_a_sobol_sequence_goes_on_where_it_stopped():
    whole = MIXED.sobol(20, rng(3))
    assert torch.equal(
        torch.cat([MIXED.sobol(12, rng(3)), MIXED.sobol(8, rng(3), skip=12)]), whole
    )


def test_size_counts_the_points_of_a_finite_domain():
    assert Domain((Variable("ordinal", 3), Variable("category", 2))).size == 6
    assert MIXED.size == float("inf")


@pytest.mark.parametrize("draw", ["sample", "sobol", "latin_hypercube"])
def test_designs_use_their_generator_and_no_other(draw):
    torch.manual_seed(1)
    first = getattr(MIXED, draw)(8, rng(5))
    torch.manual_seed(2)
    assert torch.equal(getattr(MIXED, draw)(8, rng(5)), first)


def test_a_domain_without_variables_has_points_without_columns():
    assert Domain(()).sobol(3, rng()).shape == (3, 0)


WIDE = Domain((Variable("category", 10_000), Variable(when=((0, frozenset({3, 4})),))))


def test_a_category_of_many_levels_has_few_columns():
    assert Domain((Variable("category", 64),)).d == 64
    assert Domain((Variable("category", 65),)).d == 64
    assert WIDE.d == 64 + 1 + 1


def test_every_one_of_many_levels_comes_back():
    U = torch.stack([torch.arange(10_000.0), torch.full((10_000,), 0.25)], -1).double()
    U = WIDE.enforce(U)[3::99]
    X = WIDE.expand(U)
    assert ((X >= 0) & (X <= 1)).all()
    assert len(X[:, :64].unique(dim=0)) == len(X)
    torch.testing.assert_close(WIDE.reduce(X), U, equal_nan=True, rtol=0, atol=0)


def test_a_category_of_many_levels_that_is_inactive_is_neutral():
    domain = Domain(
        (Variable("category", 2), Variable("category", 99, when=((0, frozenset({1})),)))
    )
    X = domain.expand(torch.tensor([[0.0, torch.nan], [1.0, 7.0]]).double())
    assert X[0, 1:65].tolist() == [0.5] * 64
    assert X[:, 65].tolist() == [0, 1]
    torch.testing.assert_close(domain.project(X), X)
