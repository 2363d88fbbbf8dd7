"""NeuralSampler reads curves: what it expects of pruned and running trials."""

import math

import optuna
import pytest
import torch
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from neuralbo import NeuralSampler
from neuralbo.interfaces.optuna.curves import (
    CurveReader,
    best_so_far,
    results_are_best,
    results_are_reported,
    with_expectations,
)
from neuralbo.interfaces.optuna.reported import has_curve
from neuralbo.interfaces.optuna.trials import TrialReader, all_trials
from neuralbo.maximizers import RandomCandidates
from neuralbo.surrogates import BayesianRVFL

STEPS = 10


def curve(x, n=STEPS, sign=1.0):
    return {s: sign * ((x - 0.3) ** 2 + math.exp(-(s + 1) / 3)) for s in range(n)}


def trial_of(x, reports, state=TrialState.COMPLETE, value=None):
    if state == TrialState.COMPLETE and value is None:
        value = reports[max(reports)]
    return create_trial(
        state=state, params={"x": x}, distributions={"x": FloatDistribution(0, 1)},
        value=value, intermediate_values=reports,
    )  # fmt: skip


def study_of(trials, direction="minimize", **options):
    study = optuna.create_study(direction=direction, **options)
    study.add_trials(trials)
    return study


def ended(n=8, sign=1.0):
    return [trial_of(i / (n - 1), curve(i / (n - 1), sign=sign)) for i in range(n)]


def data_of(study, sign=-1.0):
    trials, reader = all_trials(study), TrialReader()
    reader.update(trials)
    space = reader.space(reader.distributions(trials), trials)
    now = create_trial(state=TrialState.WAITING)
    data = reader.data(trials, now, space, [sign])
    return data, with_expectations(data, trials, now, space, CurveReader(sign))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_pruned_trial_is_expected_where_its_curve_would_have_ended(sign):
    direction = "minimize" if sign == 1 else "maximize"
    pruned = trial_of(0.5, curve(0.5, 6, sign), TrialState.PRUNED)
    _, data = data_of(study_of([*ended(sign=sign), pruned], direction), sign=-sign)
    assert torch.equal(data.X_expected, data.X_censored)
    ((mean, variance),) = data.expected.tolist()
    assert mean == pytest.approx(-curve(0.5)[STEPS - 1], abs=4 * variance**0.5)
    assert 0 < variance**0.5 < 0.2


def test_a_running_trial_is_expected_too_and_the_one_that_asks_is_not():
    study = study_of(ended())
    for _ in range(2):
        study.enqueue_trial({"x": 0.4})
    trials = [study.ask() for _ in range(2)]
    for trial in trials:
        trial.suggest_float("x", 0, 1)
        for step, value in curve(0.4, 5).items():
            trial.report(value, step)
    data, found = data_of(study)
    assert len(data.X_pending) == len(found.X_expected) == 2
    assert torch.equal(found.X_pending, data.X_pending)


@pytest.mark.parametrize(
    "trials",
    [
        ended(),  # nothing is unfinished
        [*ended(2), trial_of(0.5, curve(0.5, 4), TrialState.PRUNED)],  # too few have ended
        [*ended(), trial_of(0.5, {}, TrialState.PRUNED)],  # no report
        [*ended(), trial_of(0.5, {0: math.nan}, TrialState.PRUNED)],
        # what is returned is not on the curves
        [*[trial_of(t.params["x"], t.intermediate_values, value=9.0) for t in ended()],
         trial_of(0.5, curve(0.5, 4), TrialState.PRUNED)],
    ],
)  # fmt: skip
def test_without_a_curve_to_go_by_the_data_stay_as_they_are(trials):
    data, found = data_of(study_of(trials))
    assert found is data


def test_a_trial_that_diverged_stays_a_bound():
    diverged = trial_of(0.6, {0: 1.0, 1: math.nan}, TrialState.PRUNED)
    pruned = trial_of(0.5, curve(0.5, 6), TrialState.PRUNED)
    _, found = data_of(study_of([*ended(), diverged, pruned]))
    assert len(found.X_censored) == 2 and found.X_expected.tolist() == [[0.5]]


def test_the_result_is_the_last_value_or_the_best_on_the_way():
    last = [trial_of(0.5, {0: 2.0, 1: 1.0}), trial_of(0.6, {0: 1.0, 1: 3.0})]
    assert results_are_reported(last, -1.0) and not results_are_best(last, -1.0)
    best = [last[0], trial_of(0.6, {0: 1.0, 1: 3.0}, value=1.0)]
    assert results_are_reported(best, -1.0) and results_are_best(best, -1.0)
    neither = [*best, trial_of(0.6, {0: 1.0, 1: 3.0})]
    assert not results_are_reported(neither, -1.0) and not results_are_best(neither, -1.0)


def test_best_so_far_is_kept_up_to_a_divergence():
    reports = {0: 3.0, 1: 4.0, 2: 2.0, 3: 5.0, 4: math.nan}
    found = best_so_far(reports, -1.0)
    assert [found[s] for s in range(4)] == [3.0, 3.0, 2.0, 2.0] and math.isnan(found[4])
    assert best_so_far({0: math.nan, 1: 4.0}, 1.0)[1] == 4.0


def test_failed_trials_have_a_curve_only_if_they_diverged():
    assert has_curve(trial_of(0.1, {0: 1.0, 1: math.nan}, TrialState.FAIL))
    assert not has_curve(trial_of(0.1, {0: 1.0}, TrialState.FAIL))
    assert not has_curve(trial_of(0.1, {}, TrialState.PRUNED))


def sampler(**options):
    return NeuralSampler(
        BayesianRVFL(units=10), maximizer=RandomCandidates(256), seed=3, n_startup_trials=3,
        **options,
    )  # fmt: skip


def test_a_promising_pruned_trial_draws_suggestions_that_a_bound_would_repel():
    """Trials about 0.25 were stopped by chance on a good way: the best is there."""
    good = [trial_of(x, curve(x, 8), TrialState.PRUNED) for x in (0.2, 0.25, 0.35)]
    far = [trial_of(x, curve(x)) for x in (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)]
    bare = [trial_of(t.params["x"], {}, TrialState.PRUNED) for t in good]
    found = {}
    for name, pruned in (("curves", good), ("bounds", bare)):
        study = study_of([*far, *pruned], sampler=sampler())
        found[name] = study.ask({"x": FloatDistribution(0, 1)}).params["x"]
    assert abs(found["curves"] - 0.3) < abs(found["bounds"] - 0.3)


def test_reports_change_nothing_where_all_trials_end():
    points = []
    for reports in (True, False):
        study = study_of([], sampler=sampler())
        for _ in range(8):
            trial = study.ask()
            x = trial.suggest_float("x", 0, 1)
            for step, value in (curve(x) if reports else {}).items():
                trial.report(value, step)
            study.tell(trial, curve(x)[STEPS - 1])
        points.append([t.params["x"] for t in study.trials])
    assert points[0] == points[1]


def test_the_step_of_comparison_can_be_named():
    with pytest.raises(ValueError, match="max_resource must be a whole number from 1 on"):
        NeuralSampler(max_resource=0)
    trials = [*ended(), trial_of(0.5, curve(0.5, 6), TrialState.PRUNED)]
    study = study_of(trials, sampler=sampler(max_resource=4))
    study.ask({"x": FloatDistribution(0, 1)})
    (reader,) = study.sampler._curves[study._storage].values()
    assert reader._model.steps.last == 4
