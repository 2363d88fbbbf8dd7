"""A study of a SQLite file, read without Optuna's storage, which takes seconds for thousands."""

import json
import math
import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from neuralbo.reporting.analysis.study_like import SavedStudy

SCHEMA = 12  # of the tables, as Optuna counts; files of another one are left to it
NUMBERS = {"INF_POS": math.inf, "INF_NEG": -math.inf, "NAN": math.nan}
ATTRIBUTES = "SELECT trial_id, key, value_json FROM trial_{}_attributes WHERE trial_id IN ({})"
OF_STUDY = "SELECT trial_id FROM trials WHERE study_id = ?"

_distribution = lru_cache(4096)(json_to_distribution)  # thousands of trials have a few


def schema_of(path: Path) -> int | None:
    """Return the version of the tables of a file; None if it is no storage of Optuna's."""
    with closing(_connect(path)) as file:
        has = file.execute("SELECT name FROM sqlite_master WHERE name = 'version_info'").fetchall()
        found = file.execute("SELECT schema_version FROM version_info").fetchone() if has else None
    return None if found is None else int(found[0])


def names_of(path: Path) -> list[str]:
    """Return the names of the studies, in their order."""
    with closing(_connect(path)) as file:
        return sorted(name for (name,) in file.execute("SELECT study_name FROM studies"))


def read(path: Path, name: str) -> SavedStudy:
    """Return a study of a file of version `SCHEMA`."""
    with closing(_connect(path)) as file:
        file.execute("BEGIN")  # all that follows is of one moment
        query = "SELECT study_id FROM studies WHERE study_name = ?"
        (study,) = file.execute(query, (name,)).fetchone()
        query = "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective"
        directions = [StudyDirection[word] for (word,) in file.execute(query, (study,))]
        return SavedStudy(name, directions, _trials(file, study))


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _trials(file: sqlite3.Connection, study: int) -> list[FrozenTrial]:
    params: dict[int, dict[str, Any]] = defaultdict(dict)
    distributions: dict[int, dict[str, BaseDistribution]] = defaultdict(dict)
    query = (
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
        f"WHERE trial_id IN ({OF_STUDY}) ORDER BY param_id"
    )
    for trial, name, value, text in file.execute(query, (study,)):
        found = _distribution(text)
        params[trial][name] = found.to_external_repr(value)
        distributions[trial][name] = found
    values: dict[int, list[float]] = defaultdict(list)
    query = (
        "SELECT trial_id, value, value_type FROM trial_values "
        f"WHERE trial_id IN ({OF_STUDY}) ORDER BY objective"
    )
    for trial, value, kind in file.execute(query, (study,)):
        values[trial].append(NUMBERS.get(kind, value))
    steps: dict[int, dict[int, float]] = defaultdict(dict)
    query = (
        "SELECT trial_id, step, intermediate_value, intermediate_value_type "
        f"FROM trial_intermediate_values WHERE trial_id IN ({OF_STUDY})"
    )
    for trial, step, value, kind in file.execute(query, (study,)):
        steps[trial][step] = NUMBERS.get(kind, value)
    noted: dict[str, dict[int, dict[str, Any]]] = {}
    for whose in ("user", "system"):
        noted[whose] = defaultdict(dict)
        for trial, key, text in file.execute(ATTRIBUTES.format(whose, OF_STUDY), (study,)):
            noted[whose][trial][key] = json.loads(text)
    query = (
        "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials "
        "WHERE study_id = ? ORDER BY number"
    )
    return [
        FrozenTrial(
            number=number,
            trial_id=trial,
            state=TrialState[state],
            value=None,
            values=values.get(trial),
            datetime_start=_time(begin),
            datetime_complete=_time(end),
            params=params[trial],
            distributions=distributions[trial],
            user_attrs=noted["user"][trial],
            system_attrs=noted["system"][trial],
            intermediate_values=steps[trial],
        )
        for trial, number, state, begin, end in file.execute(query, (study,))
    ]


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
