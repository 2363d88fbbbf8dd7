"""The page of a study, put together from its sections."""

import secrets
from pathlib import Path

from neuralbo import __version__
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.landscape import FEW
from neuralbo.reporting.analysis.study_like import Source
from neuralbo.reporting.page import html
from neuralbo.reporting.page.best_section import best
from neuralbo.reporting.page.calibration_section import calibration
from neuralbo.reporting.page.choices_section import choices
from neuralbo.reporting.page.convergence_section import convergence
from neuralbo.reporting.page.costs_section import costs
from neuralbo.reporting.page.curves_section import learning_curves
from neuralbo.reporting.page.failures_section import failures
from neuralbo.reporting.page.front_section import front_section, importance_of_each
from neuralbo.reporting.page.head import head, next_steps
from neuralbo.reporting.page.importance_section import importance
from neuralbo.reporting.page.posterior_section import maps, slices
from neuralbo.reporting.page.seconds_section import seconds
from neuralbo.reporting.page.trials_section import SCRIPT_HASH, trial_table


def render(study: Source, *, refresh: float | None = None) -> str:
    """Return the page of a study of any sampler: one HTML file that needs nothing else.

    Args:
        study: one of Optuna's, the `Result` of `minimize`, or an `Optimizer`.
        refresh: seconds after which a browser reads the page again; None for never.
    """
    analysis = Analysis(study)
    record = analysis.record
    parts = [head(analysis), next_steps(analysis), convergence(analysis)]
    parts += [learning_curves(analysis)]
    if len(record.directions) == 1:
        parts += [best(analysis), importance(analysis), slices(analysis), maps(analysis)]
        parts += [calibration(analysis)]
    else:
        parts += [front_section(record), importance_of_each(study, record)]
    parts += [choices(analysis), costs(analysis), seconds(analysis), failures(analysis)]
    parts += [trial_table(record), _foot(analysis)]
    return html.page(
        f"{record.name} · neuralbo",
        (part for part in parts if part),
        scripts=[SCRIPT_HASH] if record.trials else [],
        refresh=refresh,
    )


def write(study: Source, path: str | Path, *, refresh: float | None = None) -> Path:
    """Write the page of a study to a file, whose folder is made if it is missing.

    The page is written beside the file, then renamed: there is the whole page, or what was there
    before.

    Args:
        study: see `render`.
        path: of the file.
        refresh: see `render`.

    Raises:
        OSError: it cannot be written: no room, no permission, a name that is too long.
    """
    text, path = render(study, refresh=refresh), Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if (
            path.exists() and not path.is_file()
        ):  # a pipe or a device, which a rename would replace
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise OSError(
            error.errno, f"the page cannot be written to {path}: {error.strerror}. Make room, or "
            "name another file (--out, or the path given to write)",
        ) from error  # fmt: skip
    return path


def _replace(path: Path, text: str) -> None:
    """Write a text to a file that has the old content until the new one is complete."""
    beside = path.with_name(f".neuralbo-{secrets.token_hex(8)}.tmp")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _foot(analysis: Analysis) -> str:
    words = f"Made by neuralbo {__version__}."
    if len(analysis.record.directions) == 1 and analysis.landscape is not None:
        found = analysis.landscape
        n = found.data.n
        some = (
            f"{FEW} of {n} trials, a third of them around the best" if n > FEW else f"{n} values"
        )
        words += f" The model is {found.surrogate}, fitted for this page to {some}."
        if found.left_out:
            names = ", ".join(found.left_out)
            words += f" Not modelled, since their kind or choices changed: {names}."
    elif len(analysis.record.directions) == 1 and analysis.record.done:
        words += f" {analysis.why_no_model}"
    return f"<footer>{html.text(words)}</footer>"
