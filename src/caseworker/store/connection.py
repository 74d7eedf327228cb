"""The connection that ports run their queries on: SQLAlchemy's own to PostgreSQL, or ours to SQLite."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, TypeVarTuple, overload

from sqlalchemy import Connection as PlainConnection
from sqlalchemy import CursorResult, Dialect, Executable, ScalarResult
from sqlalchemy.sql.selectable import TypedReturnsRows

P = ParamSpec("P")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Values = Mapping[str, Any]  # whatever a column takes: SQLAlchemy's own type
AnyResult = CursorResult[*tuple[Any, ...]]


class Savepoint(Protocol):
    async def rollback(self) -> None: ...


class Connection(Protocol):
    """The part of SQLAlchemy's `AsyncConnection` that we use."""

    @property
    def dialect(self) -> Dialect: ...

    @overload
    async def execute(
        self, statement: TypedReturnsRows[*Ts], parameters: Values | Sequence[Values] | None = None
    ) -> CursorResult[*Ts]: ...

    @overload
    async def execute(
        self, statement: Executable, parameters: Values | Sequence[Values] | None = None
    ) -> AnyResult: ...

    @overload
    async def scalar(self, statement: TypedReturnsRows[T], parameters: Values | None = None) -> T | None: ...

    @overload
    async def scalar(self, statement: Executable, parameters: Values | None = None) -> Any: ...

    @overload
    async def scalars(self, statement: TypedReturnsRows[T], parameters: Values | None = None) -> ScalarResult[T]: ...

    @overload
    async def scalars(self, statement: Executable, parameters: Values | None = None) -> ScalarResult[Any]: ...

    async def exec_driver_sql(self, statement: str) -> AnyResult: ...

    async def run_sync(self, fn: Callable[Concatenate[PlainConnection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For Alembic, which needs a plain connection."""

    def begin_nested(self) -> AbstractAsyncContextManager[Savepoint]: ...
