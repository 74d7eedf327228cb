"""What waits for a person, oldest first: each case with what is asked and what would move it."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import RepositoryId
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.telling.why import Why
from caseworker.ports import Store
from caseworker.ports.boards import BoardEntry, BoardFilter
from caseworker.views.board import CaseRow, row_of
from caseworker.views.board_groups import Group, states_in
from caseworker.views.whole_cases import why_of

MOST: Final = 100


class Need(BaseModel):
    model_config = ConfigDict(frozen=True)

    row: CaseRow
    why: Why


async def read_needs(
    store: Store, phrasing: Phrasing, visible: frozenset[RepositoryId] | None = None
) -> list[tuple[Need, BoardEntry]]:
    """With the stored case of each, for the buttons that fit it."""
    wanted = BoardFilter(states=states_in(Group.NEEDS_YOU), visible=visible)
    found = await store.boards.page(wanted, offset=0, limit=MOST, oldest_first=True)
    rows = [(row_of(entry), entry) for entry in found.entries]
    needs = [
        (Need(row=row, why=await why_of(store, entry.stored, phrasing)), entry)
        for row, entry in rows
        if row.position.group is Group.NEEDS_YOU
    ]
    return sorted(needs, key=lambda need: need[0].row.position.since)
