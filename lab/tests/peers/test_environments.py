"""The peers in environments of their own, where these are made and the variable names the folder.

`neuralbo lab peers baybe hebo nevergrad vizier` makes them. Each takes some ten seconds here, so
they are not part of every run of the tests.
"""

import os

import pytest
from neuralbo.engine.step import generator
from neuralbo.space import Categorical, Integer, Real, Space

from neuralbo_lab.core.methods import PEERS
from neuralbo_lab.peers.environments import FOLDER, names

SPACES = {
    "real": Space({"x": Real(-5, 10), "rate": Real(1e-4, 1, log=True)}),
    "mixed": Space({"x": Real(-5, 10), "k": Integer(2, 10), "kind": Categorical(["a", None])}),
}


@pytest.mark.skipif(FOLDER not in os.environ, reason=f"{FOLDER} is not set")
@pytest.mark.parametrize("space", SPACES.values(), ids=list(SPACES))
@pytest.mark.parametrize("name", names())
def test_suggestions_are_legal_new_and_the_same_each_time(name, space):
    if PEERS[name].missing:
        pytest.skip(str(PEERS[name].missing))
    points = space.decode(space.domain.sobol(5, generator(0)))
    runs = []
    for _ in range(2):
        optimizer = PEERS[name].make(space, 3, 8)
        for i, params in enumerate(points):
            optimizer.tell(params, None if i == 1 else 500 + (params["x"] - 3) ** 2)
        suggested = [optimizer.ask()]
        optimizer.tell(suggested[0], 500 + (suggested[0]["x"] - 3) ** 2)
        suggested.append(optimizer.ask())
        assert all(space.validate(params) == dict(params) for params in suggested)
        runs.append([dict(params) for params in suggested])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert all(params not in points for params in runs[0])


def test_each_environment_is_of_a_peer_with_its_name():
    assert set(names()) == {name for name, peer in PEERS.items() if peer.environment is not None}
