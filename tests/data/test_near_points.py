"""Finding near points: the index against a look at all of them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralbo.data import near_points as points
from neuralbo.data.near_points import PointIndex, are_near
from neuralbo.testing.toys import seeded, uniform

TOLERANCE = 1e-7


def brute_force(rows, X, tolerance):
    if len(X) == 0:
        return [False] * len(rows)
    return [bool(((X - row).abs() < tolerance).all(-1).any()) for row in rows]


@pytest.fixture
def few_wait(monkeypatch):
    monkeypatch.setattr(points, "ROWS", 4)


def grid(n, d, rng):
    return torch.randint(3, (n, d), generator=rng).double() / 2


def clusters(n, d, rng):
    """Return points around a few centers, about as far apart as the tolerance."""
    centers = torch.rand(3, d, generator=rng, dtype=torch.float64)
    near = torch.randn(n, d, generator=rng, dtype=torch.float64) * TOLERANCE
    return centers[torch.randint(3, (n,), generator=rng)] + near


def anywhere(n, d, rng):
    return torch.rand(n, d, generator=rng, dtype=torch.float64)


def duplicates(n, d, rng):
    return anywhere(1, d, rng).expand(n, d).contiguous()


@pytest.mark.usefixtures("few_wait")
@pytest.mark.parametrize("kind", [grid, clusters, anywhere, duplicates])
@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.integers(0, 2**31),
    st.lists(st.integers(0, 30), max_size=5),
    st.sampled_from([1e-7, 1e-3, 0.5]),
)
def test_the_index_finds_what_a_look_at_all_finds(kind, seed, sizes, tolerance):
    rng, d = seeded(seed), 1 + seed % 5
    X, index = torch.empty(0, d, dtype=torch.float64), PointIndex(d)
    for size in sizes:
        X = torch.cat([X, kind(size, d, rng)])
        index = index.grown(X)
    queries = torch.cat([kind(8, d, rng), X[:8], clusters(4, d, rng)])
    assert index.near(queries, X, tolerance).tolist() == brute_force(queries, X, tolerance)


@pytest.mark.parametrize("d", [1, 3, 200])
@pytest.mark.parametrize(("share", "is_found"), [(0.999, True), (1.001, False)])
def test_the_border_of_the_tolerance_is_the_same_in_all_columns_and_signs(d, share, is_found):
    """The corner of the cube around a point has the sum that is farthest from its own."""
    X = uniform(points.ROWS, d)
    index = PointIndex(d).grown(X)
    assert index.size == points.ROWS
    signs = uniform(20, d, seed=3).round() * 2 - 1
    signs[0], signs[1] = 1.0, -1.0
    rows = X[:20] + share * TOLERANCE * signs
    assert index.near(rows, X, TOLERANCE).tolist() == [is_found] * 20


@pytest.mark.usefixtures("few_wait")
def test_an_index_is_not_changed_when_it_grows():
    X = uniform(20, 2)
    old = PointIndex(2).grown(X[:10])
    new = old.grown(X)
    assert (old.size, new.size) == (10, 20)
    other = torch.cat([X[:10], uniform(9, 2, seed=8)])  # other points behind the same ten
    assert old.near(other, other, TOLERANCE).all()
    assert not old.near(X[10:], other, TOLERANCE).any()


def test_few_new_points_wait():
    X = uniform(points.ROWS + 5, 2)
    index = PointIndex(2).grown(X[: points.ROWS - 1])
    assert index.size == 0
    index = index.grown(X[: points.ROWS])
    assert index.grown(X) is index


def test_nothing_is_near_no_points():
    assert not are_near(uniform(3, 2), torch.empty(0, 2), 1.0).any()
    assert not PointIndex(2).near(uniform(3, 2), torch.empty(0, 2).double(), 1.0).any()


def test_more_rows_than_are_compared_at_a_time(few_wait):
    rows = uniform(11, 2)
    assert are_near(rows, rows[10:], TOLERANCE).tolist() == [False] * 10 + [True]


def test_weights_tell_the_points_of_a_grid_apart():
    levels = torch.cartesian_prod(*[torch.arange(5).double() / 4] * 4)
    sums = torch.from_numpy(levels.numpy() @ PointIndex(4).weights)
    assert sums.sort().values.diff().min() > 1e-6


@pytest.mark.usefixtures("few_wait")
@pytest.mark.parametrize("kind", [grid, clusters, anywhere, duplicates])
@pytest.mark.parametrize("d", [9, 65])
@pytest.mark.parametrize("tolerance", [1e-7, 1e-3, 0.5])
def test_points_of_many_columns_are_compared_as_all_pairs_would_be(kind, d, tolerance):
    rng = seeded(d)
    X = torch.cat([kind(30, d, rng), torch.full((1, d), torch.nan, dtype=torch.float64)])
    rows = torch.cat([kind(20, d, rng), X[:5], X[:5] + 0.999 * tolerance, X[-1:]])
    assert are_near(rows, X, tolerance).tolist() == brute_force(rows, X, tolerance)
