"""Several objectives, from a policy and from `Optimizer`."""

import math

import pytest
import torch
from botorch.utils.multi_objective.hypervolume import Hypervolume

import neuralbo as nb
from neuralbo.catalog import SURROGATES, make_policy
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import RandomSearch, SeveralObjectives
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.testing.toys import SQUARE, uniform

TINY = Multistart(candidates=32, local=16, restarts=2, rounds=5)
SPACE = {"x": nb.Real(0, 1), "y": nb.Real(0, 1)}


def two(params):
    """Return two bowls; the front is the line between their centres."""
    x, y = params["x"], params["y"]
    return (x - 0.2) ** 2 + (y - 0.5) ** 2, (x - 0.8) ** 2 + (y - 0.5) ** 2


def volume(values):
    """Return the volume that they dominate, of values to be minimized."""
    return Hypervolume(torch.tensor([-0.5, -0.5])).compute(-torch.tensor(values))


def run(n, f=two, **options):
    options = {"direction": ["minimize"] * 2, "surrogate": "gp", "seed": 0} | options
    opt = nb.Optimizer(SPACE, **({"maximizer": TINY} | options))
    for _ in range(n):
        params = opt.ask()
        opt.tell(params, f(params))
    return opt


@pytest.mark.slow
def test_it_dominates_more_than_random_search():
    ours = volume([t.values for t in run(16).front])
    random = [
        volume([t.values for t in run(16, surrogate="random", maximizer=None, seed=s).front])
        for s in range(5)
    ]
    assert ours > max(random)


def test_maximizing_is_minimizing_the_negative():
    left = run(7)
    right = run(7, lambda p: (two(p)[0], -two(p)[1]), direction=["minimize", "maximize"])
    assert [t.params for t in left.trials] == [t.params for t in right.trials]


def test_the_reference_point_has_the_sign_of_the_objectives():
    """Within reach of the reference point only one end of the front is worth anything."""
    opt = run(12, reference_point=[0.02, 0.6])
    late = [t.values[0] for t in opt.trials[-4:]]
    assert min(late) < 0.05
    left = opt.policy.criterion.reference
    right = run(0, direction=["maximize"] * 2, reference_point=[-0.02, -0.6]).policy.criterion
    assert left == right.reference == (-0.02, -0.6)


def test_each_objective_may_have_a_surrogate_of_its_own():
    opt = run(6, surrogate=["gp", "brvfl4"])
    assert opt.policy.surrogates == (GaussianProcess(), BayesianRVFL(activation="relu", skip=True))
    assert opt.trials[-1].number == 5
    facts = opt.ask().facts
    assert facts["surrogate"].startswith("gp, ")
    assert "log_evidence_0" in facts


def test_a_batch_has_different_points():
    suggested = run(6).ask(3)
    assert len({(p["x"], p["y"]) for p in suggested}) == 3


def test_one_failed_value_is_a_failure():
    opt = nb.Optimizer(SPACE, direction=["minimize"] * 2, seed=0)
    opt.tell({"x": 0.5, "y": 0.5}, [1.0, math.nan])
    assert opt.trials[0].values is None
    assert len(opt.step().data.X_failed) == 1


def test_failures_are_kept_away_from():
    def f(params):
        return None if params["x"] > 0.5 else two(params)

    opt = run(12, f)
    late = [t for t in opt.trials[-4:] if t.values is None]
    assert len(late) <= 1


def test_the_front_is_what_nothing_dominates():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, direction=["minimize", "maximize"], seed=0)
    for x, values in [(0.1, (1.0, 1.0)), (0.2, (2.0, 0.5)), (0.3, (2.0, 3.0)), (0.4, (1.0, 1.0))]:
        opt.tell({"x": x}, values)
    assert [t.params["x"] for t in opt.front] == [0.1, 0.3, 0.4]


def test_the_front_of_one_objective_is_the_best():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, seed=0)
    opt.tell({"x": 0.1}, 2.0)
    opt.tell({"x": 0.2}, 1.0)
    assert opt.front == [opt.best]


class TestClearMessages:
    @pytest.mark.parametrize("name", ["best", "recommend"])
    def test_several_objectives_have_no_best(self, name):
        opt = run(1)
        with pytest.raises(ValueError, match="see `front`"):
            getattr(opt, name) if name == "best" else opt.recommend()

    def test_a_trial_of_several_has_no_value(self):
        with pytest.raises(ValueError, match="see `values`"):
            _ = run(1).trials[0].value

    @pytest.mark.parametrize("values", [3.0, [1.0], [1.0, 2.0, 3.0]])
    def test_the_number_of_values_must_fit(self, values):
        opt = nb.Optimizer(SPACE, direction=["minimize"] * 2, seed=0)
        with pytest.raises(ValueError, match="2 objectives"):
            opt.tell({"x": 0.5, "y": 0.5}, values)

    def test_there_are_four_at_most(self):
        with pytest.raises(ValueError, match="4 objectives at most, got 5"):
            nb.Optimizer(SPACE, direction=["minimize"] * 5)

    def test_a_criterion_for_one_objective_is_refused(self):
        with pytest.raises(ValueError, match="'hypervolume'"):
            nb.Optimizer(SPACE, direction=["minimize"] * 2, criterion="log_ei")

    def test_hypervolume_needs_several(self):
        with pytest.raises(ValueError, match="several objectives"):
            nb.Optimizer(SPACE, criterion="hypervolume")

    def test_a_list_of_surrogates_needs_several(self):
        with pytest.raises(ValueError, match="several objectives"):
            nb.Optimizer(SPACE, surrogate=["gp", "gp"])

    def test_as_many_surrogates_as_objectives(self):
        with pytest.raises(ValueError, match="3 surrogates for 2 objectives"):
            nb.Optimizer(SPACE, direction=["minimize"] * 2, surrogate=["gp", "gp", "gp"])

    def test_the_reference_point_has_a_number_for_each(self):
        with pytest.raises(ValueError, match="each of 2 objectives, got 3"):
            nb.Optimizer(SPACE, direction=["minimize"] * 2, reference_point=[1, 2, 3])

    def test_a_classifier_has_no_values(self):
        data = Data(uniform(5, 2), uniform(5, 2, seed=1))
        with pytest.raises(ValueError, match="classifier"):
            for_objectives(make_policy("bore"), 2)
        policy = SeveralObjectives((SURROGATES["bore"],))
        with pytest.raises(TypeError, match="classifier"):
            policy.propose(Step.of(data, SQUARE, seed=0, number=5))

    def test_policies_for_one_objective_say_so(self):
        with pytest.raises(ValueError, match="GradientDescent is for one objective"):
            for_objectives(make_policy("gradient_descent"), 2)


def test_designs_need_no_model():
    assert for_objectives(RandomSearch(), 3) == RandomSearch()


def test_trust_regions_and_long_local_searches_are_left_out():
    policy = for_objectives(make_policy("brvfl4"), 2)
    assert isinstance(policy, SeveralObjectives)
    assert policy.maximizer != Mixed()
    assert for_objectives(make_policy("gp", maximizer=TINY), 2).maximizer == TINY


@pytest.mark.parametrize("m", [3, 4])
def test_three_and_four_objectives(m):
    opt = nb.Optimizer(SPACE, surrogate="gp", maximizer=TINY, direction=["minimize"] * m, seed=0)
    for _ in range(6):
        params = opt.ask()
        opt.tell(params, [(params["x"] - j / m) ** 2 + params["y"] for j in range(m)])
    assert opt.ask().facts["criterion"] == "HypervolumeImprovement"


def test_the_model_is_a_list_in_the_users_sign():
    opt = run(8, direction=["minimize", "minimize"])
    mean = opt.model.posterior(torch.tensor([[0.2, 0.5]]).double()).mean
    torch.testing.assert_close(mean, torch.tensor([[0.0, 0.36]]).double(), atol=0.05, rtol=0)
