"""Speed of training: both ways give the same networks, the goals, a quick run."""

import json

import pytest
import torch
from neuralbo.cli import main
from neuralbo.engine.step import generator
from neuralbo.networks import MLP

from neuralbo_lab.speed import training as speed_training
from neuralbo_lab.speed.training import FULL, in_a_loop, in_one_batch

ENSEMBLE = {"one batch": 1.0, "loop over members": 4.0}
PEAK = {"matrix products": 100.0, "training nomu": 50.0}


def goals(ensemble=ENSEMBLE, peak=PEAK):
    return speed_training.measured(ensemble, peak, {"nomu_fast": 1.0}).goals


def test_goals_hold_at_four_times_and_at_half_the_peak():
    assert [(goal.measured, goal.holds) for goal in goals()] == [(0.25, True), (2.0, True)]


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"ensemble": ENSEMBLE | {"one batch": 1.1}}, [0]),
        ({"peak": PEAK | {"training nomu": 49.0}}, [1]),
    ],
)
def test_a_goal_that_is_missed_says_so(changed, missed):
    assert [i for i, goal in enumerate(goals(**changed)) if not goal.holds] == missed


def test_the_full_measurement_has_the_sizes_that_were_asked_for():
    assert (FULL.members, FULL.widths, FULL.rows, FULL.steps) == (10, (64, 64), 128, 1000)
    assert FULL.nomu.widths == (1024, 1024, 1024)
    assert {"nomu", "nomu_fast", "deep_ensemble", "mc_dropout"} <= set(FULL.surrogates)


def test_one_batch_and_a_loop_train_the_same_networks():
    net = MLP(2, (8, 8), 1, "relu")
    rng = generator(0)
    start = net.initial(4, rng).float()
    X = torch.rand(16, 2, generator=rng)
    variants = (
        variant(net, start, X, X.sum(-1, keepdim=True), 25)
        for variant in (in_one_batch, in_a_loop)
    )
    # Adam divides by the size of the gradient, so rounding of small ones shows
    torch.testing.assert_close(*variants, atol=1e-4, rtol=1e-3)


@pytest.mark.slow
def test_the_last_line_of_a_quick_run_is_json(capsys):
    assert main(["lab", "speed", "training", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["name"] == "training" and len(last["goals"]) == 2
    assert "nomu_fast" in last["figures"]["seconds of a suggestion"]
    assert "nomu" not in last["figures"]["seconds of a suggestion"]
