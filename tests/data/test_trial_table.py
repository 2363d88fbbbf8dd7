"""The trials of an optimizer: columns of parameters, and data in any order of tells."""

import copy
import math
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralbo import Categorical, Data, Integer, Real, Space
from neuralbo.data import data as data_module
from neuralbo.data import near_points
from neuralbo.data.trial_table import Column, Columns
from neuralbo.testing.toys import seeded

FIELDS = ("X", "Y", "numbers", "X_pending", "X_failed")
SPACE = Space({"x": Real(0, 1), "k": Integer(1, 9), "kind": Categorical(["a", "b", None])})


def is_equal(a, b):
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


class History:
    """What was asked and told, and the data that these are, made at once."""

    def __init__(self, sign=1.0):
        self.columns, self.sign = Columns(SPACE, sign), sign
        self.rows = SPACE.domain.sample(200, seeded(3))
        self.values = {}

    def ask(self):
        return self.columns.add(self.rows[len(self.columns)])

    def tell(self, number, value):
        params = SPACE.decode(self.rows[number : number + 1])[0]
        values = None if value is None else (value,)
        self.columns.finish(number, self.rows[number], params, values)
        self.values[number] = value

    def expected(self):
        done = [i for i, value in self.values.items() if value is not None]
        failed = [i for i, value in self.values.items() if value is None]
        Y = [[self.sign * self.values[i]] for i in done]
        pending = sorted(set(range(len(self.columns))) - set(self.values))
        return Data(
            self.rows[done],
            torch.tensor(Y, dtype=torch.float64).reshape(-1, 1),
            torch.tensor(done, dtype=torch.long),
            X_pending=self.rows[pending],
            X_failed=self.rows[failed],
        )


STEPS = st.lists(
    st.tuples(st.integers(0, 1000), st.sampled_from([None, 0.0, -1.5, 2.0, 1e150, 1e-200])),
    max_size=80,
)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(data_module, "BLOCK", 8)
    monkeypatch.setattr(near_points, "ROWS", 8)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("sign", [1.0, -1.0])
@settings(deadline=None, max_examples=40, derandomize=True)
@given(STEPS)
def test_data_are_those_made_at_once_and_stay_so(sign, steps):
    """About half of the steps ask, the others tell any of those that are pending."""
    history, made = History(sign), []
    for choice, value in steps:
        pending = history.columns.pending
        if choice % 2 or not pending:
            history.ask()
        else:
            history.tell(pending[choice // 2 % len(pending)], value)
        if choice % 3 == 0:
            made.append((history.columns.data(), history.expected()))
    made.append((history.columns.data(), history.expected()))
    for found, expected in made:
        assert is_equal(found, expected)
        assert found.digest() == expected.digest()
        assert found.digests() == expected.digests()
        near = found.near(history.rows, 1e-7)
        assert torch.equal(near, expected.near(history.rows, 1e-7))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.permutations(range(8)), st.sampled_from([1.0, -1.0]))
def test_the_best_of_equal_values_is_the_first_whatever_the_order_of_the_tells(order, sign):
    history = History(sign)
    for _ in order:
        history.ask()
    for number in order:
        history.tell(number, [5.0, None, 3.0, 5.0, 3.0, 4.0, 3.0, 5.0][number])
    assert history.columns.best == (0 if sign > 0 else 2)


def test_values_and_parameters_come_back():
    history = History()
    for value in (1.0, None, -math.pi):
        history.tell(history.ask(), value)
    assert [history.columns.values(i) for i in range(3)] == [(1.0,), None, (-math.pi,)]
    assert [history.columns.params(i) for i in range(3)] == SPACE.decode(history.rows[:3])
    assert list(history.columns.finished()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (Real(0, 1), 0.1),
        (Real(0, 1, step=0.1), 0.30000000000000004),
        (Real(1e-300, 1e300, log=True), 1.7e-299),
        (Integer(1, 9), 4),
        (Integer(-(2**63), -(2**63) + 5), -(2**63) + 1),
        (Integer(2**70, 2**70 + 9), 2**70 + 1),
        (Integer(2**63 - 9, 2**63 - 1), 2**63 - 1),
        (Categorical([1, True, 1.0, "1"]), True),
        (Categorical([1, True, 1.0, "1"]), 1),
        (Categorical([1, True, 1.0, "1"]), 1.0),
        (Categorical([None, False, 0]), None),
        (Categorical(["only"]), "only"),
    ],
)
def test_a_column_gives_back_what_it_was_given(parameter, value):
    column = Column(parameter)
    for _ in range(3):
        column.add()
    column.put(1, value)
    assert repr(column.get(1)) == repr(value)
    assert [column.has(i) for i in range(3)] == [False, True, False]


def test_a_choice_that_is_nan_comes_back():
    column = Column(Categorical([math.nan, 1]))
    column.add()
    column.put(0, float("nan"))
    assert math.isnan(column.get(0))


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_go_on_alone(again):
    history = History()
    numbers = [history.ask() for _ in range(9)]
    for number in numbers[:3] + numbers[4:6]:
        history.tell(number, float(number))
    history.columns.data()
    other, expected = again(history.columns), history.expected()
    history.tell(3, 7.0)
    assert is_equal(other.data(), expected)
    other.finish(3, history.rows[3], SPACE.decode(history.rows[3:4])[0], (7.0,))
    assert is_equal(other.data(), history.expected())
    assert other.data().digest() == history.columns.data().digest()
