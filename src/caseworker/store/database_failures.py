"""Translates errors of the database into Transient, Refused or Defect, with a sentence that says what to do."""

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from caseworker.core.base.errors import Defect, Refused, Transient

_SQLITE_MESSAGES: Final[tuple[tuple[str, Callable[[], Exception]], ...]] = (
    (
        "locked",
        partial(
            Transient,
            "The database is busy: another process has been writing to it for too long. Try again; if it stays so, "
            "look for a stuck caseworker process.",
        ),
    ),
    # Transient, although a person has to act: a case should wait until there is space, not fail.
    (
        "disk is full",
        partial(Transient, "The disk with the database is full. Free some space: work goes on by itself then."),
    ),
    (
        "disk i/o error",
        partial(Transient, "The disk with the database does not answer. Look at the disk; work goes on then."),
    ),
    (
        "unable to open database file",
        partial(
            Refused,
            "The database file can't be opened.",
            todo="Check that its folder exists and is yours to write to.",
        ),
    ),
    (
        "readonly database",
        partial(Refused, "The database can't be written to.", todo="Make the file and its folder yours to write to."),
    ),
    (
        "not a database",
        partial(
            Refused,
            "`caseworker.db` in the home folder is not a database of Caseworker's.",
            todo="Set CASEWORKER_HOME to another folder, or move the file away.",
        ),
    ),
    (
        "malformed",
        partial(
            Refused,
            "The database file is damaged.",
            todo="Put a backup in its place, or move it away to begin a new one.",
        ),
    ),
)

_POSTGRES_REFUSES: Final[dict[str, Callable[[], Exception]]] = {
    "28": partial(
        Refused, "PostgreSQL does not let us in.", todo="Check the user and the password in the database URL."
    ),
    "3D": partial(Refused, "PostgreSQL has no database of that name.", todo="Create it, or correct the database URL."),
    "42501": partial(
        Refused, "PostgreSQL does not allow this user to do that.", todo="Grant it all rights on the schema."
    ),
}
_POSTGRES_OURS: Final = ("22", "23", "42")
"""Our own mistakes: bad data, a broken constraint, a wrong statement. All other errors are worth a retry."""


def translated(error: Exception) -> Exception:
    """The error as one of our three families. The caller raises it from the original."""
    if isinstance(error, (Transient, Refused, Defect)):
        return error
    if isinstance(error, PoolTimeout):
        return Transient("Every connection to the database is in use. Try again in a moment.")
    if isinstance(error, OSError):
        return _unreachable(error)
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(str(error)) or Defect(f"The database refused a statement: {error}")
    if isinstance(error, DBAPIError):
        return _of_driver(error)
    if isinstance(error, SQLAlchemyError):
        return Defect(f"The store asked the database for something impossible: {error}")
    return error


def _of_driver(error: DBAPIError) -> Exception:
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(state, str):
        return _of_postgres(state, error)
    known = _of_sqlite(str(error.orig))
    if known is not None:
        return known
    return _unreachable(error) if error.connection_invalidated else Defect(f"The database refused a statement: {error}")


def _of_sqlite(message: str) -> Exception | None:
    known = next((ours for part, ours in _SQLITE_MESSAGES if part in message.lower()), None)
    return None if known is None else known()


def _of_postgres(state: str, error: DBAPIError) -> Exception:
    refused = _POSTGRES_REFUSES.get(state) or _POSTGRES_REFUSES.get(state[:2])
    if refused is not None:
        return refused()
    if state == "53100":
        return Transient("PostgreSQL's disk is full. Free some space: work goes on by itself then.")
    if state.startswith(_POSTGRES_OURS):
        return Defect(f"The database refused a statement: {error}")
    return _unreachable(error)


def _unreachable(error: Exception) -> Transient:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return Transient(f"The database does not answer ({cause}). Check that it runs and that its URL is right.")
