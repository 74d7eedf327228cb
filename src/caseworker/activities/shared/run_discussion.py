"""The discussion on the forge, as the turns of a run are given it: read and summed up once, and kept with the run."""

from dataclasses import dataclass

import structlog

from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.digest_discussion import DiscussionDigest
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.people.digest import Digest, Verbatim, not_read
from caseworker.core.people.discussion import ThreadComment
from caseworker.ports import CaseAccount, Model, Store
from caseworker.ports.stored import Stored
from caseworker.ports.thread_comments import Discussions

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Discussed:
    """Whose discussion it is, and who pays for its digest."""

    case: CaseId
    repository: RepositoryId
    number: int
    """Of the issue or pull request on the forge."""
    policy: Policy
    cap_micros: int
    stored: Stored


class RunDiscussions:
    def __init__(self, *, store: Store, model: Model, discussions: Discussions) -> None:
        self._store = store
        self._model = model
        self._discussions = discussions

    async def of(self, about: Discussed) -> Digest | Verbatim | None:
        """The discussion as it was when the run began its first turn. Null: there is none."""
        runs = await self._store.runs.of(about.case)
        if not runs:
            return None
        kept = await self._store.runs.discussion(runs[-1].id)
        if kept is not None:
            return kept
        found = await self._read(about)
        return None if found is None else await self._store.runs.keep_discussion(runs[-1].id, found)

    async def _read(self, about: Discussed) -> Digest | Verbatim | None:
        try:
            comments = await self._discussions.of(await self._store.repositories.ref(about.repository), about.number)
        except (Transient, Refused) as error:  # the work goes on without it, and people are told with the run
            log.warning("discussion not read", case=about.case, reason=str(error))
            return not_read(str(error).rstrip("."))
        return None if comments is None else await self._digest(about, comments)

    async def _digest(self, about: Discussed, comments: list[ThreadComment]) -> Digest | Verbatim:
        asker = Asker(
            model=self._model, policy=about.policy, cap_micros=about.cap_micros, rehearsal=about.stored.rehearsal
        )
        account = CaseAccount(case=about.case, trace=about.stored.trace)
        return await DiscussionDigest(asker=asker).of(comments, account=account)
