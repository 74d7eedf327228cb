"""The text of every post of an issue case, made when it is sent, in the surface's own phrasing."""

from collections.abc import Sequence
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import dollars
from caseworker.core.base.contained_text import contained_line, quoted
from caseworker.core.base.ids import is_local
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.evidence.obstacle_words import remedy_words
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.issue.check_watch import check_words
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.options import options
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import WAITING, IssueState
from caseworker.core.issue.subjects import SUBJECTS, Subject, SubjectRow, WaitingFor
from caseworker.core.issue.words import also_escalated, answered, standing_of
from caseworker.core.outcomes.investigation import CauseReviewOutcome, UnblockingOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import TestsOutcome
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Page, Phrasing, begin

A = IssueAbout


class Remark(BaseModel):
    """A person's remark on a pull request, and its answer."""

    model_config = ConfigDict(frozen=True)
    author: str
    text: str
    answer: str = ""


class PostContext(BaseModel):
    """The data that the text of a post is made from."""

    model_config = ConfigDict(frozen=True)

    case: IssueCase
    policy: Policy
    outcome: Outcome | None = None
    """The outcome of the turn that the post is about."""
    asked: str = ""
    """What people were asked when the current wait began, word for word."""
    remarks: tuple[Remark, ...] = ()
    """The remarks that the post names."""
    not_seen: tuple[str, ...] = ()
    """A sentence for each claim of that turn that nothing confirms."""


def words_for(post: IssuePost, context: PostContext, phrasing: Phrasing) -> str:
    """The text of a post. Empty: there is nothing to say."""
    text = _words(post, context, phrasing)
    also = also_escalated(post.role or Role.PM, post.also) if post.also else ""
    marked = "\n".join(f"Not seen: {one}" for one in context.not_seen) if text else ""
    return "\n\n".join(part for part in (text, also, marked) if part)


def _words(post: IssuePost, context: PostContext, phrasing: Phrasing) -> str:
    case, outcome = context.case, context.outcome
    match post.about:
        case A.QUESTIONS:
            return _questions(outcome)
        case A.REPLY:
            return _reply(outcome)
        case A.COMMAND_NEEDED:
            return f"{_reply(outcome)} {_needed(case, phrasing)}".strip()
        case A.NOT_REHEARSED:
            return _not_rehearsed(case, phrasing)
        case A.REJECTED:
            again = begin(phrasing.command(case.id, MessageKind.RETRY))
            return f"This will not be worked on. {_reason(outcome)} If that is wrong, say why. {again} opens it again."
        case A.SENSITIVE:
            return _sensitive(outcome, case, phrasing)
        case A.PLAN:
            plan = outcome.plan if isinstance(outcome, PlanOutcome) else ""
            return f"This is the plan. {_decide(Subject.PLAN, case, phrasing)}\n\n{plan}"
        case A.ESCALATION:
            role = (post.role or Role.PM).words
            answers = f"{begin(phrasing.command(case.id, MessageKind.ANSWER))} decides it in your own words."
            decide = f"{answers} {_decide(Subject.ESCALATION, case, phrasing)}"
            return f"The {role} does not want to decide this alone: {quoted(post.note)} {decide}"
        case A.ROLE_ASKS:
            return _role_asks(outcome)
        case A.ARCHITECTURE:
            feedback = _feedback(outcome)
            decide = _decide(Subject.ARCHITECTURE, case, phrasing)
            return f"The tech lead wants to change the architecture: {quoted(feedback)} {decide}"
        case A.TOUCHES:
            return (
                "The change is built, tested and reviewed. Before it is delivered a person has to agree: it "
                f"touches {post.note}. {_decide(Subject.TOUCHES, case, phrasing)}"
            )
        case A.WAIVER:
            return f"{post.note} {_decide(post.subject, case, phrasing)}"
        case A.CURE:
            return _cure(post, case, phrasing)
        case A.BUDGET_NEAR:
            cap = cap_of(case, context.policy)
            return f"{post.spent_micros * 100 // max(cap, 1)} % of the budget of {dollars(cap)} are used."
        case A.BUDGET_USED:
            more = phrasing.command(case.id, MessageKind.BUDGET, "+5")
            budget = dollars(cap_of(case, context.policy))
            short = f"The budget of {budget} does not cover the next model call. The work so far is kept."
            return f"{short} {begin(more)} goes on with 5 dollars more."
        case A.REMINDER:
            return _reminder(case, context.asked)
        case A.ANSWERS:
            return answered([(one.author, one.text, one.answer) for one in context.remarks if one.answer])
        case A.LEFT_OPEN:
            return _left_open(case, context.remarks, phrasing)
        case A.PULL_REQUEST | A.MILESTONE | A.PARKED | A.ENDED:
            return news(case, phrasing)
        case _:
            assert_never(post.about)


def news(case: IssueCase, phrasing: Phrasing) -> str:
    """The status of a case that waits for a person or is over, for people who don't follow its record."""
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MERGE:
        seen = f"{begin(phrasing.page(case.id, Page.PULL_REQUEST))} has its text and its proof."
        named = "," if is_local(case.id) else f": `{case.branch}`,"
        opened = f"{_delivered(case, phrasing)} is open{named} from {case.id}."
        checks = case.delivery.checks
        if checks is not None and checks.stands != "green":
            merges = "" if case.awaits_checks else " A person merges it."
            return f"{opened} {seen} It {check_words(checks)}.{merges}"
        green = " Its checks are green." if checks is not None else ""
        return f"{opened.replace('is open', 'is ready')} {seen}{green} A person merges it."
    if case.state is IssueState.COMPLETED:
        named = "" if is_local(case.id) else f" (`{case.branch}`)"
        return f"{_delivered(case, phrasing)}{named} was merged."
    if case.state in WAITING and case.waits_for is WaitingFor.MILESTONE:
        goes_on = [option.words(phrasing) for option in options(case) if option.kind is MessageKind.APPROVE]
        return " ".join([case.reason, *goes_on])
    return f"{case.id} {standing_of(case)}"


def _cure(post: IssuePost, case: IssueCase, phrasing: Phrasing) -> str:
    """What has to be put right outside of the case, how, and what follows."""
    obstacle = case.evidence.obstacle if post.subject is Subject.NOT_RUN else None
    again = begin(phrasing.command(case.id, MessageKind.RETRY))
    if obstacle is None:
        return f"{post.note} {again} goes on where it was left."
    waived = phrasing.command(case.id, MessageKind.APPROVE)
    return (
        f"{post.note} {remedy_words(obstacle)} {again} builds again then. To go on without running them: {waived}; "
        "whoever merges is told so, with your name."
    )


def _delivered(case: IssueCase, phrasing: Phrasing) -> str:
    """By its name, at the beginning of a sentence."""
    return begin(name_of(case) if is_local(case.id) else phrasing.pull_request(case.delivery.pull_request or 0))


def _questions(outcome: Outcome | None) -> str:
    """One message with numbered questions."""
    questions = (
        outcome.questions if isinstance(outcome, QuestionsOutcome | InterpretOutcome | UnblockingOutcome) else []
    )
    listed = "\n".join(f"{number}. {contained_line(question)}" for number, question in enumerate(questions, 1))
    return f"Before the work can go on, please tell us:\n{listed}"


def _reply(outcome: Outcome | None) -> str:
    match outcome:
        case InterpretOutcome():
            return outcome.reply
        case UnblockingOutcome():
            return outcome.reason
        case _:
            return ""


def _not_rehearsed(case: IssueCase, phrasing: Phrasing) -> str:
    """What happened to people's words, why, and what moves the case all the same."""
    fitting = [option for option in options(case) if option.kind is not MessageKind.WORDS]
    return (
        "That was kept and not read: this case is rehearsed, and its script has no answer to what people say "
        f"(pm/interpret). It stands where it stood. {' '.join(option.words(phrasing) for option in fitting[:3])}"
    )


def _needed(case: IssueCase, phrasing: Phrasing) -> str:
    wait = case.waiting.wait
    if wait is not None and wait.reason is WaitingFor.BUDGET:
        return f"To go on it needs money: {phrasing.command(case.id, MessageKind.BUDGET, '+5')}."
    deciding = [option.words(phrasing) for option in options(case) if option.kind in _DECIDING]
    return " ".join(["Plain words do not decide this.", *deciding]) if deciding else ""


_DECIDING: Final = (MessageKind.APPROVE, MessageKind.REJECT)


def _decide(subject: Subject | None, case: IssueCase, phrasing: Phrasing) -> str:
    """What an approval and a rejection do. Whoever waives something is told what those who merge will read."""
    row = SUBJECTS[subject] if subject is not None else SubjectRow(agreed="goes on")
    agreed = f"lets it go on, and whoever merges is told {row.waiver}" if row.waiver else row.agreed
    approve, reject = (begin(phrasing.command(case.id, kind)) for kind in _DECIDING)
    return f"{approve} {agreed}. {reject} {row.declined}."


def _reason(outcome: Outcome | None) -> str:
    return f"The pm says: {quoted(outcome.reason)}" if isinstance(outcome, TriageOutcome) else ""


def _sensitive(outcome: Outcome | None, case: IssueCase, phrasing: Phrasing) -> str:
    topics = outcome.topics if isinstance(outcome, TriageOutcome) else []
    named = ", ".join(topic.value.replace("_", " ") for topic in topics)
    about = f" It touches {named}." if named else ""
    decide = _decide(Subject.SENSITIVE, case, phrasing)
    return f"A person has to agree before this is worked on. {_reason(outcome)}{about} {decide}"


def _role_asks(outcome: Outcome | None) -> str:
    match outcome:
        case TestsOutcome():
            return f"The tester can't write a test without an answer: {quoted(outcome.summary)}"
        case CauseReviewOutcome():
            return (
                f"The investigation has not proven the cause, and needs an answer to go on: {quoted(outcome.feedback)}"
            )
        case ReviewOutcome():
            return f"The tech lead can't judge the change without an answer: {quoted(_feedback(outcome))}"
        case PlanOutcome():
            return outcome.reason
        case _:
            return ""


def _feedback(outcome: Outcome | None) -> str:
    return (outcome.feedback_for_writer or "") if isinstance(outcome, ReviewOutcome) else ""


def _reminder(case: IssueCase, asked: str) -> str:
    """A reminder with the question word for word, so that nobody has to look for it."""
    if asked and case.state in WAITING:
        return f"Still waiting: {asked}"
    return f"Still waiting: {case.reason}" + (f"\n\n{asked}" if asked else "")


def _left_open(case: IssueCase, remarks: Sequence[Remark], phrasing: Phrasing) -> str:
    """The remarks that were not addressed when a person merged."""
    listed = "\n".join(f"> {one.author}: {one.text.strip().splitlines()[0]}" for one in remarks if one.text.strip())
    if not listed:
        return ""
    again = phrasing.command(case.id, MessageKind.WORDS)
    return (
        f"{_delivered(case, phrasing)} was merged before this was done, and nothing more is done about it "
        f"here:\n{listed}\n\nIf it is still wanted, say so once more ({again}): a new case then follows up on this one."
    )
