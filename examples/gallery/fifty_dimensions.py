"""Fifty parameters.

In fifty dimensions a hundred trials are few. From 16 continuous parameters on the default fits a
bowl and random features in a box around the best point, which shrinks and grows with its success.
"""

import math

import neuralbo as nb

DIMENSIONS = 50


def valley(params: dict[str, float]) -> float:
    """Return a bowl whose axes weigh differently, with ripples."""
    total = 0.0
    for k, x in enumerate(params.values()):
        away = x - 0.2 - 0.6 * ((k * 0.618) % 1)
        total += (1 + k % 5) * away**2 + 0.01 * (1 - math.cos(20 * away))
    return total


def main(n_trials: int = 120) -> nb.Result:
    space = {f"x{k:02}": nb.Real(0, 1) for k in range(DIMENSIONS)}
    result = nb.minimize(valley, space, n_trials=n_trials, study_name="fifty", seed=0)
    chance = nb.minimize(valley, space, n_trials=n_trials, surrogate="random", seed=0)
    print(f"best {result.best_value:.3f}, random search {chance.best_value:.3f}")
    return result


if __name__ == "__main__":
    main()
