"""What every study file must keep, whatever its document."""

import math
from dataclasses import replace

import numpy as np

from neuralbo_lab.claims.borda_over import BordaOver
from neuralbo_lab.claims.claim import AmongFirst, Beats, Between
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.report import Results, Run

SEEDS = 12  # enough for an interval of a median that is one of many


def check_claims(study):
    """Every claim has a source and words, and is about problems and groups of the study."""
    groups = {None, *(group.name for group in study.groups)}
    for claim in study.claims:
        assert "(20" in claim.source and claim.words
        assert methods_of(claim) <= set(study.methods), "a claim waits for a method"
        if isinstance(claim, BordaOver):
            assert claim.group in groups
            assert claim.better not in claim.worse
        if isinstance(claim, Beats | AmongFirst):
            assert set(claim.problems) <= set(study.problems)
        if isinstance(claim, Beats):
            assert claim.better not in claim.worse
            assert claim.trial is None or study.start < claim.trial <= study.trials
        if isinstance(claim, Between):
            assert claim.problem in study.problems and claim.low < claim.high
    assert len(set(study.claims)) == len(study.claims)


def methods_of(claim):
    """Return the names of the methods that a claim is about."""
    worse = getattr(claim, "worse", ())
    names = (getattr(claim, "better", None), getattr(claim, "method", None))
    return {*names, *((worse,) if isinstance(worse, str) else worse)} - {None}


def check_regression_claims(study):
    """As above, and each is about a training size of the study."""
    for claim in study.claims:
        assert "(20" in claim.source and claim.words
        assert claim.size in study.sizes
        problems = (claim.problem,) if hasattr(claim, "problem") else claim.problems
        assert set(problems) <= set(study.problems)
    assert len(set(study.claims)) == len(study.claims)


def check_tables(study):
    """Every row has a cell for every column, and every column is a problem of ours or none."""
    for table in study.document:
        ours = [problem for _, problem in table.columns if problem is not None]
        assert set(ours) <= set(study.problems)
        assert len({label for label, _ in table.columns}) == len(table.columns)
        assert len({row.label for row in table.rows}) == len(table.rows)
        for row in table.rows:
            assert len(row.cells) == len(table.columns)
            assert not any("*" in cell for cell in row.cells)
            assert all(math.isinf(number(cell)) or number(cell) > 0 for cell in row.cells)


def number(cell):
    """Return what is before ±; infinity for what is not available."""
    return math.inf if cell == "N/A" else float(cell.split("±")[0])


def lowest(table):
    """Return the labels of the rows with the lowest number of each column."""
    found = {}
    for place, (column, _) in enumerate(table.columns):
        numbers = {row.label: number(row.cells[place]) for row in table.rows}
        least = min(numbers.values())
        found[column] = tuple(label for label in numbers if numbers[label] == least)
    return found


def results(study, finals, methods=None):
    """Return results in which a method has the same final regret in the runs of each problem."""
    methods = tuple(finals) if methods is None else methods
    curves = {method: np.full(study.trials, level) for method, level in finals.items()}
    runs = {
        Cell(problem, method, seed): Run([], curve, math.nan, {}, None, {})
        for problem in study.problems
        for method, curve in curves.items()
        for seed in range(SEEDS)
    }
    return Results(replace(study, methods=methods, seeds=SEEDS, few=()), runs)
