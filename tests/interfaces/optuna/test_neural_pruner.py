"""NeuralPruner inside Optuna: what it stops, what it never stops, and what it notes."""

import math
import pickle

import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import TrialState, create_trial

from neuralbo import NeuralPruner
from neuralbo.interfaces.optuna.pruner import KEPT, PRUNED
from neuralbo.interfaces.optuna.study_curves import LEAST_GAIN

STEPS = 12


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def loss(x, step, steps=STEPS):
    return (x - 0.3) ** 2 + 0.5 * math.exp(-5 * (step + 1) / steps)


def objective_of(sign=1.0, gap=1, first=0):
    def objective(trial):
        x = trial.suggest_float("x", -1, 2)
        for step in range(STEPS):
            trial.report(sign * loss(x, step), gap * (step + first))
            if trial.should_prune():
                raise optuna.TrialPruned
        return sign * loss(x, STEPS - 1)

    return objective


def study_of(pruner, direction="minimize", **options):
    return optuna.create_study(
        **({"sampler": RandomSampler(seed=1), "pruner": pruner, "direction": direction} | options)
    )


def count(study, state):
    return sum(trial.state == state for trial in study.trials)


def states_of(study):
    return [(trial.state.name, trial.last_step) for trial in study.trials]


@pytest.fixture(scope="module")
def study():
    made = study_of(NeuralPruner(full_share=0))
    made.optimize(objective_of(), n_trials=25)
    return made


def test_hopeless_trials_are_stopped_and_the_best_is_not(study):
    plain = study_of(optuna.pruners.NopPruner())
    plain.optimize(objective_of(), n_trials=25)
    values = sorted(trial.value for trial in plain.trials)
    gain = LEAST_GAIN * (values[len(values) // 2] - values[0])
    assert study.best_value < plain.best_value + gain
    assert count(study, TrialState.PRUNED) >= 10
    spent = sum(trial.last_step + 1 for trial in study.trials)
    assert spent < 0.6 * 25 * STEPS


def notes_of(study):
    """Yield each trial that was stopped, and why."""
    for trial in study.trials:
        facts = trial.user_attrs.get(PRUNED)
        assert (facts is not None) == (trial.state == TrialState.PRUNED)
        if facts:
            assert facts["step"] == trial.last_step
            yield trial, facts


def test_it_is_noted_how_many_were_better_at_the_same_step(study):
    for trial, facts in notes_of(study):
        before = [t for t in study.trials[: trial.number] if t.last_step >= trial.last_step]
        own = trial.intermediate_values[trial.last_step]
        better = sum(t.intermediate_values[trial.last_step] < own for t in before)
        assert (facts["better"], facts["others"]) == (better, len(before))
        assert f"{better} of {len(before)} were better at this step" in facts["why"]
        assert better >= max(len(before) // 4, 1)


def test_the_model_notes_what_it_predicts():
    study = study_of(NeuralPruner(full_share=0, reduction_factor=None))
    study.optimize(objective_of(), n_trials=18)
    assert count(study, TrialState.PRUNED) >= 6
    for trial, facts in notes_of(study):
        assert facts["probability"] < facts["pruned_below"] < 0.5
        assert facts["best"] < facts["predicted"]
        final = loss(trial.params["x"], STEPS - 1)
        assert final > 1 or facts["predicted"] == pytest.approx(final, abs=0.3)


def test_none_is_stopped_before_enough_have_ended(study):
    assert {t.state for t in study.trials[:2]} == {TrialState.COMPLETE}
    assert TrialState.PRUNED in {t.state for t in study.trials[2:6]}


def test_larger_can_be_better(study):
    other = study_of(NeuralPruner(full_share=0), "maximize")
    other.optimize(objective_of(sign=-1.0), n_trials=25)
    assert states_of(other) == states_of(study)


@pytest.mark.parametrize(("gap", "first"), [(1_000_000, 0), (50, 1)])
def test_units_and_origin_of_the_steps_change_nothing(study, gap, first):
    other = study_of(NeuralPruner(full_share=0))
    other.optimize(objective_of(gap=gap, first=first), n_trials=25)
    steps = [(state, gap * (step + first)) for state, step in states_of(study)]
    assert states_of(other) == steps


def test_another_process_decides_the_same(study):
    storage = optuna.storages.InMemoryStorage()
    for n in (13, 12):  # a new pruner each time, as a new process would have
        pruner = pickle.loads(pickle.dumps(NeuralPruner(full_share=0)))
        made = study_of(
            pruner, sampler=_Given(study), storage=storage, study_name="s", load_if_exists=True
        )
        made.optimize(objective_of(), n_trials=n)
    assert states_of(made) == states_of(study)


class _Given(RandomSampler):
    """Give the parameters of another study again."""

    def __init__(self, study):
        super().__init__()
        self._params = [trial.params for trial in study.trials]

    def sample_independent(self, study, trial, name, distribution):
        return self._params[trial.number][name]


def test_a_share_of_those_that_would_be_stopped_runs_to_its_end():
    study = study_of(NeuralPruner(full_share=1.0))
    study.optimize(objective_of(), n_trials=15)
    assert count(study, TrialState.COMPLETE) == 15
    kept = [trial.user_attrs[KEPT] for trial in study.trials if KEPT in trial.user_attrs]
    assert len(kept) >= 3
    assert min(facts["step"] for facts in kept) < 3  # when it would have been stopped first
    assert all(facts["step"] < STEPS - 1 for facts in kept)


def test_nothing_is_stopped_before_the_warmup_and_between_intervals():
    pruner = NeuralPruner(full_share=0, n_warmup_steps=4, interval_steps=3)
    study = study_of(pruner)
    study.optimize(objective_of(), n_trials=20)
    stopped = {t.last_step for t in study.trials if t.state == TrialState.PRUNED}
    assert stopped and stopped <= {4, 7, 10}


def past(study, *values, x=0.5, state=TrialState.COMPLETE):
    """Add a trial that has reported these values."""
    distribution = optuna.distributions.FloatDistribution(-1, 2)
    study.add_trial(
        create_trial(
            state=state,
            params={"x": x},
            distributions={"x": distribution},
            value=values[-1] if values and state == TrialState.COMPLETE else None,
            intermediate_values=dict(enumerate(values)),
        )
    )


def running(study, *values, x=0.5):
    """Ask for a trial, and report values; whether it should be pruned is asked after the last."""
    study.enqueue_trial({"x": x})
    trial = study.ask()
    trial.suggest_float("x", -1, 2)
    for step, value in enumerate(values):
        trial.report(value, step)
    return trial


@pytest.fixture
def some():
    """A study of six trials that have ended."""
    made = study_of(NeuralPruner(full_share=0))
    for i in range(6):
        past(made, *[loss(i / 6, step) for step in range(STEPS)], x=i / 6)
    return made


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_trial_that_diverges_is_stopped_and_a_gap_is_none(some, bad):
    assert running(some, 0.5, bad).should_prune()
    assert not running(some, bad, loss(0.3, 1), x=0.3).should_prune()


def test_what_explodes_is_stopped(some):
    assert running(some, 0.5, 1e3, 1e200).should_prune()


def test_a_trial_at_its_last_step_is_not_stopped(some):
    hopeless = [9.0] * STEPS
    assert running(some, *hopeless[:-1]).should_prune()
    assert not running(some, *hopeless).should_prune()
    assert not running(some, *hopeless, 9.0, 9.0).should_prune()


def test_the_last_step_can_be_named(some):
    assert not running(some, *[9.0] * 6).study.pruner._last_step
    some.pruner = NeuralPruner(full_share=0, max_resource=5)
    assert running(some, *[9.0] * 5).should_prune()
    assert not running(some, *[9.0] * 6).should_prune()


def test_a_trial_that_reports_nothing_is_not_stopped(some):
    assert not running(some).should_prune()


def test_old_trials_without_curves_are_left_out(some):
    for x in (0.1, 0.2):
        past(some, x=x, state=TrialState.PRUNED)
        some.add_trial(
            create_trial(
                value=-5.0,
                params={"x": x},
                distributions={"x": optuna.distributions.FloatDistribution(-1, 2)},
            )
        )
    assert running(some, 9.0, 9.0).should_prune()
    assert not running(some, loss(0.3, 0), loss(0.3, 1), x=0.3).should_prune()


def test_curves_of_one_value_and_equal_curves_are_fine():
    for values in ([1.0], [1.0] * 4):
        study = study_of(NeuralPruner(full_share=0))
        for _ in range(6):
            past(study, *values)
        assert not running(study, 0.9).should_prune()


def test_an_objective_without_parameters_can_be_stopped():
    study = study_of(NeuralPruner(full_share=0))
    for i in range(6):
        study.add_trial(
            create_trial(value=i / 10, intermediate_values={s: i / 10 for s in range(5)})
        )
    trial = study.ask()
    for step in range(3):
        trial.report(50.0, step)
    assert trial.should_prune()


def test_where_the_best_value_is_returned_curves_are_the_best_so_far(some):
    def v_shaped(x):  # overfits: at the end it is as bad as in the beginning
        return [x + abs(step - 6) / 6 for step in range(STEPS)]

    study = study_of(NeuralPruner(full_share=0))
    for i in range(8):
        study.add_trial(
            create_trial(
                value=i / 8,
                params={"x": i / 8},
                distributions={"x": optuna.distributions.FloatDistribution(-1, 2)},
                intermediate_values=dict(enumerate(v_shaped(i / 8))),
            )
        )
    # it had the best value on its way, and goes up now
    assert not running(study, *v_shaped(-0.1)[:11], x=-0.1).should_prune()
    assert running(study, *v_shaped(0.9)[:11], x=0.9).should_prune()


def test_ten_thousand_reports_are_read_in_a_moment(some):
    for i in range(2):
        past(some, *[loss(i / 6, step, 10_000) for step in range(10_000)], x=i / 6)
    assert running(some, *[9.0] * 5000).should_prune()


def test_a_database_keeps_what_was_noted(tmp_path):
    study = study_of(NeuralPruner(full_share=0), storage=f"sqlite:///{tmp_path}/study.db")
    for i in range(6):
        past(study, *[loss(i / 6, step) for step in range(STEPS)], x=i / 6)
    trial = running(study, 9.0, 9.0)
    assert trial.should_prune() and trial.should_prune()
    assert study.trials[-1].user_attrs[PRUNED]["step"] == 1


def test_threads_and_other_samplers():
    study = study_of(NeuralPruner(), sampler=TPESampler(seed=0, n_startup_trials=5))
    study.optimize(objective_of(), n_trials=20, n_jobs=2)
    assert count(study, TrialState.PRUNED) >= 3
    assert count(study, TrialState.COMPLETE) + count(study, TrialState.PRUNED) == 20


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"level": 0}, ValueError, "at 0 nothing is pruned"),
        ({"level": 1.5}, ValueError, "between 0 and 1; got 1.5"),
        ({"level": "0.1"}, TypeError, "a number between 0 and 1; got '0.1'"),
        ({"full_share": -0.1}, ValueError, "full_share must be a number between 0 and 1"),
        ({"reduction_factor": 1}, ValueError, "a whole number from 2 on, or None; got 1"),
        ({"n_startup_trials": 0}, ValueError, "n_startup_trials must be a whole number from 1"),
        ({"interval_steps": 0}, ValueError, "interval_steps must be a whole number from 1"),
        ({"n_warmup_steps": -1}, ValueError, "n_warmup_steps must be a whole number from 0"),
        ({"max_resource": "all"}, ValueError, "a step from 1 on, or \"auto\"; got 'all'"),
        ({"max_resource": 2.5}, TypeError, 'from 1 on, or "auto"; got 2.5'),
    ],
)
def test_arguments_are_checked(settings, error, match):
    with pytest.raises(error, match=match):
        NeuralPruner(**settings)
