"""000 E7: order-preserving implicit laws of targets in the plane, beside plain ones."""

from neuralbo_lab import implicit_toys, implicit_toys_page
from neuralbo_lab.experiment_study import ExperimentStudy
from neuralbo_lab.study import Minutes

ARYAN_IMPLICIT_TOYS = ExperimentStudy(
    name="aryan-implicit-toys",
    reproduces="Aryan (2020) 6.4, Figs. 6.3 to 6.6: order-preserving implicit models",
    methods=(*implicit_toys.TOYS, *implicit_toys.CRITICS),
    measure=implicit_toys.measure,
    write=implicit_toys_page.write,
    render=implicit_toys_page.render,
    seeds=5,
    departures=(
        "The mixtures, the networks and their training are ours: the document gives none. Only"
        " the inputs of the generator are its own, a normal code and an angle, of which the"
        " network sees eight harmonics.",
        "The cost by which samples are ordered is -log of the target's density, which is known"
        " here: that of the document carries no order where the fit is good (A28). It is taken"
        " five times, so that pairs which are in order hardly count.",
        "kappa grows from 0 to 0.3 in training: with order from the start modes are lost. All"
        " pairs of a batch are compared.",
        "The document has no numbers; the three measures are those that 000 suggests.",
        "What a critic knows in many dimensions is not in the document: it is why `ivbnn_fast` has"
        " none.",
    ),
    quick_seeds=1,
    minutes=Minutes(0.5, 8),
)
