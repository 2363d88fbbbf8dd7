"""Agrawal (2016), Sec. 5.2: the protocols, and claims that refer to what the studies have."""

import pytest
import torch
from scipy.optimize import minimize

from neuralbo_lab.problems import agrawal, find
from neuralbo_lab.reproductions.agrawal.agrawal_benchmark import AGRAWAL_BENCHMARK, FOUND, REACHED
from neuralbo_lab.reproductions.agrawal.agrawal_forrester import AGRAWAL_FORRESTER

STUDIES = (AGRAWAL_BENCHMARK, AGRAWAL_FORRESTER)
each = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)


def problems_of(claim):
    return (claim.problem,) if hasattr(claim, "problem") else claim.problems


def test_the_benchmark_has_fifty_runs_on_four_functions():
    assert AGRAWAL_BENCHMARK.seeds == 50
    assert len(AGRAWAL_BENCHMARK.problems) == 4
    assert len(AGRAWAL_BENCHMARK.ranked) == len(AGRAWAL_BENCHMARK.methods) - 1 == 5
    assert len(list(AGRAWAL_BENCHMARK.cells())) == 5 * 4 * 50 + 1


def test_the_benchmark_starts_from_two_points_on_forrester_and_five_elsewhere():
    starts = {p: AGRAWAL_BENCHMARK.start_of(p) for p in AGRAWAL_BENCHMARK.problems}
    assert starts.pop("agrawal-forrester") == 2
    assert set(starts.values()) == {5}


def test_the_benchmark_has_twenty_proposals_at_least():
    """The claim about Rosenbrock needs seven."""
    assert AGRAWAL_BENCHMARK.trials - AGRAWAL_BENCHMARK.start >= 20
    assert AGRAWAL_BENCHMARK.quick().trials - AGRAWAL_BENCHMARK.start >= 7


def test_the_gallery_starts_from_four_points_on_forrester():
    assert (AGRAWAL_FORRESTER.start, AGRAWAL_FORRESTER.trials) == (4, 12)
    assert AGRAWAL_FORRESTER.problems == ("agrawal-forrester",)


@each
def test_claims_have_a_source_and_words_and_problems_of_the_study(study):
    for claim in study.claims:
        assert claim.source.startswith("Agrawal (2016), ") and claim.words
        assert set(problems_of(claim)) <= set(study.problems)


@each
def test_departures_are_sentences(study):
    assert study.departures
    assert all(words[0].isupper() or words[0].isdigit() or words.startswith("gp, ")
               for words in study.departures)  # fmt: skip
    assert all(words.endswith(".") for words in study.departures)


@each
def test_a_quick_run_is_small(study):
    quick = study.quick()
    runs = len(list(quick.cells()))
    assert runs <= 40 and quick.trials <= 30


def test_to_find_forresters_minimum_is_to_be_nearer_than_any_other_minimum():
    least = find("agrawal-forrester").minimum
    assert FOUND[0] <= least <= FOUND[1] < -0.986325


def test_to_reach_a_minimum_is_to_be_below_the_next_local_one():
    """1.22837 on McCormick and -0.215464 on the camel."""
    assert find("agrawal-mccormick").minimum + REACHED < 1.22837
    assert find("agrawal-camel").minimum + REACHED < -0.215464
    assert -0.215464 - find("agrawal-camel").minimum == pytest.approx(0.816, abs=5e-4)


# what test_problems_agrawal.py leaves out: how many minima there are


def lowest_around(problem, side):
    """Return the points of a grid that are below all of their neighbours."""
    axes = [
        torch.linspace(float(low), float(high), side).double()
        for low, high in zip(problem.low, problem.high, strict=True)
    ]
    X = torch.cartesian_prod(*axes).reshape(-1, problem.d)
    Y = problem.f(X).reshape(1, 1, *[side] * problem.d)
    pool = {1: torch.nn.functional.max_pool1d, 2: torch.nn.functional.max_pool2d}[problem.d]
    return X[(-pool(-Y, 3, stride=1, padding=1) == Y).flatten()]


def minima_of(problem):
    """Return where descents from there end, those closer than 1e-3 taken for one."""
    box = list(zip(problem.low.tolist(), problem.high.tolist(), strict=True))
    found = []
    for start in lowest_around(problem, 201):
        end = minimize(
            lambda x: float(problem.f(torch.as_tensor(x))), start.numpy(), bounds=box,
            options={"ftol": 1e-15, "gtol": 1e-9},
        )  # fmt: skip
        if not any(abs(end.x - other).max() < 1e-3 for other in found):
            found.append(end.x)
    return sorted(tuple(float(c) for c in x) for x in found)


@pytest.mark.parametrize(
    ("problem", "places"),
    [
        (agrawal.forrester(), [[0.14259], [0.75725]]),
        (agrawal.rosenbrock(), [[1.0, 1.0]]),
        (agrawal.mccormick(), [[-0.5472, -1.5472], [2.5944, 1.5944]]),
        (
            agrawal.camel(),
            [
                [-1.7036, 0.7961],
                [-1.6071, -0.5687],
                [-0.0898, 0.7127],
                [0.0898, -0.7127],
                [1.6071, 0.5687],
                [1.7036, -0.7961],
            ],
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_function_has_the_minima_of_002_and_no_others(problem, places):
    found = minima_of(problem)
    assert len(found) == len(places)
    for place, expected in zip(found, places, strict=True):
        assert place == pytest.approx(expected, abs=6e-5)


def test_the_flat_step_of_forrester_is_no_minimum():
    x = torch.tensor([1 / 3], dtype=torch.float64, requires_grad=True)
    (derivative,) = torch.autograd.grad(agrawal.forrester().f(x), x)
    assert float(derivative) == pytest.approx(0, abs=1e-12)
    beside = agrawal.forrester().f(torch.tensor([[1 / 3 - 0.01], [1 / 3 + 0.01]]).double())
    assert beside[0] < 0 < beside[1]
