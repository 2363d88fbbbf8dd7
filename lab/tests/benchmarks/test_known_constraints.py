"""Problems with known constraints, and how methods are run on them."""

import pytest

from neuralbo_lab.benchmarks.known_constraints import (
    KNOWN_CONSTRAINTS,
    RejectingOptimizer,
    TryingConstrained,
    is_feasible,
    is_linear,
)
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.peers.botorch_linear import LinearBoTorch
from neuralbo_lab.problems.constrained import (
    CONSTRAINED,
    MIXTURE,
    PAIR,
    REDUCER,
    VESSEL,
    beam_holds,
    reducer_holds,
)


@pytest.mark.parametrize("problem", CONSTRAINED.values(), ids=CONSTRAINED)
def test_the_best_value_known_is_that_of_the_publications(problem):
    assert problem.f(problem.best) == pytest.approx(problem.minimum, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("problem", [MIXTURE, PAIR], ids=["mixture", "pair"])
def test_ours_are_least_at_a_feasible_point(problem):
    space = problem.space()
    assert not space.violated(problem.best)
    import torch

    X = space.domain.sample(2000, torch.Generator().manual_seed(0))
    assert min(problem.f(p) for p in space.decode(X)) >= problem.minimum


def test_the_published_designs_are_on_the_border():
    """A thousandth more or less, and a limit is exceeded or the cost is higher."""
    beam = {"weld": 0.20574, "joint": 3.4706, "height": 9.0368, "width": 0.20574}
    assert beam_holds(beam)
    assert not beam_holds({**beam, "height": 9.02})
    reducer = {**REDUCER.best, "x5": 7.7154, "x6": 3.35022, "x7": 5.28667}
    assert reducer_holds(reducer)
    assert not reducer_holds({**reducer, "x6": 3.345})
    vessel = {**VESSEL.best, "length": 176.64}
    assert not VESSEL.space().violated(vessel)
    assert VESSEL.space().violated({**vessel, "length": 176.6})


def test_a_peer_proposes_until_a_point_is_feasible():
    peer = RejectingOptimizer(PAIR, "random", seed=0, trials=20)
    chosen = [peer.ask() for _ in range(20)]
    assert all(p["lower"] <= p["upper"] for p in chosen)
    assert 5 < peer.rejected < 60


def test_of_a_mixture_a_peer_chooses_all_parts_but_one():
    peer = RejectingOptimizer(MIXTURE, "random", seed=0, trials=20)
    params = peer.ask()
    assert sum(params.values()) == pytest.approx(1)
    peer.tell(params, 1.0)


def test_botorch_is_told_the_same_constraints():
    equal, less = LinearBoTorch(MIXTURE.space(), 0).constraints()
    ((columns, weights, bound),) = equal
    assert (columns.tolist(), weights.tolist(), bound) == (list(range(7)), [1.0] * 7, 1.0)
    assert not less
    equal, less = LinearBoTorch(PAIR.space(), 0).constraints()
    ((columns, weights, bound),) = less
    x = {0: 0.2, 1: 0.7}
    assert sum(w * x[c] for c, w in zip(columns.tolist(), weights.tolist(), strict=True)) >= bound
    assert [is_linear(p) for p in CONSTRAINED.values()] == [False, False, False, True, True]


def test_the_rounding_of_a_solver_is_forgiven():
    space = PAIR.space()
    assert is_feasible(space, {"lower": 0.5 + 1e-8, "upper": 0.5})
    assert not is_feasible(space, {"lower": 0.5 + 1e-3, "upper": 0.5})
    assert not is_feasible(space, {"lower": -0.1, "upper": 0.5})


def test_a_cell_says_what_was_found_and_what_was_feasible():
    measure = TryingConstrained(("mixture-of-seven", "ordered-pair"), trials=7, start=5)
    line = measure("random", 0, False)
    assert [one["problem"] for one in line["found"]] == ["mixture-of-seven", "ordered-pair"]
    assert all(one["feasible"] == 1.0 and one["regret"] >= 0 for one in line["found"])
    cell = ExperimentCell(KNOWN_CONSTRAINTS.name, "random", 0)
    results = ExperimentResults(KNOWN_CONSTRAINTS, {cell: {**line, "study": "x"}})
    from neuralbo_lab.benchmarks.known_constraints import table

    rows = table(results)
    assert [row[:3] for row in rows] == [
        ("mixture-of-seven", "random", "1"),
        ("ordered-pair", "random", "1"),
    ]
    assert {row[6] for row in rows} == {"100.0"}
