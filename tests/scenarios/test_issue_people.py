"""People in an issue case: questions, approvals, takeovers, budget and feedback.

Each scenario runs on a real Temporal server with real git, real builds and a scripted agent; every history is
replayed at the end.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from caseworker.core.base.ids import typed
from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import Topic
from caseworker.core.people.commands import MessageKind
from caseworker.ports import AgentFailed, StoredCase
from caseworker.views.requests import what_is_asked
from tests.world.agent import (
    analyzed,
    answers,
    approved,
    asks_people,
    implemented,
    once,
    reads_people,
    rejected,
    reviews,
    triaged,
    unclear,
    writes_greeting,
    wrote_test,
)
from tests.world.project import git
from tests.world.world import CaseInWorld, World

S = IssueState


@pytest.mark.slow
async def test_questions_can_be_answered_late_and_in_two_parts(world: World) -> None:
    world.policy = world.policy.model_copy(update={"answer_wait_seconds": 1.0, "reminder_seconds": 900.0})
    world.agent.does(Role.ANALYST, Task.ANALYZE, unclear("Which world?"), analyzed)
    world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?", "Since when?"), asks_people("Since when?"))
    world.agent.does(
        Role.PM,
        Task.INTERPRET,
        reads_people("NEEDS_CLARIFICATION", "The world is clear now.", questions=["Since when?"]),
        reads_people("CONTINUE", "Then it is clear."),
    )
    case = await world.owner_files_issue()
    await case.expect_state(S.BLOCKED)  # nobody answered within `answer_wait_seconds`
    assert "1. Which world?\n2. Since when?" in (await case.told())[0]
    await case.person_says("The one in greeting.txt.")
    await case.expect(lambda stored: stored.case.people.asked == 2, "the second question")
    await case.person_says("Since Monday.", kind=MessageKind.ANSWER)
    await case.expect_pull_request()
    read = [brief for brief in world.agent.briefs if brief.task is Task.ANALYZE][-1]
    assert "The one in greeting.txt." in read.prompt
    assert "Since Monday." in read.prompt
    assert (await case.receipts())[1:] == ["seen by turn 4: read by the pm", "seen by turn 6: read by the pm"]


@pytest.mark.slow
async def test_a_clear_answer_leads_directly_to_the_test(world: World) -> None:
    """The six steps: unclear, the pm asks, it waits, a person answers, the pm reads the answer, the tester begins."""
    world.agent.does(Role.ANALYST, Task.ANALYZE, unclear("Which world?"))
    world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?"))
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "Clear.", next="creating_tests"))
    case = await world.owner_files_issue()
    await case.expect_state(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION)
    await case.person_says("The one in greeting.txt.", kind=MessageKind.ANSWER)
    await case.expect_pull_request()
    assert (await case.states())[:7] == [
        S.ANALYZING_REQUIREMENTS,
        S.REQUIREMENTS_UNCLEAR,
        S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
        S.REQUIREMENTS_CLARIFIED,
        S.CREATING_TESTS,
        S.IMPLEMENTING,
        S.RUNNING_TESTS,
    ]


@pytest.mark.slow
async def test_words_that_ask_for_work_do_not_skip_the_approval_of_a_plan(world: World) -> None:
    world.policy = world.policy.model_copy(update={"approve_plan": True})
    world.agent.does(Role.ANALYST, Task.ANALYZE, unclear("Which world?"))
    world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?"))
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "Clear.", next="creating_tests"))
    case = await world.owner_files_issue()
    await case.expect_state(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION)
    await case.person_says("The one in greeting.txt. Just write it.", kind=MessageKind.ANSWER)
    await case.expect_waiting(WaitingFor.APPROVAL)
    assert not [brief for brief in world.agent.briefs if brief.task is Task.CREATE_TESTS]
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)


@pytest.mark.slow
async def test_a_question_stays_open_until_it_is_answered_even_after_a_failed_turn(
    world: World,
) -> None:
    late = AgentFailed(reason="it has worked for 60 minutes", why="seconds")
    world.agent.does(Role.ANALYST, Task.ANALYZE, unclear("Is it this world?"), analyzed)
    world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Is it this world?"))
    reads = once(late, reads_people("CONTINUE", "Then it is clear.", next="analyzing_requirements"))
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("NO_ACTION", "I shall wait, then."), reads)
    case = await world.owner_files_issue()
    await case.expect_state(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION)
    await case.person_says("I shall ask my boss.")
    back = await case.expect(
        lambda stored: (
            stored.case.progress.turns == 4 and stored.case.state is S.WAITING_FOR_REQUIREMENTS_CLARIFICATION
        ),
        "it waits on",
    )
    assert (await case.told())[-1] == "I shall wait, then."
    assert (await what_is_asked(world.store, back, [])).endswith("1. Is it this world?")
    await case.person_says("She says it may be so.")
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    await case.person_says("Yes.", kind=MessageKind.ANSWER)
    await case.expect_pull_request()


@pytest.mark.slow
async def test_rejected_twice_then_approved(world: World) -> None:
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, rejected, rejected, approved)
    world.agent.does(
        Role.SENIOR_DEVELOPER, Task.FIX, writes_greeting("Hello world\n\n"), writes_greeting("Hello world\nBye.\n")
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    fixes = [brief for brief in world.agent.briefs if brief.task is Task.FIX]
    assert [brief.role for brief in fixes] == [Role.SENIOR_DEVELOPER] * 2
    assert fixes[0].model == world.policy.models[Role.SENIOR_DEVELOPER]
    assert all("end it with a stop" in brief.prompt for brief in fixes)
    assert await case.file_on_branch("greeting.txt") == "Hello world\nBye."


async def test_a_red_build_is_judged_by_the_tester_and_fixed(world: World) -> None:
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, writes_greeting("Good morning\n"))
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert [brief.task for brief in world.agent.briefs if brief.role is Role.TESTER] == [Task.CREATE_TESTS, Task.JUDGE]
    fix = next(brief for brief in world.agent.briefs if brief.task is Task.FIX)
    assert "The greeting is still wrong." in fix.prompt
    assert "`sh tests/world.sh`" in fix.prompt
    assert (await case.stored()).case.limits.attempt == 2


@pytest.mark.slow
async def test_a_case_fails_after_its_last_attempt_and_keeps_the_work_on_its_branch(world: World) -> None:
    for role in (Role.DEVELOPER, Role.SENIOR_DEVELOPER):
        for task in (Task.IMPLEMENT, Task.FIX):
            world.agent.does(role, task, *[writes_greeting(f"Good morning {number}\n") for number in range(4)])
    world.agent.does(
        Role.TECH_LEAD, Task.UNBLOCK, reviews("UNBLOCKING_GUIDANCE", "Only the spelling is wrong.", Task.UNBLOCK)
    )
    case = await world.owner_files_issue()
    stored = await case.expect_end(S.FAILED)
    assert "All 3 attempts are used, and one more with the tech lead's help" in stored.case.reason
    assert stored.file.pipeline.failure_reason == stored.case.reason
    assert await world.store.pulls.of(case.id) == []
    assert (await case.file_on_branch("greeting.txt")).startswith("Good morning")
    last = [brief for brief in world.agent.briefs if brief.task is Task.FIX][-1]
    assert "Only the spelling is wrong." in last.prompt


@pytest.mark.slow
async def test_an_authentication_change_waits_for_approval_and_goes_to_the_senior(world: World) -> None:
    def sensitive(workspace: Path) -> Outcome:
        return triaged(workspace).model_copy(update={"topics": [Topic.AUTHENTICATION]})

    world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.APPROVAL)
    assert "It touches authentication." in (await case.told())[-1]
    await case.person_says("Is it urgent?")
    await case.expect_receipts("seen by turn 1: read by the pm", "seen by turn 2: read by the pm")
    await case.expect_waiting(WaitingFor.APPROVAL)
    await case.person_approves()
    pull = await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    assert pull.case.granted(Subject.SENSITIVE)
    assert {b.role for b in world.agent.briefs if b.task is Task.IMPLEMENT} == {Role.SENIOR_DEVELOPER}
    assert (await case.receipts())[-1] == "seen by turn 3: approved"


@pytest.mark.slow
async def test_an_escalation_asks_a_person_and_is_in_the_case_file(world: World) -> None:
    escalation = "It changes who may log in."
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, writes_greeting("Hello world\n", escalation=escalation))
    case = await world.owner_files_issue()
    stored = await case.expect_waiting(WaitingFor.APPROVAL)
    (asked,) = stored.file.communication.escalations
    assert (asked.reason, asked.requires_human, asked.resolved) == (escalation, True, False)
    await case.person_approves()
    pull = await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    assert [known.resolved for known in pull.file.communication.escalations] == [True]


@pytest.mark.slow
async def test_an_escalation_comes_before_a_question_and_no_answer_parks_the_case(
    world: World,
) -> None:
    def asks(workspace: Path) -> Outcome:
        question = RoleQuestion(to="analyst", question="Is a stop wanted?")
        return implemented(workspace).model_copy(update={"ask": [question]})

    def asks_and_escalates(workspace: Path) -> Outcome:
        return asks(workspace).model_copy(update={"escalation": "It touches logins."})

    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, asks_and_escalates, asks)
    world.agent.does(Role.ANALYST, Task.ANSWER, answers(Role.ANALYST, Task.ANSWER, status="READY", answers=[]))
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.APPROVAL)
    await case.person_approves()
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    stored = await case.stored()
    assert stored.case.reason == "The analyst can't answer: Is a stop wanted?"
    assert [one.resolved for one in stored.file.communication.escalations] == [True]


@pytest.mark.slow
async def test_a_question_of_the_triage_that_is_asked_back_stops_the_case(world: World) -> None:
    def asks(workspace: Path) -> Outcome:
        return triaged(workspace).model_copy(update={"ask": [RoleQuestion(to="analyst", question="Whose world?")]})

    asks_back = answers(
        Role.ANALYST, Task.ANSWER, status="READY", answers=[], ask=[{"to": "pm", "question": "Whose do you mean?"}]
    )
    world.agent.does(Role.PM, Task.TRIAGE, asks)
    world.agent.does(Role.ANALYST, Task.ANSWER, asks_back)
    case = await world.owner_files_issue()
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    stored = await case.stored()
    assert stored.case.reason == "The analyst asks the pm back: Whose do you mean?"
    asked = [(one.from_, one.to, one.answered) for one in stored.file.communication.questions]
    assert asked == [("triage", "analyst", False), ("analyst", "triage", False)]


@pytest.mark.slow
async def test_an_answer_to_an_escalation_is_given_to_the_role_that_asked(world: World) -> None:
    asks = writes_greeting("Hello there\n", escalation="Is it the world or all of you?")
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, asks, writes_greeting("Hello world\n"))
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "The world it is."))
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.ESCALATION)
    await case.person_says("Take the world.", kind=MessageKind.ANSWER)
    pull = await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    again = [brief for brief in world.agent.briefs if brief.task is Task.IMPLEMENT][-1]
    assert "Take the world." in again.prompt
    assert [known.resolved for known in pull.file.communication.escalations] == [True]
    assert not pull.case.granted(Subject.ESCALATION)


@pytest.mark.slow
async def test_the_analyst_answers_the_developers_question_before_work_goes_on(world: World) -> None:
    def wonders(workspace: Path) -> Outcome:
        question = RoleQuestion(to="analyst", question="Is a stop wanted?")
        return implemented(workspace).model_copy(update={"ask": [question], "status": "PARTIAL"})

    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, wonders, implemented)
    world.agent.does(
        Role.ANALYST, Task.ANSWER, answers(Role.ANALYST, Task.ANSWER, status="READY", answers=["No stop."])
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    stored = await case.stored()
    (asked,) = stored.file.communication.questions
    assert (asked.question, asked.answered, asked.answer) == ("Is a stop wanted?", True, "No stop.")
    turns = [(brief.role, brief.task) for brief in world.agent.briefs][3:6]
    assert turns == [
        (Role.DEVELOPER, Task.IMPLEMENT),
        (Role.ANALYST, Task.ANSWER),
        (Role.DEVELOPER, Task.IMPLEMENT),
    ]
    assert "Is a stop wanted?" in world.agent.briefs[4].prompt
    assert "No stop." in world.agent.briefs[5].prompt
    assert S.FIXING_ISSUES not in await case.states()


@pytest.mark.slow
async def test_an_architecture_change_waits_for_a_persons_approval(world: World) -> None:
    deeper = reviews("ARCHITECTURE_REVIEW", "The greeting is in two places.")
    change = reviews("CHANGES_REQUESTED", "Keep it in one place.", Task.REVIEW_ARCHITECTURE)
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, deeper, approved)
    world.agent.does(Role.TECH_LEAD, Task.REVIEW_ARCHITECTURE, change)
    world.agent.does(Role.SENIOR_DEVELOPER, Task.REFACTOR, writes_greeting("Hello world\n", "Keep it in one place"))
    case = await world.owner_files_issue()
    stored = await case.expect_waiting(WaitingFor.APPROVAL)
    assert stored.case.waiting.wait is not None
    assert stored.case.waiting.wait.subject is Subject.ARCHITECTURE
    await case.person_approves()
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    states = await case.states()
    assert states.index(S.REVIEWING_ARCHITECTURE) < states.index(S.REFACTORING) < states.index(S.CREATING_PR)


async def test_feedback_on_a_pull_request_updates_the_same_pull_request(world: World) -> None:
    world.agent.does(
        Role.PM,
        Task.INTERPRET,
        reads_people("CONTINUE", "We will add a goodbye.", next="addressing_feedback"),
    )
    world.agent.does(
        Role.DEVELOPER,
        Task.ADDRESS_FEEDBACK,
        writes_greeting("Hello world\nBye.\n", "Say goodbye", answers=["Done: it says Bye."]),
    )
    case = await world.owner_files_issue()
    first = await case.expect_pull_request()
    await case.person_says("Please say goodbye, too.")
    await case.expect(
        lambda stored: stored.case.limits.round == 2 and stored.case.waits_for is WaitingFor.MERGE,
        "the pull request again",
    )
    (pull,) = await world.store.pulls.of(case.id)
    assert pull.number == first.number
    assert await case.file_on_branch("greeting.txt") == "Hello world\nBye."
    brief = next(brief for brief in world.agent.briefs if brief.task is Task.ADDRESS_FEEDBACK)
    assert "Please say goodbye, too." in brief.prompt
    assert any("Done: it says Bye." in text for text in await case.told())
    await case.person_merges()
    await case.expect_end(S.COMPLETED)


@pytest.mark.slow
async def test_messages_during_the_feedback_turn_are_answered_in_the_same_update(world: World) -> None:
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We will.", next="addressing_feedback"))
    world.agent.does(
        Role.DEVELOPER,
        Task.ADDRESS_FEEDBACK,
        writes_greeting("Hello world\nBye.\n", answers=["It says Bye.", "It is one line."], summary="It says goodbye."),
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    read, written = world.agent.holds_in(Task.INTERPRET), world.agent.holds_in(Task.ADDRESS_FEEDBACK)
    await case.person_says("Please say goodbye, too.")
    await world.agent.reached(Task.INTERPRET)
    await case.person_says("In one line.")
    read()
    await world.agent.reached(Task.ADDRESS_FEEDBACK)
    world.agent.hears()
    await case.person_says("And mind the stop.")
    written()
    await case.expect(_is_updated(2), "the pull request again")
    assert (await case.told())[-1] == (
        "> ada: Please say goodbye, too.\n\nIt says Bye.\n\n> ada: In one line.\n\nIt is one line.\n\n"
        "> ada: And mind the stop.\n\nIt was read while the work was under way: It says goodbye."
    )
    brief = next(brief for brief in world.agent.briefs if brief.task is Task.ADDRESS_FEEDBACK)
    assert 'what="remark 2" from="ada, owner">\nIn one line.' in brief.prompt
    assert (await case.receipts())[-2:] == ["seen by turn 7: read by the developer"] * 2


@pytest.mark.slow
async def test_feedback_during_the_review_of_an_update_starts_another_round(world: World) -> None:
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We will.", next="addressing_feedback"))
    world.agent.does(
        Role.DEVELOPER,
        Task.ADDRESS_FEEDBACK,
        writes_greeting("Hello world\nBye.\n", answers=["It says Bye."]),
        writes_greeting("Hello world\nBye!\n", answers=["It is loud now."]),
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    reviewed = world.agent.holds_in(Task.REVIEW)
    await case.person_says("Please say goodbye, too.")
    await world.agent.reached(Task.REVIEW)
    world.agent.hears()
    await case.person_says("And loudly, please.")
    reviewed()
    stored = await case.expect(_is_updated(3), "the pull request once more")
    assert (stored.case.people.remarks, stored.case.people.late) == ((), ())
    assert (await case.told())[-4:] == [
        "We will.",
        "> ada: Please say goodbye, too.\n\nIt says Bye.",
        "We will.",
        "> ada: And loudly, please.\n\nIt is loud now.",
    ]
    pm = [brief for brief in world.agent.briefs if brief.task is Task.INTERPRET][-1]
    assert "And loudly, please." in pm.prompt
    assert await case.file_on_branch("greeting.txt") == "Hello world\nBye!"


@pytest.mark.slow
async def test_a_request_to_a_completed_case_opens_a_follow_up_case(world: World) -> None:
    world.policy = world.policy.model_copy(update={"until": Milestone.TRIAGE})
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.MILESTONE)
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    await case.person_merges()
    await case.expect_end(S.COMPLETED)
    for words in ("Please say goodbye, too.", "Thanks!", "And loudly."):
        await case.person_says(words)
        await case.expect_end(S.COMPLETED)
    (child,) = await world.store.cases.children(case.id)
    assert (await case.receipts())[-3:] == [
        f"seen: opened {child.case.id} for this",
        "seen: the case was over: kept on the record",
        f"seen: passed on to {child.case.id}, which follows up on this case",
    ]
    world.cases.append(child.case.id)
    follower = CaseInWorld(world, child.case.id)
    await follower.expect_asked_for(Subject.NO_RED_TEST)  # it does not stop at the milestone that its parent has passed
    assert child.title == "Please say goodbye, too."
    assert "Follows up on #1: The greeting misspells the world, whose pull" in child.file.issue.original_body
    assert "And loudly." in [message.text for message in await world.store.inbox.of(follower.id)]
    await follower.person_closes()
    await follower.expect_end(S.CLOSED)
    await case.person_says("", kind=MessageKind.RETRY)
    await case.expect_end(S.COMPLETED)
    again = (await world.store.cases.children(case.id))[0]
    assert (await case.receipts())[-1] == f"seen: opened {again.case.id} for this"
    assert (again.case.id, again.title) == ("local/project#3", "Once more: The greeting misspells the world")
    world.cases.append(again.case.id)
    await CaseInWorld(world, again.case.id).expect_asked_for(Subject.NO_RED_TEST)


@pytest.mark.slow
async def test_a_change_of_sensitive_paths_waits_for_approval_before_its_pull_request(world: World) -> None:
    def migrates(workspace: Path) -> Outcome:
        (workspace / "migrations").mkdir(exist_ok=True)
        (workspace / "migrations" / "0001_world.sql").write_text("-- the world\n")
        return implemented(workspace)

    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, migrates)
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "It stays.", next="reviewing_code"))
    case = await world.owner_files_issue()
    stored = await case.expect_asked_for(Subject.TOUCHES)
    assert "it touches database schema (`migrations/0001_world.sql`)" in (await case.told())[-1]
    assert await world.store.pulls.of(case.id) == []
    await case.person_rejects("Is that needed?")
    await case.expect(lambda now: now.case.progress.turns == stored.case.progress.turns + 2, "another review")
    await case.expect_asked_for(Subject.TOUCHES)
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    (pull,) = await world.store.pulls.of(case.id)
    assert "Approved by `ada`: a change of what only a person may decide" in pull.body


@pytest.mark.slow
async def test_a_persons_commit_on_the_branch_is_kept_by_an_update(world: World) -> None:
    world.agent.does(
        Role.DEVELOPER, Task.ADDRESS_FEEDBACK, writes_greeting("Hello world\nBye.\n", "Say goodbye", answers=["Done."])
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    _commits_to_branch(world, "notes.txt", "mine\n")
    await case.person_rejects("Please say goodbye, too.")
    await case.expect(
        lambda stored: stored.case.limits.round == 2 and stored.case.waits_for is WaitingFor.MERGE,
        "the pull request again",
    )
    assert await case.file_on_branch("notes.txt") == "mine"
    assert await case.file_on_branch("greeting.txt") == "Hello world\nBye."
    assert "A note of mine" in git(world.repository, "log", "--format=%s", "main..agent/issue-1")


async def test_a_case_out_of_budget_goes_on_after_a_raise(world: World) -> None:
    spent = AgentFailed(reason="the case's budget of $5.00 is used up", why="budget")
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, once(spent, implemented))
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.BUDGET)
    assert f"`caseworker budget {typed(case.id)} +5`" in (await case.told())[-1]
    await case.person_says("+5", kind=MessageKind.BUDGET)
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    again = [brief for brief in world.agent.briefs if brief.task is Task.IMPLEMENT][-1]
    assert again.limits.cap_micros == 10_000_000


@pytest.mark.slow
async def test_a_message_to_a_turn_that_ran_out_of_budget_is_read_after_the_raise(world: World) -> None:
    spent = AgentFailed(reason="the case's budget of $5.00 is used up", why="budget")
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, once(spent, implemented))
    world.agent.hears()
    release = world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    await case.person_says("Mind the spelling.")
    release()
    await case.expect_waiting(WaitingFor.BUDGET)
    waits = "seen by turn 4: the money ran out in this turn: the next one reads it again, once the budget is raised"
    await case.expect_receipts("seen by turn 1: read by the pm", waits)
    await case.person_says("+5", kind=MessageKind.BUDGET)
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    again = [brief for brief in world.agent.briefs if brief.task is Task.IMPLEMENT][-1]
    assert "Mind the spelling." in again.prompt


@pytest.mark.slow
async def test_after_a_takeover_the_hand_back_goes_on_where_the_case_was(world: World) -> None:
    release = world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    await case.person_says("I'll take it.", kind=MessageKind.TAKEOVER)
    stored = await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    assert stored.case.people.taken_by == "ada"
    assert world.agent.stopped == [Role.DEVELOPER]
    await case.person_says("It was the spelling.")
    await case.expect_receipts(
        "seen by turn 1: read by the pm",
        "seen: taken over: the agents stand back; the work so far is on `agent/issue-1`, and what you commit there is "
        "taken in when you hand it back",
        "seen: kept: ada has the case, and it is read when the case is handed back",
    )
    await case.expect_story("pushed agent/issue-1")
    _commits_to_branch(world, "notes.txt", "mine\n")
    release()
    await case.person_says("", kind=MessageKind.HAND_BACK)
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    last = [brief for brief in world.agent.briefs if brief.task is Task.IMPLEMENT][-1]
    assert "It was the spelling." in last.prompt
    assert "notes.txt" in git(world.repository, "ls-tree", "--name-only", "agent/issue-1")


@pytest.mark.slow
async def test_feedback_during_a_takeover_is_addressed_after_the_hand_back(world: World) -> None:
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We will.", next="addressing_feedback"))
    world.agent.does(
        Role.DEVELOPER,
        Task.ADDRESS_FEEDBACK,
        writes_greeting("Hello world\nBye.\n", answers=["It says Bye.", "The test is there."]),
    )
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_says("I'll take it.", kind=MessageKind.TAKEOVER)
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    for words in ("Please say goodbye, too.", "Thanks!"):
        await case.person_says(words)
    await case.person_says("Add a test for goodbye.", kind=MessageKind.HAND_BACK)
    stored = await case.expect(_is_updated(2), "the pull request again")
    assert stored.case.people.remarks == ()
    answers = "> ada: Please say goodbye, too.\n\nIt says Bye.\n\n> ada: Add a test for goodbye.\n\nThe test is there."
    assert (await case.told())[-2:] == ["We will.", answers]


@pytest.mark.slow
async def test_work_of_a_parked_case_is_pushed_even_after_a_crash(world: World) -> None:
    late = AgentFailed(reason="60 minutes", why="seconds")
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, once(late, approved))
    case = await world.owner_files_issue()
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    await world.worker_stops()
    await world.client.get_workflow_handle(f"case:{case.id}").terminate("the engine's data is gone")
    await world.worker_starts()
    await world.reconciler_restarts(case.id)
    await case.expect_story("pushed agent/issue-1")
    assert await case.file_on_branch("greeting.txt") == "Hello world"


@pytest.mark.slow
async def test_feedback_not_done_before_the_merge_is_listed_with_what_to_do_next(world: World) -> None:
    broken = AgentFailed(reason="the answer was invalid twice", why="invalid_outcome")
    world.agent.does(Role.PM, Task.INTERPRET, once(broken, reads_people("CONTINUE", "We will.")))
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_says("Please say goodbye, too.")
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)  # not FAILED: the case has to notice the merge
    await world.worker_stops()
    await case.person_says("And loudly.")
    await case.person_merges()
    await world.worker_starts()
    await case.expect_end(S.COMPLETED)
    assert (await case.told())[-1].startswith(
        "Branch `agent/issue-1` was merged before this was done, and nothing more is done about it here:\n"
        "> ada: Please say goodbye, too.\n> ada: And loudly.\n\nIf it is still wanted, say so once more"
    )


@pytest.mark.slow
async def test_a_retry_continues_a_failed_case_from_where_it_was(world: World) -> None:
    broken = AgentFailed(reason="the answer was invalid twice", why="invalid_outcome")
    world.agent.does(Role.ANALYST, Task.ANALYZE, once(broken, analyzed))
    case = await world.owner_files_issue()
    await case.expect_end(S.FAILED)
    await case.person_says("", kind=MessageKind.RETRY)
    stored = await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    assert stored.case.epoch == 2
    assert (await case.receipts())[-1] == "seen by turn 3: tried again"


@pytest.mark.slow
async def test_without_test_commands_a_person_waives_proof_and_the_pull_request_says_so(world: World) -> None:
    def no_command(workspace: Path) -> Outcome:
        return wrote_test(workspace).model_copy(update={"test_command": ""})

    git(world.repository, "rm", "--quiet", "Makefile")
    git(world.repository, "commit", "--quiet", "--message", "No make")
    world.agent.does(Role.TESTER, Task.CREATE_TESTS, no_command)
    case = await world.owner_files_issue()
    for subject in (Subject.NO_RED_TEST, Subject.NO_COMMAND):
        await case.expect_asked_for(subject)
        await case.person_approves()
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    (pull,) = await world.store.pulls.of(case.id)
    assert "ada" in pull.body
    assert Subject.NO_COMMAND.value in pull.body


@pytest.mark.slow
async def test_a_rejected_plan_is_made_again_with_the_reason(world: World) -> None:
    world.policy = world.policy.model_copy(update={"approve_plan": True})
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.APPROVAL)
    assert "1. Spell the world right in greeting.txt." in (await case.told())[-1]
    await case.person_rejects("Also say goodbye.")
    await case.expect(
        lambda stored: stored.case.limits.round == 2 and stored.case.state in (S.WAITING_FOR_HUMAN_INPUT,), "it"
    )
    plans = [brief for brief in world.agent.briefs if brief.task is Task.PLAN]
    assert len(plans) == 2
    assert "Also say goodbye." in plans[1].prompt
    await case.person_approves()
    await case.expect(lambda stored: stored.case.delivery.pull_request is not None, "a pull request")
    later = next(brief for brief in world.agent.briefs if brief.task is Task.IMPLEMENT)
    assert "Spell the world right" in later.prompt


async def test_a_case_stops_at_its_milestone_until_it_is_approved(world: World) -> None:
    world.policy = world.policy.model_copy(update={"until": Milestone.PLAN})
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.MILESTONE)
    assert await case.runs() == ["plan succeeded"]
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    assert await case.runs() == ["plan succeeded", "implement succeeded"]


def _is_updated(round: int) -> Callable[[StoredCase], bool]:
    return lambda stored: stored.case.limits.round == round and stored.case.waits_for is WaitingFor.MERGE


def _commits_to_branch(world: World, name: str, text: str) -> None:
    """Clones the case's branch, commits a file and pushes, as a person would."""
    clone = world.home / "anns"
    git(world.home, "clone", "--quiet", "--branch", "agent/issue-1", str(world.repository), str(clone))
    (clone / name).write_text(text)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "A note of mine")
    git(clone, "push", "--quiet", "origin", "agent/issue-1")
