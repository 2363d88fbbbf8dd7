"""The study of methods where what they assume is true: it is true."""

import pytest
import torch
from study_checks import methods_of

from neuralbo_lab.benchmarks.assumptions import ASSUMPTIONS, FEW_COUNT, SUMS
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.problems import find


def points(problem, seed):
    rng = torch.Generator().manual_seed(seed)
    u = torch.rand(50, problem.d, generator=rng, dtype=torch.float64)
    return problem.low + (problem.high - problem.low) * u


@pytest.mark.parametrize(("name", "few"), [*zip(FEW_COUNT, (2, 6), strict=True)])
def test_few_columns_count(name, few):
    problem = find(name)
    X, Z = points(problem, 0), points(problem, 1)
    mixed = torch.cat([X[:, :few], Z[:, few:]], -1)
    torch.testing.assert_close(problem.f(mixed), problem.f(X))
    one_more = torch.cat([X[:, : few - 1], Z[:, few - 1 :]], -1)
    assert not torch.isclose(problem.f(one_more), problem.f(X)).any()


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("column", [1, 7, 19])
def test_the_others_are_sums_over_columns(name, column):
    """f(x1, z2) + f(z1, x2) = f(x1, x2) + f(z1, z2) wherever the columns are divided."""
    problem = find(name)
    X, Z = points(problem, 0), points(problem, 1)
    left = torch.cat([X[:, :column], Z[:, column:]], -1)
    right = torch.cat([Z[:, :column], X[:, column:]], -1)
    torch.testing.assert_close(
        problem.f(left) + problem.f(right), problem.f(X) + problem.f(Z), rtol=1e-10, atol=1e-8
    )


def test_the_study_has_all_methods_that_it_asks_about():
    assert find_study("assumptions") is ASSUMPTIONS
    assert {find_method(name).name for name in ASSUMPTIONS.methods} == set(ASSUMPTIONS.methods)
    for claim in ASSUMPTIONS.claims:
        assert methods_of(claim) <= set(ASSUMPTIONS.methods)
        assert set(claim.problems) <= set(ASSUMPTIONS.problems)
