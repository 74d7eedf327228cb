"""Messages to an issue case are understood, checked against its state, committed, and rung."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import MessageKind, RaiseBudget
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.entries import Noted
from caseworker.intake.conversation import TERMINAL, Conversation, Words
from caseworker.intake.new_cases import NewCases
from caseworker.ports import NewIssue
from caseworker.store.store import Store
from tests.app.issue_desk import move
from tests.edges.store_examples import open_case, repository
from tests.intake.bell import RecordingBell
from tests.world.commands import command_of

K = MessageKind
S = IssueState


class Counter:
    """An intake, a case, and a person who writes to it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.bell = RecordingBell()
        self.conversation = Conversation(store=store, doorbell=self.bell)
        self.sent = 0

    async def case(self, state: IssueState, reason: WaitingFor | None = None, subject: Subject | None = None) -> CaseId:
        case = await open_case(self.store)
        wait = Wait(reason=reason, subject=subject) if reason is not None else None
        await move(self.store, case, Noted(text="moved"), state=state, wait=wait, waiting_for=reason)
        return case

    async def hears(
        self,
        case: CaseId,
        text: str,
        kind: MessageKind | None = None,
        *,
        standing: Standing = Standing.OWNER,
        waits: bool = True,
    ) -> Message:
        message = await self.says(case, text, kind, standing=standing, waits=waits)
        assert message is not None
        return message

    async def says(
        self, case: CaseId, text: str, kind: MessageKind | None, *, standing: Standing, waits: bool
    ) -> Message | None:
        self.sent += 1
        words = Words(
            surface=TERMINAL,
            external_id=f"m{self.sent}",
            author="ada",
            text=text,
            command=None if kind is None else command_of(kind, text),
            refused_in=TerminalPhrasing() if waits else None,
        )
        return await self.conversation.say(case, words, standing)


@pytest.fixture
def counter(store: Store) -> Counter:
    return Counter(store)


@pytest.mark.parametrize(
    ("state", "reason", "text", "kind"),
    [
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL, "lgtm", K.APPROVE),
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MILESTONE, "go ahead", K.APPROVE),
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL, "reject: keep the API", K.REJECT),
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE, "lgtm", K.WORDS),
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE, "reject: shorter names", K.REJECT),
        (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.ANSWER, "go ahead", K.WORDS),
        (S.IMPLEMENTING, None, "approve", K.WORDS),
        (S.IMPLEMENTING, None, "I'll take it", K.TAKEOVER),
        (S.BLOCKED, None, "try again", K.RETRY),
        (S.IMPLEMENTING, None, "never mind", K.CLOSE),
        (S.FAILED, None, "look at the cache instead", K.WORDS),
    ],
)
async def test_plain_words_are_commands_where_they_fit(
    counter: Counter, state: IssueState, reason: WaitingFor | None, text: str, kind: MessageKind
) -> None:
    case = await counter.case(state, reason)
    message = await counter.hears(case, text)
    assert (message.kind, message.text) == (kind, text)
    assert counter.bell.rung == [(case, message.id, kind)]


async def test_a_command_that_the_surface_gives_is_not_parsed(counter: Counter) -> None:
    case = await counter.case(S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    assert (await counter.hears(case, "approve", K.WORDS)).kind is K.WORDS


@pytest.mark.parametrize(("kind", "text"), [(None, "raise the budget by 2.50 dollars"), (K.BUDGET, "budget +2.50")])
async def test_a_budget_is_committed_as_an_amount(counter: Counter, kind: MessageKind | None, text: str) -> None:
    case = await counter.case(S.WAITING_FOR_HUMAN_INPUT, WaitingFor.BUDGET)
    message = await counter.hears(case, text, kind)
    assert isinstance(message.command, RaiseBudget)
    assert message.command.micros == 2_500_000
    assert message.text == message.command.amount


async def test_a_command_that_does_not_fit_is_refused_and_not_recorded(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    before = len(await counter.store.inbox.of(case))
    for kind in (K.APPROVE, K.HAND_BACK, K.RETRY, K.ANSWER):
        with pytest.raises(Refused, match="What fits: `say`, `takeover`, `close`"):
            await counter.hears(case, "so", kind)
    assert len(await counter.store.inbox.of(case)) == before
    assert counter.bell.rung == []


async def test_a_message_to_an_unknown_case_is_refused(counter: Counter) -> None:
    with pytest.raises(Refused) as refused:
        await counter.hears(CaseId("local/none#7"), "hello")
    assert str(refused.value) == "There is no case local/none#7."  # what to do is for the surface to say


async def test_the_same_message_twice_is_recorded_once(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    await counter.hears(case, "hello")
    counter.sent = 0
    assert await counter.says(case, "hello", None, standing=Standing.OWNER, waits=True) is None


async def test_where_nobody_waits_a_misfit_is_recorded_with_its_reason(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    message = await counter.hears(case, "retry", waits=False)
    assert (message.kind, message.outcome, message.refused) == (K.RETRY, "not done: it is not stuck", True)
    assert counter.bell.rung == []


@pytest.mark.parametrize("standing", [Standing.REPORTER, Standing.OTHER])
async def test_outsiders_may_write_to_an_issue_case_and_their_commands_are_words(
    counter: Counter, standing: Standing
) -> None:
    case = await counter.case(S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    message = await counter.hears(case, "never mind", standing=standing)
    assert (message.kind, message.outcome) == (K.WORDS, None)
    given = await counter.hears(case, "", K.APPROVE, standing=standing)
    assert given.refused


async def test_a_failed_ring_does_not_undo_the_commit(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    counter.bell.away = True
    message = await counter.hears(case, "hel\0lo")
    assert (await counter.store.inbox.of(case))[-1].id == message.id
    assert message.text == "hello"


async def test_an_issue_opened_twice_is_one_case(counter: Counter) -> None:
    issue = await counter.store.repositories.new_issue(await repository(counter.store), NewIssue(title="t", body=""))
    new_cases = NewCases(store=counter.store, doorbell=counter.bell)
    first = await new_cases.open_case(issue, policy=Policy(), rehearsal=None, author="ada")
    again = await new_cases.open_case(issue, policy=Policy(), rehearsal=None, author="ada")
    assert (first.new, again.new, again.case) == (True, False, first.case)
