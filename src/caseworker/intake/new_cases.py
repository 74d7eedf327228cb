"""Opens cases: an issue case for an issue, a bug case for a report, a pull case for a session. Each is committed first,
then rung."""

import secrets
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, TraceId, issue_case, pull_case
from caseworker.core.base.policy import Policy
from caseworker.core.bug.reports import title_of
from caseworker.core.people.caps import CapName
from caseworker.core.people.commands import MessageKind, Say, StartWork
from caseworker.core.people.messages import NO_MESSAGE, WORK_ON_IT, Audience, NewMessage, Standing
from caseworker.core.record.entries import Noted
from caseworker.intake.conversation import TERMINAL, Words, ring
from caseworker.ports import Doorbell, Issue, NewBug, NewPullCase, Store, Thread

_HOUR: Final = 3_600.0


class TooManyCases(Refused):
    """One person has opened as many cases as they may within an hour. `first`: they have not been told yet. How an
    owner changes the number is for the surface to say, where its people can."""

    def __init__(self, reason: str, *, todo: str, first: bool) -> None:
        super().__init__(reason, todo=todo)
        self.first = first


@dataclass(frozen=True, kw_only=True)
class Opened:
    case: CaseId
    new: bool
    """False: the issue, the message or its thread belonged to this case already; nothing was written."""


class NewCases:
    def __init__(self, *, store: Store, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell

    async def open_case(
        self, issue: Issue, *, policy: Policy, rehearsal: str | None, author: str, thread: Thread | None = None
    ) -> Opened:
        """Open a case. Opening the same issue again finds the existing case.

        `thread`: where its people also are. It is bound before the case is rung, so that no post misses it; a command
        that is killed in between binds it when it is repeated."""
        case = issue_case(issue.repository, issue.number)
        trace = new_trace()
        first = NewMessage(
            case=case,
            surface=TERMINAL,
            external_id=f"open {case}",
            author=author,
            standing=Standing.OWNER,
            command=Say(only_opens=True),
            text=WORK_ON_IT,
            trace=trace,
        )
        new = await self._store.cases.open(issue, policy=policy, rehearsal=rehearsal, trace=trace, first=first)
        if thread is not None:
            await self._store.threads.add(case, Audience.DEVELOPERS, thread)
        for waiting, message, kind in await self._store.inbox.unclaimed():
            if waiting == case:
                await self._doorbell.ring(case, message, kind)
        return Opened(case=case, new=new)

    async def report(
        self,
        words: Words,
        *,
        repository: RepositoryId,
        policy: Policy,
        rehearsal: str | None,
        thread: Thread | None = None,
    ) -> Opened:
        """Open a bug case. The author of the words is its reporter."""
        await self._refuse_a_burst(words, policy, thread)
        trace, text = new_trace(), words.clean_text
        bug = NewBug(
            title=title_of(text),
            reporter=words.author,
            repository=repository,
            policy=policy,
            rehearsal=rehearsal,
            trace=trace,
            thread=thread,
        )
        first = NewMessage(
            case=CaseId(""),  # the store chooses the id
            surface=words.surface,
            external_id=words.external_id,
            author=words.author,
            standing=Standing.REPORTER,
            command=Say(),
            text=text,
            trace=trace,
            reference=words.reference,
            attachments=words.attachments,
        )
        case, new = await self._store.bugs.open(bug, first)
        if new:
            await ring(self._doorbell, case, NO_MESSAGE, MessageKind.WORDS)
        return Opened(case=case, new=new)

    async def _refuse_a_burst(self, words: Words, policy: Policy, thread: Thread | None) -> None:
        """Refuse a report beyond the number that one person may make in an hour. The newest of their cases is told
        once; a report that was taken before, and comes again, is not counted."""
        opened = await self._store.bugs.opened_by(words.author, words.surface, seconds=_HOUR)
        allowed = await self._store.caps.value(CapName.CASES_PER_HOUR, policy.cases_per_hour)
        if len(opened) < allowed or await self._is_known(words, thread):
            return
        told = f"{words.author} has opened {len(opened)} cases within an hour. Further reports open none for a while."
        newest = opened[-1]
        stored = await self._store.bugs.load(newest)
        first = False
        if stored is not None:
            key = f"{newest} burst"
            first = await self._store.record.append(newest, [Noted(text=told)], trace=stored.trace, key=key)
        raise TooManyCases(told, todo=f"Write to {newest}, or wait.", first=first)

    async def _is_known(self, words: Words, thread: Thread | None) -> bool:
        if words.reference and await self._store.inbox.find(words.surface, words.reference) is not None:
            return True
        return thread is not None and await self._store.threads.find(thread) is not None

    async def begin_session(
        self, new: NewPullCase, command: StartWork, words: Words, standing: Standing = Standing.OWNER
    ) -> Opened:
        """Open the pull case with its first session, or begin another session of it. `new` is false if a run is in
        flight: nothing was written."""
        case = pull_case(new.repository, new.number)
        known = await self._store.pull_cases.load(case)
        message = NewMessage(
            case=case,
            surface=words.surface,
            external_id=words.external_id,
            author=words.author,
            standing=standing,
            command=command,
            text=words.clean_text,
            trace=new.trace if known is None else known.trace,
        )
        if known is None:
            begun = await self._store.pull_cases.open(new, command.workflow, message)
        else:
            begun = await self._store.pull_cases.start(message, command.workflow)
        await ring(self._doorbell, case, NO_MESSAGE, MessageKind.WORDS)
        return Opened(case=case, new=begun)


def new_trace() -> TraceId:
    return TraceId(secrets.token_hex(8))
