"""NeuralSampler under each of Optuna's pruners."""

import optuna
import pytest
from optuna import pruners
from optuna.storages import InMemoryStorage
from optuna.trial import TrialState

from neuralbo import FallbackWarning, NeuralSampler
from neuralbo.interfaces.optuna.claims import published
from neuralbo.interfaces.optuna.sampler import FACTS, SEED
from neuralbo.maximizers import RandomCandidates
from neuralbo.surrogates import BayesianRVFL

STEPS = 9
PRUNERS = {
    "MedianPruner": lambda: pruners.MedianPruner(n_startup_trials=3),
    "NopPruner": pruners.NopPruner,
    "PatientPruner": lambda: pruners.PatientPruner(pruners.MedianPruner(3), patience=1),
    "PercentilePruner": lambda: pruners.PercentilePruner(25.0, n_startup_trials=3),
    "SuccessiveHalvingPruner": pruners.SuccessiveHalvingPruner,
    "HyperbandPruner": lambda: pruners.HyperbandPruner(max_resource=STEPS),
    "ThresholdPruner": lambda: pruners.ThresholdPruner(upper=1.0, n_warmup_steps=2),
    "WilcoxonPruner": lambda: pruners.WilcoxonPruner(n_startup_steps=2),
}
# Hyperband hides the trials of other brackets; the other pruners do not meddle with a sampler
both = pytest.mark.parametrize("pruner", ["MedianPruner", "HyperbandPruner"])


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def fresh(**options):
    return NeuralSampler(
        BayesianRVFL(units=6), maximizer=RandomCandidates(32),
        **({"seed": 3, "n_startup_trials": 3} | options),
    )  # fmt: skip


def conditional(trial):
    """Report a curve that goes down and up again; parameters depend on a category."""
    value = (trial.suggest_float("x", -1, 1) - 0.3) ** 2
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        value += trial.suggest_float("y", 0, 1)
    else:
        value += trial.suggest_int("k", 1, 9) / 9
    for step in range(STEPS):
        trial.report(value + abs(step - 4) / 8, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return value


def study_of(pruner, sampler, **options):
    return optuna.create_study(
        sampler=sampler, pruner=PRUNERS[pruner](), **({"study_name": "s"} | options)
    )


def params_of(study):
    return [trial.params for trial in study.trials]


def test_no_pruner_of_optuna_is_left_out():
    assert set(PRUNERS) == set(pruners.__all__) - {"BasePruner"}


@pytest.fixture(scope="module", params=PRUNERS)
def whole(request):
    """Return a study of each pruner, made in one piece."""
    study = study_of(request.param, fresh())
    study.optimize(conditional, n_trials=16)
    return request.param, study


def test_a_study_with_conditional_parameters_runs_to_its_end(whole):
    pruner, study = whole
    states = {trial.state for trial in study.trials}
    assert len(study.trials) == 16
    assert states <= {TrialState.COMPLETE, TrialState.PRUNED}
    assert (TrialState.PRUNED in states) == (pruner != "NopPruner")


def test_a_study_resumed_after_every_trial_goes_on_as_it_would_have(whole):
    pruner, study = whole
    storage = InMemoryStorage()
    for _ in range(16):  # each time with another sampler and another pruner
        cut = study_of(pruner, fresh(), storage=storage, load_if_exists=True)
        cut.optimize(conditional, n_trials=1)
    assert params_of(cut) == params_of(study)
    assert [t.state for t in cut.trials] == [t.state for t in study.trials]


@both
def test_workers_that_choose_at_the_same_time_choose_different_points(pruner, folder):
    storage = f"sqlite:///{folder}/s.db"
    study_of(pruner, fresh(), storage=storage).optimize(conditional, n_trials=6)
    workers = [study_of(pruner, fresh(), storage=storage, load_if_exists=True) for _ in range(4)]
    for worker in workers:
        trial = worker.ask()
        trial.suggest_float("x", -1, 1)
    running = [t for t in workers[0].trials if t.state == TrialState.RUNNING]
    assert len({tuple(published(t).items()) for t in running}) == 4


@both
def test_the_initial_design_does_not_repeat_its_points(pruner):
    study = study_of(pruner, fresh(n_startup_trials=16))
    study.optimize(conditional, n_trials=16)
    assert len({trial.params["x"] for trial in study.trials}) == 16


@both
def test_without_a_seed_one_is_drawn_and_kept(pruner):
    study = study_of(pruner, fresh(seed=None))
    study.optimize(conditional, n_trials=5)
    again = study_of(pruner, fresh(seed=study.user_attrs[SEED]))
    again.optimize(conditional, n_trials=5)
    assert params_of(again) == params_of(study)


@both
def test_a_parameter_whose_range_has_changed_is_drawn_alone(pruner):
    study = study_of(pruner, fresh())
    study.optimize(conditional, n_trials=16)
    for _ in range(4):  # of different brackets
        trial = study.ask()
        with pytest.warns(FallbackWarning, match="'x' was drawn at random"):
            assert 5 <= trial.suggest_float("x", 5, 6) <= 6
        study.tell(trial, state=TrialState.FAIL)
        study.sampler = fresh()


@both
def test_what_is_recommended_was_tried(pruner):
    study = study_of(pruner, fresh())
    study.optimize(conditional, n_trials=12)
    assert study.sampler.recommend(study).params in params_of(study)


def test_the_model_learns_from_all_brackets():
    study = study_of("HyperbandPruner", fresh())
    study.optimize(conditional, n_trials=20)
    startup = [
        t.user_attrs.get(FACTS, {}).get("surrogate") == "initial design" for t in study.trials
    ]
    assert sum(startup) <= 6  # and not so many in each of three brackets
