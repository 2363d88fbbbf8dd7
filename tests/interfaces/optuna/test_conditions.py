"""Which parameters exist when: read from trials one at a time, and the same as from all."""

import itertools

import optuna
import pytest
from optuna.trial import TrialState

from neuralbo.interfaces.optuna.conditions import Conditions
from neuralbo.interfaces.optuna.parameter_ranges import union


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def trials_of(objective, n=40, seed=0):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    study.optimize(objective, n_trials=n, catch=(RuntimeError,))
    return study.get_trials(deepcopy=False)


def read(trials):
    conditions = Conditions()
    for trial in trials:
        conditions.add(trial)
    return conditions.parameters(union(trials))


def conditions_of(objective, **options):
    parameters, optional = read(trials_of(objective, **options))
    return {name: dict(p.when) for name, p in parameters.items() if p.when}, optional


def test_a_category_explains_by_its_values():
    def objective(trial):
        if trial.suggest_categorical("kind", ["a", "b", "c"]) in "ac":
            trial.suggest_float("x", 0, 1)
        return 0.0

    assert conditions_of(objective) == ({"x": {"kind": ["a", "c"]}}, frozenset())


@pytest.mark.parametrize(("has", "levels"), [
    (lambda k: k >= 3, [3, 4, 5]), (lambda k: k <= 2, [0, 1, 2]),
])  # fmt: skip
def test_an_integer_explains_by_a_threshold(has, levels):
    def objective(trial):
        if has(trial.suggest_int("layers", 0, 5)):
            trial.suggest_float("x", 0, 1)
        return 0.0

    assert conditions_of(objective) == ({"x": {"layers": levels}}, frozenset())


def test_with_a_value_that_was_not_seen_a_parameter_is_taken_to_exist():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        layers = trial.suggest_int("layers", 1, 4)
        if kind == "a":
            trial.suggest_float("x", 0, 1)
        if layers == 4:
            trial.suggest_float("y", 0, 1)
        return 0.0

    study = optuna.create_study()
    for kind, layers in (("a", 1), ("b", 4), ("b", 1), ("a", 4)):
        study.enqueue_trial({"kind": kind, "layers": layers})
    study.optimize(objective, n_trials=4)
    parameters, _ = read(study.get_trials(deepcopy=False))
    assert parameters["x"].when == {"kind": ["a", "c"]}
    assert parameters["y"].when == {"layers": [2, 3, 4]}


def test_what_two_parameters_decide_together_is_optional():
    def objective(trial):
        a, b = (trial.suggest_categorical(name, [0, 1]) for name in "ab")
        return trial.suggest_float("x", 0, 1) if a != b else 0.0

    assert conditions_of(objective) == ({}, {"x"})


def test_a_tree_of_decisions_is_found():
    def objective(trial):
        left = trial.suggest_categorical("x1", [0, 1]) == 0
        lower = trial.suggest_categorical("x2" if left else "x3", [0, 1]) == 0
        return trial.suggest_float(f"{'x4 x5 x6 x7'.split()[2 * (not left) + (not lower)]}", 0, 1)

    found, optional = conditions_of(objective)
    assert not optional
    assert found == {
        "x2": {"x1": [0]}, "x3": {"x1": [1]}, "x4": {"x2": [0]}, "x5": {"x2": [1]},
        "x6": {"x3": [0]}, "x7": {"x3": [1]},
    }  # fmt: skip


def test_a_trial_that_failed_before_a_parameter_makes_no_condition():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["a", "b"])
        if kind == "b" and trial.number % 2:
            raise RuntimeError
        return trial.suggest_float("x", 0, 1)

    assert conditions_of(objective) == ({}, frozenset())


def test_a_parameter_of_running_trials_only_is_optional():
    def objective(trial):
        return trial.suggest_float("x", 0, 1)

    trials = trials_of(objective, 5)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.ask().suggest_float("y", 0, 1)
    conditions = Conditions()
    for trial in trials:
        conditions.add(trial)
    _, optional = conditions.parameters(union([*trials, *study.get_trials(deepcopy=False)]))
    assert optional == {"y"}


def naive(trials):
    """Return for each parameter the categories that separate its presence, from all rows."""
    rows = [(t.params, t.state != TrialState.FAIL) for t in trials]
    names = sorted({name for params, _ in rows for name in params})
    found = {}
    for name, parent in itertools.permutations(names, 2):
        inside = [params for params, _ in rows if name in params]
        outside = [p for p, is_done in rows if is_done and name not in p and parent in p]
        if outside and all(parent in p for p in inside) and isinstance(inside[0][parent], str):
            here = {p[parent] for p in inside}
            if not here & {p[parent] for p in outside}:
                found.setdefault(name, set()).add((parent, frozenset(here)))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_conditions_on_categories_are_those_of_a_naive_search(seed):
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        if kind != "c":
            deep = trial.suggest_categorical("deep", ["p", "q"])
            if deep == "p" or seed % 2:
                trial.suggest_float("x", 0, 1)
        if trial.number % 5 == 3:
            raise RuntimeError
        return trial.suggest_float("y", 0, 1)

    trials = trials_of(objective, seed=seed)
    parameters, _ = read(trials)
    expected = naive(trials)
    for name, parameter in parameters.items():
        pairs = {(parent, frozenset(values)) for parent, values in (parameter.when or {}).items()}
        assert pairs <= expected.get(name, set())
        assert bool(pairs) == bool(expected.get(name))


def test_adding_to_a_copy_leaves_the_first_as_it_was():
    def objective(trial):
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            trial.suggest_int("k", 0, 3)
        return 0.0

    trials = trials_of(objective, 30)
    conditions = Conditions()
    for trial in trials[:10]:
        conditions.add(trial)
    before = conditions.parameters(union(trials))
    other = conditions.copy()
    for trial in trials[10:]:
        other.add(trial)
    assert conditions.parameters(union(trials)) == before
    assert other.parameters(union(trials)) == read(trials)
