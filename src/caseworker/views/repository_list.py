"""The repositories that cases were opened for: where each is, its cases, what was learned, and how it is tested."""

import asyncio
from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.repositories import RepositoryRef
from caseworker.ports import Store
from caseworker.ports.boards import BoardFilter
from caseworker.views.board_groups import Group, group_of_state, states_of
from caseworker.views.repository_upkeep import Upkeep, UpkeepReader


class LastBuild(BaseModel):
    """The newest build of the repository's newest issue case."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    commands: tuple[str, ...]
    passed: bool


class RepositoryLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    repository: RepositoryId
    place: str
    """A folder, or its address on the forge."""
    groups: dict[Group, int]
    cases: int
    learnings: int
    last_build: LastBuild | None
    """Null: nothing was built for its newest issue case."""
    upkeep: Upkeep = Upkeep()


async def read_repositories(
    store: Store, home: Path, visible: frozenset[RepositoryId] | None = None
) -> list[RepositoryLine]:
    upkeep = await asyncio.to_thread(UpkeepReader, home)
    counts = await store.boards.counts(visible)
    learned = Counter(learning.repository for learning in await store.learnings.of())
    lines = []
    for repository in sorted({one.repository for one in counts}):
        groups = dict.fromkeys(Group, 0)
        for one in counts:
            if one.repository == repository:
                groups[group_of_state(one.kind, one.state)] += one.cases
        ref = await _ref(store, repository)
        lines.append(
            RepositoryLine(
                repository=repository,
                place="" if ref is None else str(ref),
                groups=groups,
                cases=sum(groups.values()),
                learnings=learned[repository],
                last_build=await _last_build(store, repository),
                upkeep=Upkeep() if ref is None else await asyncio.to_thread(upkeep.of, ref),
            )
        )
    return lines


async def _ref(store: Store, repository: RepositoryId) -> RepositoryRef | None:
    try:
        return await store.repositories.ref(repository)
    except Refused:
        return None


async def _last_build(store: Store, repository: RepositoryId) -> LastBuild | None:
    wanted = BoardFilter(repository=repository, states=states_of(CaseKind.ISSUE))
    for entry in (await store.boards.page(wanted, offset=0, limit=1)).entries:
        case = entry.stored.case.id
        for build in reversed(await store.builds.of(case)):
            commands = tuple(dict.fromkeys(run.command for run in build.runs))
            return LastBuild(case=case, commands=commands, passed=all(run.passed for run in build.runs))
    return None
