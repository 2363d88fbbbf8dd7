"""What an analysis says of a study, against what is known of its function."""

import math
from datetime import datetime, timedelta

import numpy as np
import optuna
import pytest
import torch
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial
from scipy import stats

from neuralbo.engine.step import Step
from neuralbo.policies.policy_presets import AUTO
from neuralbo.reporting.analysis import Analysis, NoModelError, Record
from neuralbo.reporting.analysis.calibration import _one_ahead, _refit_sizes
from neuralbo.reporting.analysis.importance import Change
from neuralbo.reporting.analysis.landscape import FEW, chosen
from neuralbo.reporting.analysis.pareto_front import front

UNIT = FloatDistribution(0, 1)


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def study_of(rows, direction="minimize"):
    """Return a study of (parameters with distributions, value or state) pairs."""
    study = optuna.create_study(direction=direction)
    for params, result in rows:
        state = result if isinstance(result, TrialState) else TrialState.COMPLETE
        study.add_trial(
            create_trial(
                state=state,
                value=None if state != TrialState.COMPLETE else result,
                params={name: value for name, (value, _) in params.items()},
                distributions={name: d for name, (_, d) in params.items()},
            )
        )
    return study


def sobol(n, d):
    engine = torch.quasirandom.SobolEngine(d, scramble=True, seed=3)
    return engine.draw(n, dtype=torch.float64).tolist()


def smooth(f, n=60, d=2, **options):
    names = "abcdef"[:d]
    rows = [
        ({name: (x, UNIT) for name, x in zip(names, row, strict=True)}, f(*row))
        for row in sobol(n, d)
    ]
    return study_of(rows, **options)


@pytest.fixture(scope="module")
def additive():
    """An analysis of 2a + b: variances 4/12 and 1/12, nothing together."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return Analysis(smooth(lambda a, b, c: 2 * a + b, d=3))


@pytest.fixture(scope="module")
def noisy():
    """An analysis of many trials of a with a noise of 0.2."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng = np.random.default_rng(1)
    return Analysis(smooth(lambda a, b: a + 0.2 * rng.standard_normal(), n=600))


CONDITIONAL = CategoricalDistribution(["plain", "deep"])


def conditional(n=80):
    rows = []
    for u, depth, x in sobol(n, 3):
        kind = "deep" if u < 0.5 else "plain"
        params = {"kind": (kind, CONDITIONAL), "x": (x, UNIT)}
        if kind == "deep":
            params["depth"] = (depth, UNIT)
            rows.append((params, depth + 0.1 * x))
        else:
            rows.append((params, 2.0 + 0.1 * x))
    return study_of(rows)


class TestShares:
    def test_those_of_a_sum_are_its_parts_of_the_variance(self, additive):
        found = {share.name: share for share in additive.shares}
        # 4/5 and 1/5 in closed form; 2048 Sobol rows and a fitted model leave about 0.01
        for name, share in (("a", 0.8), ("b", 0.2), ("c", 0.0)):
            assert found[name].first == pytest.approx(share, abs=0.03)
            assert found[name].total == pytest.approx(share, abs=0.03)
        assert [share.name for share in additive.shares] == ["a", "b", "c"]

    def test_of_a_product_of_signs_nothing_is_explained_alone(self):
        analysis = Analysis(smooth(lambda a, b: (a - 0.5) * (b - 0.5), n=80))
        for share in analysis.shares:
            assert share.first < 0.1
            assert share.total > 0.9

    def test_a_condition_counts_for_what_it_switches(self):
        found = {share.name: share for share in Analysis(conditional()).shares}
        # f = 2 or depth, each half of the time: by hand Var = 1/24 + 9/16, and of these
        # E Var(f | depth) = 1/4 E (2 - depth)^2 = 7/12 for kind, Var(depth)/2 = 1/24 for depth
        variance = 1 / 24 + 9 / 16
        assert found["kind"].total == pytest.approx(7 / 12 / variance, abs=0.05)
        assert found["depth"].total == pytest.approx(1 / 24 / variance, abs=0.05)
        assert found["x"].total < 0.02

    def test_of_a_constant_function_nothing_matters(self):
        analysis = Analysis(smooth(lambda a, b: 3.0, n=12))
        assert [share.total for share in analysis.shares] == [0.0, 0.0]


class TestAblation:
    def test_the_largest_gain_comes_first_and_ends_at_the_recommended(self, additive):
        found = additive.ablation
        assert [change.name for change in found.changes][:2] == ["a", "b"]
        assert found.start == pytest.approx(1.5, abs=0.02)  # 2a + b in the middle
        assert found.changes[-1].mean == pytest.approx(-additive.model.recommended.mean, rel=1e-6)

    def test_gains_add_up_to_the_whole_way(self, additive):
        found = additive.ablation
        gains = [found.gain(k, -1.0) for k in range(len(found.changes))]
        assert sum(gains) == pytest.approx(found.start - found.changes[-1].mean)

    def test_the_middle_of_a_category_is_its_first_choice(self):
        changes = Analysis(conditional()).ablation.changes
        assert {type(change) for change in changes} == {Change}
        assert next(c for c in changes if c.name == "kind").before == "plain"


class TestSlices:
    def test_the_mean_is_near_the_function(self, additive):
        found = additive.model
        one = next(s for s in additive.slices if s.name == "a")
        rest = float(found.U[one.row, 1])
        truth = 2 * one.coordinates + rest
        assert (one.prediction.mean - truth).abs().max() < 0.1

    def test_one_of_a_conditional_parameter_goes_through_a_trial_that_has_it(self):
        analysis = Analysis(conditional())
        one = next(s for s in analysis.slices if s.name == "depth")
        assert not analysis.model.U[one.row, one.i].isnan()
        rise = one.prediction.mean[-1] - one.prediction.mean[0]
        assert float(rise) == pytest.approx(1.0, abs=0.1)

    def test_a_map_is_empty_where_a_parameter_does_not_exist(self):
        analysis = Analysis(conditional())
        names = analysis.model.space.names
        pair = {"kind", "depth"}
        one = next(m for m in analysis.maps if {names[m.i], names[m.j]} == pair)
        mean = one.mean if names[one.i] == "kind" else one.mean.T
        column = one.across if names[one.i] == "kind" else one.upwards
        plain = [k for k, u in enumerate(column.tolist()) if round(u) == 0]
        assert mean[:, plain].isnan().all()
        assert not mean.isnan().all()

    def test_a_map_agrees_with_the_model_cell_by_cell(self, additive):
        one, found = additive.maps[0], additive.model
        U = found.U[one.row : one.row + 1].clone()
        U[0, one.i], U[0, one.j] = one.across[3], one.upwards[7]
        # the same points one at a time: only rounding differs
        assert float(one.mean[7, 3]) == pytest.approx(float(found.predict(U).mean), rel=1e-9)


class TestCalibration:
    def test_one_step_ahead_is_what_conditioning_one_by_one_gives(self, noisy):
        found = noisy.model
        model, X, y = found.fit(90), found.data.X[90:98], found.data.Y[90:98, 0].numpy()
        mean, std, z = (part.numpy() for part in _one_ahead(model, X, found.data.Y[90:98, 0]))
        with torch.no_grad():
            m, S = (part.numpy() for part in model.joint(X))
        S = S + float(model.noise_variance) * np.eye(8)
        for k in range(8):
            gain = np.linalg.solve(S[:k, :k], S[:k, k])
            expected = m[k] + gain @ (y[:k] - m[:k])
            s = math.sqrt(S[k, k] - gain @ S[:k, k])
            # rounding, and the jitter of 1e-10 of the mean variance
            assert mean[k] == pytest.approx(expected, abs=1e-7)
            assert std[k] == pytest.approx(s, rel=1e-7)
            assert z[k] == pytest.approx((y[k] - expected) / s, abs=1e-6)

    def test_refits_cover_all_trials_after_the_first_eight(self):
        assert _refit_sizes(30) == [(8, 12), (12, 18), (18, 27), (27, 30)]
        assert _refit_sizes(8) == []

    def test_noise_that_the_model_has_learnt_is_calibrated(self, noisy):
        assert noisy.calibration.numbers.min() >= 400  # the last third of the trials
        # five standard errors of a root mean square of 200 residuals are 5/sqrt(400)
        assert abs(noisy.calibration.spread - 1) < 0.25

    def test_coverage_counts_residuals_within_the_quantiles_of_a_normal(self, additive):
        found = additive.calibration
        half = stats.norm.ppf(0.9)
        assert found.coverage(0.8) == float((found.z.abs() <= half).double().mean())

    def test_the_rank_correlation_is_spearmans(self, additive):
        found = additive.calibration
        peer = stats.spearmanr(found.expected, found.observed).statistic
        assert found.rank_correlation == pytest.approx(peer)


class TestRecord:
    def test_the_best_so_far_never_gets_worse_and_begins_with_a_value(self):
        x = {"x": (0.5, UNIT)}
        rows = [(x, TrialState.FAIL), (x, 3.0), (x, 4.0), (x, 1.0)]
        path = Record.of(study_of(rows)).best_so_far()
        assert math.isnan(path[0])
        assert path[1:] == [3.0, 3.0, 1.0]

    def test_an_infinite_value_is_a_failure(self):
        record = Record.of(study_of([({"x": (0.5, UNIT)}, math.inf)]))
        assert len(record.failed) == 1 and not record.done

    def test_the_front_is_optunas(self):
        study = optuna.create_study(directions=["minimize", "maximize"])
        for a, b in sobol(30, 2):
            study.add_trial(create_trial(values=[a, b]))
        ours = {trial.number for trial in front(Record.of(study))}
        assert ours == {trial.number for trial in study.best_trials}


class TestFailures:
    def test_the_parameter_that_decides_comes_first_and_has_a_score_of_one(self):
        count = IntDistribution(1, 8)
        rows = [
            ({"n": (1 + k % 8, count), "x": ((k * 0.37) % 1, UNIT)},
             TrialState.FAIL if 1 + k % 8 > 6 else 1.0)
            for k in range(64)
        ]  # fmt: skip
        first = Analysis(study_of(rows)).failures[0]
        assert first.name == "n"
        assert first.score == pytest.approx(1.0)  # the last quarter fails, and no other
        assert [part.share for part in first.parts] == [0, 0, 0, 1]

    def test_the_score_is_the_statistic_of_the_table(self):
        rows = [({"c": (c, CategoricalDistribution("ab"))}, r) for c, r in
                [("a", 1.0)] * 9 + [("a", TrialState.FAIL)] * 3 + [("b", 1.0)] * 4
                + [("b", TrialState.FAIL)] * 6]  # fmt: skip
        peer = stats.chi2_contingency([[3, 9], [6, 4]], correction=False).statistic / 22
        assert Analysis(study_of(rows)).failures[0].score == pytest.approx(peer)


class TestAdvice:
    def test_a_bound_that_the_best_crowd_at_is_named_and_nobody_is_told_to_widen_it(self):
        analysis = Analysis(smooth(lambda a, b: max(a, 0.15) + (b - 0.4) ** 2, n=30))
        assert not any("bound" in hint.what for hint in analysis.advice)
        leaves = IntDistribution(2, 42)
        rows = [({"num_leaves": (max(42 - k, 2), leaves)}, max(40.0 - k, 0.0)) for k in range(60)]
        hint = next(h for h in Analysis(study_of(rows)).advice if "bound" in h.what)
        assert hint.what == "The lower bound 2 of num_leaves is hit."
        assert hint.why.startswith("100% of the best 6 trials that have it lie at that bound.")
        assert hint.why.endswith("Widen the range if smaller values make sense.")

    def test_a_parameter_without_effect_is_named(self, additive):
        assert any(hint.what == "Leave out, or fix: c." for hint in additive.advice)
        assert additive.highest_shares["c"] < 0.01 < additive.highest_shares["b"]

    def test_a_parameter_that_may_matter_after_all_is_not_to_be_left_out(self):
        analysis = Analysis(smooth(lambda a, b, c: 2 * a + b, d=3))
        analysis.highest_shares = {"a": 0.8, "b": 0.3, "c": 0.02}
        assert not any("Leave out" in hint.what for hint in analysis.advice)

    def test_nothing_is_said_of_parameters_that_few_trials_have(self):
        """Two boosters: 56 trials of one, 4 of the other, whose parameters do nothing there."""
        boosters, rows = CategoricalDistribution(["tree", "linear"]), []
        for k, (rate, alpha, size) in enumerate(sobol(60, 3)):
            if k % 15 == 7:
                params = {"booster": ("linear", boosters), "alpha": (alpha, UNIT)}
                rows.append((params, 1.0))
            else:
                params = {"booster": ("tree", boosters), "rate": (rate, UNIT)}
                rows.append((params | {"size": (size, UNIT)}, (rate - 0.4) ** 2))
        analysis = Analysis(study_of(rows))
        shares = {share.name: share.total for share in analysis.shares}
        assert shares["alpha"] < 0.01
        hints = [hint.what for hint in analysis.advice if "Leave out" in hint.what]
        assert hints == ["Leave out, or fix: size."]

    def test_failures_of_all_are_the_first_thing_to_mend(self):
        rows = [({"x": (0.5, UNIT)}, TrialState.FAIL)] * 3
        (hint,) = Analysis(study_of(rows)).advice
        assert hint.kind == "failures" and "None of the 3" in hint.why

    def test_the_expected_gain_is_not_negative_and_small_at_a_flat_optimum(self, additive):
        found = additive.expected_gain
        assert 0 <= found.low <= found.median <= found.high < 0.1

    def test_slow_suggestions_are_told(self):
        facts = {"fit_seconds": 5.0, "choose_seconds": 5.0, "surrogate": "gp"}
        began = datetime(2026, 1, 1)
        study = optuna.create_study()
        for k in range(6):
            trial = create_trial(value=float(k), user_attrs={"neuralbo:facts": facts})
            trial.datetime_start, trial.datetime_complete = began, began + timedelta(seconds=11)
            study.add_trial(trial)
        (hint,) = Analysis(study).advice
        assert hint.why == "Suggestions took 60 s, the evaluations 6 s."


def steep(a, b):
    return math.exp(8 * (abs(a - 0.4) + abs(b - 0.4)))


def suggested(*gains, f=steep, n=40, **facts):
    """Return a study of ours: the expected improvements of its last suggestions are on record."""
    study = smooth(f, n=n - len(gains))
    for gain, (a, b) in zip(gains, sobol(n, 2)[-len(gains) :], strict=True):
        noted = {"criterion": "LogExpectedImprovement", "criterion_value": math.log(gain)} | facts
        study.add_trial(
            create_trial(
                value=f(a, b), params={"a": a, "b": b}, distributions={"a": UNIT, "b": UNIT},
                user_attrs={"neuralbo:facts": noted},
            )
        )  # fmt: skip
    return study


def on_going_on(study):
    return [hint for hint in Analysis(study).advice if hint.kind in ("go on", "stop")]


class TestExpectedGain:
    def test_it_is_what_the_sampler_has_on_record(self):
        (hint,) = on_going_on(suggested(3e-8, 1e-8, 2e-8))
        assert hint.what == "A few more trials, then stop."
        assert "The expected improvement of the next trial is 2e-08" in hint.why
        assert "1e-08 to 3e-08 over the last suggestions" in hint.why
        assert "the last 10 trials improved it by" in hint.why

    def test_where_the_last_suggestions_disagree_the_model_is_not_sure(self):
        (hint,) = on_going_on(suggested(1e-8, 100.0, 1e-8))
        assert hint.what == "More trials may pay; the model is not sure."

    def test_where_all_expect_much_more_trials_pay(self):
        best = suggested(90.0, 100.0, 80.0, f=lambda a, b: 100 * (1 - a) - 200 * (a > 0.99))
        best.add_trials(best.get_trials()[-3:])
        best.add_trial(
            create_trial(
                value=-101.0, params={"a": 0.995, "b": 0.5}, distributions={"a": UNIT, "b": UNIT}
            )
        )
        (hint,) = on_going_on(best)
        assert hint.what == "More trials are likely to pay."

    def test_a_suggestion_near_another_local_optimum_does_not_count(self):
        assert not on_going_on(suggested(1.0, 1.0, 1.0, other_basin=3.0))

    def test_nothing_is_said_where_the_criterion_is_no_expected_improvement(self):
        assert not on_going_on(suggested(1.0, 1.0, 1.0, criterion="UpperBound"))

    def test_nothing_is_said_of_a_few_trials(self):
        assert not on_going_on(smooth(steep, n=9))

    def test_of_another_sampler_it_is_that_of_the_model_that_auto_selects(self):
        analysis = Analysis(smooth(steep, n=20))  # so few that only one local optimum is searched
        found, data = analysis.expected_gain, analysis.model.data
        step = Step.of(data, analysis.model.space.domain, seed=0, number=data.n)
        facts = AUTO.propose(step).facts
        assert facts["log_warp"] > 0 and "log warp of the outputs" in found.source
        # the search for the best point ends at 1e-4 of its value
        gains = [found.low, found.median, found.high]
        assert math.exp(facts["criterion_value"]) == pytest.approx(
            min(gains, key=lambda gain: abs(gain - math.exp(facts["criterion_value"]))), rel=1e-2
        )


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "needs 3 values"),
        ([({"x": (0.1, UNIT)}, 1.0)], "there are 1"),
        ([({}, 1.0)] * 4, "no parameter varies"),
    ],
)
def test_where_no_model_can_be_the_reason_is_told(rows, why):
    analysis = Analysis(study_of(rows))
    assert analysis.landscape is None and why in analysis.why_no_model
    with pytest.raises(NoModelError, match=why):
        _ = analysis.shares


def test_the_noise_of_many_trials_is_learnt_from_some(noisy):
    assert noisy.model.data.n == 600
    # five standard errors of a deviation from 300 values are 0.2 * 5 / sqrt(600), and some misfit
    assert noisy.model.recommended.noise == pytest.approx(0.2, abs=0.06)


def test_of_many_trials_those_around_the_best_and_some_of_all_times_are_chosen(noisy):
    data = noisy.model.data
    some = chosen(data)
    assert some.n <= FEW
    kept = set(some.numbers.tolist())
    assert {0, 599} <= kept
    assert set(data.numbers[data.top(10)].tolist()) <= kept
    few = data.first(FEW)
    assert chosen(few) is few


def test_equal_studies_give_equal_numbers(additive):
    again = Analysis(smooth(lambda a, b, c: 2 * a + b, d=3))
    assert again.shares == additive.shares
    assert again.model.recommended == additive.model.recommended
