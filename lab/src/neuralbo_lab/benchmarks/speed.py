"""The ratios of `neuralbo lab speed` in one go."""

from neuralbo_lab.speed.speed_study import SpeedStudy

SPEED = SpeedStudy(
    name="speed",
    reproduces="speed and quality as ratios measured in one run: all of `neuralbo lab speed`",
    measurements=(
        "start",
        "scale",
        "fits",
        "sampling",
        "training",
        "mixtures",
        "mixed_integer",
        "classifiers",
        "implicit",
        "curves",
        "trainings",
        "surrogates",
        "quality",
    ),
)
