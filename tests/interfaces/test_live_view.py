"""The live view, on a console that is a text."""

import io
import math

import optuna
import pytest
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState, create_trial
from rich.console import Console

from neuralbo.interfaces.terminal.live_view import LiveView, clock_time, curve, live_view
from neuralbo.interfaces.terminal.progress import progress_of


@pytest.fixture(autouse=True)
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def trial_of(value, weights=None, **params):
    facts = {f"weight_{name}": weight for name, weight in (weights or {}).items()}
    attributes = {"neuralbo:facts": facts} if facts else {}
    return create_trial(
        value=value, params=params, user_attrs=attributes,
        distributions={name: CategoricalDistribution([v]) for name, v in params.items()},
    )  # fmt: skip


def shown(view, width=80, height=30):
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=False)
    console.print(view)
    return console.file.getvalue()


def view_of(*trials, n_trials=10, timeout=None, seconds=30.0, direction="minimize"):
    times = iter([0.0, *[seconds] * 99])
    study = optuna.create_study(study_name="mine", direction=direction)
    view = LiveView(study, n_trials, timeout, clock=lambda: next(times))
    for trial in trials:
        view.advance(study, trial)
    return view


def test_best_value_parameters_count_and_time_left_are_shown():
    text = shown(view_of(trial_of(3.0, kind="a"), trial_of(1.5, kind="b"), trial_of(2.0)))
    assert "best 1.5 · trial 3 of 10 · 0:30 so far · about 1:10 left" in text
    assert "kind  b" in text and "mine" in text


def test_bar_and_curve_have_lines_of_their_own():
    lines = shown(view_of(trial_of(3.0), trial_of(1.0))).splitlines()
    assert set(lines[2][2:-2]) <= {"━", "╸", "╺", " "}
    assert lines[3].split()[1] == "3"


def test_weights_of_models_are_shown_as_bars():
    text = shown(view_of(trial_of(3.0, {"gp": 0.75, "brvfl4": 0.25})))
    lines = {line.split()[1]: line for line in text.splitlines() if "%" in line}
    assert lines["gp"].count("█") == 12 and "75%" in lines["gp"]
    assert lines["brvfl4"].count("█") == 4


def test_a_timeout_that_comes_first_is_the_time_left():
    assert "about 0:05 left" in shown(view_of(trial_of(1.0), timeout=35.0))


def test_before_the_first_value_nothing_breaks():
    failed = create_trial(state=TrialState.FAIL)
    assert "no value yet" in shown(view_of(n_trials=None))
    assert "1 failed" in shown(view_of(failed))


def test_what_a_terminal_would_obey_is_shown_instead():
    text = shown(view_of(trial_of(1.0, name="\x1b[2J[red]x[/red]")))
    assert "\x1b" not in text and "[2J[red]x[/red]" in text


@pytest.mark.parametrize("width", [30, 60, 200])
def test_no_line_is_wider_than_the_console(width):
    text = shown(view_of(*(trial_of(9.0 - k, kind="long" * 9) for k in range(9))), width)
    assert max(map(len, text.splitlines())) <= width


def test_the_curve_falls_where_a_value_is_better():
    lines = curve([4.0, 4.0, 2.0, 3.0, 0.0], -1.0, width=11 + 5, height=5)
    assert [line[11:] for line in lines] == [
        "──╮  ",
        "  │· ",
        "  ╰─╮",
        "    │",
        "    ╰",
    ]
    assert lines[0].split()[0] == "4" or "4" in lines[0][:11]


def test_the_curve_of_a_maximization_rises():
    lines = curve([0.0, 1.0], 1.0, width=11 + 2, height=3)
    assert [line[11:] for line in lines] == [" ╭", " │", "─╯"]


def test_the_curve_begins_with_the_first_value():
    lines = curve([math.nan, 1.0], -1.0, width=11 + 2, height=1)
    assert lines[0][11:] == " ─"


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_one_bad_value_does_not_flatten_the_curve(sign):
    values = [1e6, 4.0, 3.0, 2.0, 0.0, -1.0]
    lines = curve([-sign * value for value in values], sign, width=11 + 6, height=6)
    lines = lines if sign < 0 else lines[::-1]
    arrow, corner = ("↑", "╮") if sign < 0 else ("↓", "╯")
    assert lines[0][11:] == f"{arrow}─{corner}   "
    assert [line[:11].strip() for line in lines if line[:11].strip()] == [
        f"{-sign * value:g}" for value in (4, -1)
    ]


def test_a_bad_value_between_others_is_an_arrow_too():
    lines = curve([4.0, 1e6, 3.0, 2.0, 0.0], -1.0, width=11 + 5, height=5)
    assert lines[0][11:] == "─↑╮  "


def test_values_over_orders_of_magnitude_keep_their_logarithmic_axis():
    values = [1000.0, 100.0, 10.0, 1.0]
    rows = [line[11:] for line in curve(values, -1.0, width=11 + 4, height=4)]
    assert rows == ["─╮  ", " ╰╮ ", "  ╰╮", "   ╰"]
    far = curve([1e300, *values], -1.0, width=11 + 5, height=4)
    assert far[0].startswith("      1000 ↑─╮")


def test_early_values_that_are_like_each_other_stay_on_the_axis():
    values = [9.0, 8.0, 7.0, 6.0, *[0.001 * k - 1 for k in range(50, 0, -1)]]
    assert curve(values, -1.0, width=80, height=9)[0].split()[0] == "9"


def test_the_model_that_auto_selected_is_named_in_words():
    facts = {"weight_gp_log_warp_30": 1.0, "surrogate": "gp", "criterion": "LogEI"}
    text = shown(view_of(create_trial(value=1.0, user_attrs={"neuralbo:facts": facts})), 120)
    assert "model: gp with a log warp of the" in text


def test_earlier_trials_of_a_study_are_on_the_curve_but_not_counted():
    study = optuna.create_study()
    study.add_trial(create_trial(value=0.5))
    view = LiveView(study, 5)
    assert view.values == [0.5] and view.made == 0


def test_a_run_tells_the_view_of_each_trial():
    study = optuna.create_study()
    console = Console(file=io.StringIO(), width=80, height=30, force_terminal=True)
    with live_view(study, 3, None, console) as advance:
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3, callbacks=[advance])
    assert "trial 3 of 3" in console.file.getvalue()


def test_without_a_terminal_nothing_is_shown(capsys):
    study = optuna.create_study()
    with progress_of(study, 2, None, "live") as advance:
        advance(study, create_trial(value=1.0))
    assert capsys.readouterr() == ("", "")


def test_clock_times():
    assert [clock_time(s) for s in (7, 754, 3723)] == ["0:07", "12:34", "1:02:03"]
