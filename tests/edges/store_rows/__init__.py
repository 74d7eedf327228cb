"""Rows for tests of migrations: `<revision>.json` holds a small database as the program with that revision wrote it.

`python -m tests.edges.store_rows` writes the file of the newest revision. A file whose revision was released is never
written again.
"""

from datetime import datetime
from pathlib import Path

from pydantic import JsonValue, TypeAdapter
from sqlalchemy import Column, Connection, DateTime, LargeBinary, MetaData, Table, insert, select

from caseworker.store.tables import metadata

Rows = dict[str, list[dict[str, JsonValue]]]
"""By table, in the order of their references."""
_ROWS: TypeAdapter[Rows] = TypeAdapter(Rows)


def file_of(revision: str) -> Path:
    return Path(__file__).parent / f"{revision}.json"


def rows_of(revision: str) -> Rows:
    return _ROWS.validate_json(file_of(revision).read_bytes())


def load(connection: Connection, revision: str) -> None:
    """Insert the file's rows into the tables as they are in this database, which may not be those of tables.py."""
    found = MetaData()
    found.reflect(connection)
    for name, rows in rows_of(revision).items():
        table = found.tables[name]
        for row in rows:
            connection.execute(insert(table).values({key: _to_bind(table.c[key], row[key]) for key in row}))


def read(connection: Connection) -> Rows:
    """All rows of all tables, as they stand in a file: without nulls, and without the numbers that the database gives.

    `load` gets the same numbers again, since every table begins with 1 there.
    """
    return {
        table.name: [_to_json(table, row) for row in _ordered(connection, table)] for table in metadata.sorted_tables
    }


def _ordered(connection: Connection, table: Table) -> list[dict[Column[object], object]]:
    found = connection.execute(select(*table.c).order_by(*table.primary_key)).mappings()
    rows = [{column: row[column] for column in table.c} for row in found]
    numbered = table.autoincrement_column
    if numbered is not None:
        assert [row[numbered] for row in rows] == list(range(1, len(rows) + 1)), f"{table.name} has a gap"
    return rows


def _to_json(table: Table, row: dict[Column[object], object]) -> dict[str, JsonValue]:
    return {
        column.name: _plain(value)
        for column, value in row.items()
        if value is not None and column is not table.autoincrement_column
    }


def _plain(value: object) -> JsonValue:
    match value:
        case datetime():
            return value.isoformat()
        case bytes():
            return value.hex()
        case _:
            return TypeAdapter(JsonValue).validate_python(value)


def _to_bind(column: Column[object], value: JsonValue) -> object:
    match column.type:
        case DateTime():
            return datetime.fromisoformat(str(value))
        case LargeBinary():
            return bytes.fromhex(str(value))
        case _:
            return value
