"""What an issue case says to people while it goes on: questions, requests, and how each is answered."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.base.text import words_of
from caseworker.core.evidence.sensitive_paths import Touched, told
from caseworker.core.issue.case import IssueCase, Subject, WaitingFor, cap_of
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.pm import PlanOutcome, TriageOutcome
from caseworker.core.people.commands import FixEnded, FixMerged, FixNews, MessageKind

_MUST_BE_WAIVED: Final[dict[Subject, str]] = {
    Subject.NO_RED_TEST: "the pull request will say that no test was seen to fail without the fix",
    Subject.NO_COMMAND: "the pull request will say that no command proves it; better, name one in `.caseworker.toml`",
    Subject.RED_BASE: "the pull request will say that these checks failed before the change as well",
    Subject.FORBIDDEN: "the pull request will say that this was changed although it was not to be",
}


def of_role(role: Role) -> str:
    return role.value.replace("_", " ")


def of_state(state: IssueState) -> str:
    return state.value.replace("_", " ")


def asked(questions: Sequence[str]) -> str:
    """One message with numbered questions."""
    listed = "\n".join(f"{number}. {question.strip()}" for number, question in enumerate(questions, 1))
    return f"Before the work can go on, please tell us:\n{listed}"


def unclear(outcome: AnalysisOutcome) -> str:
    if outcome.questions:
        return f"The requirements are unclear. {' '.join(outcome.questions)}"
    return f"The requirements are unclear: the analyst is {outcome.confidence:.0%} sure of them."


def not_worth_doing(outcome: TriageOutcome) -> str:
    return f"This will not be worked on: {outcome.reason} If that is wrong, say why: `retry` opens it again."


def sensitive(outcome: TriageOutcome) -> str:
    named = ", ".join(topic.value.replace("_", " ") for topic in outcome.topics)
    about = f" It touches {named}." if named else ""
    return f"A person has to agree before this is worked on: {outcome.reason}{about} `approve` or `reject`."


def touches(several: Sequence[Touched]) -> str:
    return (
        "The change is built, tested and reviewed. Before it becomes a pull request a person has to agree: it touches "
        f"{told(several)}. `approve`, or `reject` and say what to do instead."
    )


def plan_ready(outcome: PlanOutcome) -> str:
    return f"This is the plan. `approve` it, or `reject` it and say what should be different.\n\n{outcome.plan}"


def escalated(role: Role, reason: str) -> str:
    return (
        f"The {of_role(role)} does not want to decide this alone: {reason} Answer in your own words; or `approve`, and "
        "it goes on as proposed; or `reject`, and say what to do instead."
    )


def also_escalated(role: Role, reason: str) -> str:
    return f"And the {of_role(role)} does not want to decide this alone: {reason}"


def tester_asks(summary: str) -> str:
    return f"The tester can't write a test without an answer: {summary}"


def architecture(feedback: str) -> str:
    return f"The tech lead wants to change the architecture: {feedback} `approve`, or `reject` and say why."


def reviewer_asks(feedback: str) -> str:
    return f"The tech lead can't judge the change without an answer: {feedback}"


def investigation_asks(feedback: str) -> str:
    return f"The investigation has not proven the cause, and needs an answer to go on: {feedback}"


def wants_waiver(subject: Subject, reason: str) -> str:
    return f"{reason} If you `approve`, {_MUST_BE_WAIVED[subject]}. If not, `reject` and say what to do instead."


def budget_used(case: IssueCase, policy: Policy) -> str:
    return (
        f"The budget of {dollars(cap_of(case, policy))} is used up. The work so far is kept. "
        f"`caseworker budget {case.id} +5` goes on with 5 dollars more."
    )


def budget_near(spent: int, cap: int) -> str:
    return f"{spent * 100 // max(cap, 1)} % of the budget of {dollars(cap)} are used."


def deferred(most: int) -> str:
    return (
        f"No developer was free to measure it (at most {most} work at the same time): the diagnostic is deferred, and "
        "the investigation goes on without it."
    )


def no_place(most: int) -> str:
    at_work = f"All {most} developers are" if most > 1 else "The only developer is"
    return f"{at_work} at work; it waits for its turn. CASEWORKER_DEVELOPERS raises the number."


def say_approve(case: IssueCase) -> str:
    if case.waiting.wait is not None and case.waiting.wait.reason is WaitingFor.BUDGET:
        return f"To go on it needs money: `caseworker budget {case.id} +5`."
    return "If you agree, say `approve`; if not, `reject` and why."


def conflicts(files: Sequence[str]) -> str:
    listed = "\n".join(f"- `{file}`" for file in files)
    return (
        "A person has pushed to this branch. Their work was merged into yours, and these files contradict each other. "
        f"Keep what they meant, and remove the conflict marks:\n{listed}"
    )


def asked_now(case: IssueCase) -> str:
    """What people are asked, while they are. Empty: nothing, or somebody has the case."""
    if case.waiting.wait is None or case.state not in WAITING | PARKED or case.people.taken_by:
        return ""
    return case.waiting.wait.asks


def reminder(case: IssueCase) -> str:
    """With what was asked, word for word: who reads it need not look for the question."""
    request = asked_now(case)
    if request and case.state in WAITING:
        return f"Still waiting: {request}"
    return f"Still waiting: {case.reason}" + (f"\n\n{request}" if request else "")


def answered(remarks: Sequence[tuple[str, str, str]]) -> str:
    """`remarks`: author, words, and what came of them."""
    parts = []
    for author, text, reply in remarks:
        first = text.strip().splitlines()[0] if text.strip() else ""
        parts.append(f"> {author}: {first}\n\n{reply}")
    return "\n\n".join(parts)


def read_meanwhile(summary: str) -> str:
    """Of a remark that the developer had at hand and did not answer by itself."""
    return f"It was read while the work was under way: {summary}"


def not_kept(branch: str, reason: str) -> str:
    """For the record, and for whoever looks for the work of a case that waits for a person."""
    return f"The work so far could not be put on `{branch}`: {reason} It is kept, and the case goes on with it."


def left_open(case: CaseId, pull_request: int | None, remarks: Sequence[tuple[str, str]]) -> str:
    """`remarks`: author and words of what was still to be done when somebody merged."""
    listed = "\n".join(f"> {author}: {text.strip().splitlines()[0]}" for author, text in remarks if text.strip())
    return (
        f"Pull request {pull_request} was merged before this was done, and nothing more is done about it here:\n"
        f'{listed}\n\nIf it is still wanted, say so once more (`caseworker say {case} "..."`): a new case then follows '
        "up on this one."
    )


# --- after the end ---------------------------------------------------------------------------------------------------


OBEYED: Final = {
    MessageKind.CLOSE: "closed the case",
    MessageKind.PULL_CLOSED: "closed the case",
    MessageKind.MERGED: "completed the case",
    MessageKind.APPROVE: "approved",
    MessageKind.REJECT: "not approved",
    MessageKind.TAKEOVER: "taken over: the agents stand back",
    MessageKind.HAND_BACK: "handed back: the work goes on",
    MessageKind.BUDGET: "the budget is raised",
    MessageKind.RETRY: "tried again",
}


def obeyed(kind: MessageKind, case: IssueCase) -> str:
    """What came of a command. Who takes a case over is told where its work is."""
    if kind is not MessageKind.TAKEOVER:
        return OBEYED[kind]
    if case.delivery.pull_request is None and case.delivery.checkpoint in (None, case.delivery.base):
        where = f"nothing is written yet, and what you commit to `{case.branch}` is taken in"
    elif case.delivery.pull_request is None:
        where = f"the work so far is on `{case.branch}`, and what you commit there is taken in"
    else:
        where = f"the branch is `{case.branch}`, and what you commit there is taken in"
    return f"{OBEYED[kind]}; {where} when you hand it back"


NEWS: Final[dict[IssueState, FixNews | FixMerged | FixEnded]] = {
    IssueState.WAITING_FOR_HUMAN_INPUT: FixNews(),
    IssueState.WAITING_FOR_REQUIREMENTS_CLARIFICATION: FixNews(),
    IssueState.BLOCKED: FixNews(),
    IssueState.REQUIRES_HUMAN_INTERVENTION: FixNews(),
    IssueState.COMPLETED: FixMerged(),
    IssueState.FAILED: FixEnded(),
    IssueState.CLOSED: FixEnded(),
}
"""The states of a fix that its bug is told about, and as what."""


def fix_news(case: IssueCase) -> str:
    """For the developers of the bug."""
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MERGE:
        return (
            f"Pull request {case.delivery.pull_request} is ready: `{case.branch}`, from {case.id}. "
            f"`caseworker show {case.id} --pull-request` has its text and its proof. A person merges it."
        )
    if case.state is IssueState.COMPLETED:
        return f"Pull request {case.delivery.pull_request} (`{case.branch}`) was merged."
    return f"{case.id} {standing_of(case)}"


def kept(case: IssueCase) -> str:
    """What came of words that nobody is at work to hear."""
    if case.people.taken_by:
        return f"kept: {case.people.taken_by} has the case, and it is read when the case is handed back"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for in (None, WaitingFor.MERGE):
        return f"kept on the record; `{case.branch}` waits for a merge"
    if case.state in WAITING and case.waits_for is not None:
        moves_it = _MOVED_BY.get(case.waits_for, "answer")
        return f"kept on the record; the case waits for {_AWAITED[case.waits_for]}: `{moves_it}`"
    return "kept on the record; the case waits for a person, and `caseworker close` ends it"


_AWAITED: Final = {
    WaitingFor.ANSWER: "an answer",
    WaitingFor.APPROVAL: "an approval",
    WaitingFor.BUDGET: "more money",
    WaitingFor.MILESTONE: "a word to go on",
}

_MOVED_BY: Final = {WaitingFor.APPROVAL: "approve", WaitingFor.BUDGET: "budget +5", WaitingFor.MILESTONE: "approve"}


def standing_of(case: IssueCase) -> str:
    """One line: where the case stands and what would move it."""
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MERGE:
        return f"waits for a person to merge `{case.branch}`"
    if case.state in WAITING and case.waits_for is not None:
        return f"waits for {_AWAITED.get(case.waits_for, 'a person')}: {case.reason}"
    if at_work(case) and case.state in PARKED:
        return f"the pm sees to it: {case.reason}"
    if case.state in PARKED:
        return f"waits for a person: {case.reason}"
    if case.state in TERMINAL:
        return case.reason
    return state_words(case.state)


def state_words(state: IssueState) -> str:
    return words_of(state)
