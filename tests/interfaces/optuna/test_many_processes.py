"""Faults of many workers, injected into real processes."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from neuralbo_lab.workers.postgres import programs, temporary_server
from neuralbo_lab.workers.storage_servers import Proxy

import neuralbo

SOURCE = str(Path(neuralbo.__file__).parents[1])
LONGEST = 120  # seconds that a script may take

# one process that has imported everything makes the workers by a fork, so that many rounds are
# quick; they begin at the same moment
TOGETHER = """
import json, os, signal, sys, time, traceback, warnings
from collections import Counter
import optuna
from optuna.trial import TrialState
import neuralbo as nb
from neuralbo.interfaces.optuna.claims import published
from neuralbo.interfaces.minimize import ask_params, open_study, optimize, recover
from neuralbo.interfaces.optuna.trials import is_interrupted

optuna.logging.set_verbosity(optuna.logging.CRITICAL)
SPACE = nb.Space({"x": nb.Real(-1, 1), "y": nb.Real(-1, 1)})

def opened(storage, seed=0):
    return open_study(storage, "s", "minimize", nb.NeuralSampler("random", seed=seed, space=SPACE))

def bowl(trial):
    return sum(value**2 for value in ask_params(trial, SPACE).values())

def work(i, begin, job):
    code = 1
    try:
        while time.time() < begin:
            pass
        job(i)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)

def ends(job, n=4, seconds=0.05):
    begin, children = time.time() + seconds, []
    for i in range(n):
        children.append(os.fork())
        if children[-1] == 0:
            work(i, begin, job)
    return [os.waitpid(child, 0)[1] for child in children]

def together(job, n=4):
    codes = ends(job, n)
    assert codes == [0] * n, codes

WRITES = ("create_new_trial", "set_trial_system_attr", "set_trial_state_values")

def at_step(storage, k, do):  # do something after the k-th write from now on
    left = [k]
    def counted(call):
        def write(*args, **kwargs):
            result = call(*args, **kwargs)
            left[0] -= 1
            if left[0] == 0:
                do()
            return result
        return write
    for name in WRITES:
        setattr(storage, name, counted(getattr(storage, name)))

def die():
    os.kill(os.getpid(), signal.SIGKILL)

opened(f"{sys.argv[1]}/first.db")  # imports what a database needs, once for all workers

names = dict(globals())
for line in sys.stdin:  # a script, run in a process of its own
    folder, script = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(f"{folder}/errors", os.O_WRONLY | os.O_CREAT), 2)
        signal.alarm(LONGEST)
        work(0, 0, lambda _: exec(script, names | {"folder": folder}))
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Start the process with the lines above, once for all scripts."""
    environment = os.environ | {"PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1"}
    code = TOGETHER.replace("LONGEST", str(LONGEST))
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path_factory.mktemp("first"))], env=environment,
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        yield process
        process.stdin.close()


@pytest.fixture
def run(scripts):
    def run(folder, script):
        """Run a script after the lines above, in a process of its own."""
        scripts.stdin.write(json.dumps([str(folder), script]) + "\n")
        scripts.stdin.flush()
        status = scripts.stdout.readline()
        assert status == "0\n", status + (folder / "errors").read_text()[-6000:]

    return run


OPEN = """
for i in range(6):
    together(lambda _: opened(f"{folder}/{i}.db"))
"""


def test_workers_that_make_a_new_file_together_all_open_it(folder, run):
    run(folder, OPEN)


RECOVER = """
def orphans(i):
    study = opened(storage)
    for _ in range(6):
        ask_params(study.ask(), SPACE)

for i in range(2):
    storage = f"{folder}/{i}-NAME"
    together(orphans, n=1)
    together(lambda _: recover(opened(storage)))
    trials = opened(storage).trials
    failed = [str(published(t)) for t in trials if t.state == TrialState.FAIL]
    queued = [str(published(t)) for t in trials if t.state == TrialState.WAITING]
    assert len(queued) == 6 and set(failed) == set(queued), (failed, queued)
"""


@pytest.mark.parametrize("name", ["study.db", "study.log"])
def test_workers_that_start_together_after_a_crash_queue_each_trial_again_once(folder, run, name):
    run(folder, RECOVER.replace("NAME", name))


KILLED_IN_RECOVERY = """
def orphan(i):  # of a point that nobody would choose again
    study = opened(storage)
    study.enqueue_trial({"x": 0.25, "y": 0.5})
    ask_params(study.ask(), SPACE)

def killed(i):
    study = opened(storage)
    at_step(study._storage, step, die)
    recover(study)

def evaluate(i):
    optimize(opened(storage), bowl, n_trials=2, progress=False)

step, was_killed = 0, True
while was_killed:
    step += 1
    storage = f"{folder}/{step}-NAME"
    together(orphan, n=1)
    was_killed = ends(killed, n=1) == [signal.SIGKILL]
    together(lambda _: recover(opened(storage)), n=2)
    together(evaluate, n=2)
    trials = opened(storage).trials
    done = Counter(str(published(t)) for t in trials if t.state == TrialState.COMPLETE)
    assert done[str(published(trials[0]))] == 1 and len(done) == 4, (step, done)
    assert trials[0].state == TrialState.FAIL, trials
    assert not [t for t in trials if not t.state.is_finished()], trials
assert step > 3
"""


@pytest.mark.parametrize("name", ["study.db", "study.log"])
def test_a_kill_at_any_step_of_a_recovery_loses_and_repeats_no_trial(folder, run, name):
    run(folder, KILLED_IN_RECOVERY.replace("NAME", name))


FREE = """
SAMPLER = nb.NeuralSampler("sobol", seed=0, space=SPACE)

def orphan(i):
    study = open_study(storage, "s", "minimize", SAMPLER)
    ask_params(study.ask(), SPACE)

def ask():
    other = open_study(storage, "s", "minimize", SAMPLER)
    made.append(ask_params(other.ask(), SPACE))  # a new point, or the one of the queue

for step in range(1, 10):
    storage, made = f"{folder}/{step}.db", []
    together(orphan, n=1)
    study = open_study(storage, "s", "minimize", SAMPLER)
    at_step(study._storage, step, ask)
    recover(study)
    if not made:
        break
    dead, *others = study.trials
    left = [published(t) for t in others if not is_interrupted(t)]
    assert left.count(published(dead)) == 1, (step, left)
assert step > 3
"""


def test_the_point_of_a_dead_worker_is_free_at_no_step_of_its_recovery(folder, run):
    run(folder, FREE)


KILLED_WITH_A_CLAIM = """
from neuralbo.interfaces.optuna import sampler

def opened(storage):
    made = nb.NeuralSampler("sobol", seed=0, space=SPACE)
    return open_study(storage, "s", "minimize", made)

def evaluate(i):
    optimize(opened(storage), bowl, n_trials=1, progress=False)

def cut(i):  # before it has chosen a point: others have counted it
    opened(storage).ask()
    die()

def killed(i):
    real = sampler.publish
    def publish(study, trial, params, stand, **options):
        sampler.publish = real
        together(evaluate, n=1)  # another worker is faster, and takes the point
        real(study, trial, params, stand, **options)
        die()  # before this one sees that
    sampler.publish = publish
    ask_params(opened(storage).ask(), SPACE)

def tell(i):  # without a recovery
    study = opened(storage)
    trial = study.ask()
    study.tell(trial, bowl(trial))

storage = f"{folder}/study.db"
assert ends(cut, n=1) == [signal.SIGKILL]
together(tell, n=1)
together(lambda i: recover(opened(storage)), n=1)  # now numbers are one less than before
assert ends(killed, n=1) == [signal.SIGKILL]
claimed = published(opened(storage).trials[2])
together(evaluate, n=2)
together(evaluate, n=2)
done = [t.params for t in opened(storage).trials if t.state == TrialState.COMPLETE]
assert len(done) == 6 and done.count(claimed) == 1, (claimed, done)
"""


def test_the_point_of_another_that_a_killed_worker_had_claimed_is_not_evaluated_again(folder, run):
    run(folder, KILLED_WITH_A_CLAIM)


QUEUE = """
def evaluate(i):
    optimize(opened(storage), bowl, n_trials=6, progress=False)

for i in range(2):
    storage = f"{folder}/{i}-NAME"
    study = opened(storage)
    for j in range(20):
        study.enqueue_trial({"x": j / 100, "y": 0.5})
    study._storage.remove_session()
    together(evaluate)
    trials = opened(storage).trials
    assert {t.state for t in trials} == {TrialState.COMPLETE} and len(trials) == 24, len(trials)
"""


@pytest.mark.parametrize("name", ["study.db", "study.log"])
def test_a_queued_trial_is_evaluated_by_one_worker(folder, run, name):
    run(folder, QUEUE.replace("NAME", name))


PROXY = """
def opened_proxy():
    storage = optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=PORT)
    return open_study(storage, "s", "minimize", nb.NeuralSampler("random", seed=0, space=SPACE))

def fill(i):
    study = opened_proxy()
    for j in range(40):
        study.enqueue_trial({"x": j / 100, "y": 0.5})

def evaluate(i):
    optimize(opened_proxy(), bowl, n_trials=12, progress=False)

together(fill, n=1)
together(evaluate)
trials = optuna.load_study(study_name="s", storage=f"sqlite:///{folder}/proxy/study.db").trials
assert {t.state for t in trials} == {TrialState.COMPLETE} and len(trials) == 48, len(trials)
"""


def test_a_queued_trial_is_evaluated_by_one_worker_behind_a_proxy_of_one_thread(folder, run):
    pytest.importorskip("grpc", reason="pip install 'neuralbo[workers]'")
    server = Proxy(folder / "proxy")
    server.start()
    try:
        run(folder, PROXY.replace("PORT", str(server.port)))
    finally:
        server.stop()


MOST = """
def evaluate(i):
    rules = [nb.stopping.MostTrials(10)]
    optimize(opened(storage), bowl, n_trials=50, callbacks=rules, progress=False)

for i in range(2):
    storage = f"{folder}/{i}-NAME"
    opened(storage)
    together(evaluate)
    trials = opened(storage).trials
    assert sum(t.state == TrialState.COMPLETE for t in trials) == 10, trials
"""


@pytest.mark.parametrize("name", ["study.db", "study.log"])
def test_many_workers_make_as_many_trials_as_are_the_most(folder, run, name):
    run(folder, MOST.replace("NAME", name))


KILLED_IN_TELLING = """
from pathlib import Path
from neuralbo.interfaces.optuna.unstored_values import PREFIX, TOKEN, KeptValue, tell_kept_values

def told(i):
    study = opened(storage)
    at_step(study._storage, step, die)
    tell_kept_values(study, where)

for step in (1, 2, 3):  # at the third nobody is killed any more
    for is_given_up in (False, True):
        where = Path(folder) / f"{step}-{is_given_up}"
        storage = f"{where}/NAME"
        study = opened(storage)
        trial = study.ask()
        params = ask_params(trial, SPACE)
        KeptValue(study.trials[0].system_attrs[TOKEN], [4.5]).keep(where)
        if is_given_up:
            study.tell(trial, state=TrialState.FAIL)
        del study
        assert ends(told, n=1) == [signal.SIGKILL if step == 1 else 0]
        together(lambda _: tell_kept_values(opened(storage), where))
        done = [t for t in opened(storage).trials if t.state == TrialState.COMPLETE]
        assert [(t.value, t.params) for t in done] == [(4.5, params)], done
        assert not list(where.glob(f"{PREFIX}*"))
"""


@pytest.mark.parametrize("name", ["study.db", "study.log"])
def test_a_kill_while_a_kept_value_is_told_loses_and_repeats_no_value(folder, run, name):
    run(folder, KILLED_IN_TELLING.replace("NAME", name))


RESTARTED = """
warnings.simplefilter("ignore")
storage = "ADDRESS"

def evaluate(i):
    def slow(trial):
        value = bowl(trial)
        open(f"{folder}/begun", "w").close()
        time.sleep(0.3)
        return value
    assert optimize(opened(storage), slow, n_trials=8, progress=False).error is None

together(evaluate, n=2)
trials = opened(storage).trials
assert [t.state for t in trials] == [TrialState.COMPLETE] * 16, trials
"""


def test_workers_outlive_a_postgresql_that_is_restarted_twice(folder, run):
    pytest.importorskip("psycopg2", reason="pip install 'neuralbo[workers]'")
    if programs() is None:
        pytest.skip("there is no PostgreSQL server: pip install 'neuralbo-lab[workers]'")
    folder.chmod(0o755)
    (folder / "server").mkdir()

    def restart():
        until = time.monotonic() + LONGEST
        while not (folder / "begun").exists() and time.monotonic() < until:
            time.sleep(0.05)
        for _ in range(2):
            server.stop()  # the values of both workers are in flight
            time.sleep(0.5)
            server.start()
            time.sleep(0.5)

    with temporary_server(folder / "server") as server:
        thread = threading.Thread(target=restart)
        thread.start()
        try:
            run(folder, RESTARTED.replace("ADDRESS", server.url))
        finally:
            thread.join()
    assert list(folder.glob("neuralbo-kept-*")) == []
