"""NUTS of Pyro and of NumPyro on the toy, each in a process of its own that may be ended.

`python -m neuralbo_lab.speed.sampling_peers PEER N WARMUP DRAWS SECONDS` prints a line of JSON;
one chain, depth of trees at most 10, else the package's defaults, so float32. CPU seconds.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from neuralbo_lab.speed.sampling_toy import NOISE, WIDTHS, grid, toy

DEPTH = 10
LIMIT = 600.0  # seconds that a process may take
PART = 0.85  # of the limit, after which it ends with the draws it has
LEAST = 10  # draws, for an estimate of how many they are worth
PACKAGES = {"Pyro": "pyro", "NumPyro": "numpyro"}
HINT = "pip install 'neuralbo-lab[samplers]'"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
SIZES = tuple(zip((1, *WIDTHS), (*WIDTHS, 1), strict=True))  # inputs and outputs of the layers


class Draws(NamedTuple):
    """What a sampler gave.

    Attributes:
        f: draws of the function on the grid, K x C x 50.
        steps: evaluations of the gradient, of all draws and chains.
        compile, warmup, seconds: seconds before warm-up, of it, and of the draws.
    """

    f: Tensor
    steps: int
    compile: float
    warmup: float
    seconds: float


def ask_peer(peer: str, n: int, warmup: int, draws: int) -> Draws | str:
    """Return the draws of a peer, or why there are none."""
    package = PACKAGES[peer]
    if importlib.util.find_spec(package) is None:
        return f"N/A: {package} is not installed; {HINT}"
    numbers = map(str, (n, warmup, draws, PART * LIMIT))
    return run_limited([sys.executable, "-m", __name__, peer, *numbers], LIMIT)


def run_limited(command: list[str], limit: float) -> Draws | str:
    """Run a process that prints draws, for `limit` seconds at most."""
    env = os.environ | ONE_THREAD
    try:
        done = subprocess.run(
            command, env=env, timeout=limit, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return f"N/A: not done after {limit:g} s"
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    last = lines[-1] if lines else f"exit code {done.returncode}"
    if done.returncode:
        return f"N/A: {last}"
    found = json.loads(last)
    if len(found["f"]) < LEAST:
        return f"N/A: {len(found['f'])} draws in its time, too few to count"
    return Draws(**found | {"f": torch.tensor(found["f"], dtype=torch.float64)[:, None]})


def main(arguments: list[str]) -> None:
    """Draw, and print what came out."""
    peer, n, warmup, draws, seconds = arguments
    torch.set_num_threads(1)
    until = time.monotonic() + float(seconds)
    found = {"Pyro": draw_pyro, "NumPyro": draw_numpyro}[peer](
        int(n), int(warmup), int(draws), until
    )
    print(json.dumps(found._asdict() | {"f": found.f.tolist()}))


def draw_pyro(n: int, warmup: int, draws: int, until: float) -> Draws:
    """Draw with Pyro, by the methods that its `MCMC` calls."""
    import pyro
    from pyro.distributions import Normal
    from pyro.infer import NUTS

    x, y = (tensor.float() for tensor in toy(n))
    gradients = 0

    def model() -> None:
        nonlocal gradients
        gradients += 1  # it is traced once for each
        layers = []
        for i, (into, out) in enumerate(SIZES):
            W = pyro.sample(f"W{i}", Normal(0.0, 1.0).expand([into, out]).to_event(2))
            layers.append((W, pyro.sample(f"b{i}", Normal(0.0, 1.0).expand([out]).to_event(1))))
        pyro.sample("y", Normal(network(layers, x, torch.tanh), NOISE).to_event(2), obs=y)

    pyro.set_rng_seed(0)
    kernel = NUTS(model, max_tree_depth=DEPTH)
    began = time.process_time()
    kernel.setup(warmup)
    params, ready = kernel.initial_params, time.process_time()
    for _ in range(warmup):
        params = kernel.sample(params)
    kernel.end_warmup()
    warm, before = time.process_time(), gradients
    kept: list[dict[str, Tensor]] = []
    while len(kept) < draws and time.monotonic() < until:
        params = kernel.sample(params)
        kept.append(params)
    end, X = time.process_time(), grid().float()
    f = [network(layers_of(p), X, torch.tanh).flatten().tolist() for p in kept]
    return Draws(torch.tensor(f), gradients - before, ready - began, warm - ready, end - warm)


def draw_numpyro(n: int, warmup: int, draws: int, until: float) -> Draws:
    """Draw with NumPyro, a compiled transition after the other."""
    import jax
    import numpyro
    from jax import numpy as jnp
    from numpyro.distributions import Normal
    from numpyro.infer import NUTS

    x, y, X = (jnp.asarray(tensor.numpy()) for tensor in (*toy(n), grid()))

    def model() -> None:
        layers = []
        for i, (into, out) in enumerate(SIZES):
            W = numpyro.sample(f"W{i}", Normal(0.0, 1.0).expand([into, out]).to_event(2))
            layers.append((W, numpyro.sample(f"b{i}", Normal(0.0, 1.0).expand([out]).to_event(1))))
        numpyro.sample("y", Normal(network(layers, x, jnp.tanh), NOISE).to_event(2), obs=y)

    began = time.process_time()
    kernel = NUTS(model, max_tree_depth=DEPTH)
    state = kernel.init(jax.random.PRNGKey(0), warmup, None, (), {})
    step = jax.jit(lambda state: kernel.sample(state, (), {})).lower(state).compile()
    ready = time.process_time()
    for _ in range(warmup):
        state = jax.block_until_ready(step(state))
    warm = time.process_time()
    kept: list[Any] = []
    while len(kept) < draws and time.monotonic() < until:
        state = jax.block_until_ready(step(state))
        kept.append(state)
    end = time.process_time()
    f = [network(layers_of(s.z), X, jnp.tanh).flatten().tolist() for s in kept]
    steps = sum(int(s.num_steps) for s in kept)
    return Draws(torch.tensor(f), steps, ready - began, warm - ready, end - warm)


def layers_of(params: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return W and b of each layer."""
    return [(params[f"W{i}"], params[f"b{i}"]) for i in range(len(SIZES))]


def network(layers: list[tuple[Any, Any]], x: Any, tanh: Callable[[Any], Any]) -> Any:
    """Return f(x), of either package's arrays."""
    *hidden, (W, b) = layers
    for V, a in hidden:
        x = tanh(x @ V + a)
    return x @ W + b


if __name__ == "__main__":
    main(sys.argv[1:])
