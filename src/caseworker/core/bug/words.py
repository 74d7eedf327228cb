"""The text of every post of a bug case: for the reporter without internals, for developers in full."""

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import noun
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import code
from caseworker.core.bug.case import About, BugCase, BugPost
from caseworker.core.bug.command_words import asked_to_close, limits, stop_fix, taken_over, with_full_stop
from caseworker.core.bug.relay_words import lost_for_developers, lost_for_reporter, quoted
from caseworker.core.bug.reporter_words import reporter_safe
from caseworker.core.outcomes.bug import BugOutcome, EscalationReason
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.people.phrasing import Page, Phrasing

DEFAULT_QUESTION: Final = (
    "What did you do, what did you see (the exact message, if there was one), and since when does it happen?"
)
_RESOLUTION_WORDS: Final[dict[Resolution | None, str]] = {
    None: "it is confirmed that nothing is left to do",
    Resolution.CODE_FIX: "it was fixed in the code",
    Resolution.DATA_FIX: "it was fixed in the data",
    Resolution.CONFIG_FIX: "it was fixed in the configuration",
    Resolution.NOT_A_BUG: "this works as intended",
    Resolution.DUPLICATE: "this was reported before",
    Resolution.NO_RESPONSE: "we heard nothing more",
}
_ESCALATION_WORDS: Final[dict[EscalationReason | None, str]] = {
    "complex": " (too complex to settle here)",
    "security": " (a matter of security)",
    "infrastructure": " (a matter of infrastructure)",
    "urgent": " (people must act now)",
    None: "",
}
_WHICH_FIX: Final = {About.FIX_OPENED: "The", About.ANOTHER_FIX: "Another"}


class PostContext(BaseModel):
    """The data that the text of a post is made from."""

    model_config = ConfigDict(frozen=True)

    case: BugCase
    title: str
    reporter: str
    policy: Policy
    outcome: BugOutcome | None = None
    """The outcome of the turn that the post is about."""
    news: str = ""
    news_kind: MessageKind | None = None
    """The kind of the message that the post is about."""
    closed_because: str = ""
    said: tuple[tuple[MessageKind, str], ...] = ()
    """With REPORTER_SAID: what the reporter said, with the kinds of the messages."""
    lost_files: tuple[tuple[str, str], ...] = ()
    """What the files of the message are called, and why each could not be had."""
    speaker: Standing = Standing.REPORTER
    """Who wrote the message that the post is about."""


def words_for(post: BugPost, context: PostContext, phrasing: Phrasing) -> str:
    if post.audience is Audience.REPORTER:
        return _for_reporter(post, context)
    return _for_developers(post, context, phrasing)


def _for_reporter(post: BugPost, context: PostContext) -> str:
    bug, outcome = context.case, context.outcome
    match post.about:
        case About.ACKNOWLEDGED:
            return (
                f"Thank you, this is recorded as **{bug.id}**, and we are looking into it. You can add details here at "
                "any time. If the problem has gone away, just write: never mind."
            )
        case About.QUESTION:
            return _questions(outcome)
        case About.FINDINGS:
            return outcome.for_reporter.strip() if outcome is not None else ""
        case About.NOTED:
            return "Thank you, noted."
        case About.NO_ANSWER:
            return "We have not heard back, so we are carrying on without your answer. You can still reply here."
        case About.FAILED_TURN:
            return "This needs a person to take a closer look. The team has been notified."
        case About.FIX_OPENED:
            return "Work on a fix has started."
        case About.ANOTHER_FIX:
            return "Work on another fix has started."
        case About.FIX_NEWS:
            return _fix_words(context.news_kind)
        case About.FILE_LOST:
            return lost_for_reporter([title for title, _ in context.lost_files])
        case About.REOPENED:
            return "This is open again, and we are looking into it."
        case About.RESOLVED:
            if post.resolution is None and post.closed_by_message:
                return "This is closed, as you asked. If it comes back, just write here."
            reason = reporter_safe(context.closed_because)
            why = f'{_RESOLUTION_WORDS[post.resolution]}. The team says: "{reason}"' if reason else ""
            return f"This is closed: {why or _RESOLUTION_WORDS[post.resolution]}. If it still happens, just write here."
        case About.SUMMARY | About.OPEN_QUESTION | About.ESCALATION | About.BUDGET_NEAR | About.KEPT | About.FOLLOW_UP:
            return ""
        case About.REMINDER | About.TAKEN_OVER | About.HANDED_BACK | About.NOT_TAKEN | About.ASKED_TO_CLOSE:
            return ""
        case About.FIX_INFORMED | About.FIX_REFUSED | About.STOP_FIX | About.FIX_GOES_ON | About.REPORTER_SAID:
            return ""


def _fix_words(kind: MessageKind | None) -> str:
    match kind:
        case MessageKind.FIX_MERGED:
            return "The team has accepted the fix."
        case MessageKind.FIX_ENDED:
            return "Work on the fix has ended without a result. The team knows."
        case MessageKind.FIX_READY:
            return "There is progress on the fix; the team is reviewing it now."
        case MessageKind.FIX_WAITING:
            return "The fix can't go on by itself at the moment; it is in the hands of the team."
        case _:
            return ""


def _for_developers(post: BugPost, context: PostContext, phrasing: Phrasing) -> str:
    bug = context.case
    match post.about:
        case About.SUMMARY:
            return _summary(context)
        case About.QUESTION:
            return f"The reporter is being asked:\n{_questions(context.outcome)}"
        case About.OPEN_QUESTION:
            return _open_question(context.outcome)
        case About.NO_ANSWER:
            return "The reporter has not answered; the investigation carries on without."
        case About.FINDINGS:
            return findings(context.outcome)
        case About.ESCALATION:
            return _escalation(context)
        case About.FAILED_TURN | About.BUDGET_NEAR:
            return limits(post, bug, phrasing)
        case About.NOTED:
            return "Noted; the investigation will take it into account."
        case About.KEPT:
            return "Noted, and kept for the hand-back."
        case About.NOT_TAKEN:
            return f"Nobody has taken over {bug.id}, so there is nothing to hand back."
        case About.FOLLOW_UP:
            return "A follow-up investigation has started."
        case About.REMINDER:
            return _reminder(context)
        case About.TAKEN_OVER:
            return taken_over(bug, phrasing)
        case About.HANDED_BACK:
            return "Thank you. The investigation continues with everything said in the meantime."
        case About.ASKED_TO_CLOSE:
            return asked_to_close(bug, phrasing)
        case About.FIX_OPENED | About.ANOTHER_FIX:
            result = noun(bug.repair.fix) if bug.repair.fix else "pull request"
            announced = f"Its {result} will be announced here; merging is yours."
            return f"{_WHICH_FIX[post.about]} fix is being worked on as {bug.repair.fix}. {announced}"
        case About.FIX_INFORMED:
            return f"The new findings were passed on to {bug.repair.fix}."
        case About.FIX_REFUSED:
            return f"The fix could not be started: {with_full_stop(post.note)}"
        case About.FIX_NEWS:
            return context.news
        case About.FILE_LOST:
            return lost_for_developers(context.lost_files, context.speaker)
        case About.REPORTER_SAID:
            return "\n\n".join(quoted(kind, text) for kind, text in context.said)
        case About.STOP_FIX:
            return stop_fix(bug, phrasing)
        case About.FIX_GOES_ON:
            return "Then the fix goes on."
        case About.REOPENED:
            return f"{bug.id} is open again: somebody wrote after it was resolved."
        case About.RESOLVED:
            kind = f" (`{post.resolution}`)" if post.resolution else ""
            why = f"{post.note}: {context.closed_because}" if context.closed_because else post.note
            return f"**{bug.id} is resolved**{kind}: {with_full_stop(why)} Reply here to reopen it."
        case About.ACKNOWLEDGED:
            return ""


def _reminder(context: PostContext) -> str:
    end = " If nobody replies, it will be closed as `no_response`; it can be reopened."
    waits = f"{context.case.id} is waiting for a developer: {with_full_stop(context.title)}"
    return f"{waits}{end}" if context.case.waiting.until else waits


def _escalation(context: PostContext) -> str:
    bug = context.case
    people = context.policy.contacts[0] if context.policy.contacts else context.policy.owners_of(bug.report.services)
    called = at(people) if people else "everybody who reads this"
    how_bad = f" ({bug.report.severity})" if bug.report.severity else ""
    why = _ESCALATION_WORDS[context.outcome.escalate_because if context.outcome else None]
    return f"**Escalated**{why}: {called}, please look at {bug.id}{how_bad}."


def _questions(outcome: BugOutcome | None) -> str:
    asked = _asked(outcome)
    return asked[0] if len(asked) == 1 else f"To find the cause, we need to know:\n{_numbered(asked)}"


def _open_question(outcome: BugOutcome | None) -> str:
    """A question that the reporter did not answer, for developers, with what is known."""
    parts = [
        f"The reporter has not answered, and this is still open:\n{_numbered(_asked(outcome))}",
        outcome.summary.strip() if outcome else "",
        "If you know the answer, reply here; so can the reporter.",
    ]
    return "\n\n".join(part for part in parts if part)


def _asked(outcome: BugOutcome | None) -> list[str]:
    asked = [question.strip() for question in outcome.clarification_questions if question.strip()] if outcome else []
    return asked or [DEFAULT_QUESTION]


def _numbered(lines: list[str]) -> str:
    return "\n".join(f"{place}. {text}" for place, text in enumerate(lines, start=1))


def findings(outcome: BugOutcome | None) -> str:
    if outcome is None:
        return ""
    parts = [outcome.summary.strip()]
    if outcome.root_cause:
        parts.append(f"**Root cause**: {outcome.root_cause}")
    if outcome.evidence:
        parts.append("**Evidence**\n" + _list(f"{code(proof.source)}: {proof.shows}" for proof in outcome.evidence))
    if outcome.culprit_commit is not None:
        culprit = outcome.culprit_commit
        who = ", ".join(part for part in (culprit.author, culprit.date) if part)
        parts.append(f"**Since** {code(culprit.hash)} {culprit.message}{f' ({who})' if who else ''}".rstrip())
    if outcome.recommended_actions:
        parts.append("**Recommended**\n" + _list(outcome.recommended_actions))
    kind = "none, this is not a bug" if outcome.fix_type == "not_a_bug" else outcome.fix_type.replace("_", " ")
    parts.append(f"Kind of fix: {kind}. Confidence: {outcome.confidence:.0%}.")
    return "\n\n".join(part for part in parts if part)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _summary(context: PostContext) -> str:
    bug, owners = context.case, context.policy.owners_of(context.case.report.services)
    lines = [
        f"Services: {', '.join(bug.report.services)}." if bug.report.services else "",
        f"Owners: {at(owners)}." if owners else "",
        "The report has nothing to go on yet, so the reporter is being asked first." if bug.report.vague else "",
    ]
    head = f"**{bug.id}** ({bug.report.severity}), reported by @{context.reporter}: {context.title}"
    return "\n".join([head, " ".join(line for line in lines if line)]).strip()


def opening(context: PostContext, phrasing: Phrasing) -> str:
    """The first post of a developers' thread that begins late, because posts before it were refused."""
    before = f"What was said before could not be posted here: {phrasing.page(context.case.id, Page.CASE)} has it."
    return f"{_summary(context)}\n{before}"


def at(people: Iterable[str]) -> str:
    """Names with `@`, which chats turn into mentions."""
    return ", ".join(f"@{name.removeprefix('@')}" for name in people)
