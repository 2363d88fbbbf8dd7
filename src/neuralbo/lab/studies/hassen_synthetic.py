"""003 3.3: Branin, six-hump camel and Hartmann's functions, 200 repetitions.

The document has no numbers; the table is of the pilot that 003 made of the repaired algorithm.
Its rows have names of the form boggn_delta_1: a surrogate with a fixed prior precision delta.
"""

from neuralbo.lab.claims import Beats
from neuralbo.lab.document import PrintedRow, PrintedTable
from neuralbo.lab.study import Minutes, OptimizationStudy

GP = "gp_gpyopt/ei/multistart"
RIVALS = ("bore", "tpe", GP, "gp", "botorch", "random")
PROBLEMS = ("branin", "camelback", "hartmann3", "hartmann6")
SOURCE = "003 3.3: BOGGN outperforms all others"

PILOT = PrintedTable(
    "Not the document's but a pilot of 003 3.3: 10 runs, median regret after 80 evaluations",
    (("Branin", "branin"), ("Six-hump camel", "camelback"), ("Hartmann-6", "hartmann6")),
    (
        PrintedRow("Random search", "random", ("0.461", "0.271", "1.323")),
        PrintedRow("Plug-in, delta = 1", "bore_delta_1", ("0.438", "0.075", "1.140")),
        PrintedRow("BOGGN, delta = 1", "boggn_delta_1", ("0.394", "0.067", "1.559")),
        PrintedRow("Plug-in, delta = 0.1", "bore_delta_0.1", ("1.145", "0.043", "0.831")),
        PrintedRow("BOGGN, delta = 0.1", "boggn_delta_0.1", ("1.141", "0.776", "1.557")),
        PrintedRow("BOGGN, printed loss", "boggn_printed_loss", ("0.895", "1.013", "2.118")),
    ),
    "median",
)

HASSEN_SYNTHETIC = OptimizationStudy(
    name="hassen-synthetic",
    reproduces="Hassen and Rish (2021) 5.2: immediate regret on synthetic functions",
    problems=PROBLEMS,
    methods=(GP, "gp", "brvfl4", "tpe", "botorch", "random"),
    trials=80,
    start=10,
    seeds=200,
    document=(PILOT,),
    claims=tuple(Beats("boggn", (rival,), PROBLEMS, SOURCE, "median") for rival in RIVALS),
    departures=(
        "80 evaluations, as in the pilot of 003; the document does not say (the scripts of BORE, "
        "which it follows, have 500).",
        "10 start points, as BORE has them; the document does not say.",
        "Both of Hartmann's functions: the document does not say which one it takes.",
        "The document cites RoBO for GP-BO without settings. Here GPyOpt's Gaussian process with "
        "EI, as BORE has it, stands for it, beside ours and BoTorch's.",
        "TPE is Optuna's, not hyperopt's.",
        "No Hyperband: these functions have no budget that it could divide.",
        "Medians decide the claims: the document does not say what it plots.",
    ),
    quick_trials=30,
    minutes=Minutes(2, 530),
)
