"""The tables of Högger (2021), Sec.

6.4: one dimension, four ways of Dynamic C, five budgets, two criteria.
"""

from collections.abc import Mapping

from neuralbo_lab.claims.printed_tables import ANY, PrintedRow, PrintedTable
from neuralbo_lab.reproductions.hoegger.hoegger_names import BUDGETS, dynamic
from neuralbo_lab.reproductions.hoegger.hoegger_tables import BUDGET_COLUMNS, FUNCTIONS

# "exp. pad.", 0.1 is lost in the table; the text has the number
_MEANS = {
    "no dc": "1.63e-2 1.54e-2 1.54e-2 5.61e-5 3.90e-4",
    "lin.": "2.14e-4 1.51e-4 1.46e-4 2.55e-4 3.11e-4",
    "lin. pad.": "1.62e-5 4.58e-5 5.60e-5 1.41e-4 4.14e-4",
    "exp. pad.": "6.24e-6 1.07e-5 2.16e-5 5.60e-5 1.35e-4",
}

_FORRESTER = {
    "NOMU, no dc": "1/3 1/1 1/3 2/3 4/13",
    "NOMU, lin.": "9/14 6/14 7/16 9/18 9/18",
    "NOMU, lin. pad.": "1/3 2/3 3/3 4/12 12/20",
    "NOMU, exp. pad.": "1/1 1/3 1/3 2/11 5/16",
    "GP, no dc": "1/1 1/1 1/1 1/1 4/1",
    "GP, lin.": "13/13 13/17 13/17 16/19 16/20",
    "GP, lin. pad.": "4/1 5/1 4/1 10/13 13/13",
    "GP, exp. pad.": "4/1 1/1 5/1 5/1 10/13",
    "DE, no dc": "1/1 1/3 3/7 1/12 11/20",
    "DE, lin.": "3/9 4/12 4/16 1/15 10/17",
    "DE, lin. pad.": "1/6 1/8 4/11 4/12 10/19",
    "DE, exp. pad.": "1/2 1/3 1/3 4/9 6/18",
    "DO, no dc": "1/1 1/4 1/1 1/1 1/11",
    "DO, lin.": "1/8 1/11 1/15 1/17 1/20",
    "DO, lin. pad.": "1/9 1/16 1/11 1/19 1/18",
    "DO, exp. pad.": "1/6 1/7 1/5 1/10 1/11",
}

_LEVY = {
    "NOMU, no dc": "1/10 1/6 1/6 3/16 3/13",
    "NOMU, lin.": "1/15 1/18 1/17 1/19 1/20",
    "NOMU, lin. pad.": "1/5 1/3 1/11 1/6 1/12",
    "NOMU, exp. pad.": "1/1 1/1 1/4 1/6 1/14",
    "GP, no dc": "1/1 1/1 1/1 1/1 1/11",
    "GP, lin.": "5/14 1/18 1/15 1/19 10/20",
    "GP, lin. pad.": "1/1 1/1 1/1 1/11 10/16",
    "GP, exp. pad.": "1/1 1/1 1/1 3/13 12/16",
    "DE, no dc": "1/7 1/2 1/6 1/18 4/12",
    "DE, lin.": "1/4 1/13 1/9 1/15 13/20",
    "DE, lin. pad.": "1/5 1/10 1/14 1/15 5/19",
    "DE, exp. pad.": "1/1 1/3 1/8 1/11 3/15",
    "DO, no dc": "1/1 1/2 1/2 1/7 1/10",
    "DO, lin.": "1/17 1/14 1/15 1/13 1/20",
    "DO, lin. pad.": "1/5 1/10 1/19 3/15 1/18",
    "DO, exp. pad.": "1/5 1/4 1/10 1/9 1/7",
}

_SINONE = {
    "NOMU, no dc": "2/13 2/6 1/6 2/8 1/16",
    "NOMU, lin.": "1/20 1/18 1/17 1/15 1/19",
    "NOMU, lin. pad.": "1/3 1/8 1/8 1/8 1/12",
    "NOMU, exp. pad.": "1/14 1/1 1/2 1/5 1/3",
    "GP, no dc": "17/1 17/1 16/1 16/1 1/1",
    "GP, lin.": "9/16 10/16 11/16 11/16 11/20",
    "GP, lin. pad.": "1/1 1/1 1/1 1/1 1/1",
    "GP, exp. pad.": "1/1 1/1 1/1 1/1 1/1",
    "DE, no dc": "1/15 1/6 1/4 1/17 1/13",
    "DE, lin.": "1/12 1/14 1/9 1/20 1/18",
    "DE, lin. pad.": "1/4 1/3 1/11 1/10 1/19",
    "DE, exp. pad.": "1/7 1/1 1/1 1/8 1/16",
    "DO, no dc": "1/9 1/1 1/5 1/8 1/7",
    "DO, lin.": "1/14 1/15 1/17 1/18 1/20",
    "DO, lin. pad.": "1/12 1/10 1/13 1/16 1/19",
    "DO, exp. pad.": "1/2 1/3 1/4 1/6 1/10",
}

_BOTH = {
    "NOMU, UB: no dc": "1/4 1/1 1/4 2/4 7/28",
    "NOMU, UB: lin.": "16/30 13/30 14/33 18/36 19/36",
    "NOMU, UB: lin. pad.": "1/4 2/4 5/4 7/21 23/40",
    "NOMU, UB: exp. pad.": "1/1 1/4 1/4 2/18 12/33",
    "NOMU, EI: no dc": "1/4 1/4 1/4 9/23 11/23",
    "NOMU, EI: lin.": "9/28 7/26 11/30 18/35 26/39",
    "NOMU, EI: lin. pad.": "2/4 7/19 5/19 9/23 18/36",
    "NOMU, EI: exp. pad.": "1/1 1/4 1/4 9/21 17/26",
    "GP, UB: no dc": "1/1 1/1 1/1 1/1 8/1",
    "GP, UB: lin.": "27/31 27/36 28/36 32/39 32/40",
    "GP, UB: lin. pad.": "8/1 10/1 8/1 20/31 26/31",
    "GP, UB: exp. pad.": "8/1 1/1 10/1 10/1 20/31",
    "GP, EI: no dc": "1/1 1/1 1/1 1/1 1/1",
    "GP, EI: lin.": "26/29 22/1 29/35 26/29 30/36",
    "GP, EI: lin. pad.": "8/1 1/1 10/1 1/1 10/1",
    "GP, EI: exp. pad.": "8/1 1/1 10/1 10/1 13/1",
    "DE, UB: no dc": "1/1 1/3 3/11 1/24 19/40",
    "DE, UB: lin.": "3/18 5/24 5/28 1/27 18/36",
    "DE, UB: lin. pad.": "1/9 1/16 5/23 7/24 18/38",
    "DE, UB: exp. pad.": "1/2 1/3 1/3 5/18 12/37",
    "DE, EI: no dc": "1/8 1/3 1/12 3/18 10/32",
    "DE, EI: lin.": "3/17 8/29 1/18 12/34 19/39",
    "DE, EI: lin. pad.": "1/12 1/12 7/18 9/31 17/35",
    "DE, EI: exp. pad.": "1/3 1/9 5/12 7/30 11/33",
    "DO, UB: no dc": "1/2 1/5 1/2 1/2 1/21",
    "DO, UB: lin.": "1/18 1/21 1/30 1/33 1/40",
    "DO, UB: lin. pad.": "1/19 1/32 1/21 1/39 1/34",
    "DO, UB: exp. pad.": "1/10 1/16 1/7 1/20 1/21",
    "DO, EI: no dc": "1/1 1/10 1/5 1/14 1/25",
    "DO, EI: lin.": "1/25 1/35 1/36 1/38 1/36",
    "DO, EI: lin. pad.": "1/10 1/27 1/28 1/29 1/31",
    "DO, EI: exp. pad.": "1/7 1/10 1/17 1/7 1/14",
}


def _ranks(title: str, function: str, cells: Mapping[str, str]) -> PrintedTable:
    """Return a table in which all cells of an estimator are ranked together."""
    rows = [
        PrintedRow(
            label, _name(label), tuple(text.split()), FUNCTIONS[function],
            pool=label.split(", ")[0],
        )
        for label, text in cells.items()
    ]  # fmt: skip
    return PrintedTable(title, BUDGET_COLUMNS, tuple(rows), "ranks")


def _name(label: str) -> str:
    """Return the name of a row such as "NOMU, lin." or "NOMU, EI: lin."."""
    estimator, rest = label.split(", ")
    criterion, _, decay = rest.rpartition(": ")
    return dynamic(estimator, decay, ANY, is_ei=criterion == "EI")


TABLE_64 = PrintedTable(
    "Table 6.4: mean final regret of NOMU on Forrester",
    (("Forrester", "hoegger-forrester"),),
    tuple(
        PrintedRow(f"NOMU, {decay}, {budget}", dynamic("NOMU", decay, budget), (cell,))
        for decay, cells in _MEANS.items()
        for budget, cell in zip(BUDGETS, cells.split(), strict=True)
    ),
)
_WITHIN = "ranks among the 20 of an estimator, by mean/median"
TABLE_65 = _ranks(f"Table 6.5, Forrester: {_WITHIN}", "Forrester", _FORRESTER)
TABLE_A2 = _ranks(f"Table A.2, Levy: {_WITHIN}", "Levy", _LEVY)
TABLE_A3 = _ranks(f"Table A.3, SinOne: {_WITHIN}", "SinOne", _SINONE)
TABLE_A4 = _ranks(
    "Table A.4, Forrester, upper bound and expected improvement: ranks among the 40 of an "
    "estimator, by mean/median",
    "Forrester",
    _BOTH,
)
