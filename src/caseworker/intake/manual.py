"""The terminal as a surface: open a case, speak to it, command it. Commit first, then ring."""

import secrets
from contextlib import suppress
from dataclasses import dataclass

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, TraceId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.options import awaits_agreement, refuse_misfit
from caseworker.core.people.grammar import amount_in, understand_issue
from caseworker.core.people.messages import Message, MessageKind, NewMessage, Standing
from caseworker.ports import Doorbell, Issue, Store

SURFACE = "terminal"


def new_trace() -> TraceId:
    return TraceId(secrets.token_hex(8))


@dataclass(frozen=True, kw_only=True)
class Opened:
    case: CaseId
    new: bool


class ManualIntake:
    def __init__(self, *, store: Store, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell

    async def open_case(self, issue: Issue, *, policy: Policy, rehearsal: str | None, author: str) -> Opened:
        """Opening the same issue again finds the case that is there."""
        case = issue_case(issue.repository, issue.number)
        trace = new_trace()
        first = NewMessage(
            case=case,
            surface=SURFACE,
            external_id=f"open {case}",
            author=author,
            standing=Standing.OWNER,
            kind=MessageKind.WORDS,
            text=f"Please work on this issue: {issue.title}",
            trace=trace,
        )
        new = await self._store.cases.open(issue, policy=policy, rehearsal=rehearsal, trace=trace, first=first)
        await self._ring_all(case)
        return Opened(case=case, new=new)

    async def say(self, case: CaseId, *, author: str, kind: MessageKind | None, text: str, client_id: str) -> Message:
        """A word or a command, committed before it is acknowledged; `client_id` makes a second send a no-op. Without a
        kind the words themselves say whether they are a command. What does not fit the case's state is refused here,
        where the person still listens; the flow looks again, for the state may have changed meanwhile."""
        stored = await self._store.cases.load(case)
        if stored is None:
            raise Refused(f"There is no case {case}.", todo="`caseworker cases` lists what there is.")
        kind, text = meant(stored.case, kind, text)
        refuse_misfit(stored.case, kind, text)
        message = await self._store.inbox.put(
            NewMessage(
                case=case,
                surface=SURFACE,
                external_id=client_id,
                author=author,
                standing=Standing.OWNER,
                kind=kind,
                text=text,
                trace=stored.trace,
            )
        )
        if message is None:
            raise Refused(f"The message {client_id} was recorded before.", todo=f"`caseworker show {case}` shows it.")
        with suppress(
            Transient
        ):  # committed is what counts: a bell not heard costs time only, the reconciler rings again
            await self._doorbell.ring(case, message.id, kind)
        return message

    async def _ring_all(self, case: CaseId) -> None:
        for waiting, message, kind in await self._store.inbox.unclaimed():
            if waiting == case:
                await self._doorbell.ring(case, message, kind)


def meant(case: IssueCase, kind: MessageKind | None, text: str) -> tuple[MessageKind, str]:
    """What was said, as the flow can obey it: a budget is an amount, whatever words were around it."""
    text = text.replace("\0", "")  # PostgreSQL can't hold one, and nobody sees it
    kind = kind or understand_issue(text, awaits=awaits_agreement(case))
    return kind, amount_in(text) if kind is MessageKind.BUDGET else text
