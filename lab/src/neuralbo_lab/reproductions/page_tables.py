"""The tables of docs/reproductions.md: final regrets, scores, and printed tables beside ours."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from neuralbo_lab.claims.comparison import compared
from neuralbo_lab.core.as_run import as_run
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.core.study import Study
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.reproductions import full_size
from neuralbo_lab.reproductions.agrawal import agrawal_report
from neuralbo_lab.reproductions.aryan import aryan_names, implicit_toys_page
from neuralbo_lab.reproductions.hassen import hassen_balance
from neuralbo_lab.reproductions.kruse import kruse_names
from neuralbo_lab.statistics.summaries import mean, median

Names = Mapping[str, str]  # what the page calls something -> its name in the laboratory
NOTHING = "—"
OURS = re.compile(r" \([\w./]+\)$")  # the name of what stands for a row


@final
@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """Results in a folder; each study is read once."""

    root: Path
    kept: dict[str, Any] = field(default_factory=dict)

    def run(self, name: str) -> Study[Any]:
        """Return a study as far as it was run."""
        return as_run(find_study(name), self.root)

    def results(self, name: str) -> Any:
        """Return the results of a study, of whichever kind."""
        if name not in self.kept:
            self.kept[name] = self.run(name).read(self.root)
        return self.kept[name]


Table = Callable[[Stored], list[str]]


def finals(study: str, methods: Names, problems: Names, *, is_median: bool = False) -> Table:
    """Return a table of mean final regrets with medians, or of medians; a row a method."""

    def lines(stored: Stored) -> list[str]:
        results = stored.results(study)
        rows = []
        for label, method in methods.items():
            finals = [_finals(results, problem, method) for problem in problems.values()]
            sizes = {len(one) for one in finals if len(one)}
            runs = " to ".join(map(str, sorted({min(sizes), max(sizes)}))) if sizes else NOTHING
            rows.append((label, runs, *(_level(one, is_median) for one in finals)))
        return markdown(("", "runs", *problems), rows)

    return lines


def _finals(results: Any, problem: str, method: str) -> Any:
    study = results.study
    if problem not in study.problems or method not in study.methods:
        return np.empty(0)
    return results.curves(problem, method)[:, -1]


def _level(numbers: Any, is_median: bool) -> str:
    if len(numbers) == 0:
        return NOTHING
    middle = short(float(median(numbers)))
    return middle if is_median else f"{short(float(mean(numbers)))} ({middle})"


def short(number: float) -> str:
    """Return two digits: 0.13, 130, 1.3e4, 1.3e-5."""
    if math.isnan(number):
        return "N/A"
    if 100 <= abs(number) < 10_000:
        return f"{float(f'{number:.2g}'):.0f}"
    mantissa, e, exponent = f"{number:.2g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def scores(study: str, score: str, sizes: tuple[int, ...], surrogates: Names) -> Table:
    """Return a table of mean scores of fits; a row for each problem and training size."""

    def lines(stored: Stored) -> list[str]:
        results = stored.results(study)
        rows = []
        for problem in results.study.problems:
            for size in sizes:
                found = [
                    results.shared_scores(problem, (name,), size, score)[:, 0]
                    for name in surrogates.values()
                ]
                numbers = (
                    f"{short(float(np.mean(one)))} ({len(one)})" if len(one) else NOTHING
                    for one in found
                )
                rows.append((problem, str(size), *numbers))
        return markdown(("", "n", *surrogates), rows)

    return lines


def printed(study: str, beginning: str) -> Table:
    """Return a printed table with ours beside it, by how its title begins."""

    def lines(stored: Stored) -> list[str]:
        for title, columns, rows in compared(stored.results(study)):
            if title.startswith(beginning):
                plain = [(OURS.sub("", row[0]), *row[1:]) for row in rows]
                return [f"{title}.", "", *markdown(columns, plain)]
        raise KeyError(f"{study} has no table that begins with {beginning!r}.")

    return lines


def _of_rows(
    study: str, columns: tuple[str, ...], rows: Callable[[Any], list[tuple[str, ...]]],
    shown: tuple[str, ...],
) -> Table:  # fmt: skip
    """Return some columns of the table of an experiment."""
    places = [columns.index(name) for name in shown]

    def lines(stored: Stored) -> list[str]:
        found = rows(stored.results(study))
        return markdown(shown, [tuple(row[at] for at in places) for row in found])

    return lines


def paths(study: str, methods: Names, problem: str) -> Table:
    """Return the final regret of each run; a row a method."""

    def lines(stored: Stored) -> list[str]:
        results = stored.results(study)
        rows = []
        for label, method in methods.items():
            numbers = _finals(results, problem, method)
            rows.append((label, ", ".join(short(number) for number in np.sort(numbers))))
        return markdown(("", "final regret of each run, the best first"), rows)

    return lines


def seconds(study: str, methods: Names, problem: str) -> Table:
    """Return the factor c, the seconds of a suggestion and the final regret of single runs."""

    def lines(stored: Stored) -> list[str]:
        results = stored.results(study)
        rows = []
        for label, method in methods.items():
            for run in results.of(problem, method)[:1]:
                factor = [line["facts"] for line in run.trials if "facts" in line]
                c = short(factor[0]["mean_width_c"]) if factor else NOTHING
                rows.append((label, c, short(run.seconds), short(run.curve[-1])))
        return markdown(("", "factor c", "seconds a suggestion", "final regret"), rows)

    return lines


KRUSE_1D = {
    "Test1": "kruse-test1", "Test2": "kruse-test2-coded", "Test3": "kruse-test3c",
    "Test4": "kruse-test4c",
}  # fmt: skip
KRUSE_MODELS = {
    "`gp_kruse`": "gp_kruse/ei/random", "BNN": "bnn_nuts_fast/ei/random",
    "BOHAMIANN": "bohamiann_fast/ei/random",
    **{f"`{m}`, one Gaussian": f"{m}/ei/random" for m in kruse_names.MIXTURES},
    **{f"`{m}`, exact": f"{m}/mixture_ei/random" for m in kruse_names.MIXTURES},
    "`kde_kruse`": "kde_kruse/ei/random", "random": "empirical/ei/random", "`gp`": "gp",
    "`brvfl4`": "brvfl4",
}  # fmt: skip
KRUSE_SURROGATES = {
    "`kde`": "kde", "`gmr`": "gmr", "`spn`": "spn", "`gp_kruse`": "gp_kruse", "`gp`": "gp",
    "BNN": "bnn_nuts_fast", "BOHAMIANN": "bohamiann_fast", "empirical": "empirical",
}  # fmt: skip
AGRAWAL = {
    "network, LCB": "bnn_hmc_fast/lcb/multistart", "GPyOpt's GP, LCB": "gp_gpyopt/lcb/multistart",
    "`gp`": "gp", "`brvfl4`": "brvfl4", "random": "random",
}  # fmt: skip
RVFL = {f"`{label.lower()}_aryan`": method for label, method in aryan_names.LEARNT.items()}
HASSEN = {
    "`boggn`": "boggn", "`bore`": "bore", "`bore_single`": "bore_single", "`lfbo`": "lfbo",
    "TPE": "tpe", "random": "random", "GPyOpt's GP": "gp_gpyopt/ei/multistart",
    "BoTorch": "botorch", "`gp`": "gp", "`brvfl4`": "brvfl4",
}  # fmt: skip
STAND_INS = {
    "vehicle": "hpo-hpobench-vehicle", "protein": "hpo-fcnet-protein",
    "SVM, diabetes": "tune-svm-diabetes", "boosting, diabetes": "tune-boosting-diabetes",
}  # fmt: skip
OF_CHAPTER_5 = {
    "BOHAMIANN": aryan_names.BOHAMIANN, "GP": aryan_names.GP, "random forest": aryan_names.FOREST,
    **{name.replace("_", " "): method for name, method in aryan_names.CONDITIONAL.items()},
    "`gp_one_stage`": "gp_one_stage", "random": "random",
}  # fmt: skip
OF_CHAPTER_6 = {
    "IVBNN": aryan_names.IVBNN, "BOHAMIANN": aryan_names.BOHAMIANN, "GP": aryan_names.GP,
    "GP, sampled": aryan_names.GP_MCMC, "random forest": aryan_names.FOREST,
    "`ivbnn_fast`, our maximizer": "ivbnn_fast", "random": "random",
}  # fmt: skip


def _names(study: str, part: str) -> dict[str, str]:
    return {name: name for name in getattr(find_study(study), part)}


TABLES: dict[str, Table] = {
    "kruse-regression-1d": scores(
        "kruse-regression-1d", "exp_mlpd", (36, 86), KRUSE_SURROGATES
    ),
    "kruse-coverage": scores("kruse-regression-1d", "coverage", (36,), KRUSE_SURROGATES),
    "kruse-bo-1d": finals("kruse-bo-1d", KRUSE_MODELS, KRUSE_1D),
    "agrawal-regression": _of_rows(
        "agrawal-regression", agrawal_report.COLUMNS, agrawal_report.table,
        ("setting", "seeds", "rmse", "share", "r_hat", "ess_min", "ess_median", "CPU seconds"),
    ),
    "agrawal-benchmark": finals(
        "agrawal-benchmark", AGRAWAL,
        {name: f"agrawal-{name.lower()}" for name in ("Forrester", "Rosenbrock", "McCormick",
                                                     "Camel")}, is_median=True,
    ),
    "agrawal-forrester": paths(
        "agrawal-forrester",
        {"network, LCB": "bnn_hmc_fast/lcb/multistart",
         "GPyOpt's GP, LCB": "gp_gpyopt/lcb/multistart", "`brvfl4`, LCB": "brvfl4/lcb"},
        "agrawal-forrester",
    ),
    "aryan-bbob": finals(
        "aryan-bbob", {f"`{m.removesuffix('/lbfgs150')}`": m for m in aryan_names.CHAPTER_3},
        {name.removeprefix("bbob-"): name for name in _names("aryan-bbob", "quick_problems")},
        is_median=True,
    ),
    "aryan-synthetic": finals(
        "aryan-synthetic", {**RVFL, "`gp`": "gp", "`brvfl2`": "brvfl2", "`brvfl4`": "brvfl4",
                            "random": "random"},
        _names("aryan-synthetic", "problems"), is_median=True,
    ),
    "aryan-hpo": finals(
        "aryan-hpo",
        {**{k: v for k, v in RVFL.items() if "brvfl" in k}, "`brvfl4`": "brvfl4",
         "random": "random"},
        {re.sub("^hpo-(?:hpobench|fcnet)-", "", name): name
         for name in _names("aryan-hpo", "problems")}, is_median=True,
    ),
    "aryan-implicit-toys": _of_rows(
        "aryan-implicit-toys", implicit_toys_page.COLUMNS, implicit_toys_page.table,
        implicit_toys_page.COLUMNS,
    ),
    "aryan-conditional": finals("aryan-conditional", OF_CHAPTER_5, STAND_INS, is_median=True),
    "aryan-ivbnn": finals("aryan-ivbnn", OF_CHAPTER_6, STAND_INS, is_median=True),
    "hassen-synthetic": finals(
        "hassen-synthetic", HASSEN,
        {"Branin": "branin", "camel": "camelback", "Hartmann-3": "hartmann3",
         "Hartmann-6": "hartmann6"}, is_median=True,
    ),
    "hassen-pilot": printed("hassen-synthetic", "Not Hassen and Rish's"),
    "hassen-protein": finals(
        "hassen-protein", {f"`{m}`": m for m in find_study("hassen-protein").methods},
        {"Protein": "hpo-fcnet-protein"},
    ),
    "hoegger-1d": printed("hoegger-1d", "Table 6.2"),
    "hoegger-dynamic-c": printed("hoegger-dynamic-c", "Table 6.4"),
    "hoegger-2d": printed("hoegger-2d", "Table A.5"),
    "hoegger-2d-ranks": printed("hoegger-2d", "Table 6.6"),
    "hoegger-5d": printed("hoegger-5d", "Table 6.7"),
    "hoegger-full-size": seconds(
        "hoegger-full-size", _names("hoegger-full-size", "methods"), "hoegger-forrester"
    ),
}  # fmt: skip


def _balance(results: Any) -> list[tuple[str, ...]]:
    return [row for row in hassen_balance.table(results) if row[2] == "0.33"]


TABLES["full-size-fits"] = _of_rows(
    "full-size-fits", full_size.COLUMNS, full_size.table, full_size.COLUMNS
)
TABLES["hassen-balance"] = _of_rows(
    "hassen-balance", hassen_balance.COLUMNS, _balance,
    ("problem", "way", "delta", "seeds", "mean_pi", "ece", "brier", "brier_constant"),
)  # fmt: skip
