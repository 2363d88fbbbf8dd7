"""Peers in processes of their own: what goes through the pipes, and what if they fail."""

import gc
import sys
from pathlib import Path

import pytest
from neuralbo.space import Categorical, Integer, Real, Space

from neuralbo_lab.peers import environments
from neuralbo_lab.peers.environments import Environment
from neuralbo_lab.peers.piped import PipedOptimizer

FAKE = Path(__file__).with_name("fake_peer.py")
SPACE = Space(
    {
        "x": Real(-1, 2),
        "rate": Real(1e-4, 1.0, log=True),
        "k": Integer(2, 10, step=2),
        "kind": Categorical(["a", None, True]),
        "depth": Integer(1, 8, when={"kind": ["a"]}),
        "always": Categorical(["one"]),
    }
)
POINT = {"x": 0.5, "rate": 0.01, "k": 4, "kind": "a", "depth": 3, "always": "one"}


@pytest.fixture
def optimizer():
    return PipedOptimizer(Path(sys.executable), FAKE, SPACE, seed=3, trials=9)


def test_the_best_point_that_was_told_comes_back_as_it_was(optimizer):
    optimizer.tell(POINT, 1.0)
    optimizer.tell(POINT | {"x": -0.5, "k": 10}, 2.0)
    assert dict(optimizer.ask()) == POINT


def test_a_suggestion_is_legal_before_there_is_a_value(optimizer):
    first = optimizer.ask()
    assert SPACE.validate(first) == dict(first)


def test_a_parameter_that_does_not_exist_is_left_out_and_told_as_the_middle(optimizer):
    point = {"x": 0.0, "rate": 0.1, "k": 2, "kind": True, "always": "one"}
    optimizer.tell(point, 0.0)
    assert dict(optimizer.ask()) == point
    _, numbers = optimizer.suggested.popitem()[1]
    assert numbers["depth"] == 3.0  # of the numbers 0 to 7


def test_a_suggestion_is_told_with_the_numbers_that_the_peer_gave(optimizer):
    first = optimizer.ask()
    optimizer.tell(first, -1.0)
    optimizer.tell(POINT, 5.0)
    assert dict(optimizer.ask()) == dict(first)
    assert len(optimizer.suggested) == 1


def test_a_failure_is_told_as_the_worst_value(optimizer):
    optimizer.tell(POINT | {"x": 1.0}, None)
    optimizer.tell(POINT, 7.0)
    (failed, value, _), _ = optimizer.observed.take()
    assert failed["x"] == 1.0
    assert value == 7.0


def test_what_a_peer_raises_is_raised_here(optimizer):
    optimizer.tell(POINT, 101.0)
    with pytest.raises(RuntimeError, match="ArithmeticError: a value above 100"):
        optimizer.ask()


def test_a_peer_that_ends_is_an_error_with_its_last_words(optimizer):
    optimizer.tell(POINT, 51.0)
    with pytest.raises(RuntimeError, match=r"(?s)the peer has ended.*a value above 50"):
        optimizer.ask()


def test_a_process_ends_with_its_optimizer(optimizer):
    other = PipedOptimizer(Path(sys.executable), FAKE, SPACE, seed=0, trials=9)
    process = other.process
    del other
    gc.collect()
    assert process.poll() is not None
    assert optimizer.process.poll() is None


def test_environments_lie_where_the_variable_says_and_say_how_they_are_made(tmp_path, monkeypatch):
    monkeypatch.setenv(environments.FOLDER, str(tmp_path))
    hebo = Environment("hebo")
    assert hebo.folder.parent == tmp_path
    assert hebo.missing is not None and "neuralbo lab peers hebo" in hebo.missing
    hebo.folder.mkdir()
    (hebo.folder / environments.FINISHED).touch()
    assert hebo.missing is None


def test_another_file_of_packages_is_another_environment(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "PINNED", tmp_path)
    (tmp_path / "some.txt").write_text("one==1\n")
    before = Environment("some").folder
    (tmp_path / "some.txt").write_text("one==2\n")
    assert Environment("some").folder != before


@pytest.mark.parametrize("name", environments.names())
def test_every_package_of_an_environment_is_pinned(name):
    lines = Environment(name).pinned.read_text().split()
    assert lines and all(line.count("==") == 1 for line in lines)
