"""The constant surrogate: its distribution, and that it searches at random."""

import pytest
import torch
from scipy.stats import kstest

from neuralbo.catalog import CRITERIA, MAXIMIZERS, SURROGATES, make_policy
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates import Empirical
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import SQUARE, observed, seeded, smooth_data, uniform


@pytest.mark.filterwarnings("ignore:All acquisition values")  # so they are, by construction
class TestEmpirical(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return Empirical()


def test_it_is_in_the_catalog():
    assert SURROGATES["empirical"] == Empirical()


def test_an_observation_has_mean_and_variance_of_the_values():
    """Kruse (2022), Sec. 6.1: the variance is that with 1/n."""
    data = Data(uniform(4, 2), torch.tensor([[1.0], [2.0], [4.0], [9.0]]))
    model = Empirical().fit(data, seeded())
    mean, variance = moments_of(model.posterior(uniform(3, 1, 2), observation_noise=True))
    torch.testing.assert_close(mean, torch.full_like(mean, 4.0))
    torch.testing.assert_close(variance, torch.full_like(variance, 9.5))


def test_f_is_one_number_at_all_points():
    f = Empirical().fit(smooth_data(), seeded()).draw(seeded())
    assert len(f(uniform(9, 2)).unique()) == 1


# mixtures, classifiers, several objectives, models in closed form
OF_OTHERS = {
    "mixture_ei", "class_probability", "class_probability_plain", "hypervolume",
    "knowledge_gradient",
}  # fmt: skip


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if name not in OF_OTHERS])
def test_every_criterion_is_the_same_at_all_points(criterion):
    step = Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9)
    acquisition = CRITERIA[criterion](step, Empirical().fit(step.data, seeded()))
    values = acquisition(uniform(50, 1, 2))
    torch.testing.assert_close(values, values[:1].expand(50), rtol=1e-14, atol=0)  # rounding


# Of equal values all but the last take the first, and the last is for networks.
FIXED = {"grid", "direct", "direct_5000", "mixed_integer"}


@pytest.mark.slow
@pytest.mark.parametrize("maximizer", [name for name in MAXIMIZERS if name not in FIXED])
def test_the_search_is_random_search(maximizer):
    """Each suggestion is a uniform point of its own, in each column."""
    policy, data = make_policy("empirical", maximizer=maximizer), observed(SQUARE, 9)
    X = torch.cat(
        [policy.propose(Step.of(data, SQUARE, seed=1, number=n)).points for n in range(60)]
    )
    for column in X.unbind(-1):
        assert kstest(column.numpy(), "uniform").pvalue > 1e-3
        assert len(column.unique()) == 60


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        Empirical().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())
