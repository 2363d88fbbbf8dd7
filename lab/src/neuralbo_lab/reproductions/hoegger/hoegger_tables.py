"""The tables of Högger (2021), Sec.

6.3: one dimension, four estimators, five budgets of the mean width.

A cell that the scan destroyed is "†". The ranks that stand beside the numbers in Tables 6.2 and
A.1 are left out: they contradict Table 6.1 and Högger's own rule (Högger 2021, Table 6.2 and A.1).
"""

from collections.abc import Mapping, Sequence

from neuralbo_lab.claims.printed_tables import ANY, PrintedRow, PrintedTable, Statistic
from neuralbo_lab.reproductions.hoegger.hoegger_names import BUDGETS, SURROGATES, scaled

FUNCTIONS = {
    "Forrester": "hoegger-forrester",
    "Levy": "hoegger-levy1",
    "SinOne": "hoegger-sinone",
}
BUDGET_COLUMNS = tuple((budget, None) for budget in BUDGETS)

_MEANS = {
    "Forrester, NOMU": "1.63e-2 1.54e-2 1.54e-2 5.61e-5 3.90e-4",
    "Forrester, GP": "8.25e-7 8.25e-7 8.25e-7 1.02e-6 2.85e-6",
    "Forrester, DE": "1.54e-2 3.62e-5 3.79e-4 1.56e-3 1.72e-3",
    "Forrester, DO": "5.06e-2 4.76e-2 3.17e-2 4.71e-2 3.11e-2",
    "Levy, NOMU": "6.51e-3 6.79e-3 4.76e-3 9.25e-4 7.99e-4",
    "Levy, GP": "8.36e-3 5.30e-6 7.01e-5 8.28e-4 1.33e-3",
    "Levy, DE": "9.62e-3 8.00e-3 3.56e-3 1.07e-2 2.63e-2",
    "Levy, DO": "4.31e-3 4.36e-3 4.37e-3 4.84e-3 8.55e-3",
    "SinOne, NOMU": "7.32e-2 6.95e-2 † 6.72e-2 5.72e-2",
    "SinOne, GP": "5.40e-2 5.40e-2 4.21e-2 2.28e-2 7.27e-3",
    "SinOne, DE": "6.88e-2 6.15e-2 7.48e-2 5.71e-2 4.99e-2",
    "SinOne, DO": "8.08e-2 7.56e-2 8.05e-2 6.73e-2 8.10e-2",
}

_MEDIANS = {
    "Forrester, NOMU": "6.70e-6 † 6.70e-6 6.70e-6 6.27e-5",
    "Forrester, GP": "8.25e-7 8.25e-7 8.25e-7 8.25e-7 8.25e-7",
    "Forrester, DE": "8.25e-7 6.70e-6 2.82e-5 1.40e-4 9.34e-4",
    "Forrester, DO": "4.98e-5 6.27e-5 4.98e-5 4.98e-5 2.23e-4",
    "Levy, NOMU": "3.75e-5 2.09e-5 2.09e-5 1.04e-4 5.44e-5",
    "Levy, GP": "1.76e-6 1.76e-6 1.76e-6 1.76e-6 2.20e-6",
    "Levy, DE": "8.73e-4 1.41e-4 4.98e-4 4.55e-3 1.60e-3",
    "Levy, DO": "2.56e-5 4.25e-5 4.25e-5 5.66e-5 1.04e-4",
    "SinOne, NOMU": "7.90e-4 † 5.45e-4 6.69e-4 1.38e-3",
    "SinOne, GP": "1.80e-5 † 1.80e-5 † 1.80e-5",
    "SinOne, DE": "3.07e-3 7.86e-4 7.29e-4 7.01e-3 2.65e-3",
    "SinOne, DO": "2.76e-3 3.00e-4 7.90e-4 1.62e-3 1.09e-3",
}

_RANKS = {
    "Forrester, NOMU": "1/2 1/1 1/2 1/2 1/5",
    "Forrester, GP": "1/1 1/1 1/1 1/1 4/1",
    "Forrester, DE": "1/1 1/2 2/3 1/4 3/5",
    "Forrester, DO": "1/1 1/4 1/1 1/1 1/5",
    "Levy, NOMU": "1/3 1/1 1/1 1/5 1/4",
    "Levy, GP": "1/1 1/1 1/1 1/1 1/5",
    "Levy, DE": "1/3 1/1 1/2 1/5 2/4",
    "Levy, DO": "1/1 1/2 1/2 1/4 1/5",
    "SinOne, NOMU": "1/4 1/1 1/1 1/3 1/5",
    "SinOne, GP": "2/1 2/1 1/1 1/1 1/1",
    "SinOne, DE": "1/4 1/2 1/1 1/5 1/3",
    "SinOne, DO": "1/5 1/1 1/2 1/4 1/3",
}

_FACTORS = {
    "Forrester, NOMU": "0.62±0.16 1.32±0.30 2.74±0.69 6.85±1.76 10.98±2.60",
    "Forrester, GP": "0.70±0.13 1.60±0.35 3.20±0.67 6.61±1.40 12.59±2.75",
    "Forrester, DE": "731±350 1255±489 3773±2231 8421±5738 15501±8454",
    "Forrester, DO": "0.95±0.09 2.34±0.19 4.67±0.39 9.45±0.84 18.91±1.50",
    "Levy, NOMU": "0.60±0.18 1.30±0.35 2.50±0.65 4.87±1.27 9.46±2.26",
    "Levy, GP": "0.30±0.22 0.84±0.57 1.38±1.11 3.36±2.28 4.13±1.58",
    "Levy, DE": "215±95.34 1003±1128 1173±823 2409±1932 3371±1902",
    "Levy, DO": "0.80±0.07 1.94±0.16 3.96±0.33 7.90±0.65 15.81±1.36",
    "SinOne, NOMU": "0.50±0.13 1.71±0.57 3.41±1.00 7.14±2.60 13.11±4.35",
    "SinOne, GP": "0.09±0.01 0.23±0.02 0.46±0.05 0.88±0.09 1.71±0.19",
    "SinOne, DE": "40.79±15.92 91.46±29.55 230±112 353±120 792±329",
    "SinOne, DO": "0.52±0.06 1.31±0.17 2.66±0.31 5.28±0.63 10.68±1.42",
}


def words(text: str) -> tuple[str, ...]:
    """Return the cells of a row."""
    return tuple(word.replace("±", " ± ") for word in text.split())


def _regrets(title: str, statistic: Statistic, cells: Mapping[str, str]) -> PrintedTable:
    """Return functions as columns; estimators with their budgets are the rows."""
    rows = [
        PrintedRow(
            f"{estimator}, {budget}",
            scaled(estimator, budget),
            tuple(cells[f"{function}, {estimator}"].split()[place] for function in FUNCTIONS),
        )
        for estimator in SURROGATES
        for place, budget in enumerate(BUDGETS)
    ]
    return PrintedTable(title, tuple(FUNCTIONS.items()), tuple(rows), statistic)


def _ranks(title: str, cells: Mapping[str, str]) -> PrintedTable:
    """Return a table as Högger (2021) has it: budgets are its columns, ranked within a row."""
    rows = []
    for label, text in cells.items():
        function, estimator = label.split(", ")
        method, problem = scaled(estimator, ANY), FUNCTIONS[function]
        rows.append(PrintedRow(label, method, words(text), problem, pool=label))
    return PrintedTable(title, BUDGET_COLUMNS, tuple(rows), "ranks")


def factors(
    title: str,
    labels: Sequence[str],
    budgets: Sequence[str],
    surrogates: Mapping[str, tuple[str, ...]],
) -> PrintedTable:
    """Return rows and columns of Table 6.3; an estimator may stand for several of ours."""
    rows = []
    for label in labels:
        function, estimator = label.split(", ")
        cells = dict(zip(BUDGETS, words(_FACTORS[label]), strict=True))
        method, *also = (f"{name}/mean_width_{ANY}/grid" for name in surrogates[estimator])
        here = tuple(cells[budget] for budget in budgets)
        rows.append(PrintedRow(label, method, here, FUNCTIONS[function], also=tuple(also)))
    columns = tuple((budget, None) for budget in budgets)
    return PrintedTable(title, columns, tuple(rows), "interval", "factor")


TABLE_62 = _regrets("Table 6.2: mean final regret by budget", "mean", _MEANS)
TABLE_A1 = _regrets("Table A.1: median final regret by budget", "median", _MEDIANS)
TABLE_61 = _ranks("Table 6.1: ranks of the budgets within an estimator, by mean/median", _RANKS)
TABLE_63 = factors(
    "Table 6.3: mean factor c that scales the standard deviations, ± half of its 95 % interval",
    tuple(_FACTORS),
    BUDGETS,
    {name: (ours,) for name, ours in SURROGATES.items()},
)
