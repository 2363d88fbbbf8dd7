"""Dynamic C: the schedules of Högger (2021), Sec. 6.4, and its loop made by hand."""

import pytest
import torch
from neuralbo_lab.reproductions.hoegger.hoegger_names import BUDGETS, DECAYS, SURROGATES, dynamic

from neuralbo.catalog import CRITERIA, DYNAMIC_C, make_policy
from neuralbo.criteria import ExpectedImprovement, MeanWidth, UpperBound
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import GridPoints, Mixed, Multistart
from neuralbo.policies import Decay, DynamicC, Standard
from neuralbo.policies.dynamic_c import is_near
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import SQUARE, cube, multimodal, observed, uniform

QUICK = BayesianRVFL(units=20)
WIDTH = MeanWidth(budget=0.05, draws=200, lattice=0)
SEARCH = Mixed(Multistart(64, 32, 2, 5))


class TestDynamicC(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return DynamicC(Standard(QUICK, WIDTH, SEARCH), limit=3)


# Högger (2021), Eq. (6.3-6.6): e_i for i = 0 .. 15, n = 15, e_n = 0.001
LIN = (".0625 .0584 .0543 .0502 .0461 .0420 .0379 .0338 .0297 .0256 .0215 .0174 .0133 .0092 .0051 "
       ".0010")  # fmt: skip
LIN_PAD = (".0625 .05691 .05132 .04573 .04014 .03455 .02895 .02336 .01777 .01218 .00659 .001 .001 "
           ".001 .001 .001")  # fmt: skip
EXP_PAD = (".0625 .04292 .02947 .02023 .01389 .00954 .00655 .00450 .00309 .00212 .00146 .001 .001 "
           ".001 .001 .001")  # fmt: skip


@pytest.mark.parametrize(
    "decay, printed",
    [
        (Decay("linear", padding=0), LIN),
        (Decay("linear"), LIN_PAD),
        (Decay("exponential"), EXP_PAD),
    ],
)
def test_least_distances_are_those_of_the_document(decay, printed):
    """Section 13, item 4."""
    found = [decay(i, 15, 8, 1) for i in range(16)]
    assert found[0] == 0.0625
    assert found == pytest.approx([float(e) for e in printed.split()], abs=5.1e-6)


def test_an_exponential_decay_without_padding_ends_at_the_last_step():
    decay = Decay("exponential", padding=0, last=0.01)
    assert decay(64, 64, 8, 2) == pytest.approx(0.01)
    assert decay(32, 64, 8, 2) == pytest.approx((0.0625 * 0.01) ** 0.5)
    assert decay(99, 64, 8, 2) == 0.01


def test_the_last_distance_is_the_spacing_of_the_grid():
    assert Decay()(60, 64, 8, 1) == 0.001
    assert Decay()(60, 64, 8, 2) == Decay()(60, 64, 8, 5) == 0.01


def test_steps_are_counted_from_the_end_of_the_initial_design():
    policy = DynamicC(Standard(QUICK, WIDTH, SEARCH))
    data = observed(cube(1), 9)

    def least(number, horizon):
        return policy.least_distance(
            Step.of(data, cube(1), seed=0, number=number, horizon=horizon)
        )

    assert least(8, 23) == 0.0625
    assert least(11, 23) == pytest.approx(0.02023, abs=5e-6)
    assert least(19, 23) == 0.001
    assert least(8 + 60, None) == 0.001  # 64 steps, if nobody knows


def test_distances_are_those_of_the_cube_from_minus_one_to_one():
    point, old = torch.tensor([[0.3, 0.3]]), torch.tensor([[0.9, 0.9], [0.33, 0.34]])
    assert is_near(point, old, 0.1001) and not is_near(point, old, 0.0999)
    assert not is_near(point, old[:0], 1.0)


def by_hand(data, inner, decay, limit, n, budget):
    """Högger (2021), Sec. 6.4, in one variable on a grid, with the moments of the model alone."""
    fit = Step.of(data, cube(1), seed=5, number=data.n).fit
    grid = torch.linspace(0, 1, 2000, dtype=torch.float64)[:, None]
    first = moments_of(fit(QUICK, data.first(8)).posterior(grid[:, None]))[1]
    c = budget / (2 * first.sqrt().mean())
    mean, variance = (m.flatten() for m in moments_of(fit(QUICK, data).posterior(grid[:, None])))
    distances = 2 * (grid - data.X.T).abs().amin(1)
    for doublings in range(limit + 1):
        s = c * 2**doublings * variance.sqrt()
        value = mean + s
        if inner == "ei":
            z = (mean - data.Y.max()) / s
            normal = torch.distributions.Normal(0.0, 1.0)
            value = s * normal.log_prob(z).exp() + (mean - data.Y.max()) * normal.cdf(z)
        i = int(torch.where(distances > 2e-7, value, -torch.inf).argmax())
        if distances[i] >= decay(data.n - 8, n, 8, 1):
            break
    return float(grid[i]), doublings, float(c * 2**doublings)


@pytest.mark.parametrize("inner", ["upper_bound", "ei"])
def test_it_is_the_loop_of_the_document(inner):
    criterion = UpperBound(1.0) if inner == "upper_bound" else ExpectedImprovement()
    width = MeanWidth(criterion, budget=0.02, scaling="none")
    policy = DynamicC(Standard(QUICK, width, GridPoints()), Decay("linear"), limit=6)
    X = uniform(8, 1, seed=4)
    data, counts = Data(X, multimodal(X), torch.arange(8)), []
    for number in range(8, 8 + 6):
        step = Step.of(data, cube(1), seed=5, number=number, horizon=8 + 10)
        proposal = policy.propose(step)
        x, doublings, c = by_hand(data, inner, policy.decay, 6, 10, 0.02)
        assert float(proposal.points) == pytest.approx(x, abs=1e-12)
        assert proposal.facts["doublings"] == doublings
        assert proposal.facts["c"] == pytest.approx(c)
        counts.append(doublings)
        data = Data(
            torch.cat([data.X, proposal.points]),
            torch.cat([data.Y, multimodal(proposal.points)]),
            torch.arange(number + 1),
        )
    assert max(counts) > 0, "the toy is wrong: nothing was doubled"


def test_after_the_limit_the_last_point_is_taken():
    data = observed(cube(1), 8)
    here = data.X[:1] + 1e-4

    def stuck(step, acquisition, q):
        return here

    policy = DynamicC(Standard(QUICK, WIDTH, stuck), limit=3)
    proposal = policy.propose(Step.of(data, cube(1), seed=0, number=8, horizon=20))
    assert torch.equal(proposal.points, here)
    assert proposal.facts["doublings"] == 3
    assert proposal.facts["c"] == pytest.approx(8 * proposal.facts["mean_width_c"])


def test_c_is_that_of_the_initial_design_again_in_the_next_step():
    policy = DynamicC(Standard(QUICK, WIDTH, SEARCH))
    data = observed(SQUARE, 12)
    factors = {
        policy.propose(Step.of(data.first(n), SQUARE, seed=0, number=n)).facts["mean_width_c"]
        for n in (8, 10, 12)
    }
    assert len(factors) == 1


def test_the_model_is_fitted_once(monkeypatch):
    fits = []

    class Counted:
        scaling, is_smooth = "standard", True

        def fit(self, data, rng):
            fits.append(data.n)
            return QUICK.fit(data, rng)

    policy = DynamicC(Standard(Counted(), WIDTH, lambda step, a, q: step.data.X[:1]), limit=5)
    policy.propose(Step.of(observed(SQUARE, 11), SQUARE, seed=0, number=11))
    assert sorted(fits) == [8, 11]  # the initial design and the present


def test_another_criterion_is_refused():
    with pytest.raises(TypeError, match=r"c of a MeanWidth, got the criterion UpperBound"):
        DynamicC(Standard(QUICK, UpperBound(1.0), SEARCH))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Decay("cubic"),
        lambda: Decay(padding=-1),
        lambda: Decay(last=0.0),
        lambda: DynamicC(Standard(QUICK, WIDTH, SEARCH), limit=-1),
    ],
)
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize("is_ei", [False, True])
def test_every_row_of_the_document_has_its_policy(decay, is_ei):
    for budget in (*BUDGETS, "0.05"):
        _, criterion, maximizer = dynamic("GP", decay, budget, is_ei=is_ei).split("/")
        policy = make_policy("gp", criterion, maximizer)
        standard = policy.inner if isinstance(policy, DynamicC) else policy
        assert isinstance(policy, DynamicC) == (decay != "no dc")
        assert standard.criterion.budget == float(budget)
        assert isinstance(standard.criterion.criterion, ExpectedImprovement) == is_ei
        assert standard.maximizer == GridPoints()
    assert SURROGATES["GP"] == "gp_pure"


def test_names_have_the_settings_of_the_document():
    assert DYNAMIC_C["dynamic_c_lin_0.1"][1] == Decay("linear", 0)
    assert DYNAMIC_C["dynamic_c_lin_pad_0.1"][1] == Decay("linear", 4)
    assert DYNAMIC_C["dynamic_c_exp_pad_ei_0.1"][1] == Decay("exponential", 4)
    assert CRITERIA["mean_width_0.1"].scaling == "none"


def test_a_name_that_nobody_knows_is_explained():
    with pytest.raises(
        ValueError, match=r"unknown criterion 'dynamic_d'. Did you mean 'dynamic_c"
    ):
        make_policy("gp", "dynamic_d")


def test_it_says_who_chooses_and_has_a_model():
    policy = make_policy(GaussianProcess(), "dynamic_c", "grid")
    step = Step.of(observed(SQUARE, 9), SQUARE, seed=0, number=9)
    assert policy.plan(step).standard == policy.inner
    assert policy.surrogate == GaussianProcess()
