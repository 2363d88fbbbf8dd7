"""A simulation that crashes where it would be best.

A stiff reaction is integrated with large steps: the larger the step, the cheaper, until the
integration explodes. The optimum lies on the border of what fails. A failure is learnt from and
avoided, but its neighbourhood is not called bad, so the border is found.
"""

import math
import warnings

import neuralbo as nb


def simulate(params: dict[str, float]) -> float:
    """Return what a run costs and how wrong it is; raise if it explodes."""
    step, damping = params["step"], params["damping"]
    stiffness = 40.0 * (1.2 - damping)
    value, t = 1.0, 0.0
    while t < 1.0:
        value -= step * (stiffness * (value - math.cos(t)) + damping * value)
        t += step
        if abs(value) > 3.0:
            raise FloatingPointError(f"the integration exploded at t = {t:.2f}")
    cost, wrong = 0.02 / step, abs(value - math.cos(t) * stiffness / (stiffness + damping))
    return cost + 4 * wrong + 0.6 * damping


def main(n_trials: int = 35) -> nb.Result:
    space = {"step": nb.Real(0.005, 0.25, log=True), "damping": nb.Real(0.0, 1.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nb.FailedTrialWarning)
        result = nb.minimize(simulate, space, n_trials=n_trials, study_name="simulation", seed=1)
    failed = [trial for trial in result.study.trials if trial.values is None]
    print(f"best {result.best_value:.4f} with {result.best_params}")
    print(f"{len(failed)} of {n_trials} trials crashed")
    return result


if __name__ == "__main__":
    main()
