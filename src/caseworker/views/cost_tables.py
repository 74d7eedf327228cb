"""What was spent over time: by day, and by repository, role, model and workflow."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import RepositoryId
from caseworker.ports import Store
from caseworker.ports.boards import Cost

DAYS: Final = 30


class CostLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    micros: int
    calls: int


class CostTable(BaseModel):
    model_config = ConfigDict(frozen=True)

    by: str
    lines: tuple[CostLine, ...]


class Costs(BaseModel):
    model_config = ConfigDict(frozen=True)

    days: tuple[CostLine, ...]
    """Every day of the time, also those on which nothing was spent."""
    tables: tuple[CostTable, ...]
    micros: int
    calls: int
    rehearsed_calls: int
    """Calls of rehearsed models, which cost nothing and are in no sum."""


_BY: Final[dict[str, Callable[[Cost], str]]] = {
    "repository": lambda cost: cost.repository,
    "role": lambda cost: cost.role.value.replace("_", " ") if cost.role is not None else "single questions",
    "model": lambda cost: cost.model,
    "workflow": lambda cost: cost.workflow.value if cost.workflow is not None else "bug conversations and questions",
}


async def read_costs(store: Store, visible: frozenset[RepositoryId] | None = None, *, now: datetime) -> Costs:
    found = await store.boards.costs(now - timedelta(days=DAYS - 1))
    seen = [one for one in found if visible is None or one.repository in visible]
    paid = [one for one in seen if not one.rehearsed]
    return Costs(
        days=_days(paid, now.astimezone(UTC).date()),
        tables=tuple(CostTable(by=name, lines=_lines(paid, key)) for name, key in _BY.items()),
        micros=sum(one.micros for one in paid),
        calls=sum(one.calls for one in paid),
        rehearsed_calls=sum(one.calls for one in seen if one.rehearsed),
    )


def _lines(paid: Iterable[Cost], key: Callable[[Cost], str]) -> tuple[CostLine, ...]:
    """The most expensive first."""
    micros, calls = Counter[str](), Counter[str]()
    for one in paid:
        micros[key(one)] += one.micros
        calls[key(one)] += one.calls
    return tuple(CostLine(name=name, micros=spent, calls=calls[name]) for name, spent in micros.most_common())


def _days(paid: Iterable[Cost], today: date) -> tuple[CostLine, ...]:
    spent = {line.name: line for line in _lines(paid, lambda cost: cost.day)}
    names = [(today - timedelta(days=ago)).isoformat() for ago in reversed(range(DAYS))]
    return tuple(spent.get(name, CostLine(name=name, micros=0, calls=0)) for name in names)
