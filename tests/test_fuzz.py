"""Random spaces and values, by ask and tell and through Optuna: every suggestion is legal.

NEURALBO_FUZZ=100000 makes so many examples, other ones each time; what fails is kept below.
NEURALBO_FUZZ_SURROGATES=random,sobol takes these alone: many more examples in the same time.
"""

import logging
import math
import os

import optuna
import pytest
import torch
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from neuralbo import Categorical, Integer, NeuralSampler, Optimizer, Real, Space
from neuralbo.interfaces.minimize import ask_params
from neuralbo.interfaces.suggested import Suggested
from neuralbo.interfaces.values import LARGEST

LONG = int(os.environ.get("NEURALBO_FUZZ", "0"))
EXAMPLES = LONG or 75
FUZZ = settings(
    max_examples=EXAMPLES, derandomize=not LONG, deadline=None, database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink], print_blob=bool(LONG),
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
CHOICES = [None, True, False, 2, -7, 2.5, 1e300, "", "a", "b", "1", "long " * 20, "ä\n"]
SURROGATES = os.environ.get("NEURALBO_FUZZ_SURROGATES", "gp,brvfl4,auto,sobol,random").split(",")
MOST_PARAMETERS, MOST_ACTIONS, MOST_TRIALS = 4, 12, 6

sizes = st.sampled_from([1e-300, 1e-12, 1e-3, 1.0, 1e3, 1e9, 1e100, 1e300])
seeds = st.integers(0, 2**31)


@st.composite
def reals(draw):
    kind = draw(st.sampled_from(["plain", "log", "step"]))
    size = draw(sizes)
    if kind == "log":
        low = draw(st.floats(0.1, 10)) * size
        return {"low": low, "high": low * draw(st.floats(1.001, 1e7)), "log": True}
    if kind == "step":
        step = draw(st.sampled_from([0.1, 0.25, 0.5, 1.0, 3.0, 1e-3, 1e6]))
        low = step * draw(st.integers(-20, 20))
        return {"low": low, "high": low + step * (draw(st.integers(1, 400)) + 0.5), "step": step}
    low = draw(st.floats(-10, 10)) * size
    return {"low": low, "high": low + draw(st.floats(1e-3, 1e3)) * max(size, abs(low) * 1e-9)}


@st.composite
def integers(draw):
    if draw(st.booleans()):
        low = draw(st.integers(1, 10**6))
        return {"low": low, "high": low + draw(st.integers(1, 2**20)), "log": True}
    low, step = draw(st.integers(-(2**40), 2**40)), draw(st.integers(1, 50))
    return {"low": low, "high": low + step * draw(st.integers(1, 2**20)), "step": step}


categories = st.fixed_dictionaries(
    {
        "choices": st.lists(st.sampled_from(CHOICES), min_size=1, max_size=5, unique_by=repr),
        "ordered": st.booleans(),
    }
)
KINDS = [(Real, reals()), (Integer, integers()), (Categorical, categories)]


@st.composite
def spaces(draw):
    """Return parameters by name, some under conditions on those before."""
    found = {}
    for i in range(draw(st.integers(1, MOST_PARAMETERS))):
        kind, settings_of = draw(st.sampled_from(KINDS))
        parameter, when = kind(**draw(settings_of)), None
        parents = [name for name, p in found.items() if p.variable().kind != "continuous"]
        if parents and draw(st.booleans()):
            parent = draw(st.sampled_from(parents))
            count = found[parent].variable().count
            levels = draw(st.sets(st.integers(0, min(count, 6) - 1), min_size=1))
            when = {parent: [found[parent].value(level) for level in sorted(levels)]}
        fields = parameter.__dataclass_fields__
        found[f"p{i}"] = kind(
            **{name: getattr(parameter, name) for name in fields} | {"when": when}
        )
    return found


values = st.one_of(
    st.floats(),
    st.floats(-10, 10),
    st.sampled_from([None, math.nan, math.inf, -math.inf, 0, -0.0, 1, 1e150, -1e150, 1e151]),
    st.sampled_from([5e-324, True, 1 + 1e-16]),
)
beyond_floats = st.just(10**400)  # Optuna cannot tell it
actions = st.one_of(
    st.tuples(st.just("ask"), st.one_of(st.none(), st.integers(1, 4)), st.none()),
    st.tuples(
        st.sampled_from(["tell", "tell a copy", "tell another", "again"]),
        seeds,
        values | beyond_floats,
    ),
)


def is_value(value):
    return value is not None and abs(value) <= LARGEST  # false of NaN and of what is too large


class Session:
    """What a user does with an optimizer, and what must hold at each step."""

    def __init__(self, opt):
        self.opt, self.space = opt, opt.space
        self.pending, self.observed, self.values = [], [], []

    def act(self, action, number, value):
        if action == "ask":
            suggested = self.opt.ask() if number is None else self.opt.ask(number)
            for params in [suggested] if number is None else suggested:
                assert self.space.validate(params) == dict(params)
                self.pending.append(params)
        elif action == "again" and self.observed:
            self.tell(self.observed[number % len(self.observed)], value)
        elif action == "tell another":
            rng = torch.Generator().manual_seed(number)
            self.tell(self.space.decode(self.space.domain.sample(1, rng))[0], value)
        elif action.startswith("tell") and self.pending:
            params = self.pending[number % len(self.pending)]
            self.tell(dict(params) if action == "tell a copy" else params, value)

    def tell(self, params, value):
        self.opt.tell(params, value)
        finished = [params] if isinstance(params, Suggested) else self.alike(params)
        self.pending = [p for p in self.pending if all(p is not f for f in finished)]
        self.observed.append(dict(params))
        self.values += [float(value)] if is_value(value) else []

    def alike(self, params):
        """Return the first pending suggestion of these parameters: a plain dictionary is its."""
        row = self.space.encode([params])[0]
        rows = [(p, self.space.encode([p])[0]) for p in self.pending]
        return [p for p, x in rows if torch.allclose(x, row, rtol=0, atol=1e-9)][:1]

    def check(self):
        assert len(self.opt.trials) == len(self.observed)
        if self.values:
            sign = self.opt._signs[0]
            assert self.opt.best.value == sign * max(sign * v for v in self.values)
        else:
            with pytest.raises(ValueError, match="no trial has given a value"):
                _ = self.opt.best


@pytest.mark.slow
@FUZZ
@given(
    parameters=spaces(),
    surrogate=st.sampled_from(SURROGATES),
    seed=seeds,
    direction=st.sampled_from(["minimize", "maximize"]),
    start=st.integers(0, 3),
    steps=st.lists(actions, min_size=1, max_size=MOST_ACTIONS),
)
@example(  # parameters of one's own that happen to be those of a suggestion
    parameters={"p0": Integer(0, 1)}, surrogate="gp", seed=0, direction="minimize", start=0,
    steps=[("ask", None, None), ("tell another", 0, 0.0), ("tell", 0, 0.0)],
)  # fmt: skip
def test_whatever_is_asked_and_told_suggestions_are_legal_and_the_best_is_the_best(
    parameters, surrogate, seed, direction, start, steps
):
    opt = Optimizer(parameters, surrogate=surrogate, seed=seed, direction=direction,
                    n_startup_trials=start, maximizer=fast(surrogate))  # fmt: skip
    session = Session(opt)
    for step in steps:
        session.act(*step)
    session.act("ask", None, None)
    session.check()


def fast(surrogate):
    """Return a maximizer that takes little time; some policies take none."""
    return "random" if surrogate in ("gp", "brvfl4") else None


def is_known_to_optuna(parameters):
    try:
        return bool(Space(parameters).distributions)
    except ValueError:  # 1 and True, or a grid of too many digits: refused with a remedy
        return False


outcomes = st.one_of(values, st.sampled_from(["raise", "prune", "text"]))


def objective_of(space, outcome):
    def objective(trial):
        params = ask_params(trial, space)
        assert space.validate(params) == params
        if outcome == "raise":
            raise ArithmeticError("as some objectives do")
        if outcome == "prune":
            trial.report(1.0, 0)
            raise optuna.TrialPruned
        return "text" if outcome == "text" else outcome

    return objective


@pytest.fixture(autouse=True)
def quiet():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)


@pytest.mark.slow
@FUZZ
@given(
    parameters=spaces().filter(is_known_to_optuna),
    surrogate=st.sampled_from(SURROGATES),
    seed=seeds,
    direction=st.sampled_from(["minimize", "maximize"]),
    knows_space=st.booleans(),
    observed=st.lists(st.tuples(outcomes, st.booleans()), min_size=1, max_size=MOST_TRIALS),
)
@example(  # one trial fits several conditions, so p2 may be drawn alone: nothing to warn of
    parameters={"p0": Categorical([None, True]), "p1": Categorical([None, True, False]),
                "p2": Real(0.0, 1e-300, when={"p1": [False]})},
    surrogate="random", seed=3, direction="minimize", knows_space=False,
    observed=[(0.0, False), (0.0, False), (0.0, False)],
)  # fmt: skip
def test_through_optuna_whatever_comes_out_trials_are_legal_and_none_is_lost(
    parameters, surrogate, seed, direction, knows_space, observed
):
    space = Space(parameters)
    sampler = NeuralSampler(surrogate, seed=seed, n_startup_trials=1, maximizer=fast(surrogate),
                            space=parameters if knows_space else None)  # fmt: skip
    study = optuna.create_study(sampler=sampler, direction=direction)
    pending = []
    for outcome, counts_given in observed:
        if counts_given:
            pending.append(study.ask())
            ask_params(pending[-1], space)
        study.optimize(objective_of(space, outcome), n_trials=1, catch=(ArithmeticError,))
    for trial in pending:
        study.tell(trial, 0.5)
    assert len(study.trials) == len(observed) + len(pending)
    assert all(trial.state.is_finished() for trial in study.trials)
    for trial in study.trials:
        assert space.validate(trial.params) == trial.params
