"""What workers tell each other: whole or not at all, and who gives way."""

import warnings
from datetime import datetime

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.storages import RDBStorage
from optuna.trial import TrialState, create_trial

import neuralbo.engine.time_limit
import neuralbo.interfaces.optuna.sampler
from neuralbo import NeuralSampler
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import MIN_SEPARATION
from neuralbo.interfaces.optuna.claims import PARAMS, chosen_after, is_settled, publish, published
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.optuna.trials import ENDED, WORKER, is_interrupted
from neuralbo.maximizers import Mixed, Multistart

TINY = Mixed(Multistart(candidates=32, local=16, restarts=1, rounds=5), rounds=1)


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def sampler(**options):
    return NeuralSampler("gp", maximizer=TINY, **({"seed": 0} | options))


def bowl(trial):
    return (trial.suggest_float("x", -1, 1) - 0.3) ** 2


@pytest.fixture
def study(folder):
    return optuna.create_study(
        study_name="s", storage=f"sqlite:///{folder}/s.db", sampler=sampler()
    )


def again(study, **options):
    return optuna.load_study(study_name="s", storage=study._storage, sampler=sampler(**options))


def running(study, number):
    return study.get_trials(deepcopy=False)[number]


@pytest.mark.parametrize("size", [1, 500])
def test_what_is_published_is_read(study, size):
    frozen = running(study, study.ask().number)
    params = {f"parameter {i}": i / 7 for i in range(size)}
    for attempt, stand in enumerate(["claimed", "settled"]):
        publish(study, frozen, params, stand, attempt=attempt)
        trial = running(study, frozen.number)
        assert published(trial) == params
        assert is_settled(trial) == (stand == "settled")


def test_a_shorter_point_after_a_longer_one_is_read_right(study):
    frozen = running(study, study.ask().number)
    for attempt, size in enumerate([900, 300, 1]):
        params = {f"parameter {i}": i / 7 for i in range(size)}
        publish(study, frozen, params, "claimed", attempt=attempt)
        assert published(running(study, frozen.number)) == params


def test_a_worker_that_is_cut_off_while_it_publishes_has_published_nothing(study, monkeypatch):
    frozen = running(study, study.ask().number)
    write, calls = type(study._storage).set_trial_system_attr, []

    def cut(storage, *args):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        write(storage, *args)

    monkeypatch.setattr(type(study._storage), "set_trial_system_attr", cut)
    with pytest.raises(KeyboardInterrupt):
        publish(study, frozen, {f"parameter {i}": i / 7 for i in range(500)}, "claimed")
    assert published(running(study, frozen.number)) == {}


def test_a_withdrawn_point_is_not_pending(study):
    frozen = running(study, study.ask().number)
    publish(study, frozen, {"x": 0.5}, "claimed")
    publish(study, frozen, {}, "withdrawn")
    assert published(running(study, frozen.number)) == {}


def test_queued_parameters_count_and_not_what_was_proposed(study):
    study.enqueue_trial({"x": 0.25})
    frozen = study.get_trials(deepcopy=False)[0]
    publish(study, frozen, {"x": 0.5, "y": 0.75}, "claimed")
    assert published(running(study, 0)) == {"x": 0.25, "y": 0.75}


def test_queued_parameters_are_known_before_they_are_asked_for(study):
    study.enqueue_trial({"x": 0.25})
    assert published(study.get_trials(deepcopy=False)[0]) == {"x": 0.25}


@pytest.mark.parametrize("gives_way", [True, False])
def test_a_worker_that_chose_while_another_settled_gives_way(study, monkeypatch, gives_way):
    def ask(study):
        return study.ask().suggest_int("k", 0, 40)

    for _ in range(8):
        trial = study.ask()
        study.tell(trial, (trial.suggest_int("k", 0, 40) - 13) ** 2)
    other, suggest, met = again(study), Engine.suggest, []

    def late(engine, step, q=1):
        """Let the other worker choose and settle between our reading and our claim."""
        proposal = suggest(engine, step)
        if not met:
            met.append(None)
            met[0] = ask(other)
        return proposal

    monkeypatch.setattr(Engine, "suggest", late)
    if not gives_way:  # then the two meet, or this test shows nothing
        monkeypatch.setattr(neuralbo.interfaces.optuna.sampler, "_is_disputed", lambda *_: False)
    assert (ask(study) != met[0]) == gives_way


class TestDisputes:
    """Claims at one place, of lower and higher numbers; ours is number 1."""

    def disputed(self, study, number, stand, place=0.5):
        trials = [study.ask() for _ in range(3)]
        frozen = study.get_trials(deepcopy=False)
        publish(study, frozen[1], {"x": 0.5}, "claimed")
        publish(study, frozen[number], {"x": place}, stand)
        assert len(trials) == 3
        space = neuralbo.Space({"x": neuralbo.Real(0, 1)})
        return neuralbo.interfaces.optuna.sampler._is_disputed(
            study, frozen[1], frozen, space.encode
        )

    def test_a_lower_number_that_claims_wins(self, study):
        assert self.disputed(study, 0, "claimed")

    @pytest.mark.parametrize("number", [0, 2])
    def test_what_is_settled_wins(self, study, number):
        assert self.disputed(study, number, "settled")

    @pytest.mark.parametrize("number", [0, 2])
    def test_what_is_withdrawn_or_apart_is_no_rival(self, study, number):
        assert not self.disputed(study, number, "withdrawn")

    def test_what_is_apart_is_no_rival(self, study):
        assert not self.disputed(study, 0, "settled", place=0.5 + 1.5 * MIN_SEPARATION)

    def test_a_higher_number_that_never_answers_wins_after_a_while(self, study, monkeypatch):
        monkeypatch.setattr(neuralbo.interfaces.optuna.sampler, "PATIENCE", 0.05)
        assert self.disputed(study, 2, "claimed")

    def test_a_higher_number_is_waited_for_until_it_gives_way(self, study, monkeypatch):
        waits = []

        def give_way(seconds):
            waits.append(seconds)
            publish(study, study.get_trials(deepcopy=False)[2], {}, "withdrawn")

        monkeypatch.setattr(neuralbo.interfaces.optuna.sampler.time, "sleep", give_way)
        assert not self.disputed(study, 2, "claimed")
        assert len(waits) == 1

    def test_a_point_that_was_finished_meanwhile_is_not_tried_again(self, study):
        study.ask()
        before = study.get_trials(deepcopy=False)
        publish(study, before[0], {"x": 0.5}, "claimed")
        space = neuralbo.Space({"x": neuralbo.Real(0, 1)})
        study.add_trial(
            create_trial(params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)}, value=1)
        )
        assert neuralbo.interfaces.optuna.sampler._is_disputed(
            study, before[0], before, space.encode
        )


def test_a_worker_that_always_loses_takes_a_free_place_beside_the_point(study, monkeypatch):
    """Whatever it chooses as a whole, another settles first; beside that place nobody is."""
    for _ in range(8):
        trial = study.ask()
        study.tell(trial, (trial.suggest_float("x", 0, 1) - 0.3) ** 2)
    suggest, taken = Engine.suggest, []

    def late(engine, step, q=1):
        proposal = suggest(engine, step)
        rival = study._storage.create_new_trial(study._study_id)
        (params,) = neuralbo.Space({"x": neuralbo.Real(0, 1)}).decode(proposal.points)
        publish(study, study._storage.get_trial(rival), params, "settled")
        taken.append(params["x"])
        return proposal

    monkeypatch.setattr(Engine, "suggest", late)
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    facts = running(study, trial.number).user_attrs[FACTS]
    assert facts["attempts"] == neuralbo.interfaces.optuna.sampler.ATTEMPTS + 1
    assert len(taken) == neuralbo.interfaces.optuna.sampler.ATTEMPTS
    min_separation = [abs(x - other) for other in taken]
    assert min(min_separation) >= MIN_SEPARATION * (1 - 1e-9)  # of the rounding of a difference
    assert min_separation[-1] < 0.1


def test_workers_in_a_space_that_is_full_do_not_wait_for_each_other(study, monkeypatch):
    trial = study.ask()
    study.tell(trial, trial.suggest_int("k", 0, 1))
    monkeypatch.setattr(neuralbo.interfaces.optuna.sampler, "ATTEMPTS", 1)
    monkeypatch.setattr(neuralbo.interfaces.optuna.sampler, "JITTER_ATTEMPTS", 0)
    monkeypatch.setattr(
        neuralbo.interfaces.optuna.sampler.time, "sleep", lambda _: pytest.fail("it waits")
    )
    values = [study.ask().suggest_int("k", 0, 1) for _ in range(4)]
    assert set(values) == {0, 1}


def test_a_retried_trial_costs_no_suggestion(study, monkeypatch):
    study.optimize(bowl, n_trials=2)
    study.enqueue_trial({"x": 0.125})
    monkeypatch.setattr(Engine, "suggest", lambda *_: pytest.fail("it suggests"))
    trial = study.ask()
    assert published(running(study, trial.number)) == {"x": 0.125}
    assert trial.suggest_float("x", -1, 1) == 0.125


class TestHeartbeats:
    def stale(self, study):
        """Fail a running trial as Optuna does when its heartbeat has stopped."""
        with warnings.catch_warnings():  # Optuna's: heartbeats are for Study.optimize
            warnings.simplefilter("ignore", UserWarning)
            trial = study.ask()
        trial.suggest_float("x", -1, 1)
        study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
        return running(study, trial.number)

    def test_a_trial_whose_heartbeat_stopped_counts_for_nothing(self, study):
        assert is_interrupted(self.stale(study))

    def test_a_trial_that_failed_by_itself_is_a_failure(self, study):
        trial = study.ask()
        trial.suggest_float("x", -1, 1)
        study.tell(trial, state=TrialState.FAIL)
        frozen = running(study, trial.number)
        assert WORKER in frozen.system_attrs and ENDED in frozen.system_attrs
        assert not is_interrupted(frozen)

    def test_a_retried_trial_has_the_parameters_of_the_first(self, folder):
        storage = RDBStorage(
            f"sqlite:///{folder}/heart.db", heartbeat_interval=1, grace_period=1,
            heartbeat_stale_trial_callback=optuna.storages.RetryHeartbeatStaleTrialCallback(),
        )  # fmt: skip
        study = optuna.create_study(storage=storage, sampler=sampler())
        study.optimize(bowl, n_trials=6)
        stale = self.stale(study)
        storage.get_heartbeat_stale_trial_callback()(study, stale)
        study.optimize(bowl, n_trials=1)
        assert study.trials[-1].params == stale.params
        assert study.trials[-1].state == TrialState.COMPLETE


def test_memory_needs_no_claims():
    study = optuna.create_study(sampler=sampler())
    study.optimize(bowl, n_trials=2)
    assert study.trials[1].system_attrs[PARAMS]["stand"] == "settled"


def test_a_trial_that_is_made_again_is_chosen_when_it_begins(study):
    first = running(study, study.ask().number)
    noon, later = datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 13)
    publish(study, first, {"x": 0.5}, "settled", read=noon)
    first = running(study, first.number)
    first.datetime_start = None
    assert chosen_after(first) == noon
    again = create_trial(state=TrialState.RUNNING, system_attrs=first.system_attrs)
    again.datetime_start = later
    assert chosen_after(again) == later
    again.datetime_start, again.system_attrs = later, {}
    assert chosen_after(again) == later
