"""Summaries of cases, made from the record."""

from typing import Literal

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.roles import Role
from caseworker.core.bug.case import BugState
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.evidence.builds import Purpose, Stage
from caseworker.core.evidence.test_report import TestOutcome, make_report, make_result
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.investigation import InvestigationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.tech_lead import Finding, ReviewOutcome
from caseworker.core.people.commands import Resolution
from caseworker.core.telling.summaries import Seen, Summary, standing_of_bug, summarise
from tests.core.examples import (
    BASE,
    CASE,
    HEAD,
    MORNING,
    a_bug,
    a_build,
    a_case,
    a_file,
    a_proven_case,
    a_run,
    analysed,
    implemented,
)

S = IssueState
TYPED = TerminalPhrasing()
RED = a_build(a_run("t", purpose=Purpose.NEW_TEST, exit_code=1, output="1 failed\nin 3 s\n"), stage=Stage.RED)
GREEN = a_build(a_run("make test", output="5 passed\n\n"), commit=HEAD)


def summary_of(state: IssueState, **known: object) -> Summary:
    return summarise(
        a_case(state, **known), a_file(), TYPED, outcomes=[], builds=[], spent=(0, 0), rehearsed=False, seconds=0
    )


def test_a_summary_tells_what_was_wrong_what_changed_and_the_proof() -> None:
    case = a_proven_case(S.WAITING_FOR_HUMAN_INPUT, waiting_for="merge", pull_request=1, turns=5)
    file = after_outcome(a_file(), Role.DEVELOPER, implemented(), attempt=1)
    outcomes: list[Outcome] = [analysed(root_cause="an older guess"), analysed(), implemented()]
    summary = summarise(
        case, file, TYPED, outcomes=outcomes, builds=[RED, GREEN], spent=(120_000, 9), rehearsed=True, seconds=61.5
    )
    assert summary == Summary(
        case=CASE,
        title="The total forgets the discount",
        state=S.WAITING_FOR_HUMAN_INPUT,
        stands="waits for a person to merge `agent/issue-42`",
        result="pull_request",
        moves_it=[
            "Merging `agent/issue-42` completes the case: it sees that by itself.",
            '`caseworker reject owner/repo/42 "what should be different"` has it changed, in the same pull request.',
            '`caseworker say owner/repo/42 "..."` asks or remarks; the pm decides what follows.',
        ],
        wrong="cart.py:12 adds before it subtracts.",
        changed="The discount was never subtracted; now it is.",
        files=["cart.py"],
        red=Seen(command="t", commit=HEAD, exit_code=1, last_line="1 failed"),
        green=Seen(command="make test", commit=HEAD, exit_code=0, last_line="5 passed"),
        branch="agent/issue-42",
        pull_request=1,
        turns=5,
        model_calls=9,
        cost_micros=120_000,
        rehearsed=True,
        seconds=61.5,
    )


@pytest.mark.parametrize(
    ("stands", "wrong"),
    [("approved", "`total` is read before the lock."), ("found", "A guess."), ("given_up", "A guess.")],
)
def test_a_proven_cause_replaces_the_analysts_root_cause(stands: str, wrong: str) -> None:
    case = a_proven_case(S.WAITING_FOR_HUMAN_INPUT, investigation={"stands": stands, "hypothesis": "H1"})
    proof = [{"kind": "command", "source": f"make {check}", "shows": "it"} for check in ("one", "two", "three")]
    found = InvestigationOutcome.model_validate(
        {
            "status": "ROOT_CAUSE_FOUND",
            "summary": "Found.",
            "hypothesis_matrix": [{"id": "H1", "hypothesis": "A race.", "status": "confirmed"}],
            "root_cause": {
                "hypothesis": "H1",
                "cause": "`total` is read before the lock.",
                "evidence": proof,
                "fix": "Read it inside.",
                "validation": "make test",
            },
        }
    )
    outcomes: list[Outcome] = [analysed(root_cause="A guess."), found]
    summary = summarise(case, a_file(), TYPED, outcomes=outcomes, builds=[], spent=(0, 0), rehearsed=False, seconds=0)
    assert summary.wrong == wrong


@pytest.mark.parametrize("reason", ["Closed by ada: wrong\nscript", "Closed by ada: wrong \tscript"])
def test_the_summary_of_a_closed_case_has_the_reason_that_its_file_has(reason: str) -> None:
    case, file = a_case(S.CLOSED, reason="Closed by ada."), a_file()
    assert summary_of(S.CLOSED, reason="Closed by ada.").stands == "Closed by ada."
    known = file.model_copy(
        update={"pipeline": file.pipeline.model_copy(update={"failure_reason": f"closed: {reason}"})}
    )
    summary = summarise(case, known, TYPED, outcomes=[], builds=[], spent=(0, 0), rehearsed=False, seconds=0)
    assert summary.stands == "Closed by ada: wrong script"


def test_a_summary_claims_no_proof_that_was_not_seen() -> None:
    case = a_case(S.FAILED, red=False, green=None)
    summary = summarise(
        case, a_file(), TYPED, outcomes=[], builds=[RED, GREEN], spent=(0, 0), rehearsed=False, seconds=0
    )
    assert (summary.red, summary.green, summary.wrong, summary.files) == (None, None, "", [])


@pytest.mark.parametrize(("red", "shown"), [(1, False), (3, True)], ids=["before the proof", "after it"])
def test_a_summary_leaves_out_a_red_run_of_an_earlier_text_of_the_test(red: int, shown: bool) -> None:
    case = a_case(S.FAILED, red=True, unproved="it passes without the change")
    builds = [RED.model_copy(update={"number": red}), GREEN.model_copy(update={"number": 2})]
    summary = summarise(case, a_file(), TYPED, outcomes=[], builds=builds, spent=(0, 0), rehearsed=False, seconds=0)
    assert (summary.red is not None) == shown


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", ""),
        ("\n \n", ""),
        ("done\nbye", "bye"),
        ("2 failed, 3 passed\ntook 3 s", "2 failed, 3 passed"),
        ("  1 failing\n\n  Error: x\n  at process.processImmediate (node:internal/timers:483:21)", "Error: x"),
        ("test result: FAILED. 1 failed\nerror: test failed, to rerun pass `--lib`", "test result: FAILED. 1 failed"),
    ],
)
def test_the_shown_line_of_a_run_is_the_last_with_a_result(output: str, line: str) -> None:
    build = a_build(a_run(output=output), stage=Stage.RED, commit=BASE)
    case = a_case(S.IMPLEMENTING, red=True)
    summary = summarise(case, a_file(), TYPED, outcomes=[], builds=[build], spent=(0, 0), rehearsed=False, seconds=0)
    assert summary.red == Seen(command="make test", commit=BASE, exit_code=0, last_line=line)


def test_the_shown_line_of_a_failed_run_says_why_its_first_test_failed() -> None:
    said = "assert total([1]) == 2\nE       assert 1 == 2\n\ntests/test_cart.py:4: AssertionError"
    failed = make_result("tests.test_cart.test_total", TestOutcome.FAILED, detail=said)
    run = a_run(exit_code=1, output="1 failed in 0.1s").model_copy(
        update={"report": make_report("JUnit XML", [failed])}
    )
    build = a_build(run, stage=Stage.RED, commit=BASE)
    case = a_case(S.IMPLEMENTING, red=True)
    summary = summarise(case, a_file(), TYPED, outcomes=[], builds=[build], spent=(0, 0), rehearsed=False, seconds=0)
    line = "1 failed: tests.test_cart.test_total: assert 1 == 2"
    assert summary.red == Seen(command="make test", commit=BASE, exit_code=1, last_line=line)


@pytest.mark.parametrize(
    ("state", "waiting_for", "result"),
    [
        (S.COMPLETED, None, "merged"),
        (S.FAILED, None, "ended"),
        (S.CLOSED, None, "ended"),
        (S.WAITING_FOR_HUMAN_INPUT, "merge", "pull_request"),
        (S.WAITING_FOR_HUMAN_INPUT, "milestone", "milestone"),
        (S.WAITING_FOR_HUMAN_INPUT, "approval", "waits"),
        (S.WAITING_FOR_HUMAN_INPUT, "answer", "waits"),
        (S.WAITING_FOR_HUMAN_INPUT, None, "waits"),
        (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, "answer", "waits"),
        (S.BLOCKED, None, "waits"),
        (S.REQUIRES_HUMAN_INTERVENTION, None, "waits"),
        (S.IMPLEMENTING, None, "working"),
    ],
)
def test_the_result_of_a_case_is_one_word(state: IssueState, waiting_for: str | None, result: str) -> None:
    """Also with an open pull request, about which people may be asked a question."""
    assert summary_of(state, waiting_for=waiting_for, pull_request=1).result == result


def test_a_failed_case_shows_missing_proof_last_feedback_and_its_branch() -> None:
    told = summary_of(S.FAILED, issue_type="BUG_FIX", red=True, built=HEAD, feedback="`make test` fails: 2 != 3")
    assert told.missing == [
        "Green: not yet, the build of commit cccccccccccc was not.",
        "Reviewed: not approved yet.",
    ]
    assert (told.feedback, told.kept_on) == ("`make test` fails: 2 != 3", "agent/issue-42")


def test_a_case_that_failed_before_any_commit_names_no_branch() -> None:
    told = summary_of(S.FAILED, checkpoint=BASE)
    assert (told.missing, told.kept_on) == (["Change: nothing is changed yet, so there is nothing to prove."], "")


@pytest.mark.parametrize("state", [S.CLOSED, S.COMPLETED, S.IMPLEMENTING, S.WAITING_FOR_HUMAN_INPUT])
def test_only_a_failed_case_shows_what_is_missing(state: IssueState) -> None:
    told = summary_of(state, feedback="2 != 3")
    assert (told.missing, told.feedback, told.kept_on) == ([], "", "")


def test_a_summary_has_the_options_of_a_person_and_the_question() -> None:
    case = a_case(S.FAILED)
    told = summarise(
        case, a_file(), TYPED, outcomes=[], builds=[], spent=(0, 0), rehearsed=False, seconds=0, asked="1. Which page?"
    )
    assert told.asked == "1. Which page?"
    assert told.moves_it == [
        "`caseworker retry owner/repo/42` goes on where it was left, with fresh attempts.",
        '`caseworker say owner/repo/42 "..."` opens it again, if your words ask for work.',
    ]


@pytest.mark.parametrize(
    ("known", "stands"),
    [
        ({"reason": "the reporter answered"}, "the investigator works: the reporter answered"),
        (
            {"state": BugState.AWAITING_REPORTER, "until": MORNING},
            "waits for the reporter until 2024-01-15 10:30 UTC",
        ),
        (
            {"state": BugState.AWAITING_DEV, "reason": "findings were posted", "fix": CASE},
            f"waits for a developer: findings were posted; its fix is {CASE}",
        ),
        (
            {"state": BugState.DEV_TAKEOVER, "taken_by": "grace"},
            "grace has it; the agent goes on when it is handed back",
        ),
        (
            {"state": BugState.RESOLVED, "resolution": Resolution.CODE_FIX, "reason": "closed by grace"},
            "code_fix: closed by grace",
        ),
        ({"state": BugState.RESOLVED, "reason": "closed by ada"}, "closed by ada"),
    ],
)
def test_the_status_of_a_bug_case_is_one_line(known: dict[str, object], stands: str) -> None:
    assert standing_of_bug(a_bug(**known)) == stands


@pytest.mark.parametrize(
    ("status", "notes"),
    [
        ("APPROVED_WITH_NOTES", ["cart.py:12: a longer name would help", "Rename it when you are there."]),
        ("CHANGES_REQUESTED", []),
    ],
)
def test_notes_of_an_approving_review_are_told(status: Literal["APPROVED_WITH_NOTES"], notes: list[str]) -> None:
    minor = Finding(file="cart.py", line=12, issue="a longer name would help", severity="minor")
    review = ReviewOutcome(status=status, issues=[minor], feedback_for_writer="Rename it when you are there.")
    told = summarise(
        a_proven_case(S.CREATING_PR),
        a_file(),
        TerminalPhrasing(),
        outcomes=[review],
        builds=[],
        spent=(0, 0),
        rehearsed=False,
        seconds=1,
    )
    assert told.notes == notes
