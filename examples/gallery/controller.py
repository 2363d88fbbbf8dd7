"""A controller: swing a pendulum up and keep it there.

Four gains of a controller, judged by a simulation of five seconds. Most gains never get the
pendulum up: the function is flat with steep walls, which is where a log warp of the outputs helps.
"""

import math

import neuralbo as nb

STEP, SECONDS, TORQUE = 0.02, 5.0, 6.0


def swing(params: dict[str, float]) -> list[float]:
    """Return the angles of a run; 0 is upright, pi is down."""
    angle, speed, path = math.pi, 0.1, []
    for _ in range(int(SECONDS / STEP)):
        away = math.remainder(angle, 2 * math.pi)
        if abs(away) < params["catch"]:
            push = -params["stiffness"] * away - params["damping"] * speed
        else:
            energy = 0.5 * speed**2 + 9.81 * (math.cos(angle) - 1)
            push = -params["pump"] * energy * (1.0 if speed > 0 else -1.0)
        push = min(max(push, -TORQUE), TORQUE)
        speed += STEP * (9.81 * math.sin(angle) + push - 0.05 * speed)
        angle += STEP * speed
        path.append(math.remainder(angle, 2 * math.pi))
    return path


def cost(params: dict[str, float]) -> float:
    """Return how far from upright the pendulum is, in the mean of squares."""
    path = swing(params)
    return sum(angle**2 for angle in path) / len(path)


def main(n_trials: int = 40) -> nb.Result:
    space = {
        "pump": nb.Real(0.01, 3.0, log=True),
        "stiffness": nb.Real(1.0, 100.0, log=True),
        "damping": nb.Real(0.1, 30.0, log=True),
        "catch": nb.Real(0.05, 1.5),
    }
    result = nb.minimize(cost, space, n_trials=n_trials, study_name="controller", seed=0)
    print(f"best cost {result.best_value:.3f} with")
    for name, value in result.best_params.items():
        print(f"  {name} = {value:.3g}")
    return result


if __name__ == "__main__":
    main()
