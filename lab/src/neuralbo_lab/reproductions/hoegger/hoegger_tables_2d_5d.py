"""The tables of Högger (2021), Sec.

6.5 and 6.6: two and five dimensions, with mean width and Dynamic C.

Högger (2021) does not say again which decay it takes; exponential with padding is what its
section 6.4.4 recommends. There are no numbers for five dimensions, ranks only.
"""

from collections.abc import Mapping

from neuralbo_lab.claims.printed_tables import PrintedRow, PrintedTable
from neuralbo_lab.reproductions.hoegger.hoegger_names import PURE, SURROGATES, dynamic
from neuralbo_lab.reproductions.hoegger.hoegger_tables import words

FUNCTIONS_2D = {
    "Branin": "hoegger-branin",
    "Rosenbrock": "hoegger-rosenbrock2",
    "Camelback": "hoegger-camelback",
    "Perm": "hoegger-perm2",
    "Goldstein-Price": "hoegger-goldstein-price",
}
FUNCTIONS_5D = {
    "G-function": "hoegger-g-function5",
    "Levy": "hoegger-levy5",
    "(Perm)": "hoegger-perm5",
    "Rosenbrock": "hoegger-rosenbrock5",
}
IN_2D = {
    **{name: dynamic(name, "exp. pad.", "0.05") for name in SURROGATES},
    "pGP": PURE,
}
IN_5D = {
    **{
        f"{name}, {budget}": dynamic(name, "exp. pad.", budget, maximizer="direct_5000")
        for name in SURROGATES
        for budget in ("0.05", "0.5")
    },
    "pGP": PURE,
    "random": "random",
}

_MEANS = {
    "NOMU": "2.30e-5±9.40e-6 2.54e-6±6.53e-7 1.33e-5±2.89e-6 1.73e-5±8.10e-6 1.42e-4±7.47e-5",
    "GP": "2.36e-6±1.35e-6 5.47e-6±2.12e-6 4.00e-5±1.14e-5 1.95e-5±9.01e-6 1.16e-4±5.48e-5",
    "DE": "2.52e-5±8.63e-6 1.08e-6±3.62e-7 7.57e-4±3.73e-4 2.16e-5±8.70e-6 2.19e-4±8.57e-5",
    "DO": "2.83e-4±1.21e-4 6.18e-6±3.27e-6 1.02e-4±3.86e-5 1.60e-4±7.19e-5 3.44e-4±1.39e-4",
    "pGP": "2.66e-4±4.91e-4 7.55e-6±2.58e-6 8.40e-5±5.44e-5 7.77e-4±4.85e-4 9.58e-5±3.38e-5",
}

_RANKS_2D = {
    "NOMU": "2/2 2/2 1/1 1/2 1/1",
    "GP": "1/1 3/4 2/3 1/1 1/2",
    "DE": "2/2 1/1 5/4 1/2 2/3",
    "DO": "4/5 2/3 3/4 4/5 3/5",
    "pGP": "1/2 3/5 2/1 5/2 1/4",
}

_RANKS_5D = {
    "NOMU, 0.05": "2 1 (4) 1",
    "NOMU, 0.5": "2 1 (4) 2",
    "GP, 0.05": "5 8 (1) 2",
    "GP, 0.5": "9 4 (9) 5",
    "DE, 0.05": "5 3 (6) 1",
    "DE, 0.5": "5 4 (9) 9",
    "DO, 0.05": "1 6 (1) 2",
    "DO, 0.5": "2 8 (1) 5",
    "pGP": "5 6 (3) 5",
    "random": "10 10 (7) 9",
}


def _rows(cells: Mapping[str, str], methods: Mapping[str, str]) -> tuple[PrintedRow, ...]:
    return tuple(PrintedRow(label, methods[label], words(text)) for label, text in cells.items())


TABLE_A5 = PrintedTable(
    "Table A.5: mean final regret ± half of its 95 % interval",
    tuple(FUNCTIONS_2D.items()),
    _rows(_MEANS, IN_2D),
    "interval",
)
TABLE_66 = PrintedTable(
    "Table 6.6: ranks by mean/median",
    tuple(FUNCTIONS_2D.items()),
    _rows(_RANKS_2D, IN_2D),
    "ranks",
)
TABLE_67 = PrintedTable(
    "Table 6.7: ranks by the mean; Perm is left out of Högger's analysis",
    tuple(FUNCTIONS_5D.items()),
    _rows(_RANKS_5D, IN_5D),
    "rank",
)
