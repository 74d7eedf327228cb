"""Column types and short forms for migrations. Released migrations use them, so they don't change after 1.0."""

from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

T = TypeVar("T")

STRING = sa.String()
TEXT = sa.Text()
INTEGER = sa.Integer()
BOOLEAN = sa.Boolean()
JSON = sa.JSON()
BYTES = sa.LargeBinary()
TIME = sa.DateTime(timezone=True)
WIDE = sa.BigInteger().with_variant(INTEGER, "sqlite")


def required(of_type: TypeEngine[T], *names: str) -> list[sa.Column[T]]:
    """Columns of one type that are never null."""
    return [sa.Column(name, of_type, nullable=False) for name in names]


def optional(of_type: TypeEngine[T], *names: str) -> list[sa.Column[T]]:
    """Columns of one type that may be null."""
    return [sa.Column(name, of_type, nullable=True) for name in names]


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """An index of the rows that meet `where`."""
    only = sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)
