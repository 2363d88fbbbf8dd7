"""Two objectives: a beam that is light and stiff.

Width, height and material of a beam. What is lighter bends more, so there is no best beam but a
front of beams that no other one beats in both.
"""

import neuralbo as nb

MATERIALS = {"steel": (7850.0, 210e9), "aluminium": (2700.0, 70e9), "oak": (720.0, 11e9)}
LENGTH, LOAD = 3.0, 2000.0


def weight_and_bend(params: dict[str, object]) -> tuple[float, float]:
    """Return kilograms, and millimetres of deflection in the middle."""
    density, modulus = MATERIALS[str(params["material"])]
    width, height = float(str(params["width"])), float(str(params["height"]))
    inertia = width * height**3 / 12
    bend = LOAD * LENGTH**3 / (48 * modulus * inertia)
    return density * width * height * LENGTH, min(1000 * bend, 100.0)


def main(n_trials: int = 24) -> nb.Result:
    space = {
        "material": nb.Categorical(list(MATERIALS)),
        "width": nb.Real(0.02, 0.2),
        "height": nb.Real(0.02, 0.3),
    }
    result = nb.minimize(
        weight_and_bend, space, n_trials=n_trials, direction=["minimize", "minimize"],
        reference_point=[100.0, 20.0], study_name="beam", seed=0,
    )  # fmt: skip
    front = sorted(tuple(trial.values) for trial in result.best_trials)
    print(f"{len(front)} of {n_trials} beams are on the front:")
    for kilograms, millimetres in front[:: max(1, len(front) // 5)]:
        print(f"  {kilograms:6.1f} kg bends {millimetres:6.2f} mm")
    return result


if __name__ == "__main__":
    main()
