"""Figures of studies."""

import builtins

import optuna
import pytest
from optuna.trial import TrialState, create_trial

from neuralbo.reporting import plots
from neuralbo.reporting.analysis import Analysis, NoModelError

pytest.importorskip("matplotlib")


def study_of(*trials, direction="minimize"):
    study = optuna.create_study(study_name="mine", direction=direction)
    for trial in trials:
        if isinstance(trial, TrialState):
            pruned = {"intermediate_values": {0: -9.0}} if trial == TrialState.PRUNED else {}
            study.add_trial(create_trial(state=trial, **pruned))
        else:
            study.add_trial(create_trial(value=trial))
    return study


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def lines_of(figure):
    return {line.get_label(): line for line in figure.axes[0].get_lines()}


def test_trials_and_the_best_so_far_are_drawn():
    lines = lines_of(plots.convergence(study_of(3.0, 5.0, 1.0, 2.0)))
    assert list(lines["trial"].get_ydata()) == [3, 5, 1, 2]
    assert list(lines["best so far: 1"].get_ydata()) == [3, 3, 1, 1]


def test_the_best_of_a_maximization_rises():
    lines = lines_of(plots.convergence(study_of(3.0, 5.0, 1.0, direction="maximize")))
    assert list(lines["best so far: 5"].get_ydata()) == [3, 5, 5]


def test_failed_trials_are_marked_where_they_happened():
    lines = lines_of(plots.convergence(study_of(3.0, TrialState.FAIL, 1.0)))
    assert list(lines["failed"].get_xdata()) == [2]
    assert list(lines["trial"].get_xdata()) == [1, 3]


def test_a_pruned_trial_is_neither_a_value_nor_the_best():
    lines = lines_of(plots.convergence(study_of(3.0, TrialState.PRUNED, 1.0)))
    assert list(lines["best so far: 1"].get_ydata()) == [3, 3, 1]
    assert list(lines["trial"].get_ydata()) == [3, 1]


@pytest.mark.parametrize("trials", [(), (TrialState.FAIL,), (TrialState.PRUNED,)])
def test_a_study_without_a_value_can_be_drawn(trials, tmp_path):
    figure = plots.convergence(study_of(*trials))
    figure.savefig(tmp_path / "empty.png")
    assert figure.axes[0].get_title() == "mine"


def test_without_matplotlib_the_remedy_is_told(monkeypatch):
    load = builtins.__import__

    def fails(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", fails)
    with pytest.raises(ImportError, match=r"pip install 'neuralbo\[plots\]'"):
        plots.convergence(study_of(1.0))


def sampled(n=30, **options):
    """Return a study of a random sampler with a category, a condition and failures."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), **options)

    def objective(trial):
        x = trial.suggest_float("x", 1e-3, 1, log=True)
        kind = trial.suggest_categorical("$k$", ["plain", "de$ep"])
        if x > 0.8:
            raise RuntimeError("too large")
        depth = trial.suggest_int("depth", 1, 9) if kind != "plain" else 2
        return x + depth

    study.optimize(objective, n_trials=n, catch=(RuntimeError,))
    return study


@pytest.fixture(scope="module")
def analysis():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return Analysis(sampled())


@pytest.mark.parametrize(
    ("name", "panels"),
    [("ablation", 1), ("calibration", 2), ("choices", 1), ("convergence", 1), ("importance", 1),
     ("seconds", 1), ("slices", 3)],
)  # fmt: skip
def test_every_figure_can_be_drawn_and_saved(analysis, name, panels, tmp_path):
    figure = getattr(plots, name)(analysis)
    figure.savefig(tmp_path / "figure.png", dpi=40)
    assert len(figure.axes) == panels


def test_maps_have_a_colour_bar_each(analysis, tmp_path):
    figure = plots.maps(analysis)
    figure.savefig(tmp_path / "maps.png", dpi=40)
    assert len(figure.axes) == 2 * len(analysis.maps) > 0


def test_bars_of_the_importance_are_the_shares(analysis):
    widths = [bar.get_width() for bar in plots.importance(analysis).axes[0].patches]
    assert widths[: len(analysis.shares)] == [share.total for share in analysis.shares[::-1]]


def test_failures_are_drawn_by_parameter(analysis):
    figure = plots.failures(analysis)
    assert len(figure.axes) == len(analysis.failures)


def test_the_front_stands_out(tmp_path):
    study = optuna.create_study(directions=["minimize", "minimize"])
    for values in ((1.0, 3.0), (2.0, 2.0), (3.0, 3.0)):
        study.add_trial(create_trial(values=values))
    lines = lines_of(plots.front(study))
    assert list(lines["front"].get_xdata()) == [1.0, 2.0]
    assert len(plots.convergence(study).axes) == 2


def test_a_single_objective_has_no_front():
    with pytest.raises(ValueError, match="two objectives"):
        plots.front(study_of(1.0))


def test_weights_of_models_add_up_to_the_top():
    study = optuna.create_study()
    study.add_trial(
        create_trial(value=1.0, user_attrs={"neuralbo:facts": {"weight_a": 0.7, "weight_b": 0.3}})
    )
    tops = [bar.get_y() + bar.get_height() for bar in plots.choices(study).axes[0].patches]
    assert max(tops) == pytest.approx(1.0)


def test_the_candidate_that_auto_selected_has_the_name_that_the_page_gives_it():
    facts = {"weight_gp_bent30": 1.0, "surrogate": "gp", "criterion": "LogExpectedImprovement"}
    study = optuna.create_study()
    study.add_trial(create_trial(value=1.0, user_attrs={"neuralbo:facts": facts}))
    (words,) = plots.choices(study).axes[0].get_legend().get_texts()
    assert words.get_text() == "gp with a log warp of the outputs (strength 30)"


def test_without_a_model_the_reason_is_told():
    with pytest.raises(NoModelError, match="needs 3 values"):
        plots.slices(study_of(1.0))
