"""Categories that are described by numbers."""

import pytest
import torch

from neuralbo import Categorical, Integer, Optimizer, Space
from neuralbo.testing.toys import seeded

SOLVENTS = {
    "water": [80.1, 0.89, 18.0],
    "methanol": [32.7, 0.54, 18.0],
    "hexane": [1.9, 0.31, 18.0],
    "toluene": [2.4, 0.56, 18.0],
}
MANY = {f"n{i}": [i % 10, i // 10] for i in range(100)}


def test_the_columns_are_the_descriptors_from_0_to_1_without_constants():
    space = Space({"solvent": Categorical(list(SOLVENTS), descriptors=SOLVENTS)})
    X = space.encode([{"solvent": name} for name in SOLVENTS])
    raw = torch.tensor(list(SOLVENTS.values()), dtype=torch.float64)[:, :2]
    low, high = raw.amin(0), raw.amax(0)
    torch.testing.assert_close(X, (raw - low) / (high - low))


@pytest.mark.parametrize("descriptors", [SOLVENTS, MANY, {"a": [1.0], "b": [2.0], "c": [9.0]}])
def test_a_point_decodes_to_what_it_was_encoded_of(descriptors):
    names = list(descriptors)
    space = Space(
        {
            "name": Categorical(names, descriptors=descriptors),
            "k": Integer(1, 3, when={"name": names[:2]}),
            "other": Categorical(names, descriptors=descriptors, when={"k": [1, 2]}),
        }
    )
    X = space.domain.sample(200, seeded(1))
    rows = space.decode(X)
    torch.testing.assert_close(space.encode(rows), X)
    assert {row["name"] for row in rows} >= set(names[:4])
    assert space.decode(space.domain.project(X + 1e-3)) == rows


def test_a_category_that_was_never_tried_is_judged_by_its_neighbours():
    """Values are a function of the descriptors; the best of 100 was never tried."""
    best = MANY["n67"]
    value = {n: (a - best[0]) ** 2 + (b - best[1]) ** 2 for n, (a, b) in MANY.items()}
    tried = [name for i, name in enumerate(MANY) if i % 4 == 0]
    found = {}
    for descriptors in (MANY, None):
        space = {"name": Categorical(list(MANY), descriptors=descriptors)}
        opt = Optimizer(space, surrogate="gp", seed=0)
        opt.tell([{"name": name} for name in tried], [value[name] for name in tried])
        found[descriptors is None] = value[opt.ask()["name"]]
    assert found[False] <= 2 < found[True]


@pytest.mark.parametrize(
    ("descriptors", "says"),
    [
        ({"a": [1], "b": [2]}, "'c' is in one of them only"),
        ({"a": [1], "b": [2], "c": [3], "d": [4]}, "'d' is in one of them only"),
        ({"a": [1], "b": [2, 3], "c": [3]}, "'a' has 1, 'b' has 2"),
        ({"a": [1], "b": [2], "c": [1]}, "'a' and 'c' have equal descriptors"),
        ({"a": [1], "b": [2], "c": [float("nan")]}, "which are|of 'c' they are"),
    ],
)
def test_descriptors_tell_all_choices_apart(descriptors, says):
    with pytest.raises(ValueError, match=says):
        Categorical(["a", "b", "c"], descriptors=descriptors)


@pytest.mark.parametrize("descriptors", [[1, 2], {"a": 1, "b": 2}, {"a": ["x"], "b": [1]}])
def test_descriptors_are_numbers_by_choice(descriptors):
    with pytest.raises(TypeError, match="descriptors must be a dictionary"):
        Categorical(["a", "b"], descriptors=descriptors)


def test_an_order_and_descriptors_are_two_things():
    with pytest.raises(ValueError, match="not both"):
        Categorical(["a", "b"], ordered=True, descriptors={"a": [1], "b": [2]})


def test_a_saved_optimizer_has_them(tmp_path):
    space = {"s": Categorical(list(SOLVENTS), descriptors=SOLVENTS, prior={"hexane": 2})}
    opt = Optimizer(space, surrogate="gp", seed=0)
    opt.save(tmp_path / "a.json")
    loaded = Optimizer.load(tmp_path / "a.json")
    assert loaded.space.domain == opt.space.domain
