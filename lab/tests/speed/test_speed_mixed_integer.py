"""How far a proven maximum carries: the measurement, on one small network."""

import pytest
from neuralbo.maximizers import MixedInteger
from neuralbo.maximizers.mixed_integer import CONTRADICTS
from neuralbo.testing.toys import seeded

from neuralbo_lab.speed import mixed_integer as module
from neuralbo_lab.speed.measurements import SPEEDS


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 20)


def test_it_is_a_measurement_of_the_laboratory():
    assert SPEEDS["mixed_integer"][0] is module.run


@pytest.mark.parametrize("d", [1, 2])
def test_a_proven_maximum_is_not_behind_multistart(d):
    row = module.measured_once(MixedInteger(), (6, 6), d, seed=0)
    assert row["is_optimal"] == 1
    assert row["gap"] <= 1e-4 and row["ahead"] <= CONTRADICTS
    assert row["seconds"] > 0 and row["climbing"] > 0


def test_the_network_learns_the_data_and_is_sure_there(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 200)
    data = module._step(1, 0).data
    assert (float(data.Y.amin()), float(data.Y.amax())) == pytest.approx((-1, 1))
    mean, variance = module.network((16, 16)).fit(data, seeded()).moments(data.X)
    assert float((mean - data.Y[:, 0]).square().mean()) < 0.1
    assert float(variance.sqrt().mean()) < 0.3


@pytest.mark.slow
def test_the_figures_name_sizes_and_dimensions(monkeypatch):
    monkeypatch.setattr(module, "QUICK_SIZES", ((4,),))
    measured = module.run(is_quick=True)
    (figures,) = measured.figures.values()
    assert list(figures) == [f"2 nets of 4, {d} variables" for d in (1, 2, 5)]
    assert all(row["proven"] == "1 of 1" for row in figures.values())
    assert all(goal.holds for goal in measured.goals)


def test_where_nothing_is_proven_no_more_units_are_tried(monkeypatch):
    row = {"seconds": 1.0, "climbing": 1.0, "gap": 0.0, "behind": 0.0, "ahead": 0.0}
    tried = []

    def once(maximizer, widths, d, seed):
        tried.append((widths, d))
        is_optimal = sum(widths) * d < 20
        return row | {"is_optimal": float(is_optimal), "ahead": 0.0 if is_optimal else 1.0}

    monkeypatch.setattr(module, "measured_once", once)
    monkeypatch.setattr(module, "SIZES", ((4, 4), (8, 8), (12, 12), (2, 2, 2)))
    monkeypatch.setattr(module, "SEEDS", 1)
    (goal,) = module.run(is_quick=False).goals
    assert goal.measured == 0.0  # what was not proven does not count
    flat = [cell for cell in tried if len(cell[0]) == 2]
    assert flat == [((4, 4), 1), ((4, 4), 2), ((4, 4), 5), ((8, 8), 1), ((8, 8), 2), ((12, 12), 1)]
    assert len(tried) == len(flat) + 3
