"""The maximizers: their promises, and what each does beyond them."""

import pytest
import torch
from botorch.acquisition import AcquisitionFunction

from neuralbo.catalog import MAXIMIZERS
from neuralbo.data import Data
from neuralbo.maximizers import (
    DifferentialEvolution,
    Mixed,
    Multistart,
    RandomCandidates,
    RandomPoints,
)
from neuralbo.maximizers.maximizer import SAME_POINT, around, choose, evaluate, is_seen, pick
from neuralbo.space.domain import Domain, Variable
from neuralbo.testing import MaximizerChecks
from neuralbo.testing.maximizer_checks import assert_legal, step_of, top_of
from neuralbo.testing.toys import (
    CONDITIONAL,
    MIXED,
    SQUARE,
    OneNumber,
    Peak,
    cube,
    observed,
    seeded,
    uniform,
)


class TestMixed(MaximizerChecks):
    @pytest.fixture
    def maximizer(self):
        return Mixed()


class TestShortSearches(MaximizerChecks):
    @pytest.fixture
    def maximizer(self):
        return Mixed(Multistart(restarts=6, rounds=30, tolerance=1e-4), rounds=5, between=6)


class FlatTop(Peak):
    """A peak that counts how often it was asked."""

    suggested = 0

    def forward(self, X):
        self.suggested += 1
        # flat at the top: a local search does not end at once
        return -(-super().forward(X)).square()


def test_local_searches_that_may_end_sooner_ask_less():
    suggested = []
    for tolerance in (1e-6, 1e-2):
        peak = FlatTop(torch.full((1, 2), 0.3).double())
        Multistart(rounds=60, tolerance=tolerance)(step_of(observed(SQUARE, 3), SQUARE), peak, 1)
        suggested.append(peak.suggested)
    assert suggested[1] < suggested[0]


class TestMultistart(MaximizerChecks):
    @pytest.fixture
    def maximizer(self):
        return Multistart()


class TestRandomPoints(MaximizerChecks):
    """Of 1,000 points for each variable; the nearest in a square is about 0.01 away."""

    tolerance = 0.05

    @pytest.fixture
    def maximizer(self):
        return RandomPoints(per_variable=1000)


class TestRandomCandidates(MaximizerChecks):
    """Of 350 points in a square the nearest is about 0.03 away."""

    tolerance = 0.15

    @pytest.fixture
    def maximizer(self):
        return RandomCandidates()


class TestManyStarts(MaximizerChecks):
    """Every candidate begins a local search: 150 of them."""

    @pytest.fixture
    def maximizer(self):
        return MAXIMIZERS["lbfgs150"]


class TestDifferentialEvolution(MaximizerChecks):
    """Without polishing: a population of 30 to 60 is about 0.001 wide after 2000 evaluations."""

    tolerance = 0.01

    @pytest.fixture
    def maximizer(self):
        return DifferentialEvolution()


class TestFewStarts(MaximizerChecks):
    """One start is enough for a parabola."""

    @pytest.fixture
    def maximizer(self):
        return Mixed(Multistart(candidates=16, local=4, restarts=1))


class Counted(AcquisitionFunction):
    """A constant that keeps the points at which it was evaluated."""

    def __init__(self):
        super().__init__(OneNumber())
        self.rows = []

    def forward(self, X):
        self.rows.append(X.squeeze(-2))
        return 0 * X.sum((-1, -2))

    @property
    def X(self):
        return torch.cat(self.rows)


def test_robo_takes_350_uniform_candidates_and_150_around_the_incumbent():
    """Aryan (2020), Sec. 4.4; the std is 0.1 of the box, and the incumbent far from its faces."""
    data = Data(torch.tensor([[0.5, 0.45], [0.1, 0.1]]), torch.tensor([[1.0], [0.0]]))
    counted = Counted()
    RandomCandidates()(step_of(data, SQUARE), counted, 1)
    assert len(counted.X) == 500
    anywhere, near = counted.X.split([350, 150])
    assert ((anywhere.mean(0) - 0.5).abs() < 5 * (1 / 12 / 350) ** 0.5).all()
    rest = near - torch.tensor([0.5, 0.45])
    assert (rest.mean(0).abs() < 5 * 0.1 / 150**0.5).all()
    assert ((rest.std(0) / 0.1 - 1).abs() < 5 / 300**0.5).all()


def test_candidates_around_an_incumbent_at_a_face_are_clipped():
    data = Data(torch.tensor([[1.0, 0.5]]), torch.ones(1, 1))
    counted = Counted()
    RandomCandidates()(step_of(data, SQUARE), counted, 1)
    at_the_face = (counted.X[350:, 0] == 1).double().mean()
    assert at_the_face == pytest.approx(0.5, abs=5 * 0.5 / 150**0.5)


@pytest.mark.parametrize("d", [2, 10, 50, 200])
def test_differential_evolution_evaluates_2000_points_or_a_few_less(d):
    counted = Counted()
    domain = cube(d)
    DifferentialEvolution()(step_of(observed(domain, 3), domain), Hidden(counted), 1)
    assert 1980 <= len(counted.X) <= 2000


class Hidden(AcquisitionFunction):
    """A parabola that counts: a population of equal values would stop at once."""

    def __init__(self, counted):
        super().__init__(OneNumber())
        self.counted = counted

    def forward(self, X):
        return self.counted(X) - (X - 0.3).square().sum((-1, -2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: DifferentialEvolution(9),
        lambda: RandomCandidates(0),
        lambda: RandomCandidates(local=1.0),
        lambda: RandomCandidates(std=-0.1),
    ],
)
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()


@pytest.mark.parametrize("d", [1, 10, 50])
def test_local_search_reaches_the_top_in_many_dimensions(d):
    domain, top = cube(d), top_of(cube(d))
    (point,) = Multistart()(step_of(observed(domain, 3), domain), Peak(top), 1)
    assert (point - top).abs().max() < 1e-3


def test_an_integer_of_many_levels_is_found():
    """There are 10,001 levels, and 1,536 candidates: the last steps are changes of one."""
    domain = Domain((Variable("ordinal", 10_001), Variable()))
    top = torch.tensor([0.4321, 0.7], dtype=torch.float64)
    (point,) = Mixed()(step_of(observed(domain, 3), domain), Peak(top), 1)
    assert (point - top).abs().max() < 2e-3


def test_random_candidates_about_the_incumbent_keep_its_level_of_many():
    domain = Domain((Variable("category", 10_000), Variable()))
    data = observed(domain, 30)
    top = data.X[data.top(1)[0]].clone()
    top[-1] = top[-1] + 0.1 if top[-1] < 0.5 else top[-1] - 0.1
    (point,) = RandomCandidates()(step_of(data, domain), Peak(top), 1)
    assert torch.equal(point[:-1], top[:-1])


class CountedPeak(Peak):
    """A peak that counts the points at which it was evaluated."""

    points = 0

    def forward(self, X):
        self.points += len(X)
        return super().forward(X)


@pytest.mark.parametrize("maximizer", [Mixed(), Mixed(rounds=5, between=6)])
def test_a_good_level_of_ten_thousand_is_found_without_visiting_them_all(maximizer):
    """It is that of the third best observation; the other variable has still to move."""
    domain = Domain((Variable("category", 10_000), Variable()))
    data = observed(domain, 30)
    top = data.X[data.top(3)[2]].clone()
    top[-1] = 1 - top[-1]
    peak = CountedPeak(top)
    (point,) = maximizer(step_of(data, domain), peak, 1)
    assert (point - top).abs().max() < 1e-3
    assert peak.points < 8_000


@pytest.mark.parametrize("seed", range(5))
def test_categories_that_depend_on_each_other_are_found(seed):
    """Eight categories of four levels have 65,536 combinations, more than the candidates."""
    domain = Domain((Variable("category", 4),) * 8)
    top = top_of(domain, seed)
    (point,) = Mixed()(step_of(observed(domain, 3), domain), Peak(top), 1)
    assert torch.equal(point, top)


@pytest.mark.parametrize("seed", range(8))
def test_the_best_branch_of_a_conditional_domain_is_found(seed):
    top = top_of(CONDITIONAL, seed)
    (point,) = Mixed()(step_of(observed(CONDITIONAL, 1), CONDITIONAL), Peak(top), 1)
    assert (point - top).abs().max() < 1e-3


def test_the_highest_of_several_local_optima_is_found():
    tops = torch.tensor(
        [[0.8, 0.3], [0.2, 0.2], [0.3, 0.8], [0.5, 0.5], [0.8, 0.9]], dtype=torch.float64
    )
    heights = torch.tensor([1.0, 0.9, 0.8, 0.9, 0.95], dtype=torch.float64)

    class Multimodal(AcquisitionFunction):
        def forward(self, X):
            squares = (X - tops).square().sum(-1)  # b x 5
            return (heights * (-squares / (2 * 0.05**2)).exp()).sum(-1)

    for number in range(5):
        step = step_of(observed(SQUARE, 3), SQUARE, number)
        (point,) = Multistart()(step, Multimodal(OneNumber()), 1)
        assert (point - tops[0]).abs().max() < 1e-3


def test_mixed_is_multistart_in_a_continuous_domain():
    data, peak = observed(SQUARE, 3), Peak(top_of(SQUARE))
    left, right = (m(step_of(data, SQUARE), peak, 2) for m in (Mixed(), Multistart()))
    assert torch.equal(left, right)


def test_values_that_are_no_numbers_come_last():
    top = torch.full((2,), torch.nan, dtype=torch.float64)
    assert (evaluate(Peak(top), uniform(4, 2)) == -torch.inf).all()


def test_many_points_are_evaluated_as_few():
    X, peak = uniform(9000, 2), Peak(top_of(SQUARE))
    assert torch.equal(evaluate(peak, X)[:10], evaluate(peak, X[:10]))


def test_points_are_one_if_every_column_is_near():
    X = uniform(3, 2)
    near = X + SAME_POINT / 2
    far = X + torch.tensor([0.0, 2 * SAME_POINT]).double()
    assert is_seen(near, X).all()
    assert not is_seen(far, X).any()
    assert not is_seen(X, X[:0]).any()


def test_the_best_come_first():
    step = step_of(observed(SQUARE, 3), SQUARE)
    X, values = uniform(50, 2, seed=8), uniform(50, seed=9)
    chosen = pick(step, X, values, 5)
    assert torch.equal(chosen, X[values.argsort(descending=True)[:5]])


def test_the_best_candidate_always_local_searches():
    values = uniform(100, seed=1)
    for seed in range(20):
        start = choose(values, 5, seeded(seed))
        assert int(values.argmax()) in start.tolist()
        assert len(set(start.tolist())) == 5


def test_better_candidates_local_search_more_often():
    values = torch.linspace(0, 1, 100, dtype=torch.float64)
    starts = torch.cat([choose(values, 5, seeded(seed)) for seed in range(200)])
    assert (starts > 50).double().mean() > 0.8


@pytest.mark.parametrize("value", [0.0, -torch.inf])
def test_equal_values_can_be_chosen_from(value):
    assert len(set(choose(torch.full((20,), value).double(), 5, seeded()).tolist())) == 5


def test_local_candidates_are_coordinates_of_legal_points():
    step = step_of(observed(MIXED, 6), MIXED)
    U = around(step, 100, seeded())
    assert U.shape == (100, 4)
    assert_legal(MIXED.expand(MIXED.enforce(U)), MIXED)


def test_some_local_candidates_are_near_the_best():
    data = observed(SQUARE, 6)
    U = around(step_of(data, SQUARE), 200, seeded())
    nearest = torch.cdist(U, data.X[data.Y.argmax()][None]).min()
    assert nearest < 0.01


def test_starts_are_chosen_among_the_numbers_when_most_values_are_none():
    values = torch.full((50,), -torch.inf, dtype=torch.float64)
    values[[3, 7, 20]] = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    chosen = choose(values, 3, torch.Generator().manual_seed(0))
    assert 20 in chosen
    assert len(set(chosen.tolist())) == 3
    assert choose(torch.full((5,), -torch.inf), 2, torch.Generator().manual_seed(0)).shape == (2,)
