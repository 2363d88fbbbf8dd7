"""What weighs a criterion beside the values: pi-BO's weight and EI-cool's, by hand."""

import math
from dataclasses import replace

import pytest
import torch
from scipy.stats import norm, truncnorm

from neuralbo import Categorical, Integer, NeuralboWarning, Optimizer, Real, Space, around
from neuralbo.criteria import LogExpectedImprovement, UpperBound
from neuralbo.criteria.beliefs import Belief
from neuralbo.criteria.gain_per_cost import Budget, CostWeight, checked_cost, cooling
from neuralbo.criteria.weighted import Elsewhere, log_weights, weighted
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates import GaussianProcess
from neuralbo.testing.toys import seeded

SPACE = Space(
    {
        "lr": Real(1e-4, 1, log=True, prior=around(1e-3, spread=0.05)),
        "k": Integer(1, 9, prior={4: 3.0}),
        "kind": Categorical(["a", "b", "c"], prior={"b": 5}),
        "x": Real(0, 2),
        "depth": Integer(1, 5, prior=around(2), when={"kind": ["a"]}),
    }
)
ROWS = [
    {"lr": 1e-2, "k": 4, "kind": "a", "x": 1.0, "depth": 4},
    {"lr": 1e-3, "k": 5, "kind": "b", "x": 0.3},
]


def step_of(space, n, *, seed=0):
    X = space.domain.sample(n, seeded(seed))
    Y = -(X[:, :1] - 0.7).square()
    return Step.of(Data(X, Y, torch.arange(n)), space.domain, seed=1, number=n)


class TestBelief:
    def test_the_weight_is_log_pi_times_beta_over_n(self):
        """Hvarfner et al. (2022), each parameter by hand, up to their constants."""
        by_hand = [
            norm.logpdf(0.5, 0.25, 0.05) - norm.logpdf(0.25, 0.25, 0.05)  # two of four decades
            + 0.0 + math.log(1 / 5)
            + norm.logpdf(0.75, 0.25, 0.1) - norm.logpdf(0.25, 0.25, 0.1),
            0.0 + math.log(1 / 3) + 0.0,
        ]  # fmt: skip
        step = step_of(SPACE, 20)
        found = Belief(beta=10.0).at(step, None)(SPACE.encode(ROWS))
        assert found.tolist() == pytest.approx([10 / 20 * value for value in by_hand])
        assert step.record["belief_weight"] == 0.5

    def test_what_is_drawn_is_what_is_believed(self):
        V = SPACE.domain.uniform(40_000, seeded(3))
        U = SPACE.domain.believed(V)
        low, high = (0 - 0.25) / 0.05, (1 - 0.25) / 0.05
        distribution = truncnorm(low, high, 0.25, 0.05)
        for p in (0.01, 0.3, 0.5, 0.99):
            assert float(U[:, 0].quantile(p)) == pytest.approx(distribution.ppf(p), abs=2e-3)
        shares = [float((U[:, 1] == level).double().mean()) for level in range(9)]
        assert shares == pytest.approx([3 / 11 if i == 3 else 1 / 11 for i in range(9)], abs=0.01)
        assert torch.equal(U[:, 3], V[:, 3])

    def test_a_logarithm_has_it_added_and_its_gradient_is_right(self):
        step = step_of(Space({"x": Real(0, 1, prior=around(0.6)), "y": Real(0, 1)}), 12)
        model = GaussianProcess().fit(step.data, seeded(0))
        criterion = LogExpectedImprovement()
        a = criterion(step, model)
        step = replace(step, weights=(Belief(),))
        logs = log_weights(step, model)
        both = weighted(criterion, a, step, logs)
        X = step.domain.sample(5, seeded(5))
        torch.testing.assert_close(both(X[:, None]), a(X[:, None]) + logs[0](X))
        value, gradient = both.with_gradient()(X)
        x = X.clone().requires_grad_()
        (expected,) = torch.autograd.grad(both(x[:, None]).sum(), x)
        torch.testing.assert_close(value, both(X[:, None]))
        torch.testing.assert_close(gradient, expected)

    def test_others_are_multiplied_above_their_least_value(self):
        step = step_of(Space({"x": Real(0, 1, prior=around(0.2)), "y": Real(0, 1)}), 12)
        model = GaussianProcess().fit(step.data, seeded(0))
        criterion = UpperBound()
        a, logs = criterion(step, model), [Belief().at(step, None)]
        both = weighted(criterion, a, step, logs)
        X = step.domain.sample(5, seeded(5))
        values = a(X[:, None])
        expected = both.low + (values - both.low) * logs[0](X).exp()
        torch.testing.assert_close(both(X[:, None]), expected)
        assert (both.low <= a(step.data.X[:, None]).min()).all()

    def test_without_weights_it_is_the_criterion_itself(self):
        step = step_of(SPACE, 12)
        a = object()
        assert weighted(LogExpectedImprovement(), a, step, []) is a

    def test_a_belief_that_the_data_contradict_is_dropped(self):
        """The best lies at 0.7; a belief in 0.1 is dropped once the model knows both places."""
        found = {}
        for at in (0.1, 0.7):
            space = Space({"x": Real(0, 1, prior=around(at, spread=0.05))})
            step = step_of(space, 30)
            model = GaussianProcess().fit(step.data, seeded(0))
            found[at] = Belief().at(step, model), step.record.get("belief", "")
        assert found[0.1][0] is None and found[0.1][1].startswith("dropped")
        assert found[0.7][0] is not None and found[0.7][1] == ""

    def test_few_data_contradict_nothing(self):
        space = Space({"x": Real(0, 1, prior=around(0.1, spread=0.05))})
        step = step_of(space, 6)
        model = GaussianProcess().fit(step.data, seeded(0))
        assert Belief().at(step, model) is not None

    def test_in_a_box_a_point_has_the_weight_of_where_it_is(self):
        step = step_of(SPACE, 20)
        inside = Elsewhere(Belief(), step, lambda X: 0.5 * X)
        X = step.domain.sample(4, seeded(2))
        torch.testing.assert_close(inside.at(step, object())(X), Belief().at(step, None)(0.5 * X))


class TestInStudies:
    def test_the_initial_design_begins_with_the_mode_and_is_half_of_the_belief(self):
        space = {"x": Real(0, 1, prior=around(0.2, spread=0.02)), "y": Real(0, 1)}
        opt = Optimizer(space, seed=3, n_startup_trials=20)
        found = [suggested["x"] for suggested in opt.ask(20)]
        assert found[0] == 0.2
        assert sum(abs(x - 0.2) < 0.08 for x in found) in range(10, 15)

    @pytest.mark.parametrize("surrogate", ["gp", "trust_region", "bore"])
    def test_a_narrow_belief_leads_there(self, surrogate):
        space = {"x": Real(0, 1, prior=around(0.2, spread=0.01)), "y": Real(0, 1)}
        opt = Optimizer(space, surrogate=surrogate, seed=3, n_startup_trials=2)
        for x, y in [(0.1, 0.4), (0.9, 0.1), (0.5, 0.5)]:
            opt.tell({"x": x, "y": y}, 1.0 + 0.1 * x)
        suggested = opt.ask()
        assert abs(suggested["x"] - 0.2) < 0.06
        assert suggested.facts["belief_weight"] == 3 / 3

    def test_a_policy_that_weighs_nothing_says_so(self):
        opt = Optimizer({"x": Real(0, 1, prior=around(0.2))}, surrogate="random", seed=0)
        opt.tell([{"x": i / 10} for i in range(10)], [1.0] * 10)
        with pytest.warns(NeuralboWarning, match="RandomSearch does not weigh points by beliefs"):
            opt.ask()


class TestBadBeliefs:
    @pytest.mark.parametrize(
        ("make", "says"),
        [
            (lambda: Real(0, 1, prior=around(2)), "is around 2, but it must be a number from 0"),
            (lambda: Integer(1, 9, prior=around(2.5)), "but it must be a whole number"),
            (lambda: around(0.5, spread=0), "needs a spread above 0"),
            (lambda: around(math.nan), "needs a finite number"),
            (lambda: Integer(1, 9, prior={12: 2}), "names 12, which it cannot be"),
            (lambda: Categorical(["a", "b"], prior={"a": 0}), "needs a weight above 0 for 'a'"),
            (lambda: Categorical(["a", "b"], prior={"c": 1}), "names 'c', which it cannot be"),
        ],
    )
    def test_what_is_out_of_range_is_said(self, make, says):
        with pytest.raises(ValueError, match=says):
            make()

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Real(0, 1, prior={0.5: 2}),
            lambda: Real(0, 1, prior=0.5),
            lambda: Categorical(["a", "b"], prior=around(1)),
        ],
    )
    def test_what_is_no_belief_is_said(self, make):
        with pytest.raises(TypeError, match="must be"):
            make()


class TestCosts:
    def test_the_exponent_is_that_of_lee_et_al(self):
        """Lee et al. (2020): 1 after the initial design, 0 when the budget is spent."""
        assert cooling(100.0, 20.0, 20.0) == 1.0
        assert cooling(100.0, 60.0, 20.0) == 0.5
        assert cooling(100.0, 100.0, 20.0) == 0.0
        assert cooling(100.0, 120.0, 20.0) == 0.0
        assert cooling(10.0, 20.0, 20.0) == 0.0

    def test_the_budget_is_counted_in_costs_or_in_trials(self):
        costs = [5.0, 5.0, 10.0, 30.0]
        assert Budget(100.0, None, 2).alpha(costs) == (100 - 50) / (100 - 10)
        assert Budget(None, 12, 2).alpha(costs) == (12 - 4) / (12 - 2)
        assert Budget(None, None, 2).alpha(costs) == 1.0

    def test_the_weight_is_minus_alpha_times_the_expected_log_cost(self):
        """Against costs that are a power, which a process on their logarithm has exactly."""
        space = Space({"x": Real(0, 1), "y": Real(0, 1)})
        step = step_of(space, 30)
        logs = 3 * step.data.X[:, 0] - 1
        weight = CostWeight(step.data.X, logs, torch.arange(30), 0.5).at(step, None)
        X = space.domain.sample(6, seeded(9))
        torch.testing.assert_close(weight(X), -0.5 * (3 * X[:, 0] - 1), atol=0.02, rtol=0)
        assert step.record["cost_exponent"] == 0.5

    def test_at_the_end_nothing_is_weighed(self):
        step = step_of(SPACE, 9)
        assert CostWeight(step.data.X, torch.zeros(9), torch.arange(9), 0.0).at(step, None) is None

    @pytest.mark.parametrize("cost", [0, -1.0, math.nan, math.inf])
    def test_a_cost_is_above_0(self, cost):
        with pytest.raises(ValueError, match="the cost must be a finite number above 0"):
            checked_cost(cost, "the cost")

    def test_an_optimizer_that_was_saved_knows_its_costs(self, tmp_path):
        opt = Optimizer({"x": Real(0, 1)}, seed=0, surrogate="gp", cost="told", n_trials=20)
        opt.tell([{"x": i / 7} for i in range(8)], [(i - 5) ** 2 for i in range(8)],
                 cost=[1.0 + i for i in range(8)])  # fmt: skip
        opt.save(tmp_path / "a.json")
        assert Optimizer.load(tmp_path / "a.json").ask() == opt.ask()
