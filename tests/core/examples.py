"""Builders of core values with defaults, so that a test names only the fields it is about."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, TypeVar

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId, Sha, split_issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.snapshot import Snapshot
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import CaseFile, IssueSection, new_case_file
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.post_words import PostContext, Remark, words_for
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.analyst import AnalysisOutcome, FileNote, TestRequirement
from caseworker.core.outcomes.bug import BugAction, BugOutcome, Proof
from caseworker.core.outcomes.developer import Change, ImplementationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import (
    InterpretOutcome,
    IssueType,
    NextState,
    PlanOutcome,
    QuestionsOutcome,
    Topic,
    TriageOutcome,
)
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, Met, TestsOutcome, ValidationOutcome
from caseworker.core.people.messages import Audience

PlanStatus = Literal[
    "PLANNING_COMPLETE", "NEEDS_CLARIFICATION", "REQUIREMENT_GAP", "INVESTIGATION_NEEDED", "EXTERNAL_DEPENDENCY"
]
InterpretStatus = Literal[
    "CONTINUE", "NEEDS_CLARIFICATION", "NO_ACTION", "REJECT", "EXTERNAL_DEPENDENCY", "INVESTIGATION_NEEDED"
]
JudgeStatus = Literal["FAIL", "FAIL_ESCALATE", "TESTS_NEED_WORK", "FLAKY", "BLOCKED"]
ValidationStatus = Literal["PASS", "FAIL", "PARTIAL", "TESTS_NEED_WORK", "BLOCKED"]
TestsStatus = Literal["TESTS_READY", "TESTS_NEED_WORK", "REQUIREMENT_GAP", "BLOCKED"]
WritingStatus = Literal[
    "READY_FOR_QA",
    "READY_FOR_REVIEW",
    "PARTIAL",
    "BLOCKED",
    "ESCALATE_SENIOR",
    "NEEDS_TECH_LEAD_VALIDATION",
    "SPAWN_INVESTIGATOR",
    "REQUIREMENT_GAP",
]
ReviewStatus = Literal[
    "APPROVED",
    "APPROVED_WITH_NOTES",
    "CHANGES_REQUESTED",
    "REFACTOR",
    "TESTS_NEED_WORK",
    "REQUIREMENT_GAP",
    "NEEDS_INFO",
    "SPAWN_INVESTIGATOR",
    "ESCALATE",
    "UNBLOCKING_GUIDANCE",
    "ARCHITECTURE_REVIEW",
    "INTEGRATION_REVIEW",
]

CASE = CaseId("owner/repo#42")
BASE, HEAD, OTHER = Sha("b" * 40), Sha("c" * 40), Sha("d" * 40)
MORNING = datetime(2024, 1, 15, 10, 30, tzinfo=UTC)


SnapshotT = TypeVar("SnapshotT", bound=Snapshot)


def snapshot_with(kind: type[SnapshotT], id: str, **known: object) -> SnapshotT:
    """An issue case. Fields are named without their part."""
    nested: dict[str, object] = {name: value for name, value in known.items() if name in kind.model_fields}
    for name in known.keys() - nested.keys():
        part = nested.setdefault(kind.part_of()[name], {})
        assert isinstance(part, dict)
        part[name] = known[name]
    return kind.model_validate({"id": id, **nested})


def with_known(case: IssueCase, **known: object) -> IssueCase:
    """The case with other values, given as in JSON. `waiting_for` alone makes a wait of that kind."""
    fields = {name: getattr(getattr(case, part), name) for name, part in case.part_of().items()}
    own = {name: getattr(case, name) for name in ("epoch", "state", "reason", "investigation")}
    return case_with(**{"id": case.id, **own, **fields, **known})


def a_bug(**known: object) -> BugCase:
    return snapshot_with(BugCase, "bug-7F3K", **known)


def case_with(**known: object) -> IssueCase:
    """Turns `waiting_for` alone into a wait of that kind."""
    waiting_for = known.pop("waiting_for", None)
    if waiting_for is not None and known.get("wait") is None:
        known["wait"] = {"reason": waiting_for}
    case = CaseId(str(known.pop("id", CASE)))
    branch = f"agent/issue-{split_issue_case(case)[1]}"
    return snapshot_with(IssueCase, case, **{"branch": branch, **known})


def a_case(state: IssueState = IssueState.RECEIVED, /, **known: object) -> IssueCase:
    return case_with(**{"base": BASE, "checkpoint": HEAD, "state": state, **known})


def a_proven_case(state: IssueState = IssueState.REVIEWING_CODE, /, **known: object) -> IssueCase:
    proof = {"issue_type": "BUG_FIX", "red": True, "proved": HEAD, "green": HEAD, "approved": HEAD}
    return a_case(state, **{**proof, **known})


def a_file() -> CaseFile:
    issue = IssueSection(number=42, title="The total forgets the discount", original_body="10 % off is not taken off.")
    return new_case_file(issue, MORNING, max_attempts=3)


def a_run(
    command: str = "make test",
    *,
    purpose: Purpose = Purpose.TEST,
    exit_code: int = 0,
    output: str = "",
    timed_out: bool = False,
) -> CommandRun:
    return CommandRun(
        purpose=purpose, command=command, exit_code=exit_code, seconds=1.25, output=output, timed_out=timed_out
    )


def a_build(*runs: CommandRun, stage: Stage = Stage.HEAD, commit: Sha = HEAD, number: int = 1) -> Build:
    return Build(number=number, stage=stage, commit=commit, runs=runs)


def triaged(
    status: Literal["PROCEED", "REJECT", "NEEDS_APPROVAL"] = "PROCEED",
    type: IssueType = IssueType.BUG_FIX,
    *,
    scope: Literal["SMALL", "MEDIUM", "LARGE"] = "SMALL",
    topics: Sequence[Topic] = (),
) -> TriageOutcome:
    return TriageOutcome(
        status=status, type=type, scope=scope, complexity="simple", reason="A clear bug.", topics=list(topics)
    )


def planned(status: PlanStatus = "PLANNING_COMPLETE") -> PlanOutcome:
    return PlanOutcome(status=status, plan="# Plan\n\n1. Subtract the discount.", reason="What is a discount?")


QuestionsStatus = Literal["NEEDS_CLARIFICATION", "CONTINUE", "EXTERNAL_DEPENDENCY"]


def questioned(status: QuestionsStatus = "NEEDS_CLARIFICATION") -> QuestionsOutcome:
    return QuestionsOutcome(status=status, questions=["Which page?"], reason="The page is not named.")


def interpreted(status: InterpretStatus = "CONTINUE", next: NextState | None = None) -> InterpretOutcome:
    return InterpretOutcome(status=status, next=next, questions=["Which page?"], reply="Understood.")


def judged(status: JudgeStatus = "FAIL") -> JudgeOutcome:
    return JudgeOutcome(status=status, summary="The total is wrong.")


def validated(status: ValidationStatus = "PASS") -> ValidationOutcome:
    met = status == "PASS"
    checks = [Met(requirement="Take the discount off", met=met, evidence="`make test`")]
    return ValidationOutcome(status=status, checks=checks, summary="Looked at everything.")


def analysed(
    status: Literal["READY", "UNCLEAR", "BLOCKED"] = "READY",
    *,
    confidence: float = 0.95,
    test_required: bool = True,
    questions: list[str] | None = None,
    root_cause: str = "cart.py:12 adds before it subtracts.",
) -> AnalysisOutcome:
    return AnalysisOutcome(
        status=status,
        confidence=confidence,
        root_cause=root_cause,
        files=[FileNote(path="cart.py", purpose="the cart", action="modify")],
        test_requirement=TestRequirement(required=test_required, type="regression", location="test_cart.py"),
        must_do=["Take the discount off", "Keep the currency"],
        must_not_do=["Change the API"],
        questions=questions or [],
        brief="Repair `total`.",
    )


def wrote_test(status: TestsStatus = "TESTS_READY", summary: str = "A test.") -> TestsOutcome:
    return TestsOutcome(
        status=status, test_file="test_cart.py", test_command="python -m unittest test_cart", summary=summary
    )


def implemented(
    status: WritingStatus = "READY_FOR_QA",
    commit_message: str = "Take the discount off the total",
) -> ImplementationOutcome:
    return ImplementationOutcome(
        status=status,
        changes=[Change(file="cart.py", description="subtracts the discount")],
        summary="The discount was never subtracted; now it is.",
        commit_message=commit_message,
    )


def reviewed(status: ReviewStatus = "APPROVED") -> ReviewOutcome:
    feedback = None if status.startswith("APPROVED") else "What of a discount over 100 %?"
    return ReviewOutcome(status=status, good=["Minimal change"], feedback_for_writer=feedback)


def investigated(action: BugAction = BugAction.POST_FINDINGS) -> BugOutcome:
    return BugOutcome(
        action=action,
        summary="The discount is applied twice.",
        for_reporter="Discounts are counted twice.",
        confidence=0.9,
        clarification_questions=["Which page?"] if action is BugAction.ASK_REPORTER else [],
        evidence=[Proof(source="python -m unittest", shows="1 failure")],
    )


def told(
    case: IssueCase,
    about: IssueAbout,
    outcome: Outcome | None = None,
    *,
    asked: str = "",
    remarks: Sequence[tuple[str, str]] = (),
) -> str:
    """The text of a post of this case, as the terminal shows it."""
    post = IssuePost(about=about, audience=Audience.DEVELOPERS, epoch=case.epoch, number=1)
    made = tuple(Remark(author=author, text=text) for author, text in remarks)
    matter = PostContext(case=case, policy=Policy(), outcome=outcome, asked=asked, remarks=made)
    return words_for(post, matter, TerminalPhrasing())
