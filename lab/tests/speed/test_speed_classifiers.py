"""The measurement of classifiers, in small."""

import pytest
from neuralbo.space import Space
from neuralbo.space.parameters import Categorical

from neuralbo_lab.speed import classifiers as speed_classifiers
from neuralbo_lab.speed.classifiers import FULL, SPACE, Sizes, measured, objective

SIZES = Sizes(("boggn",), (5, 6, 7), 1, 8, 8)


def test_goals_are_the_ratios_of_the_figures():
    seconds = {"boggn": {"5": 1.0, "6": 2.0, "7": 20.0}}
    found = measured(seconds, 3.0, 6.0, SIZES)
    assert [goal.measured for goal in found.goals] == [10.0, 0.5]
    assert [goal.holds for goal in found.goals] == [True, True]
    assert not measured({"bore": {"5": 1.0, "6": 1.0, "7": 12.1}}, 3.0, 2.0, SIZES).goals[0].holds


def test_the_space_has_nine_parameters_of_three_kinds():
    assert len(SPACE) == 9
    assert sum(isinstance(p, Categorical) for p in SPACE.values()) == 3
    assert FULL.trials == (50, 500, 5000)


def test_the_objective_is_a_function_of_every_parameter():
    space = Space(SPACE)
    one, other = space.decode(space.domain.sample(2, speed_classifiers.generator(1)))
    for name in SPACE:
        assert objective({**one, name: other[name]}) == pytest.approx(objective(one)) or (
            one[name] != other[name]
        )


def test_seconds_are_measured():
    assert speed_classifiers.suggestion("bore_kde", 8, 1) > 0
    assert (
        speed_classifiers.overhead(
            speed_classifiers.Optimizer(SPACE, surrogate="bore_kde", seed=0), 3
        )
        > 0
    )
