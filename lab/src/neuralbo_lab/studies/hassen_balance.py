"""003 3.5: precision of the prior and share of good ones, as a sweep."""

from neuralbo_lab import hassen_balance
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

HASSEN_BALANCE = ExperimentStudy(
    name="hassen-balance",
    reproduces="Hassen and Rish (2021) 5.3, Fig. 4: effect of the prior on class balance",
    methods=tuple(hassen_balance.SETTINGS),
    measure=hassen_balance.measure,
    write=hassen_balance.write,
    render=hassen_balance.render,
    seeds=10,
    departures=(
        "The document gives no values of the prior, no sweep and no number; the sweep is 003's.",
        "Random points instead of those of an optimization, so that probabilities can be compared"
        " with what happens at other random points.",
    ),
    minutes=Minutes(2, 6),
)
