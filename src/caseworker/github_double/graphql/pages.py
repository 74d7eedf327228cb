"""Connections: a list that is given in pages of 1 to 100, with cursors."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.refusals import Refusal

LARGEST_PAGE: Final = 100


class NoBoundaries(Refusal):
    graphql_type = "MISSING_PAGINATION_BOUNDARIES"


class PageTooLarge(Refusal):
    graphql_type = "EXCESSIVE_PAGINATION"


class WrongCursor(Refusal):
    graphql_type = "INVALID_CURSOR_ARGUMENTS"


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page of a connection; `everything` is the whole list, for totals."""

    field: str
    everything: Sequence[object]
    start: int
    end: int
    is_bounded: bool
    """Without `first` or `last` only totals can be asked for."""

    @property
    def nodes(self) -> Sequence[object]:
        if not self.is_bounded:
            raise NoBoundaries(
                f"You must provide a `first` or `last` value to properly paginate the `{self.field}` connection."
            )
        return self.everything[self.start : self.end]


@dataclass(frozen=True, kw_only=True)
class Edge:
    node: object
    cursor: str


def page(ask: Ask, items: Sequence[object]) -> Page:
    """The page of `items` that the field's arguments ask for."""
    first, last = _size(ask, "first"), _size(ask, "last")
    start, end = 0, len(items)
    after, before = ask.text_or_none("after"), ask.text_or_none("before")
    if after:
        start = min(_place(after), end)
    if before:
        end = max(min(_place(before) - 1, end), start)
    if first is not None:
        end = min(end, start + first)
    if last is not None:
        start = max(start, end - last)
    is_bounded = first is not None or last is not None
    return Page(field=ask.field, everything=items, start=start, end=end, is_bounded=is_bounded)


def _size(ask: Ask, name: str) -> int | None:
    size = ask.number_or_none(name)
    if size is None:
        return None
    if size > LARGEST_PAGE:
        raise PageTooLarge(
            f"Requesting {size} records on the `{ask.field}` connection exceeds the `{name}` limit of 100 records."
        )
    if size < 0:
        raise PageTooLarge(f"`{name}` on the `{ask.field}` connection cannot be less than zero.")
    return size


def cursor(place: int) -> str:
    """Stands for the position after the n-th entry."""
    return base64.b64encode(f"cursor:v2:{place}".encode()).decode()


def _place(text: str) -> int:
    try:
        return int(base64.b64decode(text, validate=True).decode().removeprefix("cursor:v2:"))
    except ValueError as error:
        raise WrongCursor(f"`{text}` does not appear to be a valid cursor.") from error


def _edges(found: Page, _ask: Ask) -> list[Edge]:
    return [Edge(node=node, cursor=cursor(found.start + place)) for place, node in enumerate(found.nodes, start=1)]


CONNECTION: Final[Fields[Page]] = {
    "nodes": lambda found, _: list(found.nodes),
    "edges": _edges,
    "totalCount": lambda found, _: len(found.everything),
    "pageInfo": lambda found, _: found,
}
EDGE: Final[Fields[Edge]] = {"node": lambda edge, _: edge.node, "cursor": lambda edge, _: edge.cursor}
PAGE_INFO: Final[Fields[Page]] = {
    "hasNextPage": lambda found, _: found.end < len(found.everything),
    "hasPreviousPage": lambda found, _: found.start > 0,
    "startCursor": lambda found, _: cursor(found.start + 1) if found.nodes else None,
    "endCursor": lambda found, _: cursor(found.end) if found.nodes else None,
}
