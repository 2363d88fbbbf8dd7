"""The loop in memory: ask, tell, best, recommend, model."""

import copy
import json
import math
import pickle
import random
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from neuralbo import Categorical, Data, FallbackWarning, FitError, Integer, Optimizer, Real
from neuralbo.catalog import CRITERIA, MAXIMIZERS, POLICIES, SURROGATES
from neuralbo.criteria import LogExpectedImprovement
from neuralbo.data import data as data_module
from neuralbo.data import near_points
from neuralbo.engine.step import Memory, Step
from neuralbo.engine.time_limit import STRIKES
from neuralbo.maximizers import Mixed, Multistart, RandomCandidates
from neuralbo.maximizers.maximizer import SAME_POINT
from neuralbo.policies import RandomSearch
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.surrogates.classifiers.classifier_presets import PRESETS as CLASSIFIERS
from neuralbo.surrogates.random_features.hidden_layer import RandomFeatures
from neuralbo.testing.surrogate_checks import assert_usable
from neuralbo.testing.toys import MINUTES, seeded

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
OF_SEVERAL = {"hypervolume"}  # criteria of several objectives
CHEAP = {"random", "sobol", "latin_hypercube", "grid", "gradient_descent"}  # policies
# one surrogate of each kind of model; the other names differ from one of them in settings
FAMILIES = {
    "auto", "gp", "gp_mcmc", "brvfl4", "ervfl1", "elm", "neural_linear", "laplace", "hbnn_fast",
    "bohamiann_fast", "ivbnn_fast", "nomu_warm", "deep_ensemble_fast", "mc_dropout_fast", "kde",
    "gmr", "spn", "bore", "bore_forest", "additive", "gp_warped", "stacked", "random_forest",
    "empirical",
}  # fmt: skip
LINE = {"x": Real(0, 1)}
MIXED = {
    "lr": Real(1e-5, 1, log=True),
    "k": Integer(1, 9),
    "kind": Categorical(["a", "b", None]),
    "depth": Integer(1, 5, when={"kind": ["a"]}),
    "rate": Real(0, 1, step=0.25, when={"kind": ["b"], "k": [1, 2, 3, 4, 5]}),
}


def quick(space=LINE, **options):
    return Optimizer(space, **({"surrogate": "gp", "maximizer": QUICK, "seed": 0} | options))


def bowl(params):
    return (params["x"] - 0.3) ** 2


def mixed_bowl(params):
    rest = params.get("depth", 4) + 3 * params.get("rate", 0.5)
    return (math.log10(params["lr"]) + 2) ** 2 + abs(params["k"] - 4) + rest


def run(opt, f, n):
    for _ in range(n):
        params = opt.ask()
        opt.tell(params, f(params))
    return opt


def suggested(opt):
    return [trial.params for trial in opt.trials]


class TestAskAndTell:
    def test_the_default_finds_the_minimum_of_a_bowl(self):
        opt = run(Optimizer(LINE, seed=0), bowl, 12)
        assert opt.best.params["x"] == pytest.approx(0.3, abs=1e-3)

    def test_a_conditional_space_is_asked_legally(self):
        opt = run(quick(MIXED), mixed_bowl, 14)
        for params in suggested(opt):
            assert opt.space.validate(params) == params

    def test_a_batch_has_no_repetitions_and_numbers_its_members(self):
        opt = run(quick(), bowl, 6)
        batch = opt.ask(n=4)
        assert len({params["x"] for params in batch}) == 4
        assert [params.number for params in batch] == [6, 7, 8, 9]

    def test_pending_points_are_not_asked_again(self):
        opt = run(quick(), bowl, 6)
        points = sorted(opt.ask()["x"] for _ in range(4))
        assert min(b - a for a, b in pairwise(points)) > SAME_POINT

    def test_the_same_seed_gives_the_same_run(self):
        a, b = run(quick(MIXED, seed=5), mixed_bowl, 12), run(quick(MIXED, seed=5), mixed_bowl, 12)
        assert suggested(a) == suggested(b)

    def test_another_seed_gives_another_run(self):
        assert suggested(run(quick(seed=1), bowl, 1)) != suggested(run(quick(seed=2), bowl, 1))

    def test_other_random_numbers_do_not_matter(self):
        torch.manual_seed(1)
        a = run(quick(), bowl, 7)
        torch.manual_seed(2)
        torch.rand(100)
        assert suggested(run(quick(), bowl, 7)) == suggested(a)

    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
    def test_telling_in_another_order_gives_equal_suggestions(self, surrogate):
        a, b = quick(surrogate=surrogate), quick(surrogate=surrogate)
        for opt, order in ((a, range(8)), (b, [5, 1, 7, 0, 2, 6, 4, 3])):
            batch = opt.ask(n=8)
            for i in order:
                opt.tell(batch[i], bowl(batch[i]))
        assert a.ask() == b.ask()

    def test_a_copy_of_what_was_asked_ends_its_waiting(self):
        opt = run(quick(), bowl, 6)
        params = opt.ask()
        opt.tell(json.loads(json.dumps(params)), 1.0)
        assert [t.number for t in opt.trials] == list(range(7))
        assert opt._columns.pending == []

    def test_what_was_asked_and_then_changed_is_told_as_it_is(self):
        opt = quick()
        params = opt.ask()
        params["x"] = 0.123
        opt.tell(params, 1.0)
        assert suggested(opt) == [{"x": 0.123}]
        assert opt._columns.pending == []

    def test_parameters_never_asked_for_are_welcome(self):
        opt = quick()
        opt.tell({"x": 0.25}, 2.0)
        assert opt.best.params == {"x": 0.25}

    def test_asked_parameters_survive_pickle_and_copies(self):
        params = quick().ask()
        for same in (pickle.loads(pickle.dumps(params)), copy.deepcopy(params)):
            assert same == params and same.number == params.number

    def test_telling_twice_is_refused(self):
        opt = quick()
        params = opt.ask()
        opt.tell(params, 1.0)
        with pytest.raises(ValueError, match="suggestion 0 was told before"):
            opt.tell(params, 2.0)

    @pytest.mark.parametrize(
        ("params", "match"),
        [
            ({"x": 1.5}, "'x' must be a number from 0.0 to 1.0, got 1.5 of type float"),
            ({}, "'x' is missing"),
            ({"x": 0.5, "y": 1}, "unknown parameter 'y'"),
            ({"x": "0.5"}, "'x' must be a number"),
        ],
    )
    def test_parameters_that_are_not_legal_are_refused(self, params, match):
        opt = quick()
        with pytest.raises(ValueError, match=match):
            opt.tell(params, 1.0)
        assert opt.trials == []

    @pytest.mark.parametrize("value", ["abc", "1.5", b"1", [1.0, 2.0], {}, 1j])
    def test_a_value_that_is_no_number_is_refused_and_may_be_told_again(self, value):
        opt = quick()
        params = opt.ask()
        with pytest.raises(TypeError, match="a value must be a number, or None for a failure"):
            opt.tell(params, value)
        opt.tell(params, 1.0)
        assert [t.value for t in opt.trials] == [1.0]

    @pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, 10**400])
    def test_a_value_that_is_not_finite_is_a_failure(self, value):
        opt = quick()
        opt.tell(opt.ask(), value)
        assert [t.value for t in opt.trials] == [None]

    def test_values_of_torch_and_whole_numbers_are_floats(self):
        opt = quick()
        opt.tell(opt.ask(), torch.tensor(2.5))
        opt.tell(opt.ask(), 3)
        assert [(t.value, type(t.value)) for t in opt.trials] == [(2.5, float), (3.0, float)]

    @pytest.mark.parametrize("n", [0, -1])
    def test_a_batch_needs_at_least_one(self, n):
        with pytest.raises(ValueError, match=rf"ask\(n\) must be .* from 1 on; .* got {n}\."):
            quick().ask(n=n)

    @pytest.mark.parametrize("n", [2.5, "3", True, math.nan, [2], {}, int])
    def test_a_batch_has_a_whole_number_of_points(self, n):
        opt = quick()
        with pytest.raises(TypeError, match=r"n of ask\(n\) must be a whole number from 1 on"):
            opt.ask(n)
        assert opt.ask().number == 0  # nothing was spent

    @pytest.mark.parametrize("params", [None, "x", b"x", 0.5, [0.5], [], dict, object()])
    def test_what_is_no_dictionary_is_refused_with_the_form_of_tell(self, params):
        opt = quick()
        with pytest.raises(
            TypeError, match=r"tell\(\{'x': \.\.\.\}, value\), or lists of both; got .* of type"
        ):
            opt.tell(params, 1.0)
        assert opt.trials == []

    def test_a_message_stays_short_whatever_is_told(self):
        opt = quick({f"x{i}": Real(0, 1) for i in range(300)}, surrogate="random", maximizer=None)
        with pytest.raises(TypeError, match="or lists of both") as found:
            opt.tell([*opt.ask(20), 3], [1.0] * 21)
        assert len(str(found.value)) < 700

    @pytest.mark.parametrize("value", [1.0, [1.0], [1.0] * 3, "ab", {1: 1, 2: 2}, np.array(0.5)])
    def test_several_objectives_have_so_many_values(self, value):
        opt = quick(direction=["minimize", "maximize"])
        with pytest.raises(ValueError, match="2 objectives, so tell takes a list of 2 values"):
            opt.tell({"x": 0.5}, value)


@dataclass(frozen=True)
class Unfit:
    """A policy whose surrogate cannot be fitted."""

    def propose(self, step, q=1):
        raise FitError("no fit.")


class TestWarnings:
    def test_a_fit_that_failed_is_warned_of_at_the_line_that_asked(self):
        opt = run(Optimizer(LINE, surrogate=Unfit(), seed=0, n_startup_trials=1), bowl, 1)
        with pytest.warns(FallbackWarning, match="could not be fitted") as caught:
            opt.ask()
        assert [warning.filename for warning in caught] == [__file__]

    def test_a_limit_of_seconds_is_warned_of_at_the_line_that_asked(self):
        opt = Optimizer(
            LINE, surrogate="random", seed=0, n_startup_trials=1, max_suggest_seconds=1e-9
        )
        with pytest.warns(FallbackWarning, match="max_suggest_seconds") as caught:
            run(opt, bowl, 1 + STRIKES)
        assert [warning.filename for warning in caught] == [__file__]


class TestRepr:
    def test_it_says_what_was_done_and_how(self):
        opt = quick(MIXED)
        assert repr(opt) == (
            "<Optimizer: 0 trials; parameters lr, k, kind, depth, rate; surrogate gp>"
        )
        run(opt, lambda params: params["k"] + 0.25, 3)
        opt.ask(2)
        assert repr(opt) == (
            f"<Optimizer: 3 trials; 2 pending; best value {opt.best.value:g} in trial "
            f"{opt.best.number}; parameters lr, k, kind, depth, rate; surrogate gp>"
        )

    def test_several_objectives_have_a_front(self):
        opt = quick(direction=["minimize"] * 2, surrogate=["gp", "brvfl4"])
        opt.tell({"x": 0.5}, [1.0, 2.0])
        assert repr(opt) == (
            "<Optimizer: 1 trial; 2 objectives, 1 on the front; parameters x; "
            "surrogate gp, brvfl4>"
        )

    def test_a_recipe_is_named_by_its_kind_and_many_parameters_are_counted(self):
        space = {f"x{i}": Real(0, 1) for i in range(30)}
        text = repr(Optimizer(space, surrogate=BayesianRVFL(units=8), seed=0))
        assert text.endswith("x6, x7 and 22 more; surrogate BayesianRVFL>")


class TestStart:
    def test_no_start_trials_means_the_model_from_the_first_value_on(self):
        opt = quick(n_startup_trials=0)
        run(opt, bowl, 1)
        assert len(opt._engine.memory.models) == 0
        opt.ask()
        assert len(opt._engine.memory.models) == 1

    def test_the_initial_design_has_its_number_of_trials(self):
        opt = quick(n_startup_trials=3)
        run(opt, bowl, 3)
        assert len(opt._engine.memory.models) == 0
        opt.ask()
        assert len(opt._engine.memory.models) == 1


class TestFailures:
    def test_a_region_that_fails_is_left_alone(self):
        opt = quick()
        for _ in range(40):
            params = opt.ask()
            opt.tell(params, None if params["x"] > 0.5 else (params["x"] - 0.5) ** 2)
        later = [t.params["x"] for t in opt.trials[10:]]
        assert max(later) < 0.55  # none far inside the region
        assert sum(x > 0.5 for x in later) <= 3  # 27 of 30 are to succeed
        assert 0.49 < opt.best.params["x"] <= 0.5  # a step of that caution away from the border

    @pytest.mark.every
    @pytest.mark.parametrize("criterion", sorted(CRITERIA.keys() - OF_SEVERAL))
    def test_every_criterion_goes_on_when_nothing_but_one_trial_works(self, criterion):
        of_classes = {"surrogate": "bore"} if criterion.startswith("class") else {}
        opt = quick(criterion=criterion, n_startup_trials=2, **of_classes)
        for i in range(6):
            opt.tell(opt.ask(), 1.0 if i == 1 else None)
        assert len({t.params["x"] for t in opt.trials}) == 6

    def test_failures_alone_are_no_end(self):
        opt = quick(n_startup_trials=2)
        for _ in range(8):
            opt.tell(opt.ask(), None)
        assert len({t.params["x"] for t in opt.trials}) == 8


class TestDirection:
    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
    def test_maximizing_is_minimizing_the_negative_to_the_last_bit(self, surrogate):
        a = run(quick(MIXED, surrogate=surrogate), mixed_bowl, 11)
        b = quick(MIXED, surrogate=surrogate, direction="maximize")
        run(b, lambda params: -mixed_bowl(params), 11)
        assert suggested(a) == suggested(b)
        assert a.best.value == -b.best.value

    def test_an_unknown_direction_is_refused(self):
        with pytest.raises(ValueError, match="direction must be 'minimize' or 'maximize'"):
            quick(direction="max")


class TestBest:
    @pytest.mark.parametrize(("direction", "best"), [("minimize", 0.5), ("maximize", 3.0)])
    def test_the_best_is_the_best_seen(self, direction, best):
        opt = quick(direction=direction)
        for value in (1.0, 0.5, None, 3.0):
            opt.tell(opt.ask(), value)
        assert opt.best.value == best

    @pytest.mark.parametrize("observed", [[], [None]])
    def test_there_is_no_best_before_a_value(self, observed):
        opt = quick()
        for value in observed:
            opt.tell(opt.ask(), value)
        with pytest.raises(ValueError, match="no trial has given a value yet"):
            _ = opt.best
        with pytest.raises(ValueError, match="no trial has given a value yet"):
            opt.recommend()

    def test_the_recommendation_is_not_the_luckiest_of_a_noisy_function(self):
        opt = quick()
        noise = torch.randn(40, generator=torch.Generator().manual_seed(3)).tolist()
        for i in range(40):
            opt.tell({"x": i / 39}, 4 * (i / 39 - 0.5) ** 2 + 0.4 * noise[i])
        assert opt.recommend().params != opt.best.params
        assert opt.recommend().params["x"] == pytest.approx(0.5, abs=0.1)

    @pytest.mark.parametrize("direction", ["minimize", "maximize"])
    def test_the_model_speaks_in_the_users_units_and_sign(self, direction):
        opt = quick(direction=direction)
        for x in torch.linspace(0, 1, 9).tolist():
            opt.tell({"x": x}, 1000 + 50 * x)
        posterior = opt.model.posterior(torch.tensor([[0.25], [0.75]]).double())
        assert posterior.mean.squeeze(-1).tolist() == pytest.approx([1012.5, 1037.5], abs=1)
        recommendation = opt.recommend()
        assert recommendation.mean == pytest.approx(
            1000 if direction == "minimize" else 1050, abs=1
        )
        assert 0 <= recommendation.std < 5

    @pytest.mark.parametrize("direction", ["minimize", "maximize"])
    def test_a_classifier_says_what_is_good_in_either_direction(self, direction):
        opt = quick(surrogate="bore_kde", direction=direction)
        for x in torch.linspace(0, 1, 9).tolist():
            opt.tell({"x": x}, 50 * x)
        low, high = opt.model.probability(torch.tensor([[0.1], [0.9]]).double()).tolist()
        assert (low > high) == (direction == "minimize")

    def test_a_classifier_has_no_mean_to_recommend_by(self):
        opt = run(quick(surrogate="bore_kde"), bowl, 7)
        with pytest.raises(ValueError, match="is a classifier"):
            opt.recommend()

    def test_there_is_no_model_before_a_value(self):
        with pytest.raises(ValueError, match="there is no model yet"):
            _ = quick().model

    def test_a_policy_without_a_model_says_so(self):
        opt = run(Optimizer(LINE, surrogate="random", seed=0), bowl, 2)
        with pytest.raises(ValueError, match="RandomSearch has no model; name a surrogate"):
            _ = opt.model


SIX = {"k": Integer(1, 3), "c": Categorical(["a", "b"])}


class TestSmallSpaces:
    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4", *sorted(POLICIES)])
    def test_all_points_are_tried_once_before_any_twice(self, surrogate):
        maximizer = {} if surrogate in POLICIES else {"maximizer": QUICK}
        opt = Optimizer(SIX, surrogate=surrogate, seed=0, n_startup_trials=2, **maximizer)
        run(opt, lambda p: p["k"], 8)
        first = {(p["k"], p["c"]) for p in suggested(opt)[:6]}
        assert len(first) == 6

    def test_a_batch_larger_than_the_space_is_filled(self):
        opt = run(quick(SIX), lambda p: p["k"], 5)
        assert len(opt.ask(n=4)) == 4

    def test_a_space_with_a_single_value_works(self):
        opt = Optimizer({"c": Categorical(["only"])}, seed=0)
        run(opt, lambda p: 1.0, 7)
        assert suggested(opt) == [{"c": "only"}] * 7
        assert opt.best.value == 1.0

    def test_a_space_with_a_single_value_recommends_it(self):
        opt = run(Optimizer({"c": Categorical(["only"])}, seed=0), lambda p: 1.0, 2)
        assert opt.recommend().params == {"c": "only"}


class TestValues:
    @pytest.mark.parametrize("scale", [0.0, 1e-200, 1e-12, 1e12, 1e100])
    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
    def test_the_scale_of_the_values_does_not_stop_a_run(self, scale, surrogate):
        opt = run(quick(surrogate=surrogate), lambda p: scale * bowl(p), 9)
        assert len({p["x"] for p in suggested(opt)}) == 9

    @pytest.mark.parametrize("penalty", [1e30, 1e149, 1.7e308])
    def test_a_made_up_penalty_does_not_stop_a_run(self, penalty):
        opt = run(quick(), lambda p: penalty if p["x"] > 0.8 else bowl(p), 12)
        assert opt.best.value < 0.1

    def test_a_value_whose_square_overflows_is_a_failure(self):
        opt = quick()
        opt.tell(opt.ask(), 1e200)
        assert opt.trials[0].value is None


def test_a_criterion_of_several_objectives_refuses_one():
    with pytest.raises(ValueError, match="need several objectives"):
        quick(criterion="hypervolume")


class TestCatalog:
    @pytest.mark.every
    @pytest.mark.parametrize("surrogate", sorted(SURROGATES.keys() - MINUTES))
    def test_every_surrogate_makes_a_step_and_one_of_each_family_two(self, surrogate):
        """All fit, predict finite moments, and suggest what is legal."""
        steps = 2 if surrogate in FAMILIES else 1
        opt = run(quick(MIXED, surrogate=surrogate, n_startup_trials=4), mixed_bowl, 3 + steps)
        params = opt.ask()
        assert len(opt._engine.memory.models) >= steps
        assert opt.space.validate(params) == params
        if surrogate not in CLASSIFIERS:
            assert_usable(opt.model, opt.space.domain.sample(6, seeded()).view(3, 2, -1))

    @pytest.mark.every
    @pytest.mark.parametrize("criterion", sorted(CRITERIA.keys() - OF_SEVERAL))
    def test_every_criterion_makes_a_step(self, criterion):
        surrogate = "bore_kde" if criterion.startswith("class_probability") else "gp"
        settings = {"surrogate": surrogate, "criterion": criterion, "n_startup_trials": 4}
        opt = run(quick(MIXED, **settings), mixed_bowl, 5)
        assert len(opt._engine.memory.models) >= 1

    @pytest.mark.every
    @pytest.mark.parametrize("maximizer", sorted(set(MAXIMIZERS) - {"mixed_integer", "direct"}))
    def test_every_maximizer_makes_a_step(self, maximizer):
        opt = run(quick(MIXED, maximizer=maximizer, n_startup_trials=4), mixed_bowl, 5)
        assert len(opt._engine.memory.models) >= 1

    @pytest.mark.every
    @pytest.mark.parametrize("policy", sorted(POLICIES))
    def test_every_policy_without_a_model_goes_on(self, policy):
        """Beyond its initial design; those that fit nothing cost nothing."""
        n = 40 if policy in CHEAP else 14
        opt = run(Optimizer(MIXED, surrogate=policy, seed=0), mixed_bowl, n)
        assert len({repr(params) for params in suggested(opt)}) == n

    @pytest.mark.parametrize(
        ("kind", "name", "near"),
        [("surrogate", "bvrfl4", "brvfl4"), ("surrogate", "GP", "gp"),
         ("criterion", "logei", "log_ei"), ("maximizer", "multi_start", "multistart")],
    )  # fmt: skip
    def test_an_unknown_name_is_answered_with_the_near_ones(self, kind, name, near):
        with pytest.raises(ValueError, match=f"unknown {kind} '{name}'. Did you mean '{near}'"):
            Optimizer(LINE, **{kind: name})

    @pytest.mark.parametrize(
        ("kind", "bad"),
        [("surrogate", None), ("surrogate", 3), ("surrogate", GaussianProcess),
         ("surrogate", LogExpectedImprovement()), ("surrogate", RandomSearch),
         ("criterion", 0), ("criterion", GaussianProcess()), ("criterion", QUICK),
         ("criterion", LogExpectedImprovement), ("maximizer", False), ("maximizer", Mixed),
         ("maximizer", LogExpectedImprovement())],
    )  # fmt: skip
    def test_what_is_neither_a_name_nor_a_recipe_is_refused(self, kind, bad):
        with pytest.raises(TypeError, match=f"{kind} must be a name such as"):
            Optimizer(LINE, **{kind: bad})

    @pytest.mark.parametrize("option", ["criterion", "maximizer"])
    def test_a_whole_policy_takes_no_other_choice(self, option):
        name = {"criterion": "ei", "maximizer": "mixed"}[option]
        with pytest.raises(ValueError, match="RandomSearch is a whole policy"):
            Optimizer(LINE, surrogate="random", **{option: name})

    @pytest.mark.parametrize("seed", [-1, 1.5, "0"])
    def test_a_seed_that_is_none_is_refused(self, seed):
        with pytest.raises(ValueError, match="seed must be a whole number from 0 on"):
            Optimizer(LINE, seed=seed)


class TestSurroundings:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_default_dtype_does_not_matter(self, dtype):
        expected = suggested(run(quick(MIXED), mixed_bowl, 10))
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            assert suggested(run(quick(MIXED), mixed_bowl, 10)) == expected
        finally:
            torch.set_default_dtype(before)

    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
    def test_the_default_device_does_not_matter(self, surrogate):
        expected = suggested(run(quick(surrogate=surrogate), bowl, 8))
        with torch.device("meta"):
            opt = run(quick(surrogate=surrogate), bowl, 8)
            opt.recommend()
        assert suggested(opt) == expected

    def test_the_number_of_threads_is_restored(self):
        before = torch.get_num_threads()
        torch.set_num_threads(2)
        try:
            run(quick(), bowl, 7).recommend()
            assert torch.get_num_threads() == 2
        finally:
            torch.set_num_threads(before)

    def test_gradients_switched_off_do_not_matter(self):
        expected = suggested(run(quick(), bowl, 8))
        with torch.no_grad():
            assert suggested(run(quick(), bowl, 8)) == expected


class TestFacts:
    @pytest.mark.parametrize("surrogate", ["gp", "brvfl4"])
    def test_a_suggestion_says_how_it_was_chosen(self, surrogate):
        opt = run(quick(surrogate=surrogate, criterion="log_ei", n_startup_trials=3), bowl, 5)
        facts = opt.ask().facts
        assert facts["criterion"] == "LogExpectedImprovement"
        assert isinstance(facts["surrogate"], str) and math.isfinite(facts["criterion_value"])
        assert facts["fit_seconds"] >= 0 and facts["choose_seconds"] > 0

    def test_an_initial_point_was_chosen_by_no_surrogate(self):
        assert "criterion_value" not in quick().ask().facts

    def test_facts_are_those_of_equal_parameters_whoever_asks(self):
        facts = [dict(run(quick(), bowl, 8).ask().facts) for _ in range(2)]
        for one in facts:
            del one["fit_seconds"], one["choose_seconds"]
        assert facts[0] == facts[1]

    @pytest.mark.parametrize(
        "again", [copy.copy, copy.deepcopy, lambda params: pickle.loads(pickle.dumps(params))]
    )
    def test_a_copy_knows_parameters_number_and_facts(self, again):
        params = run(quick(), bowl, 8).ask()
        other = again(params)
        assert (other, other.number, other.facts) == (params, 8, params.facts)
        assert params.facts and type(other) is type(params)

    def test_facts_are_no_parameters(self):
        params = run(quick(), bowl, 8).ask()
        assert set(params) == {"x"} and json.loads(json.dumps(params)) == {"x": params["x"]}

    def test_a_copy_can_be_told(self):
        opt = run(quick(), bowl, 8)
        opt.tell(pickle.loads(pickle.dumps(opt.ask())), 0.5)
        assert opt.trials[-1].number == 8 and opt.trials[-1].value == 0.5

    def test_changing_the_facts_of_a_suggestion_changes_no_other(self):
        one, other = run(quick(), bowl, 8).ask(2)
        one.facts["criterion"] = "mine"
        assert other.facts["criterion"] != "mine"

    def test_the_next_step_is_what_was_told_in_the_sign_of_the_policy(self):
        opt = run(quick(), bowl, 6)
        step = opt.step()
        values = [[-trial.value] for trial in opt.trials]
        assert step.number == 6 and step.data.Y.tolist() == values
        assert step.data.X.tolist() == [[trial.params["x"]] for trial in opt.trials]


BLOCK = 16  # trials of a block in the tests of many trials
NETWORK = {
    "surrogate": BayesianRVFL(units=8), "maximizer": RandomCandidates(40), "n_startup_trials": 3,
}  # fmt: skip


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(data_module, "BLOCK", BLOCK)
    monkeypatch.setattr(near_points, "ROWS", 8)


def history(opt, seed, n, *, fails=True):
    """Ask for n trials in batches, and tell them in any order but the few that are returned."""
    rng, pending, observed = random.Random(seed), [], 0
    while observed + len(pending) < n or len(pending) > 3:
        room = n - observed - len(pending)
        if room and (not pending or rng.random() < 0.5):
            pending += opt.ask(min(rng.choice([1, 1, 2]), room))
        else:
            params = pending.pop(rng.randrange(len(pending)))
            value = None if fails and rng.random() < 0.15 else rng.choice([0.5, rng.random()])
            opt.tell(params, value)
            observed += 1
    return pending


def made_at_once(step):
    """Return the step with new data and an empty memory."""
    data = step.data
    parts = (data.X, data.Y, data.numbers, data.X_pending, data.X_failed)
    data = Data(*(part.clone() for part in parts))
    return Step.of(data, step.domain, seed=step.seed, number=step.number)


@pytest.mark.usefixtures("small_blocks")
class TestManyTrials:
    @pytest.mark.slow
    @pytest.mark.parametrize("space", [LINE, MIXED], ids=["line", "mixed"])
    @pytest.mark.parametrize("seed", range(3))
    def test_any_history_suggests_what_its_data_made_at_once_do(self, space, seed):
        opt = Optimizer(space, seed=1, **NETWORK)
        for n in (2 * BLOCK + 3, 3 * BLOCK, 5 * BLOCK + 7):
            pending = history(opt, seed, n - len(opt.trials))
            assert opt.step().data.n > 2 * BLOCK - 10
            fresh = replace(opt._engine, memory=Memory()).suggest(made_at_once(opt.step()))
            expected = opt.space.decode(fresh.points)[0]
            suggested = opt.ask()
            assert dict(suggested) == expected
            for params in [*pending, suggested]:
                opt.tell(params, 0.3)

    @pytest.mark.parametrize("fails", [False, True])
    def test_an_optimizer_that_is_told_all_trials_goes_on_as_the_first_would(self, fails):
        opt, fresh = (Optimizer(MIXED, seed=1, **NETWORK) for _ in range(2))
        pending = history(opt, 4, 4 * BLOCK + 5, fails=fails)
        for params in pending:
            opt.tell(params, 0.25)
        for trial in opt.trials:
            fresh.tell(trial.params, trial.value)
        assert opt.trials == fresh.trials and opt.best == fresh.best
        for _ in range(3):
            a, b = opt.ask(), fresh.ask()
            assert dict(a) == dict(b)
            opt.tell(a, 0.2)
            fresh.tell(b, 0.2)

    @pytest.mark.parametrize("again", [copy.deepcopy, lambda opt: pickle.loads(pickle.dumps(opt))])
    def test_a_copy_goes_on_alone_and_alike(self, again):
        opt = Optimizer(MIXED, seed=1, **NETWORK)
        pending = history(opt, 2, 2 * BLOCK + 9)
        other = again(opt)
        trials, first = opt.trials, opt.ask()
        assert dict(other.ask()) == dict(first)
        for params in pending:
            opt.tell(params, 9.0)
        assert other.trials == trials
        for params in pending:
            other.tell(params, 9.0)
        assert dict(other.ask(2)[1]) == dict(opt.ask(2)[1])

    def test_steps_made_earlier_stay_right(self):
        opt, steps = Optimizer(LINE, seed=1, surrogate="random"), []
        for seed in range(12):
            history(opt, seed, 25)
            steps.append((opt.step().data, made_at_once(opt.step()).data))
        X = torch.cat([kept.X for kept, _ in steps[-1:]])
        for kept, expected in steps:
            assert torch.equal(kept.X, expected.X) and torch.equal(kept.Y, expected.Y)
            assert kept.digests() == expected.digests()
            assert torch.equal(kept.near(X, SAME_POINT), expected.near(X, SAME_POINT))

    def test_an_ask_does_not_work_more_when_there_are_more_trials(self, monkeypatch):
        rows, features = [], RandomFeatures.__call__

        def counted(self, X):
            rows.append(X.numel() // X.shape[-1])
            return features(self, X)

        monkeypatch.setattr(RandomFeatures, "__call__", counted)
        opt, work = Optimizer(LINE, seed=1, **NETWORK), []
        for blocks in (3, 30):
            while len(opt.trials) < blocks * BLOCK + 4:
                opt.tell(
                    {"x": random.Random(len(opt.trials)).random()}, 1.0 / (1 + len(opt.trials))
                )
            opt.tell(opt.ask(), 0.5)  # sums of what came at once
            rows.clear()
            params = opt.ask()
            work.append(sum(rows))
            opt.tell(params, 0.5)
        assert work[0] == work[1]

    @pytest.mark.parametrize("value", [0.0, 1e150, -1e-300])
    def test_constant_values_are_no_end(self, value):
        opt = run(Optimizer(LINE, seed=1, **NETWORK), lambda params: value, 3 * BLOCK + 2)
        assert opt.recommend().mean == pytest.approx(value, rel=1e-9)

    def test_when_the_first_blocks_have_failed_the_later_ones_are_learnt_from(self):
        opt = Optimizer(LINE, seed=1, **NETWORK)
        for i in range(2 * BLOCK):
            opt.tell({"x": i / 100}, None)
        run(opt, bowl, BLOCK + 3)
        assert opt.best.params["x"] > 0.3


def test_of_equal_values_the_best_is_the_first_trial_whatever_was_told_first():
    opt = quick()
    batch = opt.ask(3)
    for params in reversed(batch):
        opt.tell(params, 1.0)
    assert opt.best.number == 0


def test_an_optimizer_made_in_inference_mode_can_be_told():
    with torch.inference_mode():
        opt = quick()
    assert suggested(run(opt, bowl, 8)) == suggested(run(quick(), bowl, 8))


def test_whole_numbers_beyond_64_bits_and_choices_that_are_equal_come_back():
    space = {"n": Integer(2**70, 2**70 + 9), "c": Categorical([1, True, 1.0])}
    opt = quick(space, surrogate="random", maximizer=None)
    for n, c in ((2**70 + 1, True), (2**70 + 9, 1), (2**70, 1.0)):
        opt.tell({"n": n, "c": c}, 0.0)
    found = [(trial.params["n"], repr(trial.params["c"])) for trial in opt.trials]
    assert found == [(2**70 + 1, "True"), (2**70 + 9, "1"), (2**70, "1.0")]
