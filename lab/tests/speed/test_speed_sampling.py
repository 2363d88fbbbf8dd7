"""Effective draws per second: the goals, peers that are missing or too slow, a quick run."""

import json
import sys
import time

import pytest
import torch
from neuralbo.cli import main

from neuralbo_lab.speed import sampling as speed_sampling
from neuralbo_lab.speed import sampling_peers
from neuralbo_lab.speed.sampling import CONTESTANTS, SIZES, Score
from neuralbo_lab.speed.sampling_peers import Draws

SECONDS = {"bnn_hmc_fast": 1.0, "GPSampler": 0.2, "bnn_hmc_fast, the first": 3.0}
GROWTH = {"output integrated out": 3.0, "all weights": 4.0}


def score(rate, r_hat=1.01):
    return Score(rate, rate / 2, 10 * rate, 800, r_hat, 8000, 0.0, 5.0, 10.0)


def scores(pyro, numpyro, r_hat=1.01):
    ours = {name: score(100.0 / (i + 1), r_hat) for i, name in enumerate(CONTESTANTS)}
    return {n: ours | {"NumPyro": numpyro, "Pyro": pyro} for n in SIZES}


def goals(pyro, numpyro, seconds=SECONDS, growth=GROWTH):
    return speed_sampling.measured(scores(pyro, numpyro), seconds, growth).goals


def test_all_goals_hold_for_good_figures():
    found = goals(score(10.0), score(100.0))
    assert all(goal.holds for goal in found)
    assert [goal.measured for goal in found] == pytest.approx(
        [0.1, 0.1, 1.0, 1.0, 1.01, 1.01, 5.0, 3.0, 4.0]
    )
    assert [goal.wanted for goal in found] == pytest.approx(
        [0.1, 0.1, 1.0, 1.0, 1.1, 1.1, 10.0, 4.5, 4.5]
    )


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"pyro": score(11.0)}, [0, 1]),
        ({"numpyro": score(101.0)}, [2, 3]),
        ({"seconds": SECONDS | {"bnn_hmc_fast": 2.1}}, [6]),
        ({"growth": GROWTH | {"all weights": 4.6}}, [8]),
    ],
)
def test_a_goal_that_is_missed_says_so(changed, missed):
    found = goals(**({"pyro": score(10.0), "numpyro": score(100.0)} | changed))
    assert [i for i, goal in enumerate(found) if not goal.holds] == missed


def test_a_peer_that_is_not_there_makes_no_goal_and_gives_its_reason():
    reason = "N/A: pyro is not installed"
    measured = speed_sampling.measured(scores(reason, score(50.0)), SECONDS, GROWTH)
    assert not any(goal.goal.startswith("Pyro") for goal in measured.goals)
    assert sum(goal.goal.startswith("NumPyro") for goal in measured.goals) == len(SIZES)
    assert next(iter(measured.figures.values()))["Pyro"] == reason


def test_our_best_is_one_whose_chains_agree():
    rows = scores("N/A", "N/A")[20] | {"HMC, output integrated out": score(1e6, r_hat=2.0)}
    assert speed_sampling._best(rows).ess_per_second == pytest.approx(50.0)


def test_chains_that_never_agree_miss_a_goal():
    found = speed_sampling.measured(scores("N/A", "N/A", r_hat=1.5), SECONDS, GROWTH).goals
    assert [goal.holds for goal in found if "R-hat" in goal.goal] == [False, False]


@pytest.mark.parametrize("peer", ["Pyro", "NumPyro"])
def test_a_package_that_is_missing_is_not_an_error(monkeypatch, peer):
    monkeypatch.setattr(sampling_peers.importlib.util, "find_spec", lambda name: None)
    answer = sampling_peers.ask_peer(peer, 20, 1, 1)
    assert answer == (
        f"N/A: {peer.lower()} is not installed; pip install 'neuralbo-lab[samplers]'"
    )


def test_a_process_over_its_limit_is_ended_and_not_an_error():
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    assert sampling_peers.run_limited(command, 0.2) == "N/A: not done after 0.2 s"


def test_a_process_that_fails_gives_its_last_words():
    command = [sys.executable, "-c", "raise RuntimeError('no luck')"]
    assert sampling_peers.run_limited(command, 30.0) == "N/A: RuntimeError: no luck"


def printing(draws):
    line = json.dumps(Draws([[1.0, 2.0]] * draws, 7, 0.5, 1.0, 2.0)._asdict())
    return [sys.executable, "-c", f"print({line!r})"]


def test_a_process_that_draws_is_read():
    found = sampling_peers.run_limited(printing(10), 30.0)
    assert found.f.shape == (10, 1, 2)
    assert found[1:] == (7, 0.5, 1.0, 2.0)


@pytest.mark.parametrize("draws", [0, 9])
def test_too_few_draws_are_none(draws):
    answer = sampling_peers.run_limited(printing(draws), 30.0)
    assert answer == f"N/A: {draws} draws in its time, too few to count"


def test_a_process_is_told_to_use_one_thread():
    words = "import os; raise RuntimeError(os.environ['OMP_NUM_THREADS'])"
    assert sampling_peers.run_limited([sys.executable, "-c", words], 30.0).endswith(": 1")


def test_a_chain_that_stands_still_is_worth_nothing():
    found = speed_sampling._scored(Draws(torch.ones(20, 1, 3), 20, 0.0, 1.0, 2.0))
    assert (found.ess_per_second, found.draws) == (0.0, 20)


@pytest.mark.slow
@pytest.mark.parametrize("peer", ["Pyro", "NumPyro"])
def test_a_peer_draws_f_on_the_grid(peer, monkeypatch):
    pytest.importorskip(sampling_peers.PACKAGES[peer])
    monkeypatch.setattr(sampling_peers, "DEPTH", 2)  # in this process
    draw = {"Pyro": sampling_peers.draw_pyro, "NumPyro": sampling_peers.draw_numpyro}[peer]
    found = draw(20, 2, 3, time.monotonic() + 600)
    assert found.f.shape == (3, 50)
    assert found.f.isfinite().all()
    assert 3 <= found.steps <= 9 + 3  # at most 3 leaves a draw, and Pyro may ask once more


@pytest.mark.slow
def test_a_quick_run_ends_with_json(capsys, monkeypatch):
    monkeypatch.setattr(speed_sampling, "TRIALS", 12)
    assert main(["lab", "speed", "sampling", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    tables = list(last["figures"].values())
    assert list(tables[0]) == [*CONTESTANTS, *speed_sampling.PEERS]
    assert tables[1]["Pyro"] == "N/A: left out by --quick"
    assert len(last["goals"]) == 2 + 1 + 2
