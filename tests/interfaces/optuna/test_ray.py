"""Ray Tune's OptunaSearch with our sampler, driven by hand as Tune does it, and by Tune."""

import ipaddress
import math

import optuna
import pytest
from neuralbo_lab.benchmarks.workers import Setting, look
from neuralbo_lab.workers.ray_workers import _check_loopback, fail_diverged, run_ray
from neuralbo_lab.workers.worker import CELLS, value_of
from optuna.trial import TrialState

from neuralbo import NeuralSampler
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.maximizers import Mixed, Multistart

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own

TINY = Mixed(Multistart(candidates=32, local=16, restarts=1, rounds=5), rounds=1)


@pytest.fixture
def search():
    pytest.importorskip("ray.tune.search.optuna", reason="pip install 'neuralbo[ray]'")
    from ray import tune
    from ray.tune.search.optuna import OptunaSearch

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    search = OptunaSearch(sampler=NeuralSampler("gp", maximizer=TINY, seed=0))
    search.set_search_properties("loss", "min", {"x": tune.uniform(0, 1)})
    yield search
    optuna.logging.set_verbosity(optuna.logging.INFO)


def finish(search, name, loss):
    """Report a result and then the end, as Tune's controller does."""
    result = {"loss": loss, "training_iteration": 1}
    search.on_trial_result(name, result)
    search.on_trial_complete(name, result)


def test_four_at_a_time_are_different_and_chosen_by_the_model(search):
    points = []
    for batch in range(4):
        names = [f"{batch}-{i}" for i in range(4)]
        configs = [search.suggest(name)["x"] for name in names]
        for name, x in zip(names, configs, strict=True):
            finish(search, name, (x - 0.3) ** 2)
        points += configs
    assert len(set(points)) == 16
    facts = [t.user_attrs.get(FACTS, {}) for t in search._ot_study.trials]
    assert facts[-1]["surrogate"] == "gp"
    assert min(abs(x - 0.3) for x in points) < 0.02


def test_results_that_are_no_numbers_are_kept_away_from(search):
    later = []
    for i in range(20):
        x = search.suggest(str(i))["x"]
        finish(search, str(i), math.nan if x > 0.5 else -x)
        if i >= 8:
            later.append(x)
    # the best values are at the border, so some fail; without learning almost all would
    assert sum(x > 0.5 for x in later) <= len(later) // 2


def test_trials_that_ray_left_running_are_failed(search):
    for i, loss in enumerate((0.5, math.nan)):
        search.suggest(str(i))
        finish(search, str(i), loss)
    search.suggest("2")  # it is still at work
    fail_diverged(search._ot_study)
    states = [trial.state for trial in search._ot_study.trials]
    assert states == [TrialState.COMPLETE, TrialState.FAIL, TrialState.RUNNING]


def listening():
    """Return the addresses that children of this process listen on."""
    psutil = pytest.importorskip("psutil", reason="pip install 'neuralbo[ray]'")
    found = set()
    for child in psutil.Process().children(recursive=True):
        for connection in child.net_connections("inet"):
            if connection.status == psutil.CONN_LISTEN:
                found.add(ipaddress.ip_address(connection.laddr.ip))
    return found


def is_loopback(address):
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


@pytest.mark.slow
def test_the_laboratory_fails_what_ray_left_running_and_listens_on_loopback(folder, monkeypatch):
    # one worker: four on a real cluster are those of docs/ray-and-dask.md
    pytest.importorskip("ray.tune.search.optuna", reason="pip install 'neuralbo[ray]'")

    def value(problem, params, number):
        return math.nan if params["b"] == "q" else value_of(problem, params, number)

    from ray.tune import Tuner

    fit, addresses = Tuner.fit, set()

    def watched(self):
        addresses.update(listening())
        return fit(self)

    monkeypatch.setattr(Tuner, "fit", watched)
    setting = Setting("ray", 1, 8, problem=CELLS, surrogate="brvfl1", seconds=0.0)
    trials = run_ray(setting, 0, folder, longest=600, value=value)
    found = look(setting, trials)
    failed = [trial for trial in trials if trial.state == TrialState.FAIL]
    assert found["finished"] + len(failed) == 8
    assert failed and all(trial.params["b"] == "q" for trial in failed)
    assert found["repeats"] == 0 and found["running"] == 0
    assert addresses and all(map(is_loopback, addresses))


def test_ray_that_listens_elsewhere_is_refused():
    _check_loopback("127.0.0.1")
    with pytest.raises(RuntimeError, match=r"must listen on 127\.0\.0\.1 only, but it does on 1"):
        _check_loopback("192.0.2.2")
