"""Where the delivered branches of cases are now, in the folders of this machine. Reads the repositories only."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.telling.moved_branch import may_be_merged
from caseworker.ports import Store, StoredCase
from caseworker.workspaces.git import SafeGit


async def tips_of(store: Store, cases: Iterable[StoredCase]) -> dict[CaseId, Sha]:
    """By one question for each repository. Without those of a forge, whose folder can't be read, or that are gone."""
    waiting = sorted((one for one in cases if may_be_merged(one.case)), key=lambda one: one.repository)
    found: dict[CaseId, Sha] = {}
    for repository, of_it in groupby(waiting, key=lambda one: one.repository):
        place = await store.repositories.ref(repository)
        if isinstance(place, LocalRepository):
            with suppress(Refused, Transient):  # the folder is gone, or on another machine
                found |= await _tips_in(place.path, list(of_it))
    return found


async def tip_of(store: Store, stored: StoredCase) -> Sha | None:
    return (await tips_of(store, [stored])).get(stored.case.id)


async def _tips_in(folder: Path, cases: Sequence[StoredCase]) -> dict[CaseId, Sha]:
    names = {f"refs/heads/{one.case.branch}": one.case.id for one in cases}
    answer = await SafeGit()("for-each-ref", "--format=%(objectname) %(refname)", *names, inside=folder)
    heads = (line.split(" ", 1) for line in answer.text.splitlines())
    return {names[name]: Sha(head) for head, name in heads if name in names}
