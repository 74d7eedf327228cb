"""Prompt blocks about a case so far: messages, remarks, questions between roles, learnings, and where it stands.

All text is cleaned, limited in length and fenced. Pure functions: the caller looks everything up.
"""

from collections.abc import Sequence
from typing import Final, assert_never

from caseworker.agents.prompt_inputs import OpenQuestion, RoleAnswer
from caseworker.agents.quotes import said
from caseworker.core.base.ids import MessageId
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.moves_by_people import state_to_resume
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Message, Standing

_EARLIER_LIMIT: Final = 16_000
_REMARKS_LIMIT: Final = 40_000
_REMARK_FLOOR: Final = 400
"""Characters that each remark keeps, however many there are: the agent has to answer every one."""
_ASKED_LIMIT: Final = 8_000
_ANSWERS_LIMIT: Final = 16_000
_LEARNINGS_LIMIT: Final = 4_200
"""A safeguard: the choice of learnings already has a limit of 4,000."""
_DECIDING: Final = frozenset({Standing.OWNER, Standing.DEVELOPER})
_COMMANDED: Final = {
    MessageKind.APPROVE: "approves, and says",
    MessageKind.REJECT: "does not agree, and says",
    MessageKind.HAND_BACK: "hands the case back, and says",
    MessageKind.RETRY: "wants another try, and says",
    MessageKind.RERUN: "wants it made again, and says",
}
_BY_COMMAND: Final = frozenset({WaitingFor.APPROVAL, WaitingFor.BUDGET, WaitingFor.MILESTONE})


def spoken(fence: Fence, messages: Sequence[Message]) -> str:
    """The messages in order. A text that came with a command is introduced by that command."""
    return "\n".join(_spoken(fence, message) for message in messages)


def said_before(fence: Fence, messages: Sequence[Message]) -> str:
    """Earlier messages, oldest first. If they are too long, owners' and developers' are kept first, then the newest."""
    quoted = [(message, _spoken(fence, message)) for message in messages]
    kept: set[MessageId] = set()
    room = _EARLIER_LIMIT
    newest_first = quoted[::-1]
    for message, text in sorted(newest_first, key=lambda one: one[0].standing not in _DECIDING):
        if len(text) <= room:
            room -= len(text)
            kept.add(message.id)
    missing = len(quoted) - len(kept)
    left_out = [f"({missing} more are left out: together they are too long)"] if missing else []
    return "\n".join((*left_out, *(text for message, text in quoted if message.id in kept)))


def numbered_remarks(fence: Fence, remarks: Sequence[Message]) -> str:
    """All remarks with numbers, each shortened if needed: the agent's answers refer to these numbers."""
    each = max(_REMARK_FLOOR, _REMARKS_LIMIT // max(len(remarks), 1))
    short = [remark.model_copy(update={"text": clip(cleaned(remark.text), each)}) for remark in remarks]
    return "\n".join(said(fence, remark, what=f"remark {number}") for number, remark in enumerate(short, 1))


def open_questions(fence: Fence, questions: Sequence[OpenQuestion]) -> str:
    """Questions of other roles to this agent."""
    lines = [f"{n}. The {one_line(one.asker, 60)} asks: {one_line(one.question)}" for n, one in enumerate(questions, 1)]
    return fence.around("\n".join(lines), what="questions", source="other roles")


def answered_questions(fence: Fence, answers: Sequence[RoleAnswer]) -> str:
    """What roles asked each other, with the answers."""
    pairs = [
        f"- {_asker(one.asker)} asked {_asked(one.asked)}: {one_line(one.question)}\n  Answer: {one_line(one.answer)}"
        for one in answers
    ]
    return fence.around("\n".join(newest(pairs, _ANSWERS_LIMIT)), what="asked and answered", source="the roles")


def _asker(name: str) -> str:
    return "You" if name == "you" else f"The {one_line(name, 60)}"


def _asked(name: str) -> str:
    return "you" if name == "you" else f"the {one_line(name, 60)}"


def asked_of_people(fence: Fence, questions: Sequence[str]) -> str:
    lines = [f"- {one_line(text)}" for text in questions]
    return fence.around("\n".join(newest(lines, _ASKED_LIMIT)), what="asked before", source="us, to people")


def learned(fence: Fence, learnings: Sequence[str]) -> str:
    """What earlier cases learned, most useful first; the last ones are left out if there are too many."""
    lines = [f"- {one_line(text)}" for text in learnings]
    kept = newest(lines[::-1], _LEARNINGS_LIMIT)[::-1]
    return fence.around("\n".join(kept), what="learnings", source="earlier cases of this repository")


def remembered_rules(fence: Fence, rules: Sequence[str]) -> str:
    """What owners told to be remembered for reviews. The choice of rules has a limit."""
    text = fence.around("\n".join(rules), what="rules", source="owners of this repository, for reviews")
    lead = "Hold the change against these rules. `learnings_used`: the numbers of those that you relied on."
    return f"{lead}\n{text}" if text else ""


def weakened_tests(fence: Fence, findings: Sequence[str]) -> str:
    """What code has found of tests that check less, and of changes of what decides, by number."""
    numbered = [f"{number}. {one_line(finding)}" for number, finding in enumerate(findings, start=1)]
    text = fence.around("\n".join(numbered), what="tests that check less", source="Caseworker's comparison")
    lead = (
        "Weakened tests, and changes of what decides. `weakened`: if you approve, each by its number with the `reason` "
        "why it may stay; one that has no good reason is a major finding. What you leave out is asked of a person."
    )
    return f"{lead}\n{text}" if text else ""


def where_it_was_left(case: IssueCase) -> str:
    """For an interpret turn: what the case waited for, where it goes on, and what came in now."""
    wait = case.waiting.wait
    lines = [f"It waited for {_waited_for(case, wait)}."] if wait is not None else []
    if case.delivery.pull_request is not None:
        lines.append(
            f"Pull request {case.delivery.pull_request} is open; what is wrong with it goes to addressing_feedback."
        )
    left = state_to_resume(case)
    if case.state is IssueState.REQUIREMENTS_CLARIFIED:
        lines.append("Without `next` the analyst takes up the answer.")
    elif wait is not None and _needs_a_command(wait) and left is not None:
        lines.append(f"With that it goes on with {left}.")
    elif left is not None and (wait is None or wait.reason is not WaitingFor.MERGE):
        lines.append(f"Without `next` it goes on with {left}.")
    return "\n".join([*lines, f"Now: {one_line(case.reason)}"])


def _needs_a_command(wait: Wait) -> bool:
    return wait.reason in _BY_COMMAND and wait.subject is not Subject.ESCALATION


def _waited_for(case: IssueCase, wait: Wait) -> str:
    match wait.reason:
        case WaitingFor.ANSWER:
            return "an answer of people"
        case WaitingFor.APPROVAL if wait.subject is Subject.ESCALATION:
            return f"a person to decide {wait.subject.value}: what they say decides it, and CONTINUE goes on with that"
        case WaitingFor.APPROVAL:
            subject = f" of {wait.subject.value}" if wait.subject is not None else ""
            return f"a person's approval{subject}, which only the commands `approve` and `reject` give or refuse"
        case WaitingFor.BUDGET:
            return "a larger budget, which only the command `budget` gives"
        case WaitingFor.MILESTONE:
            return "leave to go further than it was to go, which only the command `approve` gives"
        case WaitingFor.MERGE:
            return f"a person to merge pull request {case.delivery.pull_request}"
        case WaitingFor.CURE:
            return "a person to put something right outside of the case"
        case _:
            assert_never(wait.reason)


def _spoken(fence: Fence, message: Message) -> str:
    command = _COMMANDED.get(message.kind)
    return said(fence, message, what=f"message: {command}" if command else "message")


def newest(lines: Sequence[str], limit: int) -> list[str]:
    """The last lines that fit into `limit` characters, in order; at least one."""
    kept: list[str] = []
    for line in reversed(lines):
        limit -= len(line) + 1
        if limit < 0 and kept:
            break
        kept.append(line)
    return kept[::-1]
