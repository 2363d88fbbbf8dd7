"""Codes in the place of columns: random planes, bottlenecks, and what they gain."""

import math

import pytest
import torch

from neuralbo.catalog import make_policy
from neuralbo.criteria import LogExpectedImprovement
from neuralbo.data import Data
from neuralbo.engine.step import Memory, Step
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.maximizers import Mixed, Multistart, RandomCandidates
from neuralbo.policies import Autoencoder, RandomEmbedding, Standard, TrustRegion
from neuralbo.policies.latent import Latent
from neuralbo.policies.random_embedding import Plane
from neuralbo.space.domain import Domain, Variable
from neuralbo.space.parameters import Real
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import CONDITIONAL, MIXED, cube, observed, seeded, uniform

INNER = Standard(BayesianRVFL(units=30), None, Mixed(Multistart(64, 32, 2, 5)))
LINE = Domain(
    (Variable("category", 3), Variable(), Variable(), Variable("ordinal", 5), Variable())
)


class TestRandomEmbedding(PolicyChecks):
    needs_data = True

    @pytest.fixture(params=["cube", "with levels"])
    def domain(self, request):
        return cube(6) if request.param == "cube" else LINE

    @pytest.fixture
    def policy(self):
        return RandomEmbedding(INNER, dimensions=2, starts=3)


class TestTwoPlanes(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def domain(self):
        return cube(5)

    @pytest.fixture
    def policy(self):
        return RandomEmbedding(INNER, dimensions=2, planes=2, starts=2)


class TestFewColumnsNeedNoPlane(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return RandomEmbedding(INNER)


class TestAutoencoder(PolicyChecks):
    needs_data = True

    @pytest.fixture(params=["cube", "with levels"])
    def domain(self, request):
        return cube(6) if request.param == "cube" else LINE

    @pytest.fixture
    def policy(self):
        return Autoencoder(INNER, width=8, steps=20)


def plane(d=20, k=3, seed=0):
    return Plane(torch.randn(d, k, generator=seeded(seed), dtype=torch.float64))


def test_the_box_rule_is_that_of_the_paper():
    """y in [-sqrt(k), sqrt(k)]^k, x = A y clipped to [-1, 1], as our cube has it."""
    found = plane()
    V = uniform(50, 3, seed=4)
    y = math.sqrt(3) * (2 * V - 1)
    x = (y @ found.A.T).clamp(-1, 1)
    torch.testing.assert_close(found.decode(V), (x + 1) / 2)
    assert (found.decode(V) == 1).any()  # something is clipped


@pytest.mark.parametrize(("d", "k"), [(50, 2), (20, 4), (6, 2)])
def test_the_code_of_a_point_of_the_plane_leads_back_to_it(d, k):
    found = plane(d, k)
    Z = found.decode(uniform(40, k, seed=4))
    V, is_on = found.encode(Z)
    assert is_on.float().mean() >= 0.9  # a corner of the box may be beyond the search's rounds
    torch.testing.assert_close(found.decode(V)[is_on], Z[is_on], atol=2e-5, rtol=0)
    assert ((V >= 0) & (V <= 1)).all()


def test_points_off_the_plane_are_known_as_such():
    _, is_on = plane().encode(uniform(30, 20, seed=2))
    assert not is_on.any()


def test_codes_stand_before_the_other_columns_and_conditions_follow_their_variables():
    latent = Latent.of(plane(1, 2), 2, MIXED, [0])
    kinds = [variable.kind for variable in latent.domain.variables]
    assert kinds == ["continuous", "continuous", "ordinal", "category", "category"]
    X = MIXED.sample(6, seeded(1))
    W, _ = latent.into(X)
    assert W.shape == (6, latent.domain.d)
    torch.testing.assert_close(latent.out(W)[:, 1:], X[:, 1:])
    free = Latent.of(plane(1, 2), 2, CONDITIONAL, [])
    assert free.domain.variables[3].when[0][0] == 2  # its parent was 0, behind two codes it is 2


def test_the_plane_belongs_to_the_study_and_points_lie_on_it():
    policy, domain = RandomEmbedding(INNER, dimensions=2, starts=2), cube(9)
    first = [
        policy.propose(Step.of(observed(domain, 6), domain, seed=7, number=n)).points
        for n in range(6, 9)
    ]
    step = Step.of(observed(domain, 6), domain, seed=7, number=20)
    codes = policy.latent(step, list(range(9))).codes
    assert codes.encode(torch.cat(first))[1].all()
    other = RandomEmbedding(INNER, dimensions=2).latent(
        Step.of(observed(domain, 6), domain, seed=8, number=20), list(range(9))
    )
    assert not torch.equal(other.codes.A, codes.A)


def test_trials_take_their_constraints_and_pruned_points_with_them():
    domain, found = cube(6), plane(6, 2)
    X = found.decode(uniform(5, 2, seed=4))
    C = torch.arange(5.0, dtype=torch.float64)[:, None] - 2
    bounds = torch.tensor([[0.3], [0.1]], dtype=torch.float64)
    data = Data(
        torch.cat([X[:3], uniform(2, 6)]), X[:, :1], torch.arange(5), C=C,
        X_censored=torch.cat([X[3:4], uniform(1, 6, seed=9)]), Y_censored=bounds,
    )  # fmt: skip
    latent = Latent.of(found, 2, domain, list(range(6)))
    inner = latent.step(Step.of(data, domain, seed=0, number=7)).data
    assert torch.equal(inner.C, C[:3])  # the others do not lie on the plane
    torch.testing.assert_close(latent.out(inner.X_censored), X[3:4], atol=2e-5, rtol=0)
    assert inner.Y_censored.tolist() == [[0.3]]


def test_there_is_a_model_of_all_columns_and_a_recommendation():
    space = {f"x{i}": Real(0, 1) for i in range(5)}
    for policy in (RandomEmbedding(INNER, dimensions=2), Autoencoder(INNER, width=4, steps=5)):
        opt = Optimizer(space, surrogate=policy, seed=0, n_startup_trials=2)
        for _ in range(4):
            params = opt.ask()
            opt.tell(params, sum(params.values()))
        assert opt.model.posterior(uniform(3, 5)).mean.shape == (3, 1)
        assert set(opt.recommend().params) == set(space)


def test_a_bottleneck_gives_back_points_of_a_curve():
    t = torch.linspace(0, 1, 24, dtype=torch.float64)
    X = curve(t, 8)
    data = Data(X, -(t[:, None] - 0.4).square(), torch.arange(24))
    found = Autoencoder(INNER, codes=1, elite=1.0, share=0.0).train(
        data, list(range(8)), seeded(1)
    )
    V, is_good = found.encode(X)
    assert is_good.all()
    error = (found.decode(V) - X).square().mean()
    assert error < 0.1 * X.var(0).mean()  # a mean point would have all of it


def curve(t, d):
    """Return points of a curve through the cube that bends in all columns, n x d."""
    phase = torch.arange(d, dtype=torch.float64)
    return 0.5 + 0.4 * torch.sin(3 * t[:, None] + phase)


# candidates at random: neither the plane nor the whole cube is searched with much effort
PLAIN = Standard(
    BayesianRVFL(units=50, noise_precision=None), LogExpectedImprovement(), RandomCandidates(300)
)


def best_after(policy, f, domain, trials, start, seed):
    """Return the best value after some trials, of which the first are given."""
    X, Y = start, f(start)[:, None]
    memory = Memory()
    for number in range(len(start), trials):
        data = Data(X, Y, torch.arange(len(X)))
        step = Step.of(data, domain, seed=seed, number=number, memory=memory)
        x = policy.propose(step).points
        X, Y = torch.cat([X, x]), torch.cat([Y, f(x)[:, None]])
    return float(Y.max())


def two_of_fifty(X):
    """Return a local optimum over two directions of fifty, which are no columns.

    u and v of uniform points have the standard deviation 0.6, so that none comes near to its top.
    """
    along = torch.linspace(-1, 1, 50, dtype=torch.float64)
    first, second = along.sign(), (9 * along).sin().sign()
    u, v = ((2 * X - 1) @ (w / 50**0.5) for w in (first, second))
    return -(u - 2.5).square() - (v + 2.0).square()


def test_a_random_plane_finds_what_two_of_fifty_directions_hide():
    """Over five seeds, with the same surrogate and the same number of trials."""
    domain, ours, plain = cube(50), [], []
    embedding = RandomEmbedding(PLAIN, dimensions=3, starts=4)
    for seed in range(5):
        start = domain.sobol(2, seeded(seed))
        ours.append(best_after(embedding, two_of_fifty, domain, 20, start, seed))
        plain.append(best_after(PLAIN, two_of_fifty, domain, 20, start, seed))
    assert sum(ours) > sum(plain)
    assert sum(a > b for a, b in zip(ours, plain, strict=True)) >= 4


def on_a_curve(X):
    """Return how near points are to one of a curve in twelve columns, at most 0."""
    top = curve(torch.tensor([0.9], dtype=torch.float64), 12)
    return -(X - top).square().sum(-1)


def test_a_bottleneck_finds_the_end_of_a_curve_that_it_has_seen_the_beginning_of():
    """The trials so far lie on a curve, and the best point lies farther on it. Five seeds."""
    domain, ours, plain = cube(12), [], []
    coded = Autoencoder(PLAIN, codes=1, elite=1.0, share=0.02, globally=0)
    for seed in range(5):
        t = 0.75 * torch.rand(12, generator=seeded(seed), dtype=torch.float64)
        noise = 0.01 * torch.randn(12, 12, generator=seeded(seed + 50), dtype=torch.float64)
        start = (curve(t, 12) + noise).clamp(0, 1)
        ours.append(best_after(coded, on_a_curve, domain, 20, start, seed))
        plain.append(best_after(PLAIN, on_a_curve, domain, 20, start, seed))
    assert sum(ours) > sum(plain)
    assert sum(a > b for a, b in zip(ours, plain, strict=True)) >= 4


@pytest.mark.parametrize(
    ("name", "kind"),
    [("trust_region@gp", TrustRegion), ("random_embedding@brvfl4", RandomEmbedding),
     ("autoencoder@gp", Autoencoder)],
)  # fmt: skip
def test_a_policy_around_any_surrogate_has_a_name(name, kind):
    policy = make_policy(name, "ei")
    assert isinstance(policy, kind)
    assert type(policy.inner.criterion).__name__ == "ExpectedImprovement"
    expected = BayesianRVFL if name.endswith("brvfl4") else GaussianProcess
    assert isinstance(policy.surrogate, expected)


def test_an_unknown_policy_around_a_surrogate_is_answered_with_the_near_ones():
    with pytest.raises(ValueError, match="Did you mean 'trust_region'"):
        make_policy("trust_regoin@gp")
    with pytest.raises(ValueError, match="unknown surrogate"):
        make_policy("trust_region@gpp")


@pytest.mark.parametrize(
    "wrong",
    [lambda: RandomEmbedding(INNER, dimensions=0), lambda: RandomEmbedding(INNER, planes=0),
     lambda: Autoencoder(INNER, codes=0), lambda: Autoencoder(INNER, elite=0.0),
     lambda: Autoencoder(INNER, share=2.0)],
)  # fmt: skip
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="needs"):
        wrong()
