"""What Optuna's trials say: read once, and the same as read anew."""

import random
import threading
import warnings
import zlib

import optuna
import pytest
import torch
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from neuralbo import FallbackWarning, NeuralSampler, Real, Space
from neuralbo.data import data as data_module
from neuralbo.data import near_points
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.optuna.parameter_ranges import union
from neuralbo.interfaces.optuna.trials import (
    INTERRUPTED,
    TrialReader,
    conditional_space,
    counts,
    find,
    is_interrupted,
    observed,
)
from neuralbo.maximizers import RandomCandidates
from neuralbo.surrogates import BayesianRVFL

FIELDS = ("X", "Y", "numbers", "X_pending", "X_failed")
ENDS = ["complete", "complete", "complete", "infinite", "fail", "prune", "interrupt"]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(data_module, "BLOCK", 8)
    monkeypatch.setattr(near_points, "ROWS", 8)
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def is_equal(a, b):
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


def plain(trial, number):
    trial.suggest_float("x", 0, 1)
    trial.suggest_int("k", 1, 9)


def growing(trial, number):
    """Ranges grow and shrink now and then; a step comes and goes."""
    trial.suggest_float("x", 0, 1 + number // 10 % 3)
    trial.suggest_int("k", 1, 9, step=1 + number // 20 % 2)


def conditional(trial, number):
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        trial.suggest_float("x", 0, 1)
    else:
        trial.suggest_int("k", 1, 9)


def late(trial, number):
    """A parameter that comes into being after a while."""
    trial.suggest_float("x", 0, 1)
    if number >= 15:
        trial.suggest_float("y", 0, 1)


OBJECTIVES = [plain, growing, conditional, late]


class History:
    """A study whose trials begin and end at random, several at a time."""

    def __init__(self, objective, seed):
        self.study = optuna.create_study(sampler=RandomSampler(seed=seed))
        self.objective, self.rng = objective, random.Random(seed)
        self.running = []

    def ask(self):
        """Begin a trial that has no parameters yet."""
        return self.study.ask()

    def go_on(self, trial):
        """Give the trial its parameters, and end some."""
        if self.rng.random() < 0.9:
            self.objective(trial, trial.number)
        self.running.append(trial)
        while self.running and self.rng.random() < 0.6:
            self._end(self.running.pop(self.rng.randrange(len(self.running))))

    def _end(self, trial):
        how = self.rng.choice(ENDS)
        if how == "interrupt":
            storage = self.study._storage
            storage.set_trial_system_attr(trial._trial_id, INTERRUPTED, True)
        if how in ("fail", "interrupt"):
            self.study.tell(trial, state=TrialState.FAIL)
        elif how == "prune":
            self.study.tell(trial, state=TrialState.PRUNED)
        else:
            value = (
                float("inf") if how == "infinite" else self.rng.choice([0.5, self.rng.random()])
            )
            self.study.tell(trial, value)


def is_known(trial):
    return counts(trial) or trial.state == TrialState.RUNNING


def now_of(study, trial):
    trials = study.get_trials(deepcopy=False)
    return trials, trials[trial.number]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(4))
def test_a_reader_says_what_all_trials_say(objective, seed):
    history, reader = History(objective, seed), TrialReader()
    for _ in range(45):
        trial = history.ask()
        trials, now = now_of(history.study, trial)
        reader.update(trials)
        found = reader.distributions(trials)
        assert list(found.items()) == list(union(filter(is_known, trials)).items())
        expected = sum(t.number < now.number and not is_interrupted(t) for t in trials)
        assert reader.number(now, trials) == expected
        if found:
            space, other = reader.space(found, trials), conditional_space(found, trials)
            assert (space.parameters, space.optional) == (other.parameters, other.optional)
            left = reader.data(trials, now, space, (-1.0,))
            right = observed(trials, now, space, (-1.0,))
            assert is_equal(left, right)
            assert left.digest() == right.digest()
        history.go_on(trial)


def in_bracket(trial, bracket):
    """Return whether a trial is in a bracket, as Hyperband deals them out."""
    return zlib.crc32(f"s_{trial.number}".encode()) % 3 == bracket


@pytest.mark.parametrize("objective", [plain, conditional])
def test_a_reader_that_is_shown_some_of_the_trials_says_what_those_say(objective):
    history, reader = History(objective, 2), TrialReader()
    for i in range(45):
        trial = history.ask()
        everything, now = now_of(history.study, trial)
        trials = [t for t in everything if i % 4 == 3 or t is now or in_bracket(t, i % 4)]
        reader.update(trials)
        assert reader.number(now, trials) == sum(
            t.number < now.number and not is_interrupted(t) for t in trials
        )
        found = reader.distributions(trials)
        assert found == union(filter(is_known, trials))
        if found:
            space, other = reader.space(found, trials), conditional_space(found, trials)
            assert (space.parameters, space.optional) == (other.parameters, other.optional)
            left = reader.data(trials, now, space, (-1.0,))
            right = observed(trials, now, space, (-1.0,))
            assert is_equal(left, right)
            assert left.digest() == right.digest()
        history.go_on(trial)


def test_a_trial_is_found_by_its_number_where_others_are_left_out():
    trials = [t for t in finished(9, seed=1)[0] if t.number % 3]
    assert [find(trials, t.number) for t in trials] == trials
    for number in (0, 6, 30):
        with pytest.raises(ValueError, match=f"there is no trial {number} among 6 trials"):
            find(trials, number)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_data_made_earlier_stay_right(objective):
    history, reader = History(objective, 7), TrialReader()
    made = []
    for _ in range(45):
        trial = history.ask()
        trials, now = now_of(history.study, trial)
        reader.update(trials)
        found = reader.distributions(trials)
        if found:
            space = reader.space(found, trials)
            pair = [reader.data(trials, now, space, (1.0,)), observed(trials, now, space, (1.0,))]
            made.append((pair, space))
        history.go_on(trial)
    for (left, right), space in made:
        rows = torch.cat([left.X, space.domain.sample(9, torch.Generator().manual_seed(1))])
        assert is_equal(left, right)
        assert torch.equal(left.near(rows, 1e-7), right.near(rows, 1e-7))


def test_a_space_that_did_not_change_is_the_same_object():
    history, reader, spaces = History(plain, 0), TrialReader(), []
    for _ in range(12):
        trial = history.ask()
        trials, now = now_of(history.study, trial)
        reader.update(trials)
        found = reader.distributions(trials)
        if found:
            spaces.append(reader.space(found, trials))
            reader.data(trials, now, spaces[-1], (1.0,))
        plain(trial, trial.number)
        history.study.tell(trial, 1.0)
    assert len({id(space) for space in spaces}) == 1
    backwards = dict(reversed(found.items()))
    assert reader.space(backwards, trials).names == tuple(backwards)


def finished(n, seed):
    study = optuna.create_study(sampler=RandomSampler(seed=seed))
    for _ in range(n):
        trial = study.ask()
        plain(trial, trial.number)
        study.tell(trial, float(trial.number + seed))
    trial = study.ask()
    return now_of(study, trial)


@pytest.mark.parametrize("n", [3, 6, 9])
def test_another_study_with_the_number_of_a_deleted_one_is_read_from_the_beginning(n):
    reader, space = TrialReader(), Space({"x": Real(0, 1)})
    trials, now = finished(6, seed=1)
    reader.update(trials)
    reader.data(trials, now, space, (1.0,))
    trials, now = finished(n, seed=2)
    reader.update(trials)
    assert reader.number(now, trials) == n
    assert is_equal(reader.data(trials, now, space, (1.0,)), observed(trials, now, space, (1.0,)))


def sampler(**options):
    return NeuralSampler(
        BayesianRVFL(units=6), maximizer=RandomCandidates(32), seed=3, n_startup_trials=2,
        **options,
    )  # fmt: skip


def suggestion(sampler, study, trial):
    _, now = now_of(study, trial)
    space = sampler.infer_relative_search_space(study, now)
    return sampler.sample_relative(study, now, space), sampler.sample_independent(
        study, now, "new", optuna.distributions.FloatDistribution(0, 1)
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_sampler_suggests_what_a_fresh_one_does_at_every_step(objective):
    history, kept = History(objective, 5), sampler()
    for _ in range(40):
        trial = history.ask()
        fresh = suggestion(sampler(), history.study, trial)
        assert suggestion(kept, history.study, trial) == fresh
        history.go_on(trial)


def test_a_sampler_with_a_given_space_suggests_what_a_fresh_one_does():
    space = Space({"x": Real(0, 1), "k": optuna.distributions.IntDistribution(1, 9)})
    history, kept = History(growing, 5), sampler(space=space)
    for _ in range(30):
        trial = history.ask()
        fresh = suggestion(sampler(space=space), history.study, trial)
        assert suggestion(kept, history.study, trial) == fresh
        history.go_on(trial)


def test_two_studies_of_one_sampler_do_not_mix():
    histories, kept = [History(plain, seed) for seed in (1, 2)], sampler()
    for _ in range(20):
        for history in histories:
            trial = history.ask()
            fresh = suggestion(sampler(), history.study, trial)
            assert suggestion(kept, history.study, trial) == fresh
            history.go_on(trial)


@pytest.mark.parametrize("call", [
    lambda sampler, study, now: sampler.infer_relative_search_space(study, now),
    lambda sampler, study, now: sampler.sample_independent(
        study, now, "x", optuna.distributions.FloatDistribution(0, 1)
    ),
], ids=["infer", "independent"])  # fmt: skip
def test_trials_are_read_by_one_thread_at_a_time(call):
    """Otherwise one would skip what another, with an older list, still takes to be running."""
    history = History(plain, 1)
    _, now = now_of(history.study, history.ask())
    thread = threading.Thread(target=call, args=(sampler(), history.study, now), daemon=True)
    with one_thread():
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
    thread.join(10)
    assert not thread.is_alive()


def test_threads_lose_no_trial():
    kept = sampler()
    study = optuna.create_study(sampler=kept)

    def objective(trial):
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        study.optimize(objective, n_trials=40, n_jobs=4)
    trials, now = now_of(study, study.ask())
    space = kept._reader(study, trials).space(union(trials), trials)
    left = kept._reader(study, trials).data(trials, now, space, (-1.0,))
    assert left.n == 40
    assert is_equal(left, observed(trials, now, space, (-1.0,)))
