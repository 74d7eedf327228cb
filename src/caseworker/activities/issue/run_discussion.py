"""The discussion on the forge, as the turns of a run are given it: read and summed up once, and kept with the run."""

import structlog

from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.digest_discussion import DiscussionDigest
from caseworker.contract.wire import TurnRequest
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import split_issue_case
from caseworker.core.issue.case import cap_of
from caseworker.core.people.digest import Digest, Verbatim, not_read
from caseworker.core.people.discussion import ThreadComment
from caseworker.ports import CaseAccount, Model, Store, StoredCase
from caseworker.ports.thread_comments import Discussions

log = structlog.get_logger()


class RunDiscussions:
    def __init__(self, *, store: Store, model: Model, discussions: Discussions) -> None:
        self._store = store
        self._model = model
        self._discussions = discussions

    async def of(self, request: TurnRequest, stored: StoredCase) -> Digest | Verbatim | None:
        """The discussion as it was when the run began its first turn. Null: there is none."""
        runs = await self._store.runs.of(request.case.id)
        if not runs or not stored.file.issue.url:  # an issue that is only in our records has a number of ours
            return None
        kept = await self._store.runs.discussion(runs[-1].id)
        if kept is not None:
            return kept
        found = await self._read(request, stored)
        return None if found is None else await self._store.runs.keep_discussion(runs[-1].id, found)

    async def _read(self, request: TurnRequest, stored: StoredCase) -> Digest | Verbatim | None:
        repository, number = split_issue_case(request.case.id)
        try:
            comments = await self._discussions.of(await self._store.repositories.ref(repository), number)
        except (Transient, Refused) as error:  # the work goes on without it, and people are told with the run
            log.warning("discussion not read", case=request.case.id, reason=str(error))
            return not_read(str(error).rstrip("."))
        return None if comments is None else await self._digest(request, stored, comments)

    async def _digest(
        self, request: TurnRequest, stored: StoredCase, comments: list[ThreadComment]
    ) -> Digest | Verbatim:
        asker = Asker(
            model=self._model,
            policy=request.policy,
            cap_micros=cap_of(request.case, request.policy),
            rehearsal=stored.rehearsal,
        )
        account = CaseAccount(case=request.case.id, trace=stored.trace)
        return await DiscussionDigest(asker=asker).of(comments, account=account)
