"""How long a user waits before anything happens."""

import statistics
import subprocess
import sys
import time

from neuralbo_lab.speed.goals import Measured, at_most

COMMANDS = {
    "import torch": ["-c", "import torch"],
    "import neuralbo": ["-c", "import neuralbo"],
    "neuralbo --help": ["-m", "neuralbo.cli", "--help"],
}
SHARE = 0.25


def run(is_quick: bool) -> Measured:
    """Time three commands in turn, each in a new process; the median counts."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(3 if is_quick else 11):
        for name, arguments in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    seconds = {name: statistics.median(values) for name, values in times.items()}
    torch = seconds["import torch"]
    goals = [
        at_most(f"`{name}` over `import torch`", seconds[name] / torch, SHARE)
        for name in ("import neuralbo", "neuralbo --help")
    ]
    return Measured({"seconds": seconds}, goals)
