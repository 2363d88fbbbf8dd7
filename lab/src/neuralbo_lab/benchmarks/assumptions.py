"""Methods for many dimensions where what they assume is true.

A random embedding and an autoencoder assume that few directions count, additive models that a
function is a sum over groups of columns. Where that is not so they say little about the methods.
"""

from neuralbo_lab.claims.paired_tests import BeatsByTest
from neuralbo_lab.core.optimization_study import OptimizationStudy

FEW_COUNT = ("branin-useless8", "hartmann6-useless14")  # 2 of 10 columns, 6 of 20
SUMS = ("rastrigin20-shifted",)  # over single columns
_SOURCE = "ours: a method is ahead where its assumption is true"

ASSUMPTIONS = OptimizationStudy(
    name="assumptions",
    reproduces="embeddings, autoencoders and additive models where their assumptions are true",
    problems=(*FEW_COUNT, *SUMS),
    methods=("random_embedding", "autoencoder", "additive", "additive_brvfl4", "gp", "brvfl4",
             "high_dimension", "random"),
    trials=60,
    start=10,
    seeds=10,
    design="sobol",
    claims=(
        *(
            BeatsByTest(name, "gp", FEW_COUNT, _SOURCE)
            for name in ("random_embedding", "autoencoder")
        ),
        *(BeatsByTest(name, "gp", SUMS, _SOURCE) for name in ("additive", "additive_brvfl4")),
    ),
    departures=(
        "All methods have the same ten initial points; those of random_embedding lie off its "
        "plane, so that it learns nothing from them.",
    ),
    quick_trials=15,
    quick_seeds=1,
)  # fmt: skip
