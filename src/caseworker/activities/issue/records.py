"""Activities that read and write an issue case's record. They use nothing but the store, and ring the parent's bell."""

from collections.abc import Callable
from contextlib import suppress

from temporalio import activity

from caseworker.activities.issue.developer_changes import developer_changes
from caseworker.activities.issue.recollection import said_to_writer
from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.load_case import stored_case
from caseworker.contract.activities import RecordActivities
from caseworker.contract.wire import MoveRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.casefile.new_attempts import DEVELOPING
from caseworker.core.casefile.pipeline import after_move, why_closed
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.post_words import news
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import news_command
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import ANOTHER_CASE, NO_MESSAGE, Message, NewMessage, Standing
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.record.ended_attempts import ended_attempt
from caseworker.ports import Doorbell, Store, StoredCase


class Records(RecordActivities):
    def __init__(
        self,
        *,
        store: Store,
        doorbell: Doorbell,
        terminal: Phrasing,
        copy: CaseFileCopy,
        today: Callable[[], Policy] | None = None,
    ) -> None:
        """`today`: the policy that a case would get if it were opened now. None: settings don't change."""
        self._today = today
        self._copy = copy
        self._store = store
        self._doorbell = doorbell
        self._terminal = terminal

    @activity.defn
    async def load_case(self, case: CaseId) -> IssueCase:
        with refusals_told():
            stored = await stored_case(self._store, case)
        self._copy.write(stored.file)
        return stored.case

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        with refusals_told():
            stored = await stored_case(self._store, request.after.id)
            to_writer = await self._said_to_writer(request.after)
            closed = request.after.state is IssueState.CLOSED
            reason = why_closed(request.after, await self._store.inbox.of(request.after.id)) if closed else ""
            file = after_move(stored.file, request.after, stored.case, to_writer, reason)
            told = await self._news(stored, request.after)
            ended = ended_attempt(stored.file, request.after, stored.case)
            entries = [request.entry] if ended is None else [ended, request.entry]
            await self._store.cases.move(request.after, entries, file, trace=stored.trace, tell=told)
        self._copy.write(file)
        if told is not None:
            with suppress(Transient):  # the message is in the bug's inbox, and the reconciler rings later
                await self._doorbell.ring(told.case, NO_MESSAGE, told.kind)

    @activity.defn
    async def renew_policy(self, policy: Policy) -> Policy:
        return policy.renewed(self._today()) if self._today is not None else policy

    @activity.defn
    async def save_case(self, case: IssueCase) -> None:
        await self._store.cases.keep(case)

    async def _said_to_writer(self, after: IssueCase) -> list[Message]:
        if after.state not in DEVELOPING:
            return []
        turn = after.progress.turns + 1
        written = developer_changes(await self._store.turns.finished(after.id))
        since = written[-1].turn if written else turn
        return said_to_writer(await self._store.inbox.of(after.id), after.people.remarks, since=since, turn=turn)

    async def _news(self, stored: StoredCase, after: IssueCase) -> NewMessage | None:
        """The message to the bug that this case fixes: where it needs a person, and how it ended. Only a parent that is
        fixed by its children is told of their moves."""
        command = news_command(after)
        if stored.parent is None or command is None or at_work(after):
            return None
        parent = await self._store.cases.find(stored.parent)
        is_fix = parent is not None and KINDS[parent.kind].fixed_by_children
        if not is_fix:
            return None
        return NewMessage(
            case=stored.parent,
            surface=ANOTHER_CASE,
            external_id=f"{after.id}/{after.epoch}/{after.progress.transitions}",
            author=after.id,
            standing=Standing.DEVELOPER,
            command=command,
            text=news(after, self._terminal),
            trace=stored.trace,
        )
