"""000 E0, 002 3.5, 003 3.1 and 3.4: figures that have no table."""

from neuralbo_lab import illustration_page
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.illustrations import ILLUSTRATED
from neuralbo_lab.study import Minutes

ILLUSTRATIONS = ExperimentStudy(
    name="illustrations",
    reproduces="Aryan (2020) Figs. 2.1 to 2.10, 3.1, 3.2, 4.1, 4.2; Agrawal (2016) Fig. 1; "
    "Hassen and Rish (2021) Figs. 1, 2, 4",
    methods=tuple(ILLUSTRATED),
    measure=illustration_page.measure,
    write=illustration_page.write,
    render=illustration_page.render,
    departures=(
        "The formula of the ring, and the points of the sinusoids, are ours: the documents give"
        " none (000 A4).",
        "The densities and the function of 003 are those of the code of BORE, which it follows.",
        "MC dropout and the fully Bayesian GP of Fig. 4.1 are not there.",
        "The network of Fig. 3.2 has its output layer integrated out, and is sampled by four"
        " chains of HMC with 400 draws each, instead of one of NUTS with 1000.",
    ),
    minutes=Minutes(1, 1),
)
