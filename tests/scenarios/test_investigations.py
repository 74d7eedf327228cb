"""Investigations: hypotheses, diagnostics, the five iterations, and who decides after them.

Each scenario runs on a real Temporal server with real git, real builds and a scripted agent; every history is
replayed at the end.
"""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import Noted
from caseworker.core.record.investigation import CauseProven, InstrumentRan, MatrixRevised
from caseworker.ports import StoredCase
from caseworker.views.investigations import known_investigations
from tests.world.agent import answers, approved, changes, implemented, once, reads_people, writes_greeting
from tests.world.investigation import (
    COMMAND,
    EVIDENCE,
    asks_to_measure,
    changes_a_line,
    eliminates,
    finds_the_cause,
    hypothesis,
    iterates,
    judges,
    measures,
    only_adds_a_line,
    spawns,
    unblocks,
)
from tests.world.world import CaseInWorld, World

S = IssueState
INVESTIGATE = (Role.INVESTIGATOR, Task.ITERATE)
DIAGNOSE = (Role.DEVELOPER, Task.DIAGNOSTIC)
SENIOR_DIAGNOSE = (Role.SENIOR_DEVELOPER, Task.DIAGNOSTIC)


@pytest.fixture(autouse=True)
def start_with_an_investigation(world: World) -> None:
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, spawns(), approved)
    world.agent.does(Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, judges("APPROVED", hypothesis="H1"))
    for turn in (INVESTIGATE, DIAGNOSE, SENIOR_DIAGNOSE):
        world.agent.runs(*turn, COMMAND, "cat greeting.txt")
    for turn in (DIAGNOSE, SENIOR_DIAGNOSE):
        world.agent.does(*turn, measures())


def iterations(world: World) -> int:
    return sum(brief.task is Task.ITERATE for brief in world.agent.briefs)


async def counted(case: CaseInWorld) -> int:
    investigation = (await case.stored()).case.investigation
    assert investigation is not None
    return investigation.iteration


def delivered(stored: StoredCase) -> bool:
    return stored.case.delivery.pull_request is not None


@pytest.mark.slow
async def test_a_stress_that_the_investigator_calls_is_evidence_for_the_cause(world: World) -> None:
    world.agent.calls("stress", command=COMMAND, runs=3)
    cited = {"kind": "run", "source": "stress 1", "shows": "it fails with every seed"}
    world.agent.does(*INVESTIGATE, finds_the_cause(cited, *EVIDENCE[:2]))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert world.agent.measured[0].startswith("stress 1, measured: ")
    entries = [recorded.entry for recorded in await case.record()]
    [ran] = [entry for entry in entries if isinstance(entry, InstrumentRan)]
    assert (ran.instrument, ran.number, ran.status, ran.command) == ("stress", 1, "measured", COMMAND)
    [proven] = [entry for entry in entries if isinstance(entry, CauseProven)]
    assert (proven.evidence[0].source, proven.evidence[0].event is not None) == ("stress 1", True)
    assert "stress 1" in (await case.expect_pull_request()).body


@pytest.mark.slow
async def test_a_stress_that_was_never_run_is_no_evidence(world: World) -> None:
    cited = {"kind": "run", "source": "stress 1", "shows": "it fails with every seed"}
    world.agent.does(*INVESTIGATE, finds_the_cause(cited, *EVIDENCE[:2]))
    world.agent.repairs(*INVESTIGATE, finds_the_cause())
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert "there is no stress 1 on record" in world.agent.refused[0]


async def test_a_cause_is_found_in_the_second_iteration_after_one_diagnostic(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    briefs = world.agent.briefs
    measured = next(brief for brief in briefs if brief.task is Task.DIAGNOSTIC)
    second = [brief for brief in briefs if brief.task is Task.ITERATE][1]
    assert "It printed wrold." in second.prompt
    assert measured.tree.path != second.tree.path
    assert not measured.tree.path.exists()
    assert "greeting.txt:1 misspells the world." in next(b for b in briefs[-4:] if b.task is Task.IMPLEMENT).prompt
    assert await case.file_on_branch("greeting.txt") == "Hello world"
    kinds = [recorded.entry for recorded in await case.record()]
    (proven,) = [entry for entry in kinds if isinstance(entry, CauseProven)]
    assert [piece.event is not None for piece in proven.evidence] == [True, False, True]
    assert [(entry.iteration, entry.version) for entry in kinds if isinstance(entry, MatrixRevised)] == [(1, 1), (2, 2)]
    assert await counted(case) == 2
    (pull,) = await world.store.pulls.of(case.id)
    assert "## Investigation\n\ngreeting.txt:1 misspells the world." in pull.body
    assert "2 of at most 5 iterations, 1 diagnostic, of which no line is in this change." in pull.body


@pytest.mark.slow
async def test_an_answer_to_an_exhausted_investigation_keeps_the_iteration_count(world: World) -> None:
    world.agent.does(
        *INVESTIGATE,
        eliminates("H1", hypothesis("H2")),
        iterates("EXHAUSTED", hypothesis("H2", "eliminated"), needs="Logs of Monday."),
        finds_the_cause(),
    )
    world.agent.does(
        Role.PM,
        Task.UNBLOCK,
        unblocks("NEEDS_CLARIFICATION", questions=["Where are the logs of Monday?"]),
    )
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "The logs are there now."))
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.ANSWER)
    assert "Where are the logs of Monday?" in (await case.told())[-1]
    await case.person_says("In logs/monday.txt: Hello wrold, all day.")
    await case.expect(delivered, "a pull request")
    last = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][-1]
    assert "In logs/monday.txt" in last.prompt
    assert await counted(case) == 3


@pytest.mark.slow
async def test_the_pm_unblocks_an_investigation_without_asking_people(world: World) -> None:
    world.agent.does(*INVESTIGATE, iterates("BLOCKED", needs="A word on the spelling."), finds_the_cause())
    world.agent.does(Role.PM, Task.UNBLOCK, unblocks("CONTINUE", resources="docs/spelling.md has the spelling."))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    last = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][-1]
    assert "docs/spelling.md has the spelling." in last.prompt
    assert await counted(case) == 2


@pytest.mark.slow
async def test_a_message_before_the_unblocking_turn_is_read_in_that_turn(world: World) -> None:
    world.agent.does(*INVESTIGATE, iterates("BLOCKED", needs="A word on the spelling."), finds_the_cause())
    world.agent.does(Role.PM, Task.UNBLOCK, unblocks("CONTINUE", resources="docs/spelling.md has the spelling."))
    release = world.agent.holds_in(Task.ITERATE)
    case = await world.owner_files_issue()
    await world.agent.reached(Task.ITERATE)
    await case.person_says("I saw it, too.")
    release()
    await case.expect(delivered, "a pull request")
    assert S.REQUIRES_HUMAN_INTERVENTION not in await case.states()
    assert not [brief for brief in world.agent.briefs if brief.task is Task.INTERPRET]
    read = next(brief for brief in world.agent.briefs if brief.task is Task.UNBLOCK)
    assert "I saw it, too." in read.prompt


@pytest.mark.slow
async def test_an_invalid_investigator_outcome_costs_one_iteration_and_not_the_case(world: World) -> None:
    invented = {"kind": "command", "source": "strace -f greet", "shows": "a race"}
    world.agent.does(*INVESTIGATE, once(finds_the_cause(*[invented, *EVIDENCE[1:]]), finds_the_cause()))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert await counted(case) == 2
    (investigation,) = await known_investigations(world.store, await case.stored())
    assert [(one.number, one.status, one.said) for one in investigation.iterations] == [
        (1, "NEED_MORE_ANALYSIS", ""),
        (2, "ROOT_CAUSE_FOUND", "ROOT_CAUSE_FOUND"),
    ]
    assert "no command `strace -f greet` was run" in investigation.iterations[0].summary
    second = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][1]
    assert "Iteration 1, NEED_MORE_ANALYSIS, without a valid outcome: " in second.prompt
    (pull,) = await world.store.pulls.of(case.id)
    assert "2 of at most 5 iterations" in pull.body


@pytest.mark.slow
async def test_after_five_iterations_the_tech_lead_takes_the_best_hypothesis(world: World) -> None:
    world.agent.does(*INVESTIGATE, iterates("NEED_MORE_ANALYSIS"))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert iterations(world) == 5
    judged = next(brief for brief in world.agent.briefs if brief.task is Task.VALIDATE_ROOT_CAUSE)
    assert "iterations" in judged.prompt
    (pull,) = await world.store.pulls.of(case.id)
    assert "**The cause is not proven.**" in pull.body
    assert "NOT PROVEN" in next(b for b in reversed(world.agent.briefs) if b.task is Task.IMPLEMENT).prompt


@pytest.mark.slow
async def test_nobody_can_ask_for_a_sixth_iteration(world: World) -> None:
    world.agent.does(*INVESTIGATE, iterates("NEED_MORE_ANALYSIS"))
    world.agent.does(Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, judges("CHANGES_REQUESTED", "Look once more."))
    world.agent.does(
        Role.PM, Task.INTERPRET, reads_people("CONTINUE", "Then it is looked into again.", next="investigating")
    )
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.ANSWER)
    world.agent.does(Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, judges("UNBLOCKING_GUIDANCE", "Just spell it right."))
    await case.person_says("Investigate it again, please.")
    await case.expect(delivered, "a pull request")
    assert iterations(world) == 5
    assert any(brief.task is Task.PLAN for brief in world.agent.briefs)


@pytest.mark.slow
async def test_the_tech_leads_feedback_on_a_cause_is_given_to_the_next_iteration(world: World) -> None:
    world.agent.does(*INVESTIGATE, finds_the_cause())
    world.agent.does(
        Role.TECH_LEAD,
        Task.VALIDATE_ROOT_CAUSE,
        judges("CHANGES_REQUESTED", "Who else greets? Look at the other files."),
        judges("APPROVED", hypothesis="H1"),
    )
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    second = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][1]
    assert "Who else greets?" in second.prompt
    assert await counted(case) == 2


@pytest.mark.slow
async def test_a_blocked_developer_with_evidence_starts_an_investigation(world: World) -> None:
    bundle = {
        "error": "E17: no such word",
        "reproduction": COMMAND,
        "expected": "world",
        "actual": "wrold",
        "environment": "Linux",
        "attempts": ["Read it twice."],
    }
    stuck = changes("Greet").model_dump() | {
        "status": "BLOCKED",
        "evidence": bundle,
        "investigation": {
            "problem_summary": "The word is gone after a while.",
            "hypothesis_matrix": [hypothesis("H1")],
            "suggested_skills": ["stress"],
        },
    }
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, answers(Role.DEVELOPER, Task.IMPLEMENT, **stuck), implemented)
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, approved)
    world.agent.does(*INVESTIGATE, finds_the_cause())
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert "E17: no such word" in next(b for b in world.agent.briefs if b.task is Task.ITERATE).prompt
    judged = next(b for b in world.agent.briefs if b.task is Task.VALIDATE_ROOT_CAUSE).prompt
    assert "The word is gone after a while. (the developer, turn " in judged
    assert "Suspected then: H1, It is H1.\nSuggested skills: stress" in judged


@pytest.mark.slow
async def test_a_diagnostic_is_deferred_when_no_developer_is_free(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    release = world.agent.holds_in(Role.INVESTIGATOR)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.INVESTIGATOR)
    most = world.parts.capacity.most
    others = range(1_000, 1_000 + most)
    for turn in others:
        assert await world.store.places.ask(case.id, turn, most=most, queue=False)
    release()
    await case.expect(lambda stored: _at(stored) == 2, "the second iteration")
    for turn in others:
        await world.store.places.leave(case.id, turn)
    await case.expect(delivered, "a pull request")
    notes = [recorded.entry.text for recorded in await case.record() if isinstance(recorded.entry, Noted)]
    assert any("the diagnostic is deferred" in text for text in notes)
    assert not [brief for brief in world.agent.briefs if brief.task is Task.DIAGNOSTIC]
    second = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][1]
    assert "the diagnostic is deferred" in second.prompt


@pytest.mark.slow
async def test_two_unknown_statuses_count_as_more_analysis_and_the_third_as_blocked(world: World) -> None:
    world.agent.does(*INVESTIGATE, iterates("HMM"), iterates("PERHAPS"), iterates("WELL"), finds_the_cause())
    world.agent.does(Role.PM, Task.UNBLOCK, unblocks("CONTINUE", resources="Say what you mean."))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert sum(brief.task is Task.UNBLOCK for brief in world.agent.briefs) == 1
    notes = [recorded.entry.text for recorded in await case.record() if isinstance(recorded.entry, Noted)]
    assert any("'HMM' is unknown and counts as NEED_MORE_ANALYSIS" in text for text in notes)
    assert await counted(case) == 4


@pytest.mark.slow
async def test_an_investigation_can_have_a_single_hypothesis(world: World) -> None:
    cause = {
        "hypothesis": "H1",
        "cause": "greeting.txt:1 misspells the world.",
        "evidence": [
            {"kind": "command", "source": COMMAND, "shows": "it fails"},
            {"kind": "file", "source": "greeting.txt:1", "shows": "misspelt"},
            {"kind": "run", "source": "build 1", "shows": "it fails"},
        ],
        "fix": "Spell it right.",
        "validation": COMMAND,
    }
    world.agent.does(*INVESTIGATE, iterates("ROOT_CAUSE_FOUND", hypothesis("H1", "confirmed"), root_cause=cause))
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    (investigation,) = await known_investigations(world.store, await case.stored())
    assert [one.id for one in investigation.hypotheses] == ["H1"]


@pytest.mark.slow
async def test_a_diagnostic_that_changes_a_line_is_refused_and_can_be_repaired(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    for turn in (DIAGNOSE, SENIOR_DIAGNOSE):
        world.agent.does(*turn, changes_a_line)
        world.agent.repairs(*turn, only_adds_a_line)
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    assert "only adds lines" in world.agent.refused[0]
    assert await case.file_on_branch("greeting.txt") == "Hello world"


@pytest.mark.slow
async def test_a_diagnostic_that_repairs_code_twice_is_dropped_and_the_loop_goes_on(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    for turn in (DIAGNOSE, SENIOR_DIAGNOSE):
        world.agent.does(*turn, changes_a_line)
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    second = [brief for brief in world.agent.briefs if brief.task is Task.ITERATE][1]
    assert "The diagnostic came to nothing" in second.prompt


@pytest.mark.slow
async def test_evidence_that_is_not_on_record_is_refused_and_can_be_repaired_once(world: World) -> None:
    invented = [
        {"kind": "command", "source": "strace -f greet", "shows": "a race"},
        {"kind": "file", "source": "greeting.txt:99", "shows": "nothing"},
        {"kind": "run", "source": "diagnostic 77", "shows": "nothing"},
    ]
    world.agent.does(*INVESTIGATE, finds_the_cause(*invented))
    world.agent.repairs(*INVESTIGATE, finds_the_cause())
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    (problem,) = world.agent.refused
    assert "no command `strace -f greet` was run" in problem
    assert "`greeting.txt` has 1 lines, not 99" in problem
    assert "there is no diagnostic 77 on record" in problem
    assert await counted(case) == 1


@pytest.mark.slow
async def test_no_line_of_a_diagnostic_reaches_the_pull_request(world: World) -> None:
    instrument = "printf 'greeting was read by the test' # CASEWORKER-DIAGNOSTIC\n"
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    for turn in (DIAGNOSE, SENIOR_DIAGNOSE):
        world.agent.does(*turn, measures(instrument))
    world.agent.does(
        Role.SENIOR_DEVELOPER, Task.IMPLEMENT, writes_greeting("Hello world\nprintf 'greeting was read by the test'\n")
    )
    world.agent.does(
        Role.DEVELOPER,
        Task.IMPLEMENT,
        implemented,
        writes_greeting("Hello world\nprintf 'greeting was read by the test'\n"),
    )
    case = await world.owner_files_issue()
    await case.expect(delivered, "a pull request")
    fixes = [brief for brief in world.agent.briefs if brief.task is Task.FIX]
    assert "was added there by a diagnostic" in fixes[0].prompt
    assert await case.file_on_branch("greeting.txt") == "Hello world"


@pytest.mark.slow
async def test_a_takeover_in_the_middle_keeps_the_counter_and_the_matrix(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    release = world.agent.holds_in(Task.DIAGNOSTIC)
    case = await world.owner_files_issue()
    await world.agent.reached(Task.DIAGNOSTIC)
    await case.person_says("Let me look.", kind=MessageKind.TAKEOVER)
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    assert _at(await case.stored()) == 1
    release()
    await case.person_says("I see nothing.", kind=MessageKind.HAND_BACK)
    await case.expect(delivered, "a pull request")
    assert sum(brief.task is Task.DIAGNOSTIC for brief in world.agent.briefs) == 2
    assert await counted(case) == 2
    assert len(await known_investigations(world.store, await case.stored())) == 1


@pytest.mark.slow
async def test_a_cause_whose_review_was_interrupted_is_reviewed_after_the_hand_back(world: World) -> None:
    world.agent.does(*INVESTIGATE, finds_the_cause())
    release = world.agent.holds_in(Task.VALIDATE_ROOT_CAUSE)
    case = await world.owner_files_issue()
    await world.agent.reached(Task.VALIDATE_ROOT_CAUSE)
    await case.person_says("Let me look.", kind=MessageKind.TAKEOVER)
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    release()
    await case.person_says("Go on.", kind=MessageKind.HAND_BACK)
    await case.expect(delivered, "a pull request")
    assert sum(brief.task is Task.VALIDATE_ROOT_CAUSE for brief in world.agent.briefs) == 2
    assert await counted(case) == 1


@pytest.mark.slow
async def test_an_investigation_goes_on_where_it_was_when_its_worker_stops(world: World) -> None:
    world.agent.does(*INVESTIGATE, asks_to_measure(), finds_the_cause())
    stops = {Task.ITERATE: 0, Task.DIAGNOSTIC: 1, Task.VALIDATE_ROOT_CAUSE: 2}
    releases = {task: world.agent.holds_in(task) for task in stops}
    case = await world.owner_files_issue()
    for task, iterations_done in stops.items():
        await world.agent.reached(task)
        await world.worker_stops()
        assert _at(await case.stored()) == iterations_done
        releases[task]()
        await world.worker_starts()
    await case.expect(delivered, "a pull request")
    assert await counted(case) == 2


def _at(stored: StoredCase) -> int:
    return stored.case.investigation.iteration if stored.case.investigation is not None else 0
