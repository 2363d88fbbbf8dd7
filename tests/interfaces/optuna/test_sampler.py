"""NeuralSampler: Optuna's own conformance suite, and what is ours."""

import json
import math
import pickle
import threading
from itertools import pairwise

import optuna
import pytest
import torch
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import RDBStorage
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
)
from optuna.trial import TrialState, create_trial

from neuralbo import Categorical, FallbackWarning, NeuralSampler, Space
from neuralbo.interfaces.optuna.claims import LONGEST_ATTRIBUTE, PARAMS, published
from neuralbo.interfaces.optuna.parameter_ranges import union
from neuralbo.interfaces.optuna.sampler import FACTS, SEED
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.maximizers.maximizer import SAME_POINT

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))

TINY = Mixed(Multistart(candidates=16, local=8, restarts=1, rounds=3), rounds=1)


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def quick(surrogate="gp", **options):
    return NeuralSampler(surrogate, maximizer=QUICK, **({"seed": 0} | options))


def bowl(trial):
    return (trial.suggest_float("x", -1, 1) - 0.3) ** 2


def branches(trial):
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return trial.suggest_float("x", 0, 1) + trial.suggest_int("k", 1, 5)
    return trial.suggest_float("y", 0, 1, step=0.25)


def run(objective, n, sampler=None, **options):
    study = optuna.create_study(sampler=sampler or quick(), **options)
    study.optimize(objective, n_trials=n)
    return study


def params_of(study):
    return [trial.params for trial in study.trials]


def surrogates_of(study):
    return [trial.user_attrs.get(FACTS, {}).get("surrogate") for trial in study.trials]


# Ranges that change between trials and single draws of known parameters are what these classes
# are about: there the warning is right, and another test asks for it.
@pytest.mark.filterwarnings("ignore::neuralbo.FallbackWarning")
class _Conforms(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    pass


class TestGaussianProcessConforms(_Conforms):
    @pytest.fixture
    def sampler(self):
        return lambda: NeuralSampler("gp", maximizer=TINY, seed=0, n_startup_trials=0)


class TestBayesianNetworkConforms(_Conforms):
    @pytest.fixture
    def sampler(self):
        return lambda: NeuralSampler("brvfl4", maximizer=TINY, seed=0, n_startup_trials=0)


class TestMixtureConforms(_Conforms):
    @pytest.fixture
    def sampler(self):
        return lambda: NeuralSampler("kde", maximizer=TINY, seed=0, n_startup_trials=0)


@pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
def test_without_start_trials_the_model_is_used_from_the_second_trial_on(surrogate):
    study = run(bowl, 3, quick(surrogate, n_startup_trials=0))
    names = surrogates_of(study)
    assert names[0] is None  # the parameters were not known yet
    assert all(name not in (None, "initial design", "none") for name in names[1:])


def test_the_default_uses_an_initial_design_first():
    study = run(bowl, 7)
    assert surrogates_of(study)[1:5] == ["initial design"] * 4
    assert surrogates_of(study)[5] not in (None, "initial design")


class TestOneSuggestionOneTruth:
    def test_the_same_seed_gives_the_same_study(self):
        assert params_of(run(branches, 12)) == params_of(run(branches, 12))

    def test_maximizing_is_minimizing_the_negative(self):
        a = run(bowl, 10)
        b = run(lambda t: -bowl(t), 10, direction="maximize")
        assert params_of(a) == params_of(b)

    def test_a_sampler_survives_pickle(self):
        study = run(bowl, 7)
        again = optuna.create_study(sampler=pickle.loads(pickle.dumps(study.sampler)))
        again.optimize(bowl, n_trials=7)
        assert params_of(again) == params_of(study)

    def test_a_new_sampler_goes_on_as_the_old_one_would(self):
        whole, cut = run(branches, 14), run(branches, 8)
        cut.sampler = quick()
        cut.optimize(branches, n_trials=6)
        assert params_of(cut) == params_of(whole)

    def test_the_seed_drawn_is_kept_in_the_study(self):
        study = run(bowl, 7, quick(seed=None))
        seed = study.user_attrs[SEED]
        study.sampler = quick(seed=None)
        study.optimize(bowl, n_trials=2)
        assert study.user_attrs[SEED] == seed
        assert params_of(run(bowl, 9, quick(seed=seed))) == params_of(study)

    def test_two_studies_without_a_seed_differ(self):
        first, second = (params_of(run(bowl, 1, quick(seed=None))) for _ in range(2))
        assert first != second

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_default_dtype_does_not_matter(self, dtype):
        expected = params_of(run(branches, 9))
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            assert params_of(run(branches, 9)) == expected
        finally:
            torch.set_default_dtype(before)

    def test_the_default_device_does_not_matter(self):
        expected = params_of(run(branches, 9))
        with torch.device("meta"):
            assert params_of(run(branches, 9)) == expected

    def test_the_number_of_threads_is_restored(self):
        before = torch.get_num_threads()
        torch.set_num_threads(2)
        try:
            run(bowl, 7)
            assert torch.get_num_threads() == 2
        finally:
            torch.set_num_threads(before)


class Counting:
    """Counts the draws of single parameters."""

    def __init__(self, monkeypatch):
        self.names = []
        draw = NeuralSampler.sample_independent

        def counted(sampler, study, trial, name, distribution):
            self.names.append((trial.number, name))
            return draw(sampler, study, trial, name, distribution)

        monkeypatch.setattr(NeuralSampler, "sample_independent", counted)


class TestConditions:
    def test_nothing_is_drawn_alone_once_both_branches_were_seen(self, monkeypatch):
        count = Counting(monkeypatch)
        study = run(branches, 20)
        kinds = [trial.params["kind"] for trial in study.trials]
        both = max(kinds.index("a"), kinds.index("b"))
        assert all(number <= both for number, _ in count.names)

    def test_a_branch_that_only_ever_failed_is_no_end(self):
        def objective(trial):
            if trial.suggest_categorical("kind", ["a", "b"]) == "b":
                trial.suggest_float("z", 0, 1)
                raise RuntimeError("b never works")
            return trial.suggest_float("x", 0, 1)

        study = optuna.create_study(sampler=quick())
        study.optimize(objective, n_trials=15, catch=(RuntimeError,))
        states = {t.params["kind"]: t.state for t in study.trials}
        assert states == {"a": TrialState.COMPLETE, "b": TrialState.FAIL}

    def test_a_failed_trial_that_lacks_parameters_makes_no_condition(self, monkeypatch):
        def objective(trial):
            kind = trial.suggest_categorical("kind", ["a", "b"])
            if trial.number == 1:
                raise RuntimeError("before x was asked for")
            return trial.suggest_float("x", 0, 1) + (kind == "a")

        study = optuna.create_study(sampler=quick())
        study.optimize(objective, n_trials=1)
        count = Counting(monkeypatch)
        study.optimize(objective, n_trials=9, catch=(RuntimeError,))
        assert count.names == []

    def test_a_parameter_without_a_visible_reason_is_modelled_all_the_same(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            return x + (trial.suggest_float("y", 0, 1) if trial.number % 2 else 0)

        assert len(run(objective, 12).trials) == 12

    def test_deep_conditions_are_found(self, monkeypatch):
        def objective(trial):
            a = trial.suggest_int("a", 0, 1)
            b = trial.suggest_int("b", 0, 1) if a else 0
            return a + b + (trial.suggest_float("c", 0, 1) if b else 1.5)

        study = run(objective, 12)
        count = Counting(monkeypatch)
        study.optimize(objective, n_trials=6)
        assert count.names == []

    def test_many_categories_are_modelled_together(self, monkeypatch):
        choices = [f"word {i}" for i in range(80)]

        def objective(trial):
            word = trial.suggest_categorical("word", choices)
            return abs(choices.index(word) - 60) + trial.suggest_float("x", 0, 1)

        study = run(objective, 8, quick(n_startup_trials=5))
        count = Counting(monkeypatch)
        study.optimize(objective, n_trials=4)
        assert count.names == []
        assert set(surrogates_of(study)[8:]) == {"gp"}

    def test_ordered_categories_have_one_column_and_an_order(self):
        space = Space({"size": Categorical(["s", "m", "l", "xl"], ordered=True)})
        assert space.domain.d == 1
        assert space.encode([{"size": "m"}]).item() == pytest.approx(1 / 3)
        sampler = NeuralSampler(seed=0, space=space)
        study = run(
            lambda t: len(t.suggest_categorical("size", ["s", "m", "l", "xl"])), 4, sampler
        )
        assert sorted(t.params["size"] for t in study.trials) == ["l", "m", "s", "xl"]

    def test_parameters_of_running_trials_are_known(self, monkeypatch):
        study = optuna.create_study(sampler=quick())
        study.ask().suggest_float("x", -1, 1)
        count = Counting(monkeypatch)
        study.ask().suggest_float("x", -1, 1)
        assert count.names == []

    def test_a_conditional_trial_is_encoded_once(self, monkeypatch):
        study = run(branches, 12)
        rows = []
        encode = Space.encode

        def counted(space, params):
            rows.append(len(params))
            return encode(space, params)

        monkeypatch.setattr(Space, "encode", counted)
        study.optimize(branches, n_trials=3)
        assert sum(rows) <= 6


class TestChanges:
    def test_stepped_ranges_that_grow_keep_their_step(self, monkeypatch):
        def objective(trial):
            high = 10 if trial.number < 6 else 20
            x = trial.suggest_float("x", 0, high / 10, step=0.5)
            return x + trial.suggest_int("k", 0, high, step=5)

        study = run(objective, 7)
        count = Counting(monkeypatch)
        study.optimize(objective, n_trials=5)
        assert count.names == []

    def test_a_range_that_depends_on_another_takes_what_is_near_the_proposal(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            return x + trial.suggest_float("y", 0, 1 - 0.9 * x)

        with pytest.warns(FallbackWarning, match="suggest a share of the range"):
            study = run(objective, 25)
        outside = [
            (published(t, counts_given=False)["y"], t.params["y"], 1 - 0.9 * t.params["x"])
            for t in study.trials[1:]
            if published(t, counts_given=False)["y"] > 1 - 0.9 * t.params["x"]
        ]
        assert len(outside) >= 3
        shares = [y / high for _, y, high in outside]
        # the largest of 16 uniform shares is 16/17 on the mean, and below 0.75 in 1 of 100
        assert min(shares) > 0.6

    def test_workers_that_begin_together_draw_different_values(self):
        study = optuna.create_study(sampler=quick())
        trials = [study.ask() for _ in range(8)]
        d = IntDistribution(0, 7)
        frozen = [study.get_trials(deepcopy=False)[t.number] for t in trials]
        drawn = [study.sampler.sample_independent(study, t, "k", d) for t in frozen]
        assert sorted(drawn) == list(range(8))

    def test_a_renamed_parameter_is_drawn_once_and_then_modelled(self, monkeypatch):
        study = run(lambda t: t.suggest_float("x", 0, 1), 8)
        count = Counting(monkeypatch)
        study.optimize(lambda t: t.suggest_float("learning_rate", 0, 1), n_trials=4)
        assert count.names == [(8, "learning_rate")]

    def test_a_range_that_changed_is_warned_of_once(self):
        study = run(lambda t: t.suggest_float("x", 0, 1), 6)
        with pytest.warns(FallbackWarning, match="'x' was drawn at random .* known from 6 trials"):
            study.optimize(lambda t: t.suggest_float("x", 5, 6), n_trials=1)

    def test_a_warning_points_at_the_line_that_suggests(self):
        study = run(lambda t: t.suggest_float("x", 0, 1), 6)
        trial = study.ask()
        with pytest.warns(FallbackWarning, match="drawn at random") as caught:
            trial.suggest_float("x", 5, 6)
        here = TestChanges.test_a_warning_points_at_the_line_that_suggests.__code__
        assert [(w.filename, w.lineno - here.co_firstlineno) for w in caught] == [(__file__, 4)]

    def test_a_range_that_grew_is_the_bounding_range_from_then_on(self):
        old, new = FloatDistribution(0, 1), FloatDistribution(-1, 0.5)
        trials = [create_trial(params={"x": 0.2}, distributions={"x": d}, value=1.0)
                  for d in (old, new)]  # fmt: skip
        assert union(trials) == {"x": FloatDistribution(-1, 1)}

    @pytest.mark.parametrize(
        "new",
        [
            FloatDistribution(0.1, 1, log=True),
            IntDistribution(0, 1),
            CategoricalDistribution([0.2]),
        ],
    )
    def test_a_parameter_whose_kind_changed_is_left_alone(self, new):
        trials = [
            create_trial(params={"x": 0.2}, distributions={"x": FloatDistribution(0, 1)}, value=1),
            create_trial(params={"x": 0.2 if new != IntDistribution(0, 1) else 1},
                         distributions={"x": new}, value=1),
        ]  # fmt: skip
        assert union(trials) == {}

    def test_trials_of_other_samplers_are_learnt_from(self):
        study = run(bowl, 12, optuna.samplers.RandomSampler(seed=0))
        study.sampler = quick()
        study.optimize(bowl, n_trials=4)
        assert "initial design" not in surrogates_of(study)[12:]
        assert study.best_params["x"] == pytest.approx(0.3, abs=0.01)

    def test_odd_values_of_other_trials_are_no_end(self):
        study = optuna.create_study(sampler=quick(n_startup_trials=1))
        space = {"x": FloatDistribution(-1, 1)}
        for value in (1.0, math.inf, -math.inf, 1e300):
            study.add_trial(create_trial(params={"x": value % 1 if math.isfinite(value) else 0.5},
                                         distributions=space, value=value))  # fmt: skip
        study.add_trial(create_trial(state=TrialState.FAIL))
        pruned = {"state": TrialState.PRUNED, "intermediate_values": {0: 1.0}}
        study.add_trial(create_trial(params={"x": 0.1}, distributions=space, **pruned))
        study.optimize(bowl, n_trials=2)
        assert surrogates_of(study)[-1] not in (None, "initial design")

    def test_pruned_trials_are_no_end(self):
        def objective(trial):
            value = bowl(trial)
            trial.report(value, 0)
            if trial.number % 2:
                raise optuna.TrialPruned
            return value

        assert len(run(objective, 14).trials) == 14

    def test_enqueued_trials_come_first(self):
        study = optuna.create_study(sampler=quick())
        study.enqueue_trial({"x": 0.77})
        study.optimize(bowl, n_trials=3)
        assert study.trials[0].params == {"x": 0.77}


class TestStorage:
    def test_facts_are_kept_with_the_trial(self):
        study = run(bowl, 7)
        facts = study.trials[-1].user_attrs[FACTS]
        assert facts["surrogate"] == "gp"
        assert facts["fit_seconds"] >= 0 and facts["choose_seconds"] >= 0

    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4", "auto"])
    def test_facts_name_the_surrogate(self, surrogate):
        study = run(bowl, 3, quick(surrogate, n_startup_trials=1))
        assert surrogates_of(study)[-1] == {"auto": "gp"}.get(surrogate, surrogate)

    def test_long_parameters_are_published_in_pieces(self, folder):
        names = [f"a_parameter_with_{'quite_' * 20}_a_long_name_{i:03d}" for i in range(20)]

        def objective(trial):
            return sum(trial.suggest_categorical(name, ["left", "right"]) == "left"
                       for name in names)  # fmt: skip

        study = run(objective, 2, storage=f"sqlite:///{folder}/long.db")
        attributes = study.trials[1].system_attrs
        pieces = [json.dumps(v) for k, v in attributes.items() if k.startswith(PARAMS)]
        assert len(pieces) > 2
        assert max(map(len, pieces)) <= LONGEST_ATTRIBUTE
        assert published(study.trials[1]) == study.trials[1].params

    def test_odd_choices_go_through_a_database(self, folder):
        choices = [None, True, "a", 2.5, math.nan, math.inf, 7]

        def objective(trial):
            trial.suggest_categorical("c", choices)
            return trial.suggest_float("x", 0, 1)

        study = run(objective, 9, storage=f"sqlite:///{folder}/odd.db")
        seen = {repr(trial.params["c"]) for trial in study.trials}
        assert seen <= set(map(repr, choices))
        assert len(seen) > 2


class TestWorkers:
    def test_running_trials_are_not_suggested_again(self):
        study = run(bowl, 8)
        trials = [study.ask() for _ in range(3)]
        points = sorted(trial.suggest_float("x", -1, 1) for trial in trials)
        assert min(b - a for a, b in pairwise(points)) > SAME_POINT

    def test_two_samplers_on_one_study_do_not_suggest_the_same(self, folder):
        url = f"sqlite:///{folder}/two.db"
        run(bowl, 8, storage=url, study_name="s")
        studies = [optuna.load_study(study_name="s", storage=url, sampler=quick()) for _ in "ab"]
        first, second = (study.ask().suggest_float("x", -1, 1) for study in studies)
        assert abs(first - second) > SAME_POINT

    @pytest.mark.slow
    def test_threads_of_one_study_never_suggest_the_same(self, folder):
        points, lock = [], threading.Lock()

        def objective(trial):
            value = bowl(trial)
            with lock:
                points.append(trial.params["x"])
            return value

        study = optuna.create_study(
            sampler=quick(), storage=RDBStorage(f"sqlite:///{folder}/threads.db")
        )
        study.optimize(objective, n_trials=14, n_jobs=2)
        assert len(set(points)) == 14

    @pytest.mark.parametrize("state", [TrialState.RUNNING, TrialState.FAIL])
    def test_a_trial_that_has_only_some_of_its_parameters_is_no_end(self, state):
        study = run(lambda t: t.suggest_float("x", 0, 1) + t.suggest_float("y", 0, 1), 12)
        trial = study.ask()
        study.sampler = optuna.samplers.RandomSampler(seed=0)
        trial.suggest_float("x", 0, 1)
        if state == TrialState.FAIL:
            study.tell(trial, state=state)
        study.sampler = quick()
        study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_float("y", 0, 1), 2)
        assert all(math.isfinite(t.value) for t in study.trials[-2:])


class TestArguments:
    def test_an_unknown_surrogate_is_refused_at_once(self):
        with pytest.raises(ValueError, match="Did you mean 'brvfl4'"):
            NeuralSampler("bvrfl4")

    def test_a_seed_that_is_none_is_refused_at_once(self):
        with pytest.raises(ValueError, match="seed must be a whole number"):
            NeuralSampler(seed=-3)

    def test_choices_that_no_database_keeps_are_refused_with_the_remedy(self):
        def objective(trial):
            return len(trial.suggest_categorical("layers", [(1,), (1, 2)]))

        study = optuna.create_study(sampler=quick())
        with (
            pytest.warns(UserWarning, match="for persistent storage"),
            pytest.raises(TypeError, match="give it a name and look it up"),
        ):
            study.optimize(objective, n_trials=1)
