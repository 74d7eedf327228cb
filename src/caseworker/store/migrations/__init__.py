"""The revisions of the schema, oldest first. docs/upgrades.md says how to add one.

They are named here so that opening a database which is up to date need not import Alembic.
"""

from typing import Final

REVISIONS: Final = ("0001",)
HEAD: Final = REVISIONS[-1]
