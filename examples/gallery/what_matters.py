"""Which parameters matter, and where to go on.

A study is more than its best trial. `Analysis` fits one model and answers: the share of the
variance that each parameter has, what the model expects elsewhere, and advice. The page that
`neuralbo report` writes is made of the same numbers.
"""

import math

import neuralbo as nb


def rocket(params: dict[str, float]) -> float:
    """Return how far from the target a toy rocket lands, with wind that matters little."""
    angle, fuel = params["angle"], params["fuel"]
    speed = 30 * math.sqrt(fuel)
    reach = speed**2 * math.sin(2 * math.radians(angle)) / 9.81
    return abs(reach - 150 - 3 * params["wind"] + 0.5 * params["fin"]) / 10


def main(n_trials: int = 30) -> nb.analysis.Analysis:
    space = {
        "angle": nb.Real(5, 85), "fuel": nb.Real(0.2, 4.0), "wind": nb.Real(-2, 2),
        "fin": nb.Integer(1, 6),
    }  # fmt: skip
    result = nb.minimize(rocket, space, n_trials=n_trials, study_name="rocket", seed=0)
    analysis = nb.analysis.Analysis(result)
    for share in analysis.shares:
        print(f"{share.name:6} alone {share.first:5.2f}  with others {share.total:5.2f}")
    for hint in analysis.advice:
        print(f"- {hint.what}")
    return analysis


if __name__ == "__main__":
    main()
