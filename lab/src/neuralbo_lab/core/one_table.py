"""The report of an experiment that is one table, with a word on how to read it."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import final

from neuralbo_lab.core.experiment_study import ExperimentResults
from neuralbo_lab.core.tables import folder_for, markdown, write_csv
from neuralbo_lab.pages import html


@final
@dataclass(frozen=True, slots=True)
class OneTable:
    """Columns, what makes the rows of the results, and the explanation above them."""

    columns: tuple[str, ...]
    rows: Callable[[ExperimentResults], list[tuple[str, ...]]]
    explanation: str

    def write(self, results: ExperimentResults, root: Path) -> Path:
        """Write it as Markdown and CSV beside the results and return the Markdown file."""
        study, rows = results.study, self.rows(results)
        write_csv(folder_for(study, root) / f"{study.name}.csv", self.columns, rows)
        return results.write(root, [self.explanation, "", *markdown(self.columns, rows), ""])

    def render(self, results: ExperimentResults) -> str:
        """Return the page."""
        table = html.table(self.columns, self.rows(results))
        return html.experiment_page(results, [f"<p>{escape(self.explanation)}</p>", table])
