"""The study of several objectives: its functions, what its cells measure, and its table."""

import math

import pytest
import torch
from neuralbo.engine.step import generator

from neuralbo_lab.benchmarks.objectives import PROBLEMS, REPORT, SAMPLERS, Searching, table
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study

TRIALS = 4


def zdt1(x):
    g = 1 + 9 * sum(x[1:]) / (len(x) - 1)
    return x[0], g * (1 - math.sqrt(x[0] / g))


def zdt2(x):
    g = 1 + 9 * sum(x[1:]) / (len(x) - 1)
    return x[0], g * (1 - (x[0] / g) ** 2)


def vlmop2(x):
    c = 1 / math.sqrt(len(x))
    return tuple(1 - math.exp(-sum((v - s * c) ** 2 for v in x)) for s in (1, -1))


def branin_currin(x):
    a, b = x
    u, v = 15 * a - 5, 15 * b
    branin = (v - 5.1 / (4 * math.pi**2) * u**2 + 5 / math.pi * u - 6) ** 2
    branin += 10 * (1 - 1 / (8 * math.pi)) * math.cos(u) + 10
    currin = (1 - math.exp(-1 / (2 * b))) * (2300 * a**3 + 1900 * a**2 + 2092 * a + 60)
    return branin, currin / (100 * a**3 + 500 * a**2 + 4 * a + 20)


def dtlz2(m):
    def f(x):
        g, angles = sum((v - 0.5) ** 2 for v in x[m - 1 :]), [v * math.pi / 2 for v in x[: m - 1]]
        cosines = [math.prod(map(math.cos, angles[: m - 1 - i])) for i in range(m)]
        sines = [1.0, *(math.sin(angles[m - 1 - i]) for i in range(1, m))]
        return tuple((1 + g) * c * s for c, s in zip(cosines, sines, strict=True))

    return f


FORMULAS = {"zdt1-4": zdt1, "zdt2-4": zdt2, "vlmop2-3": vlmop2, "branin-currin": branin_currin,
            "dtlz2-5-3": dtlz2(3), "dtlz2-6-4": dtlz2(4)}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_functions_are_their_published_formulas_by_loops(name):
    problem = PROBLEMS[name]
    U = torch.rand(50, problem.d, generator=generator(0), dtype=torch.float64)
    X = problem.low + (problem.high - problem.low) * U
    expected = torch.tensor([FORMULAS[name](x) for x in X.tolist()], dtype=torch.float64)
    assert expected.shape[-1] == len(problem.reference)
    torch.testing.assert_close(problem.f(X), expected)


def test_the_values_are_finite_in_every_corner():
    for problem in PROBLEMS.values():
        U = torch.cartesian_prod(*[torch.tensor([0.0, 1.0], dtype=torch.float64)] * problem.d)
        assert problem.f(problem.low + (problem.high - problem.low) * U).isfinite().all()


def test_the_hypervolume_is_a_sum_of_rectangles():
    Y = torch.tensor([[0.1, 0.6], [0.6, 0.1], [0.7, 0.7], [2.0, 0.0]], dtype=torch.float64)
    # 1.0 x 0.5, and 0.5 x 0.5 below it; the third is dominated, the fourth beyond the reference
    assert PROBLEMS["zdt1-4"].hypervolume(Y) == pytest.approx(0.75)
    assert PROBLEMS["zdt1-4"].front(Y).tolist() == [[0.1, 0.6], [0.6, 0.1], [2.0, 0.0]]


@pytest.mark.parametrize("method", SAMPLERS)
def test_a_run_leaves_its_front_and_the_hypervolume_of_it(method):
    line = Searching(("branin-currin",), trials=TRIALS)(method, 3, False)
    (found,) = line["found"]
    front = torch.tensor(found["front"], dtype=torch.float64)
    assert 1 <= len(front) <= TRIALS
    assert found["hypervolume"] == PROBLEMS["branin-currin"].hypervolume(front)
    assert (found["problem"], found["seed"]) == ("branin-currin", 3)


def test_four_objectives_are_searched_with_a_model():
    (found,) = Searching(("dtlz2-6-4",), trials=30, quick_trials=10)("auto", 0, True)["found"]
    assert 1 <= len(found["front"]) <= 10


def test_nsga2_is_random_search_within_forty_trials():
    searching = Searching(("zdt1-4",), trials=40)
    fronts = [searching(method, 1, False)["found"][0]["front"] for method in ("nsga2", "random")]
    assert fronts[0] == fronts[1]


def results_of(volumes):
    """Return results with given hypervolumes, a list over the seeds for each method."""
    made = {
        ExperimentCell("objectives", method, seed): {
            "found": [{"problem": "a", "seed": seed, "hypervolume": volume, "seconds": 0.25}]
        }
        for method, its in volumes.items()
        for seed, volume in enumerate(its)
        if volume is not None
    }
    return ExperimentResults(find_study("objectives"), made)


def test_the_table_has_a_row_for_each_method_with_mean_and_quartiles(folder):
    results = results_of({method: [1.0, 2.0, 3.0, 4.0, 10.0] for method in SAMPLERS})
    rows = table(results)
    assert [row[:2] for row in rows] == [("a", method) for method in SAMPLERS]
    assert {row[2:-1] for row in rows} == {("5", "4", "2", "4", "0.25")}
    assert "0.25" in REPORT.write(results, folder).read_text()
    assert "(18, 6)" in REPORT.render(results)


def test_a_larger_hypervolume_is_missed_only_if_the_pairs_of_seeds_say_so():
    ours = [1 + 0.1 * seed for seed in range(10)]
    results = results_of(
        {
            "auto": ours,
            "gpsampler": [one + 0.01 for one in ours],  # by little, but at every seed
            "tpe": [one + (0.5 if seed == 4 else -0.01) for seed, one in enumerate(ours)],
            "nsga2": [one - 0.01 for one in ours],
            "random": ours,
        }
    )
    missed = {row[1]: row[-1] for row in table(results)}
    assert missed["auto"] == "gpsampler, undecided: tpe"
    assert {missed[method] for method in SAMPLERS if method != "auto"} == {""}


def test_seeds_are_compared_in_pairs_where_one_run_is_missing():
    results = results_of({"auto": [9.0, 1.0, 1.0], "gpsampler": [None, 1.0, 1.0]})
    assert table(results)[0][-1] == "nothing"
