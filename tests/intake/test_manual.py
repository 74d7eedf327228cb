"""The terminal's way in: what is said is understood, checked against the case, committed, and rung."""

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import Subject, Wait, WaitingFor
from caseworker.core.issue.states import IssueState
from caseworker.core.people.messages import Message, MessageKind
from caseworker.core.record.entries import Noted
from caseworker.intake.manual import ManualIntake
from caseworker.ports import NewIssue
from caseworker.store.store import Store
from tests.app.issue_desk import move
from tests.edges.store_examples import open_case, repository
from tests.intake.bell import NotedBell

K = MessageKind
S = IssueState


class Counter:
    """An intake, a case, and somebody who speaks to it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.bell = NotedBell()
        self.intake = ManualIntake(store=store, doorbell=self.bell)
        self.sent = 0

    async def case(self, state: IssueState, reason: WaitingFor | None = None, subject: Subject | None = None) -> CaseId:
        case = await open_case(self.store)
        wait = Wait(reason=reason, subject=subject) if reason is not None else None
        await move(self.store, case, Noted(text="moved"), state=state, wait=wait, waiting_for=reason)
        return case

    async def hears(self, case: CaseId, text: str, kind: MessageKind | None = None) -> Message:
        self.sent += 1
        return await self.intake.say(case, author="ada", kind=kind, text=text, client_id=f"m{self.sent}")


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


async def test_a_kind_that_is_given_is_not_guessed(counter: Counter) -> None:
    case = await counter.case(S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    assert (await counter.hears(case, "approve", K.WORDS)).kind is K.WORDS


@pytest.mark.parametrize(("kind", "text"), [(None, "raise the budget by 2.50 dollars"), (K.BUDGET, "budget +2.50")])
async def test_a_budget_is_committed_as_an_amount(counter: Counter, kind: MessageKind | None, text: str) -> None:
    case = await counter.case(S.WAITING_FOR_HUMAN_INPUT, WaitingFor.BUDGET)
    message = await counter.hears(case, text, kind)
    assert message.kind is K.BUDGET
    assert message.text.lstrip("+").startswith("2.50")


async def test_what_does_not_fit_is_refused_and_nothing_is_written_or_rung(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    before = len(await counter.store.inbox.of(case))
    for kind in (K.APPROVE, K.HAND_BACK, K.RETRY, K.ANSWER):
        with pytest.raises(Refused, match="What fits: `say`, `takeover`, `close`"):
            await counter.hears(case, "so", kind)
    assert len(await counter.store.inbox.of(case)) == before
    assert counter.bell.rung == []


async def test_a_case_that_is_not_there_is_told_so(counter: Counter) -> None:
    with pytest.raises(Refused, match="There is no case local/none#7"):
        await counter.hears(CaseId("local/none#7"), "hello")


async def test_the_same_message_twice_is_told_so(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    await counter.hears(case, "hello")
    counter.sent = 0
    with pytest.raises(Refused, match="recorded before"):
        await counter.hears(case, "hello")


async def test_a_bell_that_is_not_heard_takes_nothing_back(counter: Counter) -> None:
    case = await counter.case(S.IMPLEMENTING)
    counter.bell.away = True
    message = await counter.hears(case, "hel\0lo")
    assert (await counter.store.inbox.of(case))[-1].id == message.id
    assert message.text == "hello"


async def test_an_issue_opened_twice_is_one_case(counter: Counter) -> None:
    issue = await counter.store.repositories.new_issue(await repository(counter.store), NewIssue(title="t", body=""))
    first = await counter.intake.open_case(issue, policy=Policy(), rehearsal=None, author="ada")
    again = await counter.intake.open_case(issue, policy=Policy(), rehearsal=None, author="ada")
    assert (first.new, again.new, again.case) == (True, False, first.case)
