"""The checks of spaces, on spaces with everything in them."""

import pytest

from neuralbo import Categorical, Integer, Real, Space
from neuralbo.testing import SpaceChecks

SPACES = {
    "one": {"x": Real(-5, 10)},
    "everything": {
        "x": Real(-5, 10),
        "rate": Real(1e-5, 1, log=True),
        "share": Real(0, 1, step=0.1),
        "k": Integer(1, 9),
        "width": Integer(1, 1000, log=True),
        "sevenths": Integer(0, 100, step=7),
        "kind": Categorical(["a", "b", None, 2, 1.5, True]),
        "flag": Categorical([True, False]),
        "only": Categorical(["this"]),
        "depth": Integer(1, 5, when={"kind": ["a", None]}),
        "leaf": Real(0, 1, when={"depth": [2, 3]}),
    },
    "ends of the floats": {
        "big": Real(-1e308, 1e308),
        "tiny": Real(1e-300, 2e-300),
        "many": Integer(0, 2**50 - 1),
        "none": Categorical([float("nan"), 0.0]),
    },
}


class TestSpaces(SpaceChecks):
    @pytest.fixture(params=SPACES)
    def space(self, request):
        return Space(SPACES[request.param])


class TestOptional(SpaceChecks):
    @pytest.fixture
    def space(self):
        return Space(SPACES["everything"], optional=frozenset(["x", "k"]))
