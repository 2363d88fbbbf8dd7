"""Rows that grow: data made earlier stay right."""

import torch

from neuralbo import Data
from neuralbo.data import BLOCK, in_order, near_points
from neuralbo.data.observations import FIRST_ROOM, Rows, Set
from neuralbo.testing.toys import multimodal, uniform

FIELDS = ("X", "Y", "numbers", "X_pending", "X_failed")
NOTHING = Data(torch.empty(0, 2), torch.empty(0, 1), torch.empty(0).long())


def is_equal(a, b):
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


def rows_of(n, seed=1):
    X = uniform(n, 2, seed=seed)
    return X, multimodal(X), torch.arange(n)


def fill(rows, n, pace):
    X, Y, numbers = rows_of(n)
    made = []
    for begin in range(0, n, pace):
        end = min(begin + pace, n)
        rows.append(X[begin:end], Y[begin:end], numbers[begin:end])
        made.append((end, rows.data(NOTHING)))
    return made


def test_data_made_earlier_stay_right_when_rows_come():
    X, Y, numbers = rows_of(3 * FIRST_ROOM)
    for end, data in fill(Rows(2), 3 * FIRST_ROOM, 100):
        assert is_equal(data, Data(X[:end], Y[:end], numbers[:end]))


def test_data_made_earlier_find_their_points_after_others_took_their_place(monkeypatch):
    """A trial in a gap comes later: all rows behind it move by one."""
    monkeypatch.setattr(near_points, "ROWS", 4)
    X, Y, numbers = rows_of(40)
    rows = Rows(2)
    rows.append(X[:10], Y[:10], numbers[:10])
    late = Data(X[11:20], Y[11:20], numbers[11:20])
    early = rows.data(late)
    rows.append(X[10:], Y[10:], numbers[10:])
    rows.data(NOTHING)
    seen = torch.tensor([i != 10 and i < 20 for i in range(40)])
    assert torch.equal(early.near(X, 1e-7), seen)


def test_later_rows_come_behind_and_are_kept_nowhere():
    X, Y, numbers = rows_of(9)
    rows = Rows(2)
    rows.append(X[:5], Y[:5], numbers[:5])
    later = Data(X[6:], Y[6:], numbers[6:], X_pending=X[5:6], X_failed=X[:1])
    order = [0, 1, 2, 3, 4, 6, 7, 8]
    expected = Data(X[order], Y[order], numbers[order], X_pending=X[5:6], X_failed=X[:1])
    assert is_equal(rows.data(later), expected)
    assert is_equal(rows.data(NOTHING), Data(X[:5], Y[:5], numbers[:5]))


def test_digests_are_those_of_data_made_at_once():
    n = 2 * BLOCK + 50
    X, Y, numbers = rows_of(n)
    for end, data in fill(Rows(2), n, 300):
        fresh = Data(X[:end], Y[:end], numbers[:end])
        assert data.digest() == fresh.digest()
        assert data.digests() == fresh.digests()


def test_a_block_with_a_gap_is_named_anew_when_the_gap_is_filled():
    n = BLOCK + 20
    X, Y, numbers = rows_of(n)
    rows = Rows(2)
    rows.append(X[:7], Y[:7], numbers[:7])
    gap = rows.data(Data(X[8:], Y[8:], numbers[8:]))
    rows.append(X[7:], Y[7:], numbers[7:])
    assert gap.digests() != rows.data(NOTHING).digests()
    assert rows.data(NOTHING).digests() == Data(X, Y, numbers).digests()


def test_rows_are_not_copied_when_data_are_made():
    rows = Rows(2)
    fill(rows, 50, 50)
    a, b = rows.data(NOTHING), rows.data(NOTHING)
    assert a.X.data_ptr() == b.X.data_ptr()


def test_a_set_has_one_order():
    X = uniform(12, 3).round(decimals=1)
    a, b = Set(3), Set(3)
    a.add(X)
    for row in X.flip(0):
        b.add(row[None])
        b.rows()
    assert torch.equal(a.rows(), b.rows())


def test_points_of_a_set_given_out_are_not_changed():
    X, points_of = uniform(6, 2), Set(2)
    points_of.add(X[:3])
    before = points_of.rows()
    copy = before.clone()
    points_of.add(X[3:])
    points_of.rows()
    assert torch.equal(before, copy)


def test_the_best_rows_are_remembered_and_right_whatever_comes_later():
    rng = torch.Generator().manual_seed(3)
    rows, X, Y = Rows(2), torch.empty(0, 2).double(), torch.empty(0, 1).double()
    nothing = in_order(X, Y, torch.empty(0, dtype=torch.long))
    for i in range(60):
        new = torch.randint(0, 40, (17, 1), generator=rng).double()  # with many equal ones
        points = torch.rand(17, 2, generator=rng, dtype=torch.float64)
        rows.append(points, new, torch.arange(17 * i, 17 * (i + 1)))
        X, Y = torch.cat([X, points]), torch.cat([Y, new])
        data, plain = rows.data(nothing), in_order(X, Y, torch.arange(len(X)))
        for k in (1, 5, 256, 300):
            assert torch.equal(data.top(k), plain.top(k))
