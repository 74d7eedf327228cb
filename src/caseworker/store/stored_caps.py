"""Caps that an owner has changed while the deployment runs. All processes read them before each decision."""

from datetime import datetime

from sqlalchemy import Column, Named, String, Table, TypedColumns, delete, insert, select

from caseworker.core.people.caps import Cap, CapName
from caseworker.store.columns import UtcTime, WideInteger, now
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.tables import metadata


class _Caps(TypedColumns):
    name: Named[str] = Column(String, primary_key=True)
    value: Named[int] = Column(WideInteger, nullable=False)
    set_by: Named[str] = Column(String)
    set_at: Named[datetime] = Column(UtcTime, nullable=False)


caps = Table("caps", metadata, _Caps)


class StoredCaps(Port):
    async def set(self, name: CapName, value: int | None, *, by: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(caps).where(caps.c.name == name))
            if value is not None:
                await connection.execute(insert(caps).values(name=name, value=value, set_by=by, set_at=now()))

    async def all(self) -> list[Cap]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(*caps.c).order_by(caps.c.name))).mappings()
            return [Cap.model_validate({name: row[caps.c[name]] for name in Cap.model_fields}) for row in rows]

    async def value(self, name: CapName, setting: int) -> int:
        async with self._database.reading() as connection:
            return await value_of(connection, name, setting)


async def value_of(connection: Connection, name: CapName, setting: int) -> int:
    """The value that an owner has set, or else the setting's."""
    found = await connection.scalar(select(caps.c.value).where(caps.c.name == name))
    return setting if found is None else int(found)
