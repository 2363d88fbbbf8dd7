"""Networks that classify.

The checks, the toy of Hassen and Rish (2021), and what each setting promises.
"""

import math
import pickle
from dataclasses import replace

import pytest
import torch
from ratio_toy import GRID, in_cube, toy_log_odds, toy_sample

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.inference.laplace import Laplace
from neuralbo.networks.limited_memory import QuasiNewton
from neuralbo.networks.train import Descent
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.classifiers.classifier_presets import BOGGN, BORE, LFBO, PILOT, PRESETS
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio, important
from neuralbo.surrogates.classifiers.labels import Labels, label
from neuralbo.surrogates.trained.schedule import Schedule
from neuralbo.testing import ClassifierChecks
from neuralbo.testing.toys import DOMAINS, SQUARE, observed, seeded, smooth_data, uniform

GAMMA = 1 / 3
OTHERS = {name for name, r in PRESETS.items() if not isinstance(r, DensityRatio)}
QUICK = QuasiNewton(60)
TOY = DensityRatio(
    delta=0.3, widths=(32, 32, 32), activation="elu", training=QuasiNewton(100)
)  # Hassen and Rish (2021), Sec. 5.1


def classes(z):
    return Labels(z, 0.0, z, 1 - z, False)


class _Checks(ClassifierChecks):
    recipe = BORE

    @pytest.fixture
    def learn(self):
        recipe = replace(self.recipe, training=QUICK)

        def learn(X, z, rng):
            odds = recipe.learn(X, classes(z), GAMMA, rng)
            return ClassModel(odds, GAMMA, 0.0, {}).probability

        return learn


class TestPlugIn(_Checks):
    pass


class TestAveraged(_Checks):
    recipe = BOGGN


class TestAveragedByDraws(_Checks):
    recipe = replace(BOGGN, draws=8, activation="elu")


class TestByEvidence(_Checks):
    recipe = replace(BORE, delta=(0.01, 0.1))


class TestEnsemble(_Checks):
    recipe = replace(BORE, members=3, activation="tanh")


@pytest.mark.parametrize("name", [name for name in PRESETS if name not in OTHERS])
@pytest.mark.parametrize("kind", ["mixed", "conditional"])
def test_every_network_learns_in_mixed_and_conditional_spaces(name, kind):
    data = observed(DOMAINS[kind], 24)
    model = PRESETS[name].fit(data, seeded())
    p = model.probability(data.X)
    assert ((p > 0) & (p < 1)).all()
    if name != "boggn_printed_loss":
        z = label(data.Y[:, 0], model.gamma).z
        assert p[z == 1].mean() > p[z == 0].mean()


@pytest.mark.parametrize("sample", range(3))
def test_the_mode_of_the_toy_is_found(sample):
    """The toy of BORE: within 0.15 of -3.20, where the exact ratio is 2.469."""
    x, z = toy_sample(sample)
    recipe = replace(TOY, laplace=Laplace("kronecker") if sample else None)
    odds = recipe.learn(in_cube(x), classes(z), GAMMA, seeded())(in_cube(GRID))
    assert abs(float(GRID[odds.argmax()]) + 3.2) < 0.15
    ratio = odds.sigmoid() / GAMMA
    assert float(ratio.amax()) == pytest.approx(2.469, abs=0.25)
    exact = toy_log_odds(GRID)
    assert float((odds - exact)[exact > -1].abs().mean()) < 0.35


def test_weights_of_improvement_make_the_odds_expected_improvement():
    """On a line, y = x^2 + noise: EI over tau, in closed form, up to one factor."""
    x = uniform(1500, seed=1)
    y = x.square() + 0.2 * torch.randn(1500, generator=seeded(2), dtype=torch.float64)
    labels = label(y, GAMMA, "improvement")
    recipe = DensityRatio("improvement", delta=0.03, activation="elu")
    grid = torch.linspace(0.1, 0.95, 18, dtype=torch.float64)
    odds = recipe.learn(x[:, None], labels, GAMMA, seeded())(grid[:, None])
    u = (grid.square() - labels.threshold) / 0.2
    pdf = (-0.5 * u.square()).exp() / math.sqrt(2 * math.pi)
    exact = (0.2 * (pdf + u * torch.special.ndtr(u))).log()
    difference = odds - exact
    # log EI rises by 5 on the way; 1500 values leave a tenth or two
    assert (difference - difference.mean()).abs().mean() < 0.25


def test_posterior_averages_are_less_sure_than_the_plug_in():
    """MacKay (1992): the averaged logit is nearer to zero at every point."""
    data = smooth_data(30)
    plug_in, averaged = (r.fit(data, seeded()).log_odds(uniform(50, 2)) for r in (BORE, BOGGN))
    assert (averaged.abs() <= plug_in.abs()).all()
    assert ((averaged > 0) == (plug_in > 0)).all()


def test_draws_and_the_probit_form_agree():
    """The probit form is about 0.01 off (Hassen and Rish 2021, sec.

    7.5); 4000 draws have an error of at most 0.008.
    """
    data, X = smooth_data(30), uniform(20, 2, seed=5)
    p, q = (
        replace(BOGGN, draws=draws).fit(data, seeded()).probability(X) for draws in (None, 4000)
    )
    torch.testing.assert_close(p, q, atol=0.04, rtol=0)


def test_constant_values_have_the_same_probability_everywhere():
    data = Data(uniform(9, 2), torch.full((9, 1), 2.0).double())
    p = BOGGN.fit(data, seeded()).probability(uniform(5, 2))
    torch.testing.assert_close(p, torch.full_like(p, BOGGN.gamma))


def test_one_observation_is_enough():
    data = Data(uniform(1, 2), torch.ones(1, 1).double())
    assert LFBO.fit(data, seeded()).log_odds(uniform(5, 2)).isfinite().all()


def test_the_printed_loss_has_no_use_for_labels():
    """Below gamma = 1/2 it is least at pi = 0, whatever the labels.

    Hassen and Rish (2021), Eq. (3.4).
    """
    recipe, X = PILOT["boggn_printed_loss"], uniform(30, 2)
    z = (X[:, 0] > 0.5).double()
    learned = [recipe.learn(X, classes(labels), GAMMA, seeded()) for labels in (z, 1 - z)]
    with_them, against = (odds.odds.net(odds.weights, 2 * X - 1) for odds in learned)
    assert torch.equal(with_them, against)
    assert (with_them < -1).all()


def test_by_evidence_networks_have_shares_that_sum_to_one():
    recipe = replace(BOGGN, delta=(0.01, 0.1, 1.0))
    odds = recipe.fit(smooth_data(25), seeded()).odds
    assert float(odds.odds.log_shares.exp().sum()) == pytest.approx(1)
    assert odds.facts["log_evidence"] == pytest.approx(
        float(odds.odds.posterior.log_evidence.max())
    )
    best = int(odds.odds.log_shares.argmax())
    assert odds.facts["delta"] == float(odds.odds.posterior.delta[best])


def test_the_evidence_prefers_a_network_that_has_learnt_little():
    """Why delta is fixed by default; docs/methods/boggn.md."""
    data = smooth_data(40)
    pairs = ((d, 1.01 * d) for d in (0.03, 1.0))  # evidence is taken of several
    recipes = [replace(BORE, members=1, delta=delta) for delta in pairs]
    weak, strong = (recipe.fit(data, seeded()) for recipe in recipes)
    assert strong.facts["log_evidence"] > weak.facts["log_evidence"]
    spread = [float(model.probability(data.X).std()) for model in (weak, strong)]
    assert spread[0] > 1.5 * spread[1]


def test_a_fit_goes_on_from_the_refit_before():
    data = smooth_data(30)
    step = Step.of(Data(data.X, data.Y, torch.arange(30)), SQUARE, seed=0, number=30)
    recipe = replace(BORE, again=QuasiNewton(1))
    warm = step.fit(recipe, step.data)
    refit = step.fit(recipe, step.data.first(27))
    fresh = recipe.fit(step.data, seeded())
    moved, distance = ((m.odds.weights - refit.odds.weights).norm() for m in (warm, fresh))
    assert 0 < moved < 0.2 * distance


def test_between_refits_only_the_networks_that_matter_are_trained():
    data = smooth_data(30)
    recipe = replace(BORE, members=1, delta=(0.001, 0.03, 3.0))
    first = recipe.fit(data.first(26), seeded())
    then = recipe.fit_from(data, seeded(), first)
    assert len(then.odds.weights) == len(first.odds.chosen)
    later = recipe.fit_from(smooth_data(39), seeded(), first)
    assert len(later.odds.weights) == 3


def test_a_start_of_another_kind_is_no_hindrance():
    data = smooth_data(12)
    start = LFBO.fit(Data(data.X[:9, :1], data.Y[:9]), seeded())
    again = BORE.fit_from(data, seeded(), start).log_odds(data.X)
    assert torch.equal(again, BORE.fit(data, seeded()).log_odds(data.X))


@pytest.mark.parametrize(
    "change",
    [{"training": Descent(300, 1e-2, anneals=True, patience=50), "again": Descent(100, 1e-2)},
     {"training": Descent(300, 1e-2, keeps_best=False), "batch": 8},
     {"rows": 15}, {"gamma": Schedule(0.4, 0.1, 60)}, {"delta": Schedule(1.0, 0.01, 60)},
     {"weighting": "balanced"}],
    ids=["annealed and stopped early", "batches", "important rows", "gamma falls", "delta falls",
         "balanced"],
)  # fmt: skip
def test_ways_to_train_find_the_good_region(change):
    """Of `multimodal` the best quarter is where both sines are large."""
    data = smooth_data(40)
    model = replace(BORE, **change).fit(data, seeded())
    z = label(data.Y[:, 0], model.gamma).z
    p = model.probability(data.X)
    assert p[z == 1].mean() > p[z == 0].mean() + 0.2


def test_important_rows_count_so_often_that_the_sum_keeps_its_mean():
    z, values = (uniform(50, seed=4) < 0.2).double(), uniform(50, seed=2)
    gradients = uniform(50, seed=1)
    rng, sums = seeded(3), []
    for _ in range(2000):
        rows, times = important(z * gradients, (1 - z) * gradients, 10, rng)
        sums.append(float((times * values[rows]).sum()))
    sums = torch.tensor(sums)
    assert abs(float(sums.mean() - values.sum())) < 5 * float(sums.std()) / math.sqrt(2000)


def test_a_schedule_falls_by_a_constant_factor_and_ends():
    schedule = Schedule(0.4, 0.1, 20)
    values = [schedule.at(n) for n in (0, 10, 20, 99)]
    assert values == pytest.approx([0.4, 0.2, 0.1, 0.1])


@pytest.mark.parametrize(
    "settings",
    [{"gamma": 0.0}, {"gamma": 1.0}, {"delta": 0.0}, {"delta": ()}, {"members": 0}, {"batch": 8}],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match=r"DensityRatio needs|batches are for"):
        DensityRatio(**settings)


@pytest.mark.parametrize("name", PRESETS)
def test_recipes_can_be_compared_hashed_and_pickled(name):
    recipe = PRESETS[name]
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert hash(recipe) == hash(replace(recipe))
