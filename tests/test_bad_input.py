"""What users do to a study: nothing is lost, nothing hangs, and messages say what to do."""

import math
import time

import numpy as np
import optuna
import pytest
import torch
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo import FailedTrialWarning, NeuralSampler, Optimizer, Real, Space, minimize
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.optuna.trials import TrialReader, observed
from neuralbo.maximizers import Mixed, Multistart, RandomCandidates
from neuralbo.surrogates import BayesianRVFL

TINY = Mixed(Multistart(candidates=32, local=16, restarts=1, rounds=5), rounds=1)


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)


def sampler(surrogate="gp", **options):
    return NeuralSampler(surrogate, maximizer=TINY, **({"seed": 0} | options))


def bowl(trial):
    return (trial.suggest_float("x", -1, 1) - 0.3) ** 2


def params_of(study):
    return [trial.params for trial in study.trials]


def data_of(study):
    trial = study.ask()
    trials = study.get_trials(deepcopy=False)
    reader = TrialReader()
    reader.update(trials)
    space = reader.space(reader.distributions(trials), trials)
    data = reader.data(trials, trials[trial.number], space, (-1.0,))
    study.tell(trial, state=TrialState.FAIL)
    fresh = observed(
        trials, trials[trial.number], space, (-1.0,), frozenset(["c"] * data.C.shape[1])
    )
    for name in ("X", "Y", "C", "X_failed", "X_pending", "X_censored", "Y_censored"):
        assert torch.equal(getattr(data, name), getattr(fresh, name)), name
    return data


@pytest.mark.slow
def test_workers_with_different_seeds_and_surrogates_share_a_study(folder):
    url = f"sqlite:///{folder}/s.db"
    optuna.create_study(study_name="s", storage=url)
    studies = [
        optuna.load_study(study_name="s", storage=url, sampler=sampler(name, seed=seed))
        for name, seed in (("gp", 1), ("brvfl1", 2), ("bore", None))
    ]
    for _ in range(4):
        trials = [(study, study.ask()) for study in studies]
        for study, trial in trials:
            study.tell(trial, bowl(trial))
    points = [params["x"] for params in params_of(studies[0])]
    assert len(set(points)) == 12


@pytest.mark.slow
def test_ten_thousand_old_trials_are_read_once():
    study = optuna.create_study(
        sampler=NeuralSampler(BayesianRVFL(units=8), maximizer=RandomCandidates(64), seed=0)
    )
    space = {"x": FloatDistribution(-1, 1)}
    for i in range(10_000):
        x = math.sin(i)
        study.add_trial(create_trial(params={"x": x}, distributions=space, value=(x - 0.3) ** 2))
    seconds = []
    for _ in range(3):
        began = time.process_time()
        trial = study.ask()
        trial.suggest_float("x", -1, 1)
        seconds.append(time.process_time() - began)
        study.tell(trial, 0.0)
    assert trial.study.trials[-1].user_attrs[FACTS]["surrogate"] == "brvfl4"
    assert min(seconds[1:]) < max(0.5 * seconds[0], 0.2)


@pytest.mark.parametrize("returned", [(1.0, 2.0), "1.0", object()])
def test_what_is_no_single_number_is_a_failure_that_says_so(returned):
    calls = []

    def f(params):
        calls.append(params)
        return returned if len(calls) == 2 else params["x"] ** 2

    with pytest.warns(FailedTrialWarning, match="a value must be a number"):
        result = minimize(f, {"x": Real(-1, 1)}, 4, seed=0, progress=False)
    assert [t.state for t in result.study.trials].count(TrialState.FAIL) == 1
    assert "must be a number" in result.study.trials[1].user_attrs["error"]


def test_an_objective_of_optuna_with_too_many_values_goes_on():
    study = optuna.create_study(sampler=sampler())
    study.optimize(lambda t: (bowl(t), 1.0) if t.number % 3 == 1 else bowl(t), n_trials=9)
    states = [t.state for t in study.trials]
    assert states.count(TrialState.FAIL) == 3
    assert len(data_of(study).X_failed) == 3


def pruning(trial):
    value = bowl(trial)
    trial.report(value, 0)
    if trial.params["x"] < 0:
        raise optuna.TrialPruned
    return value


class TestPruned:
    def test_pruned_trials_are_bounds_and_no_values(self):
        study = optuna.create_study(sampler=sampler())
        study.optimize(pruning, n_trials=9)
        pruned = [t for t in study.trials if t.state == TrialState.PRUNED]
        data = data_of(study)
        assert len(pruned) == len(data.X_censored) > 0
        assert data.n == 9 - len(pruned)
        assert sorted(data.Y_censored.flatten().tolist()) == sorted(-t.value for t in pruned)
        assert len(data.X_failed) == 0

    def test_a_pruned_trial_without_a_report_has_no_value(self):
        study = optuna.create_study(sampler=sampler())
        study.optimize(bowl, n_trials=2)
        trial = study.ask()
        bowl(trial)
        study.tell(trial, state=TrialState.PRUNED)
        assert data_of(study).Y_censored.tolist() == [[-math.inf]]

    def test_pruned_points_are_not_suggested_again(self):
        study = optuna.create_study(sampler=sampler())

        def objective(trial):
            k = trial.suggest_int("k", 0, 11)
            if k % 2:
                raise optuna.TrialPruned
            return k

        study.optimize(objective, n_trials=12)
        assert len({t.params["k"] for t in study.trials}) == 12


class TestDiverged:
    def test_a_running_trial_that_reported_nan_last_is_a_failure(self):
        study = optuna.create_study(sampler=sampler())
        study.optimize(bowl, n_trials=3)
        lost, fine = study.ask(), study.ask()
        for trial, value in ((lost, math.nan), (fine, 1.0)):
            bowl(trial)
            trial.report(0.5, 0)
            trial.report(value, 1)
        data = data_of(study)
        assert len(data.X_failed) == len(data.X_pending) == 1


def limited(trial):
    value = bowl(trial)
    trial.set_constraint("c", trial.params["x"] - 0.1)
    return value


class TestConstraints:
    def test_they_are_read_and_kept(self):
        study = optuna.create_study(sampler=sampler())
        study.optimize(limited, n_trials=14)
        data = data_of(study)
        torch.testing.assert_close(data.C[:, 0], 2 * data.X[:, 0] - 1 - 0.1)
        later = [t.params["x"] for t in study.trials[8:14]]
        assert sum(x <= 0.1 for x in later) >= 4
        assert study.best_params["x"] == pytest.approx(0.1, abs=0.05)

    def test_a_constraints_func_is_the_same(self):
        by_attribute = optuna.create_study(sampler=sampler())
        by_attribute.optimize(limited, n_trials=9)
        func = sampler(constraints_func=lambda t: [t.params["x"] - 0.1])
        by_function = optuna.create_study(sampler=func)
        by_function.optimize(bowl, n_trials=9)
        assert params_of(by_function) == params_of(by_attribute)

    def test_a_constraint_that_is_no_number_is_refused(self):
        study = optuna.create_study(sampler=sampler(constraints_func=lambda t: [math.nan]))
        with pytest.raises(ValueError, match="constraints_func must return numbers"):
            study.optimize(bowl, n_trials=1)


def branches(trial):
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return trial.suggest_float("x", 0, 1) + trial.suggest_int("k", 1, 5)
    value = trial.suggest_float("y", 0, 1, step=0.05)
    trial.report(value, 0)
    if value > 0.7:
        raise optuna.TrialPruned
    if value < 0.1:
        raise RuntimeError
    return value


@pytest.mark.slow
def test_fifty_trials_are_the_same_in_one_piece_and_in_three():
    whole, cut = (optuna.create_study(sampler=sampler("brvfl1")) for _ in range(2))
    whole.optimize(branches, n_trials=50, catch=(RuntimeError,))
    for n in (13, 17, 20):
        cut.sampler = sampler("brvfl1")
        cut.optimize(branches, n_trials=n, catch=(RuntimeError,))
    assert params_of(cut) == params_of(whole)
    states = {t.state for t in whole.trials}
    assert states == {TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED}


def test_a_space_that_is_given_may_have_parameters_that_are_never_asked_for():
    space = Space({"x": Real(-1, 1), "unused": Real(0, 1)})
    study = optuna.create_study(sampler=sampler(space=space))
    study.optimize(bowl, n_trials=8)
    assert all(set(t.params) == {"x"} for t in study.trials)


LINE = {"x": Real(0, 1)}
NOT_WHOLE = (True, 2.5, math.nan, "3", b"3", [1], {}, object(), int, np.array([1.0, 2.0]))
NOT_SECONDS = (True, "3", b"3", [1], {}, object(), float, np.array([1.0, 2.0]), 10**400)
NOT_NUMBERS = (True, 1.0, "12", b"12", ["a", "b"], {1: 2}, [True, False], object(), list)
# arguments of all fronts, what they do not take, and what is said
WRONG = {
    "n_startup_trials": (NOT_WHOLE, "n_startup_trials must be a whole number from 0 on, or None"),
    "n_trials": (NOT_WHOLE, "n_trials must be a whole number from 0 on, or None"),
    "max_suggest_seconds": (NOT_SECONDS, "max_suggest_seconds must be above 0, a number of sec"),
    "reference_point": (NOT_NUMBERS, "reference_point must be a list of numbers, one for each"),
}


@pytest.mark.parametrize("front", [NeuralSampler, lambda **options: Optimizer(LINE, **options)])
@pytest.mark.parametrize("name", WRONG)
class TestEveryFront:
    def test_another_type_is_refused_at_once(self, front, name):
        for value in WRONG[name][0]:
            with pytest.raises(TypeError, match=WRONG[name][1]):
                front(**{name: value})

    def test_what_is_out_of_range_is_refused_at_once(self, front, name):
        below = {"max_suggest_seconds": 0, "reference_point": [0.5, math.inf]}.get(name, -1)
        with pytest.raises(ValueError, match=WRONG[name][1]):
            front(**{name: below})

    def test_none_is_the_default(self, front, name):
        front(**{name: None})


@pytest.mark.parametrize("n", [np.int64(3), np.int32(3), torch.tensor(3)])
def test_whole_numbers_of_numpy_and_torch_are_welcome(n):
    NeuralSampler("gp", n_startup_trials=n, n_trials=n)
    assert len(Optimizer(LINE, n_startup_trials=n, seed=0).ask(n)) == 3


@pytest.mark.parametrize("wrong", [3, None, True, object()])
def test_a_direction_is_a_text_or_a_list_of_texts(wrong):
    for call in (
        lambda: Optimizer(LINE, direction=wrong),
        lambda: minimize(lambda p: p["x"], LINE, 1, direction=wrong),
    ):
        with pytest.raises(TypeError, match="or a list of these for several objectives; got"):
            call()


@pytest.mark.parametrize("wrong", [(), [], ["gp"], [3]])
def test_a_list_of_surrogates_has_two_at_least(wrong):
    with pytest.raises(ValueError, match=r"two at least; for one objective write surrogate='gp'"):
        Optimizer(LINE, surrogate=wrong)


def test_a_class_in_the_place_of_a_recipe_is_told_to_be_called():
    with pytest.raises(TypeError, match=r"Write BayesianRVFL\(\) with its brackets"):
        Optimizer(LINE, surrogate=BayesianRVFL)


def test_an_array_is_no_criterion():
    with pytest.raises(TypeError, match="criterion must be a name such as 'log_ei'"):
        Optimizer(LINE, criterion=np.array([1.0, 2.0]))


@pytest.mark.parametrize("name", ["trust_region@random", "trust_region@", "trust_region@gpp"])
def test_a_policy_is_around_a_surrogate_and_no_other_policy(name):
    with pytest.raises(ValueError, match=f"unknown surrogate '{name.partition('@')[2]}'"):
        Optimizer(LINE, surrogate=name)


@pytest.mark.parametrize(
    ("kind", "name"), [("surrogate", "x"), ("surrogate", "bvrfl4"), ("criterion", "x")]
)
def test_an_unknown_name_is_answered_with_some_names_and_where_all_are(kind, name):
    with pytest.raises(ValueError, match=f"unknown {kind} '{name}'") as found:
        Optimizer(LINE, **{kind: name})
    message = str(found.value)
    assert "more; all of them: `from neuralbo.catalog import" in message
    assert len(message) < 400 and message.count(",") < 20


def test_a_sampler_takes_the_parameters_of_a_space_as_a_dictionary():
    study = optuna.create_study(sampler=sampler(space={"x": Real(-1, 1)}))
    study.optimize(bowl, n_trials=2)
    assert set(study.trials[0].user_attrs[FACTS]) == {"surrogate"}  # chosen, not drawn alone
    with pytest.raises(ValueError, match="a space is a dictionary of at least one parameter"):
        NeuralSampler(space=3)


@pytest.mark.parametrize("wrong", [3, "f", [1.0]])
def test_a_constraints_func_is_a_function(wrong):
    with pytest.raises(TypeError, match="constraints_func must be a function of a trial"):
        NeuralSampler(constraints_func=wrong)


@pytest.mark.parametrize("returned", [1.0, "12", None, [None], ["a"]])
def test_a_constraints_func_returns_a_list_of_numbers(returned):
    study = optuna.create_study(sampler=sampler(constraints_func=lambda trial: returned))
    with pytest.raises(ValueError, match="constraints_func must return numbers, a list of one"):
        study.optimize(bowl, n_trials=1)


class TestRun:
    """What `minimize` says of its arguments, before it evaluates anything."""

    def refused(self, match, kind, **options):
        calls = []
        with pytest.raises(kind, match=match):
            minimize(calls.append, LINE, **({"n_trials": 2, "seed": 0} | options))
        assert calls == []

    @pytest.mark.parametrize("wrong", NOT_WHOLE)
    def test_trials_and_jobs_are_whole_numbers(self, wrong):
        self.refused("n_trials must be a whole number from 0 on", TypeError, n_trials=wrong)
        self.refused("n_jobs must be a whole number from 1 on", TypeError, n_jobs=wrong)

    @pytest.mark.parametrize("wrong", NOT_SECONDS)
    def test_a_timeout_is_a_number(self, wrong):
        self.refused("timeout must be above 0", TypeError, timeout=wrong)

    @pytest.mark.parametrize("wrong", [0, -1, math.nan])
    def test_a_timeout_is_above_zero(self, wrong):
        self.refused("timeout must be above 0", ValueError, timeout=wrong)

    @pytest.mark.parametrize("wrong", [0, -2])
    def test_there_is_one_job_at_least(self, wrong):
        self.refused("n_jobs must be .* or -1 for all cores", ValueError, n_jobs=wrong)

    def test_something_ends_the_run(self):
        self.refused("a run must end", ValueError, n_trials=None)

    def test_an_argument_that_only_a_fit_can_score_ends_the_run(self, recwarn):
        calls = []
        with pytest.raises(TypeError, match="its only criterion is 'class_probability'"):
            minimize(
                lambda p: calls.append(p) or p["x"], LINE, 20, seed=0, surrogate="bore_kde",
                criterion="ei", progress=False,
            )  # fmt: skip
        assert len(calls) < 10  # the initial design
        assert not [w for w in recwarn if w.category is FailedTrialWarning]
