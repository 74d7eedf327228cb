"""Texts of pull requests, commits, builds, receipts and statuses, compared whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.roles import Role
from caseworker.core.base.text import code, printable
from caseworker.core.casefile.model import CaseFile, Findings, IssueSection
from caseworker.core.casefile.pipeline import after_move
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.evidence.builds import Proof, Purpose, RedVerdict, Stage
from caseworker.core.evidence.test_report import TestOutcome, TestReport, make_result
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.issue.words import kept, news_command, standing_of
from caseworker.core.outcomes.developer import Change
from caseworker.core.outcomes.outcome import IssueOutcome, Outcome
from caseworker.core.outcomes.tech_lead import Finding, ReviewOutcome
from caseworker.core.people.receipts import read_by
from caseworker.core.record.claim_entries import NotSeen
from caseworker.core.telling.build_texts import build_feedback, build_words, latest, run_words
from caseworker.core.telling.commit_messages import commit_message, taken_in
from caseworker.core.telling.money import money_words
from caseworker.core.telling.outcome_lines import outcome_words
from caseworker.core.telling.pull_request import pull_request_body, pull_request_title
from caseworker.core.telling.unseen import Unseen
from tests.core.examples import (
    BASE,
    HEAD,
    OTHER,
    a_build,
    a_case,
    a_file,
    a_proven_case,
    a_run,
    analysed,
    implemented,
    reviewed,
    triaged,
    wrote_test,
)

S = IssueState
W = WaitingFor
MINOR = Finding(file="cart.py", line=12, issue="a longer name would help", severity="minor")


def a_finished_file() -> CaseFile:
    file = a_file()
    outcomes: list[tuple[Role, IssueOutcome]] = [
        (Role.PM, triaged()),
        (Role.ANALYST, analysed()),
        (Role.TESTER, wrote_test()),
        (Role.DEVELOPER, implemented()),
        (Role.TECH_LEAD, ReviewOutcome(status="APPROVED", good=["Minimal change"], issues=[MINOR])),
    ]
    for role, outcome in outcomes:
        file = after_outcome(file, role, outcome, attempt=1)
    return after_move(file, a_proven_case(S.CREATING_PR))


@pytest.mark.parametrize(
    ("state", "waits_for", "told"),
    [
        (S.WAITING_FOR_HUMAN_INPUT, W.MERGE, "fix_ready"),
        (S.WAITING_FOR_HUMAN_INPUT, W.APPROVAL, "fix_waiting"),
        (S.WAITING_FOR_HUMAN_INPUT, W.BUDGET, "fix_waiting"),
        (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, W.ANSWER, "fix_waiting"),
        (S.BLOCKED, None, "fix_waiting"),
        (S.REQUIRES_HUMAN_INTERVENTION, None, "fix_waiting"),
        (S.COMPLETED, None, "fix_merged"),
        (S.FAILED, None, "fix_ended"),
        (S.CLOSED, None, "fix_ended"),
        (S.IMPLEMENTING, None, None),
    ],
)
def test_what_a_bug_is_told_of_its_fix(state: IssueState, waits_for: WaitingFor | None, told: str | None) -> None:
    wait = Wait(reason=waits_for) if waits_for is not None else None
    command = news_command(a_case(state, wait=wait))
    assert (command.kind if command is not None else None) == told


RED_BUILD = a_build(
    a_run(output="4 passed"),
    a_run("python -m unittest test_cart", purpose=Purpose.NEW_TEST, exit_code=1, output="FAIL: test_discount\n"),
    stage=Stage.RED,
    commit=BASE,
    number=2,
)
HEAD_BUILD = a_build(
    a_run(output="5 passed"),
    a_run("python -m unittest test_cart", purpose=Purpose.NEW_TEST, output="OK"),
    commit=HEAD,
    number=3,
)

BODY = """\
## What

The developer says:

The discount was never subtracted; now it is.

- `cart.py`: subtracts the discount
- `test_cart.py`: the test

## Why

Issue: The total forgets the discount

- Take the discount off
- Keep the currency

## Evidence

**Red first**: on `bbbbbbbbbbbb`, with the new test and without the change.

`python -m unittest test_cart` ended with exit code 1 after 1.2 s

```
FAIL: test_discount
```

**Green after**: on `cccccccccccc`, the commit of this pull request. \
`make test` and `python -m unittest test_cart` report no single tests: exit code and output were judged.

`make test` ended with exit code 0 after 1.2 s

```
5 passed
```

`python -m unittest test_cart` ended with exit code 0 after 1.2 s

```
OK
```

## Review

APPROVED.

The tech lead says:

- Minimal change
- minor, `cart.py:12`: a longer name would help

## Cost

$0.12, 6 agent turns, attempt 2.
"""


FILES = ["cart.py", "test_cart.py"]


def test_a_pull_request_has_what_why_evidence_review_and_cost() -> None:
    case = a_proven_case(S.CREATING_PR, turns=6, attempt=2)
    body = pull_request_body(
        a_finished_file(), case, [RED_BUILD, HEAD_BUILD], changed=FILES, cost=money_words(123_456, rehearsed=False)
    )
    assert body == BODY


def test_a_pull_request_marks_what_was_not_seen() -> None:
    lines = NotSeen(claim="cart.py:99", problem="`cart.py` has 3 lines, not 99")
    finding = Finding(file="cart.py", line=99, issue="Too long.", severity="minor")
    file = a_finished_file()
    review = file.review.model_copy(update={"findings": Findings(issues=[finding])})
    body = pull_request_body(
        file.model_copy(update={"review": review}),
        a_proven_case(S.CREATING_PR),
        [HEAD_BUILD],
        changed=FILES,
        cost="$0.00",
        unseen=[Unseen(role=Role.TECH_LEAD, what=lines)],
    )
    told = "- The tech lead names `cart.py:99`: `cart.py` has 3 lines, not 99."
    assert f"**Said by agents, and not seen**:\n\n{told}" in body
    assert "- minor, `cart.py:99`: Too long. (not seen)" in body


def test_a_pull_request_that_conflicts_with_its_base_says_so_first() -> None:
    case = a_proven_case(S.CREATING_PR, turns=6, attempt=2)
    cost = money_words(123_456, rehearsed=False)
    builds = [RED_BUILD, HEAD_BUILD]
    body = pull_request_body(a_finished_file(), case, builds, changed=FILES, cost=cost, conflicts=["cart.py"])
    assert body == (
        "**The base branch has moved, and this change conflicts with it.** What is said below was seen on the base "
        f"that the work began from. Merge the base branch into this one and resolve it in:\n\n- `cart.py`\n\n{BODY}"
    )


def test_a_pull_request_names_exactly_the_files_that_git_names() -> None:
    body = pull_request_body(
        a_finished_file(), a_proven_case(S.CREATING_PR), [], changed=["auth/rights.py", "test_cart.py"], cost="$0.00"
    )
    named = [line for line in body.splitlines() if line.startswith("- `")]
    assert named[:2] == [
        "- `test_cart.py`: the test",
        "- `auth/rights.py`: changed as well; its author says nothing of it",
    ]
    many = pull_request_body(
        a_finished_file(), a_proven_case(S.CREATING_PR), [], changed=[f"{n}.py" for n in range(120)], cost="$0.00"
    )
    assert many.count("its author says nothing") == 100
    assert "- and 20 more files" in many


def test_a_pull_request_shows_the_newest_builds_only() -> None:
    case = a_proven_case(S.CREATING_PR, turns=6, attempt=2)
    older = [a_build(a_run(exit_code=1), stage=stage, commit=OTHER) for stage in (Stage.RED, Stage.HEAD)]
    builds = [*older, RED_BUILD, HEAD_BUILD]
    assert (
        pull_request_body(a_finished_file(), case, builds, changed=FILES, cost=money_words(123_456, rehearsed=False))
        == BODY
    )


def test_a_pull_request_claims_no_red_test_that_was_not_seen() -> None:
    case = a_proven_case(S.CREATING_PR, red=False, proved=None, issue_type="NEW_FEATURE")
    body = pull_request_body(a_finished_file(), case, [RED_BUILD, HEAD_BUILD], changed=FILES, cost="$0.00")
    assert "Red first" not in body


def test_a_pull_request_says_when_no_test_was_asked_for() -> None:
    case = a_proven_case(S.CREATING_PR, red=False, test_required=False, issue_type="REFACTOR_STYLE")
    body = pull_request_body(a_finished_file(), case, [HEAD_BUILD], changed=FILES, cost="$0.00")
    assert "## Evidence\n\nNo new test was asked for: the change alters no behaviour.\n\n**Green after**" in body


def test_a_pull_request_names_the_recipe_that_its_commands_are_from() -> None:
    case = a_proven_case(IssueState.CREATING_PR)
    build = HEAD_BUILD.model_copy(update={"recipe": "a recipe that is kept outside of the repository"})
    body = pull_request_body(a_finished_file(), case, [build], changed=FILES, cost="$0.00")
    assert "The commands are from a recipe that is kept outside of the repository." in body


def test_a_pull_request_says_when_the_test_was_changed_after_it_failed() -> None:
    case = a_proven_case(S.CREATING_PR, tests=BASE, test_file="tests/`odd`.py")
    body = pull_request_body(a_finished_file(), case, [HEAD_BUILD], changed=FILES, cost="$0.00", test_was_changed=True)
    again = "**The test was changed after it was first seen to fail**, and was run again as it is now"
    said = f"{again}: compare ``tests/`odd`.py`` in `{BASE[:12]}`"
    assert said in body


def granted(*subjects: Subject, by: str = "ada") -> tuple[Grant, ...]:
    return tuple(Grant(subject=subject, by=by) for subject in subjects)


def evidence_of(body: str) -> str:
    return body[body.index("## Evidence") : body.index("## Review")]


def test_a_pull_request_says_that_no_test_was_red_and_who_waived_it() -> None:
    case = a_proven_case(S.CREATING_PR, red=False, proved=None, grants=granted(Subject.NO_RED_TEST))
    body = pull_request_body(a_finished_file(), case, [HEAD_BUILD], changed=FILES, cost="$0.00")
    told = "**No red test**: no test was seen to fail without the change. Waived by `ada`."
    assert f"## Evidence\n\n{told}\n\n**Green after**" in body
    assert "## Decided by people\n\n- Waived by `ada`: no test that fails without the fix\n\n## Cost" in body


def test_a_pull_request_says_that_no_command_proves_it_and_who_waived_it() -> None:
    case = a_proven_case(S.CREATING_PR, green=None, grants=granted(Subject.NO_COMMAND))
    builds = [RED_BUILD, a_build(a_run("lint", purpose=Purpose.LINT, output="fine"), commit=HEAD)]
    evidence = evidence_of(pull_request_body(a_finished_file(), case, builds, changed=FILES, cost="$0.00"))
    told = "**No command proves this**: no test command was found. Waived by `ada`.\n\n`lint` ended with exit code 0"
    assert told in evidence
    assert "Green" not in evidence


def test_a_pull_request_says_that_it_is_red_as_before_and_who_waived_it() -> None:
    case = a_proven_case(S.CREATING_PR, green=None, grants=granted(Subject.RED_BASE))
    builds = [RED_BUILD, a_build(a_run(exit_code=1, output="no names"), commit=HEAD)]
    evidence = evidence_of(pull_request_body(a_finished_file(), case, builds, changed=FILES, cost="$0.00"))
    told = (
        f"**Red, as before the change**: on `{HEAD[:12]}`, the commit of this pull request. What fails here fails "
        "without the change as well, and nothing tells whether it fails for the same reasons. Waived by `ada`. "
        "`make test` reports no single tests: exit code and output were judged.\n\n`make test` ended with exit code 1"
    )
    assert told in evidence
    assert "Green" not in evidence


def test_a_pull_request_says_what_fails_on_the_base_as_well() -> None:
    builds = [RED_BUILD, a_build(a_run(exit_code=1, output="FAILED test_old"), commit=HEAD)]
    body = pull_request_body(a_finished_file(), a_proven_case(S.CREATING_PR), builds, changed=FILES, cost="$0.00")
    evidence = evidence_of(body)
    silent = "`make test` reports no single tests: exit code and output were judged."
    told = f"What fails here fails without the change as well, and nothing more fails. {silent}\n\n`make test` ended"
    assert f"**Green after**: on `{HEAD[:12]}`, the commit of this pull request. {told}" in evidence


def test_a_pull_request_names_who_decided_what_once_each() -> None:
    grants = (
        *granted(Subject.SENSITIVE, Subject.PLAN, Subject.PLAN, Subject.ARCHITECTURE, Subject.ESCALATION),
        *granted(Subject.RED_BASE, by="grace `x`\n# not a heading"),
    )
    case = a_proven_case(S.CREATING_PR, grants=grants)
    body = pull_request_body(a_finished_file(), case, [RED_BUILD, HEAD_BUILD], changed=FILES, cost="$0.00")
    told = """\
## Decided by people

- Approved by `ada`: work on what only a person may decide
- Approved by `ada`: the plan
- Approved by `ada`: a change of the architecture
- Approved by `ada`: what a role did not want to decide alone
- Waived by ``grace `x` # not a heading``: checks that fail before the change as well

## Cost
"""
    assert told in body


def test_a_pull_request_tells_what_earlier_attempts_said_of_their_files() -> None:
    written = [Change(file="tax.py", description="first"), Change(file="cart.py", description="first")]
    body = pull_request_body(
        a_finished_file(), a_proven_case(S.CREATING_PR), [], changed=[*FILES, "tax.py"], cost="$0.00", written=written
    )
    assert "- `tax.py`: first\n- `cart.py`: subtracts the discount\n" in body


def test_a_pull_request_lists_weakened_tests_with_who_let_them_stay() -> None:
    findings = ("`test_a` was removed from `test_x.py`.", "`it.skip` was added to `adds` in `a.test.js`.")
    case = a_proven_case(S.CREATING_PR, weakened=findings, grants=granted(Subject.WEAKENED))
    body = pull_request_body(
        a_finished_file(),
        case,
        [RED_BUILD, HEAD_BUILD],
        changed=FILES,
        cost="$0.00",
        weakened_reasons={findings[0]: "It tested what is gone."},
    )
    told = "**Tests that check less, and changes of what decides**, found by code:\n\n"
    lines = f"- {findings[0]} The review: “It tested what is gone.”\n- {findings[1]} Waived by `ada`.\n"
    assert f"```\nOK\n```\n\n{told}{lines}\n## Review" in body


def test_a_pull_request_shows_the_tests_of_its_commit_on_the_bases_code() -> None:
    fails = a_run("python -m unittest test_cart", purpose=Purpose.NEW_TEST, exit_code=1, output="FAILED (failures=1)")
    verdict = RedVerdict(kind="red", reason="`test_cart.T.test_total` failed without the fix", by_exit_code=True)
    head = HEAD_BUILD.model_copy(update={"proof": Proof(verdict=verdict, runs=(fails,))})
    body = pull_request_body(
        a_finished_file(), a_proven_case(S.CREATING_PR), [RED_BUILD, head], changed=FILES, cost="$0.00"
    )
    assert evidence_of(body).startswith(
        f"## Evidence\n\n**Red first**: the tests of `{HEAD[:12]}` on the base's code, without the change. "
        "`test_cart.T.test_total` failed without the fix. `python -m unittest test_cart` reports no single tests: exit "
        "code and output were judged.\n\n`python -m unittest test_cart` ended with exit code 1 after 1.2 s\n\n"
        f"```\nFAILED (failures=1)\n```\n\n**Green after**: on `{HEAD[:12]}`"
    )


def test_merged_commits_of_a_person_are_told_with_conflicts() -> None:
    told = "A person has pushed cccccccccccc to agent/issue-42; it was merged with the work of the case."
    assert taken_in("agent/issue-42", HEAD, []) == told
    assert taken_in("agent/issue-42", HEAD, ["a.py", "b c.py"]) == (
        f"{told} They contradict each other in `a.py`, `b c.py`; the developer resolves it."
    )


def test_a_rehearsed_pull_request_says_so() -> None:
    case = a_proven_case(S.CREATING_PR, turns=5)
    body = pull_request_body(
        a_finished_file(), case, [HEAD_BUILD], changed=FILES, cost=money_words(123_456, rehearsed=True)
    )
    assert "## Cost\n\n$0.00 (rehearsed; about $0.12 at list prices), 5 agent turns, attempt 1.\n" in body


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("Take the discount off\n\nIt was added.", "Take the discount off"),
        ("\n\n  Take the discount off  \n", "Take the discount off"),
        ("🤖 Generated with a tool\n\nTake the discount off", "Take the discount off"),
        (" \n ", "The total forgets the discount"),
        ("Co-authored-by: x <x@y>", "The total forgets the discount"),
        ("", "The total forgets the discount"),
    ],
)
def test_a_pull_requests_title_is_the_developers_subject_or_else_the_issues_title(message: str, title: str) -> None:
    assert pull_request_title(a_file(), message) == title


def test_the_pms_title_leaves_as_one_line_that_calls_nobody_and_closes_nothing() -> None:
    title = pull_request_title(a_file(), "Take it off", words="Take \x1b[31mit off for @ann, closes #7")
    assert title == "Take [31mit off for @\u200bann, c\u200bloses #7"


# --- commit messages


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("Take the discount off", "Take the discount off\n\nFixes acme/shop#42"),
        ("Take it off\n\nIt was added.  \n", "Take it off\n\nIt was added.\n\nFixes acme/shop#42"),
        ("Take it off\n\nFixes acme/shop#42", "Take it off\n\nFixes acme/shop#42"),
        ("Take it off, see #42", "Take it off, see #42\n\nFixes acme/shop#42"),
        ("Take it off\n\nFixes #42", "Take it off\n\nF\u200bixes #42\n\nFixes acme/shop#42"),
        (
            "Take it off\n\n🤖 Generated with [A tool](https://example.org)\n\nCo-Authored-By: A <a@example.org>\n",
            "Take it off\n\nFixes acme/shop#42",
        ),
        ("Take it off\n  signed-off-by: A <a@example.org>", "Take it off\n\nFixes acme/shop#42"),
        ("Co-authored-by: A <a@example.org>", "Fixes acme/shop#42"),
        ("Say who co-authored-by lines are for", "Say who co-authored-by lines are for\n\nFixes acme/shop#42"),
    ],
)
def test_a_commit_message_keeps_the_words_drops_signatures_and_names_the_issue_once(words: str, message: str) -> None:
    issue = IssueSection(
        number=42, title="The total", url="https://github.com/acme/shop/issues/42", original_body="It is wrong."
    )
    assert commit_message(words, issue) == message
    assert commit_message(message, issue) == message


@pytest.mark.parametrize("url", ["", "https://example.org/tickets/7", "https://github.com/acme/shop/pull/7"])
def test_a_number_of_our_own_closes_nothing_on_a_forge(url: str) -> None:
    issue = IssueSection(number=1, title="The total is wrong", url=url, original_body="")
    assert (
        commit_message("Take it off\n\nFixes #1", issue) == "Take it off\n\nF\u200bixes #1\n\nIssue: The total is wrong"
    )
    assert commit_message("Take it off", issue) == "Take it off\n\nIssue: The total is wrong"


# --- runs and builds


def test_a_run_is_shown_with_command_result_and_output() -> None:
    words = run_words(a_run("npm test", exit_code=1, output="\nnot ok 1\n\n# 1 failed\n"))
    assert words == "`npm test` ended with exit code 1 after 1.2 s\n\n```\nnot ok 1\n\n# 1 failed\n```"


def test_output_with_backticks_gets_a_longer_fence() -> None:
    words = run_words(a_run(output="```\n# not a heading\n`````\nFixes #1"))
    assert words == (
        "`make test` ended with exit code 0 after 1.2 s\n\n``````\n```\n# not a heading\n`````\nFixes #1\n``````"
    )


@given(output=st.text(alphabet="`~\n\r\t x#>\u2028\x0b", max_size=60))
def test_no_output_breaks_out_of_its_fence(output: str) -> None:
    lines = run_words(a_run(output=output)).split("\n")[2:]
    fence = lines[0]
    assert re.fullmatch("`{3,}", fence)
    assert lines[-1] == fence
    assert all(not re.search(f"{fence}", line) for line in lines[1:-1])
    assert "\r" not in "".join(lines)


def test_only_the_end_of_a_long_output_is_shown() -> None:
    words = run_words(a_run(output="\n".join(str(number) for number in range(100))), lines=2)
    assert words.endswith("\n\n```\n98\n99\n```")


def test_a_build_is_shown_to_an_agent_with_stage_and_commit() -> None:
    words = build_words(RED_BUILD)
    assert words.startswith("With the new test and without the change (bbbbbbbbbbbb):\n\n`make test` ended with")
    assert build_words(HEAD_BUILD).startswith("On the head (cccccccccccc):")
    assert build_words(a_build(stage=Stage.BASE)).startswith("On the base (cccccccccccc):")


def test_the_output_of_tests_is_left_out_where_it_was_told_how_they_failed() -> None:
    report = TestReport(source="JUnit XML", tests=(make_result("test_discount", TestOutcome.FAILED),))
    failing = a_run("make test", exit_code=1, output="FAIL: test_discount").model_copy(update={"report": report})
    build = a_build(failing, stage=Stage.RED)
    assert build_words(build).endswith("1 failed\n\n```\nFAIL: test_discount\n```")
    assert build_words(build, told=["test_discount"]).endswith(
        "`make test` ended with exit code 1 after 1.2 s: 1 failed"
    )
    assert "```" in build_words(build, told=["test_another"])
    verdict = RedVerdict(kind="red", reason="test_discount failed: 1 != 2", tests=("test_discount",))
    proven = HEAD_BUILD.model_copy(update={"proof": Proof(verdict=verdict, runs=(failing,))})
    assert build_words(proven).endswith("run on the base's code:\n\ntest_discount failed: 1 != 2.")


def test_feedback_has_only_the_failing_commands() -> None:
    assert build_feedback(RED_BUILD) == (
        "`python -m unittest test_cart` ended with exit code 1 after 1.2 s\n\n```\nFAIL: test_discount\n```"
    )
    assert build_feedback(HEAD_BUILD) == ""


def test_the_latest_build_of_a_stage_is_found() -> None:
    older = a_build(stage=Stage.RED)
    assert latest([older, RED_BUILD, HEAD_BUILD], Stage.RED) is RED_BUILD
    assert latest([HEAD_BUILD], Stage.BASE) is None


# --- statuses of cases, receipts of words


STANDING: list[tuple[IssueCase, str]] = [
    (a_case(S.WAITING_FOR_HUMAN_INPUT, waiting_for="merge"), "waits for a person to merge `agent/issue-42`"),
    (
        a_case(S.WAITING_FOR_HUMAN_INPUT, waiting_for="approval", reason="The plan waits."),
        "waits for an approval: The plan waits.",
    ),
    (
        a_case(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, waiting_for="answer", reason="Which page?"),
        "waits for an answer: Which page?",
    ),
    (
        a_case(S.REQUIRES_HUMAN_INTERVENTION, reason="The requirements are unclear."),
        "waits for a person: The requirements are unclear.",
    ),
    (a_case(S.BLOCKED, reason="Nobody answered."), "waits for a person: Nobody answered."),
    (a_case(S.COMPLETED, reason="Merged by ann."), "Merged by ann."),
    (a_case(S.FAILED, reason="All 3 attempts are used."), "All 3 attempts are used."),
    (a_case(S.CLOSED, reason="Closed by ann."), "Closed by ann."),
    (a_case(S.REVIEWING_CODE), "reviewing code"),
]


@pytest.mark.parametrize(("case", "words"), STANDING)
def test_the_status_line_says_what_would_move_the_case(case: IssueCase, words: str) -> None:
    assert standing_of(case) == words


def test_the_receipt_of_unread_words_says_what_the_case_waits_for() -> None:
    waiting = a_case(S.WAITING_FOR_HUMAN_INPUT)
    assert kept(waiting) == "kept on the record; `agent/issue-42` waits for a merge"
    parked = a_case(S.REQUIRES_HUMAN_INTERVENTION)
    assert kept(parked) == "kept on the record; the case waits for a person to say how it goes on, or to close it"


def test_a_receipt_names_the_role_that_read_the_message() -> None:
    assert read_by(Role.SENIOR_DEVELOPER) == "read by the senior developer"


def test_rehearsed_costs_are_not_shown_as_spent() -> None:
    assert money_words(1_500_000, rehearsed=False) == "$1.50"
    assert money_words(0, rehearsed=True) == "$0.00 (rehearsed)"
    assert money_words(1_500_000, rehearsed=True) == "$0.00 (rehearsed; about $1.50 at list prices)"


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (triaged(), "A clear bug."),
        (analysed(), "cart.py:12 adds before it subtracts."),
        (analysed(root_cause=""), "Take the discount off; Keep the currency"),
        (wrote_test(), "A test."),
        (implemented(), "The discount was never subtracted; now it is."),
        (reviewed(), "0 findings. Minimal change"),
        (reviewed("CHANGES_REQUESTED"), "What of a discount over 100 %?"),
        (ReviewOutcome(status="APPROVED", issues=[MINOR]), "1 finding."),
    ],
)
def test_each_outcome_has_a_one_line_summary(outcome: Outcome, words: str) -> None:
    assert outcome_words(outcome) == words


@pytest.mark.parametrize(
    ("command", "span"),
    [
        ("make test", "`make test`"),
        ("echo `date`", "`` echo `date` ``"),
        ("a\n\n## Fixes #1", "`a ## Fixes #1`"),
        ("x ```` y", "`````x ```` y`````"),
    ],
)
def test_no_command_can_break_out_of_its_code_span(command: str, span: str) -> None:
    assert code(command) == span


def test_printable_text_can_not_move_the_terminals_cursor() -> None:
    assert printable("\x1b[2Jgone\x07\n\tkept\u202e") == "�[2Jgone�\n\tkept�"
