"""Every sentence of a bug case, twice: for the reporter without internals, for developers in full."""

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.bugs import About, Bug, Post
from caseworker.core.evidence import code
from caseworker.core.messages import Audience, MessageKind, Resolution
from caseworker.core.outcomes import BugOutcome
from caseworker.core.policy import Policy

DEFAULT_QUESTION: Final = (
    "What did you do, what did you see (the exact message, if there was one), and since when does it happen?"
)
_RESOLUTION_WORDS: Final = {
    Resolution.CODE_FIX: "fixed in the code",
    Resolution.DATA_FIX: "fixed in the data",
    Resolution.CONFIG_FIX: "fixed in the configuration",
    Resolution.NOT_A_BUG: "not a bug",
    Resolution.DUPLICATE: "known already",
    Resolution.NO_RESPONSE: "nobody responded",
}
CLOSE_FORM: Final = "`close <type> <reason>`, with one of " + ", ".join(kind.value for kind in Resolution)


class Matter(BaseModel):
    """What the words of a post are made of."""

    model_config = ConfigDict(frozen=True)

    case: Bug
    title: str
    reporter: str
    policy: Policy
    outcome: BugOutcome | None = None
    """Of the turn the post is about."""
    news: str = ""
    news_kind: MessageKind | None = None
    """Of the message the post is about."""
    closed_because: str = ""


def words_for(post: Post, matter: Matter) -> str:
    return _for_reporter(post, matter) if post.audience is Audience.REPORTER else _for_developers(post, matter)


def _for_reporter(post: Post, matter: Matter) -> str:
    bug, outcome = matter.case, matter.outcome
    match post.about:
        case About.ACKNOWLEDGED:
            return (
                f"Thank you, this is recorded as **{bug.id}** and being looked at. Add what you know here at any time; "
                "write `never mind` if it has settled itself."
            )
        case About.QUESTION:
            return _questions(outcome)
        case About.FINDINGS:
            return outcome.for_reporter.strip() if outcome is not None else ""
        case About.NOTED:
            return "Thank you, noted."
        case About.NO_ANSWER:
            return "There was no answer, so the search goes on without it. You can still add it here."
        case About.FAILED_TURN:
            return "This needs a closer look by a person. The team has been called."
        case About.FIX_OPENED:
            return "The team has asked for a fix, and work on it has begun."
        case About.FIX_NEWS:
            return _fix_words(matter.news_kind)
        case About.REOPENED:
            return "This is open again, and being looked at."
        case About.RESOLVED:
            how = _RESOLUTION_WORDS[bug.resolution] if bug.resolution else "closed at your word"
            return f"This is closed: {how}. If it is not over for you, just write here."
        case _:
            return ""


def _fix_words(kind: MessageKind | None) -> str:
    match kind:
        case MessageKind.FIX_MERGED:
            return "The fix has been accepted by the team."
        case MessageKind.FIX_ENDED:
            return "The fix did not work out as planned. The team is on it."
        case _:
            return "There is news of the fix: the team looks at it now."


def _for_developers(post: Post, matter: Matter) -> str:
    bug = matter.case
    match post.about:
        case About.SUMMARY:
            return _summary(matter)
        case About.FINDINGS:
            return findings(matter.outcome)
        case About.ESCALATION:
            people = matter.policy.contacts[0] if matter.policy.contacts else _owners(matter)
            called = at(people) if people else "everybody who reads this"
            return f"**Escalated**: {called}, please look at {bug.id} ({bug.severity})."
        case About.FAILED_TURN:
            return f"Turn {post.number} failed: {post.note} Nothing is lost; `caseworker show {bug.id}` tells more."
        case About.NOTED:
            return "Noted; the investigation reads it."
        case About.FOLLOW_UP:
            return "Noted. A follow-up investigation has started."
        case About.REMINDER:
            end = (
                "" if bug.until is None else " Without a word it will be closed as `no_response`, and can be reopened."
            )
            return f"{bug.id} waits for a developer: {matter.title}.{end}"
        case About.TAKEN_OVER:
            who = f"@{bug.taken_by}" if bug.taken_by else "A developer"
            return f"{who} has {bug.id} now. The agent has stopped; `hand back` makes it go on."
        case About.HANDED_BACK:
            return "Thank you. The investigation goes on with all that was said meanwhile."
        case About.ASKED_TO_CLOSE:
            return f"@{bug.asked_to_close}, how was it resolved, and why? Write {CLOSE_FORM}."
        case About.FIX_OPENED:
            return f"The fix is under way as {bug.fix}. Its pull request will be told here; a person merges it."
        case About.FIX_REFUSED:
            return f"The fix could not be begun: {post.note}"
        case About.FIX_NEWS:
            return matter.news
        case About.REOPENED:
            return f"{bug.id} is open again: somebody spoke after it was resolved."
        case About.RESOLVED:
            kind = f"`{bug.resolution}`" if bug.resolution else "at the reporter's word"
            because = f": {matter.closed_because}" if matter.closed_because else ""
            return f"**Resolved** {kind}: {bug.reason}{because}. A word here opens it again."
        case _:
            return ""


def _questions(outcome: BugOutcome | None) -> str:
    asked = [question.strip() for question in outcome.clarification_questions if question.strip()] if outcome else []
    if not asked:
        return DEFAULT_QUESTION
    return asked[0] if len(asked) == 1 else "\n".join(f"{place}. {text}" for place, text in enumerate(asked, start=1))


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
        parts.append(f"**Since** {code(culprit.hash)} {culprit.message} ({culprit.author} {culprit.date})".rstrip())
    if outcome.recommended_actions:
        parts.append("**Recommended**\n" + _list(outcome.recommended_actions))
    kind = outcome.fix_type.replace("_", " ")
    parts.append(f"Kind of fix: {kind}. Confidence: {outcome.confidence:.0%}.")
    return "\n\n".join(part for part in parts if part)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _summary(matter: Matter) -> str:
    bug, owners = matter.case, _owners(matter)
    lines = [
        f"Services: {', '.join(bug.services)}." if bug.services else "",
        f"Owners: {at(owners)}." if owners else "",
        "The report names nothing to start from: the reporter is asked first." if bug.vague else "",
    ]
    head = f"**{bug.id}** ({bug.severity}), reported by @{matter.reporter}: {matter.title}"
    return "\n".join([head, " ".join(line for line in lines if line)]).strip()


def at(people: Iterable[str]) -> str:
    """As people are called: a chat makes a mention of it."""
    return ", ".join(f"@{name.removeprefix('@')}" for name in people)


def _owners(matter: Matter) -> tuple[str, ...]:
    services = [matter.policy.services[name] for name in matter.case.services if name in matter.policy.services]
    return tuple(dict.fromkeys(owner for service in services for owner in service.owners))


def fix_issue(matter: Matter) -> tuple[str, str]:
    """(title, body) of the issue that a bug's fix is worked on under."""
    outcome = matter.outcome
    body = f"Reported as {matter.case.id}.\n\n{matter.news.strip()}\n\n## Findings\n\n{findings(outcome)}"
    return matter.title, body
