"""The repositories that cases were opened for: where each is, its cases, and what was learned about it."""

from collections import Counter

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.ports import Store
from caseworker.views.board_groups import Group, group_of_state


class RepositoryLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    repository: RepositoryId
    place: str
    """A folder, or its address on the forge."""
    groups: dict[Group, int]
    cases: int
    learnings: int


async def read_repositories(store: Store, visible: frozenset[RepositoryId] | None = None) -> list[RepositoryLine]:
    counts = await store.boards.counts(visible)
    learned = Counter(learning.repository for learning in await store.learnings.of())
    lines = []
    for repository in sorted({one.repository for one in counts}):
        groups = dict.fromkeys(Group, 0)
        for one in counts:
            if one.repository == repository:
                groups[group_of_state(one.kind, one.state)] += one.cases
        lines.append(
            RepositoryLine(
                repository=repository,
                place=await _place(store, repository),
                groups=groups,
                cases=sum(groups.values()),
                learnings=learned[repository],
            )
        )
    return lines


async def _place(store: Store, repository: RepositoryId) -> str:
    try:
        return str(await store.repositories.ref(repository))
    except Refused:
        return ""
