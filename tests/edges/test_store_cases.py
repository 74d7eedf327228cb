"""Cases on both databases: opened once, moved once per transition."""

import asyncio
from collections.abc import Callable

import pytest

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.casefile.model import CaseFile, IssueSection, Question, new_case_file
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import CaseOpened, Noted, Transitioned
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, case_file, filed, kinds, open_bug, open_case, said, snapshot


def transition(number: int) -> Transitioned:
    return Transitioned(
        number=number,
        from_state=IssueState.RECEIVED,
        to_state=IssueState.ANALYZING_REQUIREMENTS,
        reason="the triage says go",
    )


async def test_a_case_is_opened_with_its_file_its_first_entry_and_its_first_message(store: Store) -> None:
    issue = await filed(store)
    case = issue_case(issue.repository, issue.number)
    policy = Policy(attempts=2)
    assert await store.cases.open(issue, policy=policy, rehearsal="script", trace=TRACE, first=said(case, "go"))
    stored = await store.cases.load(case)
    assert stored is not None
    assert (stored.title, stored.repository, stored.number) == (issue.title, issue.repository, issue.number)
    assert (stored.policy, stored.rehearsal, stored.trace) == (policy, "script", TRACE)
    assert (stored.case.state, stored.case.branch) == (IssueState.RECEIVED, "agent/issue-1")
    assert stored.file.issue.original_body == issue.body
    assert stored.file.pipeline.max_attempts == 2
    assert stored.opened_at.utcoffset() is not None
    assert [message.text for message in await store.inbox.of(case)] == ["go"]
    assert await kinds(store, case) == ["case_opened", "message_recorded"]
    opened = (await store.record.read(case))[0].entry
    assert opened == CaseOpened(repository=issue.repository, number=1, title=issue.title, rehearsed=True)


async def test_a_case_that_is_opened_ten_times_at_once_is_opened_once(store: Store) -> None:
    issue = await filed(store)
    case = issue_case(issue.repository, issue.number)

    async def open_it() -> bool:
        return await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case))

    assert sorted(await asyncio.gather(*(open_it() for _ in range(10)))) == [False] * 9 + [True]
    assert await kinds(store, case) == ["case_opened", "message_recorded"]


async def test_a_first_message_that_belongs_to_another_case_opens_none(store: Store) -> None:
    taken = said(await open_case(store, "One"), id="event-1")
    await store.inbox.put(taken)
    issue = await filed(store, "Two")
    case = issue_case(issue.repository, issue.number)
    with pytest.raises(Refused, match="belongs to another case"):
        await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case, id="event-1"))
    assert await store.cases.load(case) is None


async def test_a_first_message_for_another_case_is_a_defect(store: Store) -> None:
    issue = await filed(store)
    with pytest.raises(Defect):
        await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(CaseId("local/other#1")))


async def test_a_move_saves_snapshot_file_and_entry_and_its_repetition_does_nothing(store: Store) -> None:
    case = await open_case(store)
    before, file = await snapshot(store, case), await case_file(store, case)
    after = before.updated(state=IssueState.ANALYZING_REQUIREMENTS, transitions=1, turns=1)
    file.triage.scope = "SMALL"
    await store.cases.move(after, [transition(1)], file, trace=TRACE)
    stale = file.model_copy(deep=True)
    stale.triage.scope = "LARGE"
    await store.cases.move(after.updated(turns=9), [transition(1)], stale, trace=TRACE)
    assert await snapshot(store, case) == after
    assert (await case_file(store, case)).triage.scope == "SMALL"
    assert (await kinds(store, case)).count("transitioned") == 1


async def test_a_new_epoch_may_use_a_transition_number_again(store: Store) -> None:
    case = await open_case(store)
    file = await case_file(store, case)
    first = (await snapshot(store, case)).updated(transitions=1)
    await store.cases.move(first, [transition(1)], file, trace=TRACE)
    await store.cases.move(first.updated(epoch=2), [transition(1)], file, trace=TRACE)
    assert (await snapshot(store, case)).epoch == 2


async def test_an_edited_case_file_is_read_back_with_its_questions(store: Store) -> None:
    def ask(file: CaseFile) -> CaseFile:
        file.communication.questions.append(Question(from_="analyst", to="reporter", question="Which page?"))
        return file

    case = await open_case(store)
    edited = await store.cases.edit_file(case, ask)
    assert await case_file(store, case) == edited
    assert [question.question for question in edited.communication.questions] == ["Which page?"]


async def test_two_edits_of_a_case_file_at_once_are_both_kept(store: Store) -> None:
    def note(label: str) -> Callable[[CaseFile], CaseFile]:
        return lambda file: file.model_copy(
            update={"issue": file.issue.model_copy(update={"labels": [*file.issue.labels, label]})}
        )

    case = await open_case(store)
    await asyncio.gather(*(store.cases.edit_file(case, note(label)) for label in "abc"))
    assert sorted((await case_file(store, case)).issue.labels) == ["a", "b", "c"]


# --- a case that fixes a bug ----------------------------------------------------------------------------------------


async def fix_for(store: Store, bug: CaseId, title: str = "Fix the checkout") -> CaseId:
    issue = await filed(store, title)
    case = issue_case(issue.repository, issue.number)
    assert await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case), parent=bug)
    return case


async def test_a_case_may_be_opened_with_a_parent_bug_and_a_file_with_the_analysis(store: Store) -> None:
    bug, issue = await open_bug(store), await filed(store)
    case = issue_case(issue.repository, issue.number)
    section = IssueSection(number=issue.number, title=issue.title, original_body=issue.body)
    file = new_case_file(section, issue.created_at, 3)
    file.analysis.brief = "The total is rounded twice."
    assert await store.cases.open(
        issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case), parent=bug, file=file
    )
    stored = await store.cases.load(case)
    assert stored is not None
    assert (stored.parent, stored.file, stored.case.requirements.analysed) == (bug, file, True)


async def test_only_the_children_of_a_case_are_found(store: Store) -> None:
    first = await open_case(store)
    second = await fix_for(store, first, "Another")
    await fix_for(store, second, "A third")
    assert [child.case.id for child in await store.cases.children(first)] == [second]
    assert await store.cases.children(CaseId("nobody/nowhere#1")) == []


async def test_a_case_without_a_prepared_file_has_no_analysis_yet(store: Store) -> None:
    bug = await open_bug(store)
    stored = await store.cases.load(await fix_for(store, bug))
    assert stored is not None
    assert (stored.parent, stored.case.requirements.analysed) == (bug, False)


async def test_a_parent_bug_that_does_not_exist_is_a_defect(store: Store) -> None:
    with pytest.raises(Defect):
        await fix_for(store, CaseId("bug-0000"))


async def test_a_move_tells_the_other_case_once_however_often_it_is_repeated(store: Store) -> None:
    bug = await open_bug(store)
    case = await fix_for(store, bug)
    after = (await snapshot(store, case)).updated(transitions=1)
    file = await case_file(store, case)
    news = said(bug, "The pull request is open.", kind=MessageKind.FIX_READY)
    await store.cases.move(after, [transition(1)], file, trace=TRACE, tell=news)
    await store.cases.move(after, [transition(1)], file, trace=TRACE, tell=said(bug, "again"))
    assert [message.text for message in await store.inbox.of(bug)][1:] == ["The pull request is open."]
    assert (await kinds(store, bug))[-1] == "message_recorded"
    assert [number for number, _, kind in await store.inbox.unclaimed() if kind is MessageKind.FIX_READY] == [bug]


async def test_a_message_that_was_told_before_does_not_stop_the_move(store: Store) -> None:
    bug = await open_bug(store)
    case = await fix_for(store, bug)
    await store.inbox.put(said(bug, id="news-1"))
    after = (await snapshot(store, case)).updated(transitions=1)
    await store.cases.move(
        after, [transition(1)], await case_file(store, case), trace=TRACE, tell=said(bug, id="news-1")
    )
    assert (await snapshot(store, case)).progress.transitions == 1
    assert len(await store.inbox.of(bug)) == 2


async def test_cases_that_tell_each_other_at_once_do_not_deadlock(store: Store) -> None:
    one, two = await open_case(store, "One"), await open_case(store, "Two")
    moves = []
    for case, other in ((one, two), (two, one)):
        before, file = await snapshot(store, case), await case_file(store, case)
        for number in range(1, 21):
            after = before.updated(transitions=number)
            moves.append(store.cases.move(after, [transition(number)], file, trace=TRACE, tell=said(other)))
    await asyncio.gather(*moves)
    assert [len(await store.inbox.of(case)) for case in (one, two)] == [21, 21]


async def test_cases_are_listed_with_the_newest_change_first(store: Store) -> None:
    one, two = await open_case(store, "One"), await open_case(store, "Two")
    assert [stored.case.id for stored in await store.cases.list()] == [two, one]
    await store.record.append(one, [Noted(text="something happened")], trace=TRACE)
    assert [stored.case.id for stored in await store.cases.list()] == [one, two]


async def test_an_unknown_case_is_none(store: Store) -> None:
    assert await store.cases.load(CaseId("local/shop#1")) is None
