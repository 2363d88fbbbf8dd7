"""Which chemical measurements are needed? A data set of wines.

178 wines, 13 measured quantities, three cultivars. A measurement costs money, so the search is for
a small set of them that still tells the cultivars apart: 13 switches and the number of neighbours
of a classifier.
"""

from typing import Any

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

import neuralbo as nb

wines: Any = load_wine()
X, y, NAMES = scale(wines.data), wines.target, [str(name) for name in wines.feature_names]
COST = 0.004  # of a measurement, as a share of errors


def error_and_cost(params: dict[str, object]) -> float:
    used = [k for k, name in enumerate(NAMES) if params[name]]
    if not used:
        return 1.0
    model = KNeighborsClassifier(int(str(params["neighbours"])))
    return 1.0 - float(np.mean(cross_val_score(model, X[:, used], y, cv=3))) + COST * len(used)


def main(n_trials: int = 60) -> nb.Result:
    space: dict[str, object] = {name: nb.Categorical([False, True]) for name in NAMES}
    space["neighbours"] = nb.Integer(1, 25)
    result = nb.minimize(
        error_and_cost, space, n_trials=n_trials, study_name="wine", surrogate="brvfl4", seed=0
    )
    used = [name for name in NAMES if result.best_params[name]]
    print(f"errors {result.best_value - COST * len(used):.3f} with {len(used)} measurements:")
    print(", ".join(used))
    return result


if __name__ == "__main__":
    main()
