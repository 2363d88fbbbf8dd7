"""Peers keep the two promises of the laboratory: ask and tell."""

import logging
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

import optuna
import pytest
from neuralbo.engine.step import generator
from neuralbo.space import Categorical, Integer, Real, Space

from neuralbo_lab.core import methods
from neuralbo_lab.core.methods import PEERS, find_method

MIXED = Space(
    {
        "x": Real(-1, 2),
        "rate": Real(1e-4, 1.0, log=True),
        "k": Integer(2, 10, step=2),
        "width": Integer(1, 500, log=True),
        "kind": Categorical(["a", None, True]),
        "always": Categorical(["one"]),
    }
)
CONDITIONAL = Space(
    {
        "kind": Categorical(["line", "tree", "net"]),
        "depth": Integer(1, 8, when={"kind": ["tree", "net"]}),
        "rate": Real(1e-3, 1.0, log=True, when={"kind": ["net"], "depth": [1, 2, 3, 4]}),
        "x": Real(0, 1),
    }
)
PLANE = Space({"x": Real(-2, 2), "y": Real(-2, 2)})
PLAIN = {
    "optuna-random", "tpe", "tpe-group", "neuralsampler", "gpsampler", "botorch", "turbo",
}  # need nothing that we do not need  # fmt: skip
WITHOUT_CONDITIONS = {"skopt-gp", "skopt-forest"}
# The initial points fail partly, and so does the second suggestion.
VALUES = [3.0, None, 1.0, 2.0, None, 5.0, 0.5, None, 4.0, 0.7]


SLOW = {"smac", "smac-bb", "ax", "saasbo"}  # a second a suggestion, or seconds to import
ELSEWHERE = {name for name, method in PEERS.items() if method.environment is not None}


def installed(names):
    """Return the names as parameters: skipped where not installed, marked where slow."""
    return [
        pytest.param(
            name,
            marks=[pytest.mark.skipif(bool(PEERS[name].missing), reason="not installed")]
            + [pytest.mark.slow] * (name in SLOW)
            # Ax imports names of its own that it calls deprecated
            + [pytest.mark.filterwarnings("ignore::DeprecationWarning")] * (name == "ax"),
        )
        for name in names
    ]


HERE = [name for name in PEERS if name not in ELSEWHERE | {"pycma"}]
every_peer = pytest.mark.parametrize("name", installed(HERE))
quiet = pytest.mark.usefixtures("quiet_optuna")


@pytest.fixture
def quiet_optuna():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)


def play(optimizer, space, values, start=6):
    """Tell initial points, then ask for the others; return what was asked."""
    points = space.decode(space.domain.sample(start, generator(0)))
    for params, value in zip(points, values, strict=False):
        optimizer.tell(params, value)
    suggested = []
    for value in values[start:]:
        suggested.append(optimizer.ask())
        optimizer.tell(suggested[-1], value)
    return suggested


@cache
def played(name, seed=0):
    optimizer = find_method(name).make(MIXED, seed, len(VALUES))
    return play(optimizer, MIXED, VALUES)


@quiet
@every_peer
def test_a_peer_takes_initial_points_and_failures_and_suggests_legal_parameters(name):
    suggested = played(name)
    assert len(suggested) == 4
    for params in suggested:
        assert MIXED.validate(params) == dict(params)
        assert params["always"] == "one"
        assert {type(v).__module__ for v in params.values()} == {"builtins"}


@quiet
@every_peer
def test_equal_seeds_give_equal_suggestions(name):
    again = play(find_method(name).make(MIXED, 0, len(VALUES)), MIXED, VALUES[:7])
    assert again == played(name)[:1]


@quiet
@every_peer
def test_a_failure_is_not_suggested_again_and_again(name):
    suggested = played(name)
    assert suggested[1] != suggested[2]


@quiet
@every_peer
def test_nothing_but_failures_is_survived(name):
    suggested = play(find_method(name).make(PLANE, 0, 5), PLANE, [None] * 4, start=2)
    assert suggested[0] != suggested[1]
    assert all(PLANE.validate(params) for params in suggested)


@quiet
@every_peer
def test_a_conditional_space_works_or_is_explained(name):
    make = find_method(name).make
    if name in WITHOUT_CONDITIONS:
        with pytest.raises(ValueError, match=r"exist only sometimes.*ask 'smac', 'tpe'"):
            make(CONDITIONAL, 0, 10)
        return
    for params in play(make(CONDITIONAL, 0, 7), CONDITIONAL, VALUES[:7]):
        assert CONDITIONAL.validate(params) == dict(params)


@quiet
@every_peer
def test_corners_of_the_space_can_be_told(name):
    optimizer = find_method(name).make(MIXED, 0, 4)
    for i in (0, -1):
        kind = MIXED.parameters["kind"].choices[i]
        low = {"x": -1.0, "rate": 1e-4, "k": 2, "width": 1, "always": "one", "kind": kind}
        high = {"x": 2.0, "rate": 1.0, "k": 10, "width": 500, "always": "one", "kind": kind}
        optimizer.tell(low if i else high, float(i))
        optimizer.tell(high if i else low, 2.0 + i)
    if not name.startswith("smac"):  # it is slow, and has said already that they are legal
        assert MIXED.validate(optimizer.ask())


def bowl(params):
    return (params["x"] - 0.3) ** 2 + (params["y"] + 0.6) ** 2


@quiet
@pytest.mark.slow
@pytest.mark.parametrize("name", installed(["smac", "smac-bb", "skopt-gp", "skopt-forest"]))
def test_a_model_goes_where_the_values_told_were_low(name):
    """SMAC's points depend on the hash seed of the process, much less than on what was told."""
    low, high = (sum(first_value(name, seed, sign) for seed in (1, 2, 3)) for sign in (1.0, -1.0))
    assert low < 0.5 * high


def first_value(name, seed, sign):
    """Return the bowl's value at the first suggestion after it, or its negative, was told."""
    optimizer = find_method(name).make(PLANE, seed, 20)
    for params in PLANE.decode(PLANE.domain.sample(16, generator(seed))):
        optimizer.tell(params, sign * bowl(params))
    return bowl(optimizer.ask())


@pytest.mark.parametrize("name", [n for n in PEERS if n not in PLAIN | ELSEWHERE])
def test_a_missing_package_is_explained(name, monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda package: None)
    needs, extra = PEERS[name].needs, PEERS[name].extra
    assert find_method(name).missing == (
        f"{name} needs the package {needs}: pip install 'neuralbo-lab[{extra}]'"
    )


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_a_missing_environment_is_explained(name, monkeypatch, tmp_path):
    monkeypatch.setenv("NEURALBO_LAB_PEERS", str(tmp_path))
    why = find_method(name).missing
    assert why == (
        f"{name} lives elsewhere, and an environment of its own is not made yet: "
        f"neuralbo lab peers {name}"
    )


@pytest.mark.skipif(bool(PEERS["pycma"].missing), reason="not installed")
def test_cma_begins_at_the_best_point_converges_and_begins_anew():
    make = find_method("pycma").make
    with pytest.raises(ValueError, match="real parameters only"):
        make(MIXED, 0, 10)
    optimizer = make(PLANE, 0, 600)
    points = PLANE.decode(PLANE.domain.sample(6, generator(0)))
    for params in points:
        optimizer.tell(params, bowl(params))
    values = []
    for _ in range(500):
        params = optimizer.ask()
        values.append(bowl(params))
        optimizer.tell(params, None if len(values) == 3 else values[-1])
    best = min(points, key=bowl)
    assert optimizer.first == tuple(PLANE.encode([best])[0].tolist())
    assert min(values[:100]) < 1e-3  # random search: 0.04 on average
    assert optimizer.population == 12  # twice the usual 4 + 3 ln 2


@pytest.mark.skipif(bool(PEERS["pycma"].missing), reason="not installed")
def test_cma_goes_through_a_generation_as_long_as_everything_fails():
    optimizer = find_method("pycma").make(PLANE, 0, 40)
    suggested = []
    for value in [None] * 8 + [1.0] * 8:
        suggested.append(tuple(optimizer.ask().values()))
        optimizer.tell(dict(zip("xy", suggested[-1], strict=True)), value)
    assert len(set(suggested[:6])) == 6
    assert suggested[6:8] == suggested[:2]
    assert len(set(suggested[9:])) == 7  # the next generation, and one of that after it


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_a_peer_on_our_own_dependencies_is_never_missing(name, monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda package: None)
    assert find_method(name).missing is None


@pytest.mark.slow
@pytest.mark.skipif(find_spec("smac") is None, reason="not installed")
def test_smac_leaves_no_files_and_says_nothing(tmp_path, monkeypatch, capfd, caplog):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with caplog.at_level(logging.DEBUG):
        play(find_method("smac-bb").make(PLANE, 0, 3), PLANE, [1.0, 2.0, None], start=2)
    assert list(tmp_path.rglob("*")) == [temporary]
    assert capfd.readouterr() == ("", "")
    assert not [r for r in caplog.records if r.name.startswith("smac")]


@pytest.mark.skipif(find_spec("smac") is None, reason="not installed")
def test_smac_says_when_a_small_space_is_used_up():
    space = Space({"a": Categorical([1, 2]), "b": Categorical([1, 2])})
    with pytest.raises(RuntimeError, match="SMAC never repeats itself"):
        play(find_method("smac").make(space, 0, 9), space, [1.0] * 9, start=2)


@pytest.mark.slow
def test_the_packages_of_peers_are_imported_only_when_needed():
    code = "import sys, neuralbo_lab.core.methods; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = set(out.stdout.split())
    assert not names & {"smac", "ConfigSpace", "skopt", "cmaes", "neuralbo_lab.peers.botorch"}


@pytest.mark.parametrize("name", ["random", "latin_hypercube", "sobol", "gp/lcb/random"])
def test_our_own_methods_are_methods(name):
    method = find_method(name)
    assert method.is_pure and method.missing is None
    suggested = play(method.make(MIXED, 0, len(VALUES)), MIXED, VALUES)
    assert all(MIXED.validate(params) == dict(params) for params in suggested)


@pytest.mark.parametrize("name", [*PEERS, "gp", "gp/ei", "latin_hypercube"])
def test_every_method_says_in_a_line_what_it_is(name):
    description = find_method(name).description
    assert description and "\n" not in description and not description.endswith(".")


@pytest.mark.parametrize(
    "name, hint",
    [
        ("smacc", "Did you mean 'smac'"),
        ("skopt", "Did you mean 'skopt-gp'"),
        ("brvfl", "Did you mean 'brvfl4'"),
        ("latin-hypercube", "Did you mean 'latin_hypercube'"),
        ("gpp/ei", "unknown method 'gpp'. Did you mean 'gp'"),
        ("gp/eii", "unknown criterion 'eii'. Did you mean 'ei'"),
        ("gp/ei/random/more", "surrogate/criterion/maximizer, got 'gp/ei/random/more'"),
        ("tpe/ei", "'tpe' is a whole method"),
        ("random/ei", "RandomSearch is a whole policy"),
    ],
)
def test_an_unknown_name_is_explained(name, hint):
    with pytest.raises(ValueError, match=hint):
        find_method(name)
