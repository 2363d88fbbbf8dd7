"""Noisy measurements: the best value seen is not the best setting.

A measurement with much noise. The best value that was seen is luck in part; the posterior mean of
the model averages over neighbours. `recommend()` names the trial with the best mean, and says how
sure that is.
"""

import math
import random

import neuralbo as nb

NOISE = 0.25
rng = random.Random(4)


def truth(x: float) -> float:
    return math.sin(5 * x) + 1.2 * (x - 0.3) ** 2


def measure(params: dict[str, float]) -> float:
    return truth(params["x"]) + rng.gauss(0.0, NOISE)


def main(n_trials: int = 30) -> nb.Optimizer:
    opt = nb.Optimizer({"x": nb.Real(0, 2)}, surrogate="gp", seed=0)
    for _ in range(n_trials):
        params = opt.ask()
        opt.tell(params, measure(params))
    found, best = opt.recommend(), opt.best
    for name, x, said in (
        ("best seen", best.params["x"], f"value {best.value:.2f}"),
        ("recommended", found.params["x"], f"mean {found.mean:.2f} ± {found.std:.2f}"),
    ):
        print(f"{name:12} x = {x:.3f}, {said}, in truth {truth(x):.2f}")
    return opt


if __name__ == "__main__":
    main()
