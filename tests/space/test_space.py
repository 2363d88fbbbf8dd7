"""Spaces: encoding, decoding, legality, and what a space refuses."""

import math
import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from neuralbo import Categorical, Integer, Real, Space
from neuralbo.space.parameters import MOST_LEVELS, MOST_LOG_LEVELS

finite = st.floats(-1e308, 1e308, allow_subnormal=False)
positive = st.floats(1e-300, 1e300)
CHOICES = [None, True, False, 0, 1, 2, -7, 0.0, 1.0, 2.5, math.nan, math.inf, "", "a", "b", "1"]


def pairs(numbers):
    return st.tuples(numbers, numbers).filter(lambda p: p[0] != p[1]).map(sorted)


@st.composite
def stepped(draw):
    step = draw(st.sampled_from([0.1, 0.25, 0.3, 0.5, 1.0, 2.5, 7.0, 1e-3]))
    low = round(draw(st.integers(-1000, 1000)) * draw(st.sampled_from([0.1, 0.5, 1.0])), 6)
    return Real(low, low + step * draw(st.floats(1.01, 500)), step=step)


real = pairs(finite).map(lambda p: Real(*p))
log_real = pairs(positive).map(lambda p: Real(*p, log=True))
extreme = st.floats(-1.7976931348623157e308, 1.7976931348623157e308)
extreme_real = pairs(extreme).map(lambda p: Real(*p))
extreme_log_real = pairs(st.floats(5e-324, 1.7976931348623157e308)).map(
    lambda p: Real(*p, log=True)
)
integer = pairs(st.integers(-(2**40), 2**40)).map(lambda p: Integer(*p))
log_integer = pairs(st.integers(1, 10**6)).map(lambda p: Integer(*p, log=True))
integer_step = st.builds(
    lambda low, step, n, rest: Integer(low, low + step * n + rest % step, step=step),
    st.integers(-1000, 1000), st.integers(1, 9), st.integers(1, 99), st.integers(0, 8),
)  # fmt: skip
category = st.lists(
    st.sampled_from(CHOICES), min_size=1, max_size=6, unique_by=lambda c: (type(c), repr(c))
).map(Categorical)
parameter = st.one_of(
    real, log_real, stepped(), integer, log_integer, integer_step, category, category
)


@st.composite
def spaces(draw):
    """Draw a space in which a parameter may depend on one before it."""
    parameters = {}
    for i in range(draw(st.integers(1, 5))):
        new = draw(parameter)
        parents = [
            name
            for name, p in parameters.items()
            if p.variable().kind != "continuous" and p.variable().count < 50
        ]
        if parents and draw(st.booleans()):
            parent = draw(st.sampled_from(parents))
            count = parameters[parent].variable().count
            levels = draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=3))
            when = {parent: [parameters[parent].value(level) for level in sorted(levels)]}
            fields = {f: getattr(new, f) for f in type(new).__dataclass_fields__}
            new = type(new)(**(fields | {"when": when}))
        parameters[f"p{i}"] = new
    return Space(parameters)


def is_same(old, new, parameter):
    """Whether a value came back: exact if discrete, to 1e-12 of the range or value if not."""
    if parameter.variable().kind != "continuous":
        return type(old) is type(new) and repr(old) == repr(new)
    if parameter.log:
        return abs(old - new) <= 1e-12 * abs(old)
    return abs(old / 2 - new / 2) <= 1e-12 * (parameter.high / 2 - parameter.low / 2)


thorough = settings(deadline=None, max_examples=150, derandomize=True)
cubes = st.lists(st.floats(0, 1), min_size=64, max_size=64)


class TestEverySpace:
    @thorough
    @given(space=spaces(), numbers=cubes)
    def test_every_point_of_the_cube_decodes_to_legal_parameters(self, space, numbers):
        X = torch.tensor(numbers, dtype=torch.float64)[: space.domain.d].reshape(1, -1)
        (params,) = space.decode(X)
        assert space.validate(params) == params or "nan" in repr(params)

    @thorough
    @given(space=spaces(), seed=st.integers(0, 2**31))
    def test_encoding_stays_in_the_cube(self, space, seed):
        X = space.encode(space.decode(space.domain.sample(4, torch.Generator().manual_seed(seed))))
        assert X.dtype == torch.float64
        assert ((X >= 0) & (X <= 1)).all()

    @thorough
    @given(space=spaces(), seed=st.integers(0, 2**31))
    def test_decoding_undoes_encoding(self, space, seed):
        rows = space.decode(space.domain.sample(4, torch.Generator().manual_seed(seed)))
        for old, new in zip(rows, space.decode(space.encode(rows)), strict=True):
            assert old.keys() == new.keys()
            assert all(is_same(old[name], new[name], space.parameters[name]) for name in old)

    @thorough
    @given(space=spaces(), seed=st.integers(0, 2**31))
    def test_equal_parameters_have_one_point(self, space, seed):
        X = space.domain.sample(8, torch.Generator().manual_seed(seed))
        again = space.encode(space.decode(X))
        torch.testing.assert_close(again, X, rtol=0, atol=1e-9)  # logs of huge ratios cost digits

    @thorough
    @given(new=parameter.filter(lambda p: p.variable().count != 1), u=st.floats(0, 1))
    def test_optuna_accepts_every_decoded_value(self, new, u):
        if isinstance(new, Categorical) and len(
            set(map(repr, map(float_like, new.choices)))
        ) < len(new.choices):
            return  # Optuna cannot tell 1 from True; refused, as another test says
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            distribution = new.distribution()
        space = Space({"p": new})
        (params,) = space.decode(space.domain.points(torch.tensor([[u]], dtype=torch.float64)))
        assert distribution._contains(distribution.to_internal_repr(params["p"]))

    @thorough
    @given(new=st.one_of(real, log_real, stepped(), integer, log_integer, integer_step))
    def test_optunas_distribution_and_back_is_the_same_grid(self, new):
        back = Space({"p": new.distribution()}).parameters["p"]
        assert back.variable() == new.variable()
        assert back.distribution() == new.distribution()


def float_like(choice):
    """Make what Optuna takes for equal equal: 1, 1.0 and True."""
    return float(choice) if isinstance(choice, bool | int | float) else choice


class TestReal:
    @pytest.mark.parametrize("bounds", [(-1e308, 1e308), (0, 5e-324), (1e15, 1e15 + 1), (-5, 10)])
    def test_the_ends_of_a_range_come_back_exactly(self, bounds):
        parameter = Real(*bounds)
        assert [parameter.value(parameter.coordinate(b)) for b in bounds] == list(bounds)
        assert [parameter.coordinate(b) for b in bounds] == [0, 1]

    def test_a_narrow_range_far_from_zero_comes_back_exactly(self):
        parameter = Real(1e15, 1e15 + 1)
        value = 1e15 + 0.375
        assert parameter.value(parameter.coordinate(value)) == value

    def test_a_logarithmic_range_whose_ratio_overflows_works(self):
        parameter = Real(1e-300, 1e300, log=True)
        assert parameter.coordinate(1.0) == pytest.approx(0.5)
        assert parameter.value(0.75) == pytest.approx(1e150)

    def test_the_widest_logarithmic_range_that_floats_have_works(self):
        parameter = Real(5e-324, 1.7e308, log=True)
        low, high = math.log(5e-324), math.log(1.7e308)
        for c in (0.0, 1e-3, 0.5, 0.98, 0.999, 1.0):
            value = parameter.value(c)
            assert parameter.low <= value <= parameter.high
            # the least floats have few digits: the next one after 5e-324 is twice as large
            assert math.log(value) == pytest.approx(
                low + c * (high - low), abs=0.7 if c < 0.03 else 1e-9
            )
        assert [parameter.coordinate(b) for b in (5e-324, 1.7e308)] == [0, 1]

    @thorough
    @given(new=st.one_of(extreme_real, extreme_log_real), u=st.floats(0, 1))
    def test_extreme_ranges_come_back(self, new, u):
        value = new.value(u)
        assert new.low <= value <= new.high
        assert 0 <= new.coordinate(value) <= 1
        again = new.value(new.coordinate(value))
        assert new.low <= again <= new.high
        assert is_same(value, again, new) or math.isclose(value, again, abs_tol=1e-323)

    @thorough
    @given(new=st.one_of(extreme_real, extreme_log_real), u=st.floats(0, 1))
    def test_any_value_of_an_extreme_range_comes_back(self, new, u):
        value = min(max(new.low * (1 - u) + new.high * u, new.low), new.high)
        again = new.value(new.coordinate(value))
        assert is_same(value, again, new) or math.isclose(value, again, abs_tol=1e-323)

    def test_values_are_floats_although_bounds_are_whole(self):
        values = [Real(-5, 10).value(u) for u in (0.0, 0.5, 1.0)]
        assert [type(value) for value in values] == [float] * 3

    def test_steps_that_do_not_divide_the_range_end_before_it(self):
        parameter = Real(0, 1, step=0.3)
        assert [parameter.value(i) for i in range(parameter.variable().count)] == pytest.approx(
            [0, 0.3, 0.6, 0.9]
        )

    def test_steps_are_counted_in_decimals_as_people_do(self):
        assert Real(0.1, 0.3, step=0.2).variable().count == 2
        assert Real(-10.2, 10.2, step=0.1).variable().count == 205

    def test_a_bound_with_too_many_decimals_for_optuna_is_refused_with_the_remedy(self):
        with pytest.raises(ValueError, match=r"write Real\(0\.3, \.\.\., step=0\.1\)"):
            Real(0.1 + 0.2, 0.5, step=0.1).distribution()

    @pytest.mark.parametrize("value", [0.25, -0.1, 1.1, math.nan, math.inf, "0.3", None, True])
    def test_a_value_off_the_grid_or_range_is_refused(self, value):
        with pytest.raises(ValueError, match="parameter 'x' must be"):
            Space({"x": Real(0, 1, step=0.3)}).validate({"x": value})

    @pytest.mark.parametrize("step", [0, -1, 2, math.nan, math.inf, "a"])
    def test_a_step_that_is_no_part_of_the_range_is_refused(self, step):
        with pytest.raises(ValueError, match="0 < step <= high - low"):
            Real(0, 1, step=step)

    def test_more_steps_than_a_float_can_count_are_refused(self):
        with pytest.raises(ValueError, match="at most"):
            Real(0, 1, step=1e-300)

    def test_log_and_step_together_are_refused(self):
        with pytest.raises(ValueError, match="not both"):
            Real(1, 2, log=True, step=0.5)

    @pytest.mark.parametrize("low", [0, -1e-300, -5])
    def test_log_needs_positive_bounds(self, low):
        with pytest.raises(ValueError, match="needs low > 0"):
            Real(low, 1, log=True)


@pytest.mark.parametrize("kind", [Real, Integer])
class TestBounds:
    def test_reversed_bounds_are_refused(self, kind):
        with pytest.raises(ValueError, match="swap them"):
            kind(3, 1)

    def test_equal_bounds_are_refused_with_the_remedy(self, kind):
        with pytest.raises(ValueError, match=r"a constant is Categorical\(\[2\]\)"):
            kind(2, 2)

    @pytest.mark.parametrize("bound", [math.nan, math.inf, -math.inf, None, "1", True, 10**400])
    def test_bounds_that_are_no_finite_numbers_are_refused(self, kind, bound):
        with pytest.raises(ValueError, match="needs finite bounds"):
            kind(0, bound)


class TestInteger:
    @pytest.mark.parametrize(
        "parameter", [Integer(1, 10**6, log=True), Integer(-3, 10**6, step=7)]
    )
    def test_each_of_many_levels_comes_back(self, parameter):
        count = parameter.variable().count
        values = [parameter.value(i) for i in range(0, count, 97)] + [parameter.value(count - 1)]
        space = Space({"k": parameter})
        back = space.decode(space.encode([{"k": value} for value in values]))
        assert [row["k"] for row in back] == values

    @pytest.mark.parametrize(
        "parameter",
        [Integer(0, MOST_LEVELS - 1), Integer(1, MOST_LOG_LEVELS, log=True)],
        ids=["linear", "log"],
    )
    def test_the_highest_of_the_most_levels_come_back(self, parameter):
        space = Space({"k": parameter})
        rows = [{"k": parameter.high - i} for i in range(5)]
        assert space.decode(space.encode(rows)) == rows

    def test_levels_beyond_what_a_float_can_count_are_refused(self):
        with pytest.raises(ValueError, match="use Real and round"):
            Integer(0, 2**60)

    def test_values_are_ints_although_bounds_are_floats(self):
        value = Integer(1.0, 9.0).value(3.0)
        assert value == 4 and type(value) is int

    @pytest.mark.parametrize("bad", [(0.5, 3, 1), (0, 3, 0.5), (0, 3, "a"), (0, 3, None)])
    def test_bounds_and_steps_must_be_whole(self, bad):
        with pytest.raises(ValueError, match="needs whole numbers"):
            Integer(bad[0], bad[1], step=bad[2])

    @pytest.mark.parametrize("bad", [{"low": 0}, {"step": 2}])
    def test_log_needs_low_from_one_and_no_step(self, bad):
        with pytest.raises(ValueError, match="low >= 1 and step=1"):
            Integer(**({"low": 1, "high": 9, "log": True} | bad))

    @pytest.mark.parametrize("step", [0, -1, 4])
    def test_a_step_that_is_no_part_of_the_range_is_refused(self, step):
        with pytest.raises(ValueError, match="1 <= step <= high - low"):
            Integer(0, 3, step=step)

    @pytest.mark.parametrize("value", [0, 10, 2.5, "3", None, math.nan, True])
    def test_a_value_that_is_not_legal_is_refused(self, value):
        with pytest.raises(ValueError, match="parameter 'k' must be a whole number from 1 to 9"):
            Space({"k": Integer(1, 9)}).validate({"k": value})


class TestCategorical:
    def test_one_and_true_and_a_float_are_three_choices(self):
        space = Space({"c": Categorical([1, True, 1.0])})
        values = [
            row["c"] for row in space.decode(space.encode([{"c": c} for c in (1, True, 1.0)]))
        ]
        assert [type(value) for value in values] == [int, bool, float]

    def test_choices_that_optuna_takes_for_equal_have_no_distribution(self):
        with pytest.raises(ValueError, match="Optuna cannot tell True from 1"):
            _ = Space({"c": Categorical([1, True])}).distributions

    def test_nan_and_none_come_back(self):
        space = Space({"c": Categorical([math.nan, None, "a"])})
        values = [row["c"] for row in space.decode(space.encode([{"c": math.nan}, {"c": None}]))]
        assert math.isnan(values[0]) and values[1] is None

    def test_each_of_ten_thousand_choices_comes_back(self):
        space = Space({"p": Categorical([f"word {i}" for i in range(10_000)])})
        rows = [{"p": f"word {i}"} for i in range(0, 10_000, 97)]
        assert space.decode(space.encode(rows)) == rows
        assert len(space.distributions["p"].choices) == 10_000

    def test_looking_a_choice_up_does_not_go_through_all_of_them(self):
        """A choice counts how often it is written out, which each look at it does."""
        looks = []

        class Name(str):
            __slots__ = ()

            def __repr__(self):
                looks.append(self)
                return super().__repr__()

        parameter = Categorical([Name(f"word {i}") for i in range(1000)])
        looks.clear()
        assert [parameter.coordinate(parameter.value(i)) for i in range(5)] == list(range(5))
        assert [parameter.problem(parameter.value(i)) for i in range(5)] == [None] * 5
        assert len(looks) == 10

    def test_a_message_lists_few_of_many_choices(self):
        problem = Categorical(list(range(10_000))).problem("x")
        assert "one of 10000 choices, [0, 1, 2" in problem
        assert len(problem) < 200

    def test_an_empty_list_is_refused(self):
        with pytest.raises(ValueError, match="at least one choice"):
            Categorical([])

    @pytest.mark.parametrize("twice", [["a", "b", "a"], [math.nan, math.nan], [None, 1, None]])
    def test_a_choice_given_twice_is_refused(self, twice):
        with pytest.raises(ValueError, match="more than once"):
            Categorical(twice)

    @pytest.mark.parametrize("choices", ["abc", {1, 2}, 3, None])
    def test_choices_must_be_a_list(self, choices):
        with pytest.raises(TypeError, match="needs a list of choices"):
            Categorical(choices)

    def test_a_choice_that_no_database_keeps_is_refused_with_the_remedy(self):
        with pytest.raises(TypeError, match="give it a name"):
            Categorical([[1], [2]])

    def test_a_value_that_is_no_choice_is_refused(self):
        with pytest.raises(ValueError, match=r"must be one of \['a', 'b'\], got 'c' of type str"):
            Space({"c": Categorical(["a", "b"])}).validate({"c": "c"})


NESTED = {
    "deep": Real(0, 1, when={"depth": [2, 3]}),
    "depth": Integer(1, 3, when={"kind": ["tree"]}),
    "kind": Categorical(["tree", "line"]),
}


class TestConditions:
    def test_parents_come_first_whatever_the_order_given(self):
        assert list(Space(NESTED).parameters) == ["kind", "depth", "deep"]

    @pytest.mark.parametrize(
        "params",
        [
            {"kind": "line"},
            {"kind": "tree", "depth": 1},
            {"kind": "tree", "depth": 3, "deep": 0.25},
        ],
    )
    def test_only_what_exists_comes_back(self, params):
        space = Space(NESTED)
        assert space.decode(space.encode([params])) == [params]

    def test_a_parameter_that_does_not_exist_is_refused(self):
        with pytest.raises(ValueError, match="'depth' exists only when"):
            Space(NESTED).validate({"kind": "line", "depth": 2})

    def test_conditions_pass_through_a_constant(self):
        space = Space(
            {
                "kind": Categorical(["a", "b"]),
                "fixed": Categorical(["only"], when={"kind": ["b"]}),
                "x": Real(0, 1, when={"fixed": ["only"]}),
            }
        )
        assert space.domain.variables[1].is_conditional
        assert space.decode(space.encode([{"kind": "a"}])) == [{"kind": "a"}]

    def test_several_conditions_must_all_hold(self):
        parameters = {"a": Integer(0, 1), "b": Integer(0, 1)}
        space = Space(parameters | {"x": Real(0, 1, when={"a": [1], "b": [1]})})
        assert "x" not in space.decode(space.encode([{"a": 1, "b": 0}]))[0]
        assert space.decode(space.encode([{"a": 1, "b": 1, "x": 0.5}]))[0]["x"] == 0.5

    def test_an_unknown_parent_is_refused(self):
        with pytest.raises(ValueError, match="depends on 'kind', which is not in the space"):
            Space({"x": Real(0, 1, when={"kind": ["a"]})})

    def test_conditions_in_a_circle_are_refused(self):
        a, b = Integer(0, 1, when={"b": [1]}), Integer(0, 1, when={"a": [1]})
        with pytest.raises(ValueError, match="a, b go in a circle"):
            Space({"a": a, "b": b})

    def test_a_parameter_that_depends_on_itself_is_refused(self):
        with pytest.raises(ValueError, match="go in a circle"):
            Space({"a": Integer(0, 1, when={"a": [1]})})

    def test_a_continuous_parent_is_refused(self):
        with pytest.raises(ValueError, match="'y', which is continuous"):
            Space({"x": Real(0, 1, when={"y": [0.5]}), "y": Real(0, 1)})

    def test_a_value_that_the_parent_cannot_have_is_refused(self):
        with pytest.raises(ValueError, match="names kind='c', but 'kind' must be one of"):
            Space({"x": Real(0, 1, when={"kind": ["c"]}), "kind": Categorical(["a", "b"])})

    @pytest.mark.parametrize("values", ["a", 3, [], None])
    def test_a_condition_needs_a_list_of_values(self, values):
        with pytest.raises(ValueError, match="needs a list of values"):
            Space({"x": Real(0, 1, when={"kind": values}), "kind": Categorical(["a", "b"])})

    def test_a_condition_must_be_a_dictionary(self):
        with pytest.raises(TypeError, match="must be a dictionary"):
            Space({"x": Real(0, 1, when=["kind"]), "kind": Categorical(["a", "b"])})


class TestSpace:
    @pytest.mark.parametrize("bad", [{}, None, "x", [Real(0, 1)], 3])
    def test_a_space_must_be_a_dictionary_of_something(self, bad):
        with pytest.raises(ValueError, match="dictionary of at least one parameter"):
            Space(bad)

    @pytest.mark.parametrize("bad", [(0, 1), [0, 1], "real", 3, None, Real, float])
    def test_a_mistyped_parameter_is_refused_with_what_to_write(self, bad):
        with pytest.raises(TypeError, match=r"parameter 'x': write Real\(low, high\)"):
            Space({"x": bad})

    @pytest.mark.parametrize("name", ["", 1, None])
    def test_a_name_must_be_a_string(self, name):
        with pytest.raises(TypeError, match="name must be a string"):
            Space({name: Real(0, 1)})

    def test_an_unknown_parameter_is_refused(self):
        with pytest.raises(ValueError, match=r"unknown parameter 'y'\. Known: x"):
            Space({"x": Real(0, 1)}).validate({"x": 0.5, "y": 1})

    def test_a_missing_parameter_is_refused(self):
        with pytest.raises(ValueError, match="parameter 'y' is missing"):
            Space({"x": Real(0, 1), "y": Real(0, 1)}).validate({"x": 0.5})

    def test_optunas_distributions_are_parameters(self):
        space = Space(
            {
                "f": FloatDistribution(1e-3, 1, log=True),
                "s": FloatDistribution(0, 1, step=0.25),
                "i": IntDistribution(1, 9, step=2),
                "c": CategoricalDistribution(["a", None]),
                "one": IntDistribution(3, 3),
            }
        )
        params = {"f": 0.1, "s": 0.75, "i": 5, "c": None, "one": 3}
        (back,) = space.decode(space.encode([params]))
        assert back == params | {"f": pytest.approx(0.1, rel=1e-12)}

    def test_a_constant_takes_no_column(self):
        space = Space({"x": Real(0, 1), "c": Categorical(["only"])})
        assert space.domain.d == 1
        assert space.decode(torch.tensor([[0.5]]).double()) == [{"x": 0.5, "c": "only"}]

    def test_a_space_of_constants_has_one_point(self):
        space = Space({"c": Categorical(["only"])})
        assert space.domain.d == 0
        assert space.decode(torch.empty(2, 0).double()) == [{"c": "only"}] * 2
