"""Peers in environments of their own, which answer over pipes; see servers/serve.py."""

import json
import os
import subprocess
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, final

from neuralbo.space import Space

from neuralbo_lab.peers.axes import Axis, axes_of, params_of
from neuralbo_lab.peers.observed_values import Observed

SERVERS = Path(__file__).with_name("servers")
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
OTHERS = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}
LAST = 2000  # characters of what a peer that has ended wrote


@final
class PipedOptimizer:
    """A peer in a process of its own, told all that is new right before it is asked.

    It knows no conditions: it sees all parameters, and of an initial point those that do not
    exist are told as the middle of their range. A failure has the worst value.
    """

    def __init__(self, python: Path, peer: Path, space: Space, *, seed: int, trials: int) -> None:
        self.space, self.axes = space, axes_of(space)
        self.observed: Observed[dict[str, float]] = Observed()
        # the params keep their id
        self.suggested: dict[int, tuple[Mapping[str, Any], dict[str, float]]] = {}
        self.errors = tempfile.TemporaryFile("w+")
        self.process = _started(python, peer, self.errors)
        weakref.finalize(self, _end, self.process, self.errors)
        axes = [_described(name, axis) for name, axis in self.axes.items()]
        self._answer({"axes": axes, "seed": seed, "trials": trials})

    def ask(self) -> Mapping[str, Any]:
        """Hand on what was told, and return the suggestion.

        Raises:
            RuntimeError: if the peer raises, or has ended.
        """
        new = [(numbers, value) for numbers, value, _ in self.observed.take()]
        numbers = self._answer({"observed": new})["numbers"]
        params: dict[str, Any] = params_of(self.space, self.axes, numbers)
        self.suggested[id(params)] = params, numbers
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        if id(params) in self.suggested:
            _, numbers = self.suggested.pop(id(params))
        else:
            numbers = {
                name: axis.theirs(params[name]) if name in params else _middle(axis)
                for name, axis in self.axes.items()
            }
        self.observed.add(numbers, value)

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; the empty answer says so
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise RuntimeError(f"the peer has ended: {self.errors.read()[-LAST:]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"the peer says: {answer['error']}")
        return answer


def _started(python: Path, peer: Path, errors: IO[str]) -> subprocess.Popen[str]:
    """Start a server. It ends with its pipe, so it does not outlive this process."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.Popen(
        [str(python), str(SERVERS / "serve.py"), str(peer)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=ours | ONE_THREAD | OTHERS,
    )


def _end(process: subprocess.Popen[str], errors: IO[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                pass  # what was not written yet is of no use to anybody


def _described(name: str, axis: Axis) -> dict[str, Any]:
    return {
        "name": name, "kind": axis.kind, "low": axis.low, "high": axis.high, "log": axis.log,
    }  # fmt: skip


def _middle(axis: Axis) -> float:
    if axis.log:
        middle = (axis.low * axis.high) ** 0.5
    else:
        middle = (axis.low + axis.high) / 2
    return middle if axis.kind == "real" else float(int(middle))
