"""Warnings point at the line of a user."""

import threading
import warnings
from types import FunctionType

import pytest

from neuralbo.engine.threads import one_thread
from neuralbo.errors import NeuralboWarning, warn


def within(package, function):
    """Return a function that calls another one as a module of a package would."""
    code = compile("def call():\n    function()", f"{package}.py", "exec").co_consts[0]
    return FunctionType(code, {"__name__": package, "function": function})


def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    (warning,) = caught
    return warning


def test_a_warning_points_at_the_caller():
    warning = warned(lambda: warn("hello", NeuralboWarning))
    assert (warning.filename, str(warning.message)) == (__file__, "hello")
    assert warning.lineno == test_a_warning_points_at_the_caller.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    "package", ["neuralbo.interfaces.minimize", "optuna.study._optimize", "torch.utils"]
)
def test_frames_of_libraries_are_passed_over(package):
    assert warned(ours(package)).filename == __file__


def ours(package):
    """Return a call of `warn` behind three frames of libraries."""
    scope = {"__name__": package, "warn": warn, "category": NeuralboWarning}
    exec("def call():\n    warn('hello', category)", scope)
    return within("optuna.study", within("neuralbo.interfaces.minimize", scope["call"]))


def test_decorators_between_are_passed_over():
    assert warned(one_thread()(ours("neuralbo.interfaces.optimizer"))).filename == __file__


def test_a_thread_without_a_line_of_the_user_warns_all_the_same():
    def run():
        thread = threading.Thread(target=ours("neuralbo.interfaces.optuna.sampler"))
        thread.start()
        thread.join()

    assert str(warned(run).message) == "hello"
