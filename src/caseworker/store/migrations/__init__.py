"""How the tables came to be, one revision after the other. The names of all revisions are here, so that opening a
database which is up to date need not import Alembic."""

from typing import Final

REVISIONS: Final = ("0001", "0002", "0003", "0004")
HEAD: Final = REVISIONS[-1]
