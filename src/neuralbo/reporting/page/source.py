"""From what a person types to the study that is meant."""

from pathlib import Path

import optuna
from optuna.study import Study

from neuralbo.errors import StorageError, unknown_name
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optuna.storages import (
    JOURNAL,
    check_sqlite,
    file_of,
    open_storage,
    shown,
    storage_errors,
)
from neuralbo.reporting.analysis.study_like import SavedStudy
from neuralbo.reporting.page import sqlite_file

MOST_NAMES = 30  # that an error lists


def find_study(storage: str, name: str | None = None) -> Study | SavedStudy:
    """Return a study of a storage; nothing is written to it, and no file is made.

    Args:
        storage: an address as Optuna takes it ("sqlite:///runs/my.db", "postgresql://..."), or the
            path of a SQLite file or of a journal (.log).
        name: may be left out where there is one study only.

    Raises:
        FileNotFoundError: there is no such file.
        StorageError: the storage cannot be read, or is none of Optuna's.
        ValueError: there is no such study, none at all, or several and no name.
    """
    with storage_errors(storage), quiet_optuna():
        path = file_of(storage)
        if path is not None and not path.is_file():
            raise FileNotFoundError(
                f"there is no file {path}; a storage is a SQLite file, a journal (.log), or an "
                "address as in sqlite:///runs/my.db."
            )
        if path is not None and path.stat().st_size == 0:
            raise StorageError(f"{path} is empty: there is no study in it.")
        if path is not None and path.suffix not in JOURNAL:
            check_sqlite(path)
        if path is not None and path.suffix not in JOURNAL and _schema(path) == sqlite_file.SCHEMA:
            names = sqlite_file.names_of(path)
            return sqlite_file.read(path, _chosen(names, name, storage))
        opened = open_storage(storage)
        names = sorted(optuna.get_all_study_names(opened))
        return optuna.load_study(study_name=_chosen(names, name, storage), storage=opened)


def _schema(path: Path) -> int:
    """Return the version of the tables of a SQLite file.

    Raises:
        StorageError: it is no database of Optuna's; to open it would make it one.
    """
    found = sqlite_file.schema_of(path)
    if found is None:
        raise StorageError(f"{path} is a SQLite file, but not one of Optuna's: it has no studies.")
    return found


def _chosen(names: list[str], name: str | None, storage: str) -> str:
    if not names:
        raise ValueError(f"there is no study in {shown(storage)} yet.")
    if name is None and len(names) > 1:
        more = f", and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        raise ValueError(
            f"there are {len(names)} studies in {shown(storage)}; choose one with --study: "
            f"{', '.join(names[:MOST_NAMES])}{more}."
        )
    if name is not None and name not in names:
        raise unknown_name("study", name, names)
    return name or names[0]
