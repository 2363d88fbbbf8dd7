"""Data: one order of rows, units, and what is refused."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralbo import Data
from neuralbo.data import single_output

FIELDS = ("X", "Y", "numbers", "X_pending", "X_failed")


def tensor(rows):
    return torch.tensor(rows, dtype=torch.float64)


def some(n=9, d=3, seed=0):
    rng = torch.Generator().manual_seed(seed)
    X = torch.rand(n, d, generator=rng, dtype=torch.float64)
    return X, torch.randn(n, 1, generator=rng, dtype=torch.float64)


def is_equal(a, b):
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.permutations(range(9)), st.permutations(range(9)))
def test_rows_have_one_order_whatever_order_they_came_in(order, other):
    X, Y = some()
    X[3] = X[4]  # equal points with different values
    a = Data(X, Y, X_pending=X, X_failed=X)
    b = Data(X[order], Y[order], X_pending=X[other], X_failed=X[other])
    assert is_equal(a, b)


def test_rows_with_numbers_are_ordered_by_them():
    X, Y = some(5)
    numbers = torch.tensor([7, 2, 9, 0, 4])
    data = Data(X, Y, numbers)
    assert data.numbers.tolist() == [0, 2, 4, 7, 9]
    assert torch.equal(data.X, X[[3, 1, 4, 0, 2]])
    assert torch.equal(data.Y, Y[[3, 1, 4, 0, 2]])


def test_the_first_rows_are_the_first_numbers():
    X, Y = some(5)
    first = Data(X, Y, torch.tensor([7, 2, 9, 0, 4]), X_failed=X).first(2)
    assert torch.equal(first.X, X[[3, 1]])
    assert len(first.X_failed) == 0


def test_data_are_kept_as_float64():
    X, Y = some()
    data = Data(X.float(), Y.float(), X_pending=X.float())
    assert {data.X.dtype, data.Y.dtype, data.X_pending.dtype} == {torch.float64}


def test_given_tensors_are_not_changed():
    X, Y = some()
    copies = X.clone(), Y.clone()
    Data(X, Y).with_pending(X)
    assert torch.equal(X, copies[0]) and torch.equal(Y, copies[1])


def test_pending_points_are_added_to_those_there():
    X, Y = some()
    assert len(Data(X, Y, X_pending=X[:2]).with_pending(X[5:6]).X_pending) == 3


UNITS = ["standard_units", "range_units"]
SCALES = [1e-300, 1e-12, 1.0, 1e12, 1e300]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("shift", [0.0, -3.0, 1e4])
def test_units_are_undone_by_their_inverse(units, scale, shift):
    Y = (some()[1] + shift) * scale
    found = getattr(Data(some()[0], Y), units)()
    numbers = found.numbers(Y)
    assert numbers.isfinite().all()
    torch.testing.assert_close(found.values(numbers), Y, rtol=1e-12, atol=0)


@pytest.mark.parametrize("scale", SCALES)
def test_standard_units_have_mean_zero_and_variance_one(scale):
    Y = (some()[1] + 5) * scale
    numbers = Data(some()[0], Y).standard_units().numbers(Y)
    assert abs(numbers.mean()) < 1e-12
    assert numbers.square().mean() == pytest.approx(1)


@pytest.mark.parametrize("scale", SCALES)
def test_range_units_go_from_minus_one_to_one(scale):
    Y = (some()[1] + 5) * scale
    numbers = Data(some()[0], Y).range_units().numbers(Y)
    assert [numbers.min().item(), numbers.max().item()] == pytest.approx([-1, 1])


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -1e300, 1e-300, 1.7e308])
def test_constant_values_are_zero_with_scale_one(units, value):
    Y = torch.full((7, 1), value, dtype=torch.float64)
    found = getattr(Data(some(7)[0], Y), units)()
    assert found.scale.item() == 1
    assert found.numbers(Y).abs().max() <= 1e-12 * max(1, abs(value))


@pytest.mark.parametrize("units", UNITS)
def test_units_of_the_largest_floats_are_finite(units):
    Y = tensor([[1.0], [1.7e308], [1.5e308], [1.6e308]])
    found = getattr(Data(some(4)[0], Y), units)()
    assert found.numbers(Y).isfinite().all()


@pytest.mark.parametrize("units", UNITS)
def test_one_observation_has_units(units):
    found = getattr(Data(tensor([[0.5]]), tensor([[3.0]])), units)()
    assert (found.shift.item(), found.scale.item()) == (3.0, 1.0)


def test_clipping_raises_what_is_far_below_and_says_how_many():
    Y = tensor([[0.0], [1.0], [2.0], [-1e9]])
    clipped, count = Data(some(4)[0], Y, torch.arange(4)).clipped(3.0)
    assert count == 1
    assert clipped.Y.min() == pytest.approx(0 - 3 * 2)


def test_no_clipping_leaves_the_data_as_they_are():
    data = Data(*some())
    assert data.clipped(None) == (data, 0)


@pytest.mark.parametrize(
    ("X", "Y"),
    [
        (torch.zeros(5, 2), torch.zeros(4, 1)),
        (torch.zeros(5), torch.zeros(5, 1)),
        (torch.zeros(5, 2), torch.zeros(5)),
        (torch.zeros(1, 5, 2), torch.zeros(1, 5, 1)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(X, Y):
    with pytest.raises(ValueError, match="with the same number of rows, got shapes"):
        Data(X, Y)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("which", ["X", "Y"])
def test_what_is_not_finite_is_refused(bad, which):
    X, Y = some()
    {"X": X, "Y": Y}[which][3] = bad
    with pytest.raises(ValueError, match="must be finite; give points without a value"):
        Data(X, Y)


def test_lists_are_refused_with_what_to_write():
    with pytest.raises(TypeError, match="must be tensors, as in"):
        Data([[0.5]], [[1.0]])


@pytest.mark.parametrize("numbers", [torch.arange(3), torch.zeros(9, 1).long()])
def test_numbers_that_do_not_fit_are_refused(numbers):
    with pytest.raises(ValueError, match="one whole number for each of the 9 rows"):
        Data(*some(), numbers)


@pytest.mark.parametrize("field", ["X_pending", "X_failed"])
def test_further_points_need_the_columns_of_X(field):
    with pytest.raises(ValueError, match="must have 3 columns like X"):
        Data(*some(), **{field: torch.zeros(2, 2)})


def test_a_model_of_one_output_refuses_two():
    X, Y = some()
    with pytest.raises(ValueError, match="one model an output"):
        single_output(Data(X, torch.cat([Y, Y], -1)))


def test_a_model_needs_an_observation():
    with pytest.raises(ValueError, match="at least one observation"):
        single_output(Data(torch.zeros(0, 2), torch.zeros(0, 1)))


@pytest.mark.parametrize("name", ["X_pending", "X_failed"])
def test_points_without_a_value_must_be_finite(name):
    with pytest.raises(ValueError, match="pending and failed points must be finite"):
        Data(torch.zeros(2, 1), torch.zeros(2, 1), **{name: torch.tensor([[torch.nan]])})


class TestTop:
    @settings(deadline=None, max_examples=50, derandomize=True)
    @given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1e150]), max_size=12), st.integers(0, 14))
    def test_the_first_of_equal_values_come_first(self, values, k):
        Y = tensor(values).reshape(-1, 1)
        data = Data(tensor([[0.5]] * len(values)).reshape(-1, 1), Y, torch.arange(len(values)))
        order = sorted(range(len(values)), key=lambda i: (-values[i], i))
        assert data.top(k).tolist() == order[:k]


class TestNear:
    @pytest.mark.parametrize("kind", ["X", "X_pending", "X_failed"])
    def test_points_of_every_kind_are_found(self, kind):
        X, Y = some()
        there = tensor([[0.1, 0.2, 0.3]])
        if kind == "X":
            data = Data(torch.cat([X, there]), torch.cat([Y, Y[:1]]))
        else:
            data = Data(X, Y, **{kind: there})
        found = data.near(torch.cat([there + 9e-8, there + 2e-7]), 1e-7)
        assert found.tolist() == [True, False]


class TestBlocks:
    @pytest.mark.parametrize(
        ("numbers", "ends"),
        [
            ([], []),
            ([0, 5, 1022], []),
            ([0, 5, 1023], [3]),
            ([0, 5, 1024], [2]),
            ([1023, 2047], [1, 2]),
            ([0, 3000, 3500, 4096], [1, 2, 3]),  # the second block has no row
            ([2000, 2100], [1]),  # all of the first 1024 trials have failed
            ([-3000, -2000], []),
        ],
    )
    def test_a_block_ends_when_a_number_beyond_it_is_there(self, numbers, ends):
        X = torch.linspace(0, 1, len(numbers))[:, None]
        assert Data(X, X, torch.tensor(numbers, dtype=torch.long)).block_ends() == ends

    def test_the_order_of_the_rows_and_what_is_behind_change_no_digest(self):
        X, Y = some(1500)
        numbers = torch.arange(1500)
        order = torch.randperm(1500, generator=torch.Generator().manual_seed(3))
        data = Data(X, Y, numbers)
        assert Data(X[order], Y[order], numbers[order]).digests() == data.digests()
        assert data.first(1100).digests() == data.digests()
        assert data.first(1100).digest() != data.digest()

    @pytest.mark.parametrize("row", [0, 700, 1023])
    @pytest.mark.parametrize("which", ["X", "Y", "numbers"])
    def test_a_digest_tells_every_row_of_a_block_apart(self, which, row):
        X, Y = some(1100)
        rows = {"X": X, "Y": Y, "numbers": 3 * torch.arange(1100)}
        changed = {name: value.clone() for name, value in rows.items()}
        changed[which][row] += 1 if which == "numbers" else 1e-12
        assert Data(*rows.values()).digests()[-1] != Data(*changed.values()).digests()[-1]

    def test_a_digest_tells_points_in_other_dimensions_apart(self):
        """Two rows of three numbers have the bytes of three rows of two."""
        half = tensor([[0.5]])
        wide = Data(half.expand(2, 2), half.expand(2, 1))
        high = Data(half.expand(3, 1), half.expand(3, 1))
        assert wide.digest() != high.digest()

    def test_values_that_are_believed_change_best_and_neither_floor_nor_digest(self):
        X, Y = some()
        data = Data(X, Y, X_pending=X[:1] / 2)
        believing = data.believing(data.X_pending, tensor([[1e3]]))
        assert believing.best.item() == 1e3
        assert torch.equal(believing.floor(4.0), data.floor(4.0))
        assert believing.digest() == data.digest()
        assert len(believing.X_pending) == 0 and len(data.X_pending) == 1

    def test_the_floor_lies_so_many_ways_to_the_best_below_the_median(self):
        Y = tensor([[0.0], [1.0], [3.0]])
        data = Data(some(3)[0], Y, torch.arange(3))
        assert data.floor(4.0).item() == 1 - 4 * 2
        assert data.floor(None).item() == -torch.inf
        assert data.first(2).floor(4.0).item() == -torch.inf

    def test_nothing_is_far_where_half_of_the_values_are_the_best(self):
        Y = tensor([[1.0], [1.0], [-9.0]])
        assert Data(some(3)[0], Y).floor(4.0).item() == -torch.inf
