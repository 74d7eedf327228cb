"""Answers in review threads: which are complete, what is said, and which threads are resolved by them. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.outgoing_text import outgoing
from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.pull_work import ThreadAnswer
from caseworker.core.pull.review_threads import ReviewThread

_MOST_READ: Final = 20
"""Comments of a thread that are kept as read: a message about an older one only costs a needless turn."""


class GivenThread(BaseModel):
    """A thread as a turn was given it."""

    model_config = ConfigDict(frozen=True)

    number: str
    """Its name in the brief: `T3`."""
    thread: str
    """Its id on the forge."""
    last: int
    """The newest comment of others that the turn has read."""
    newest: int = 0
    """The newest comment that the turn has read, whoever wrote it."""
    read: tuple[int, ...] = ()
    """The newest comments of people that the turn has read."""


def given_threads(threads: Iterable[ReviewThread]) -> tuple[GivenThread, ...]:
    """Numbers for threads that a turn is to answer, in their order."""
    return tuple(
        GivenThread(
            number=f"T{number}",
            thread=one.id,
            last=one.last_of_others,
            newest=max((word.id for word in one.words), default=0),
            read=tuple(word.id for word in one.words if word.by == "person")[-_MOST_READ:],
        )
        for number, one in enumerate(threads, 1)
    )


def answer_problems(answers: Sequence[ThreadAnswer], given: Sequence[GivenThread]) -> str:
    """What is wrong with the list of answers, for their author. Empty: each thread is answered once."""
    numbers = [one.number for one in given]
    times = Counter(one.thread for one in answers)
    missing = [number for number in numbers if number not in times]
    unknown = [number for number in times if number not in numbers]
    twice = [number for number, count in times.items() if count > 1 and number in numbers]
    problems = (
        ("these threads have no answer", missing),
        ("these threads were not given to you", unknown),
        ("these threads have more than one answer", twice),
    )
    return "\n".join(f"threads: {what}: {', '.join(names)}." for what, names in problems if names)


def is_resolved_by(answer: ThreadAnswer, thread: ReviewThread, *, pushed: Sha | None, last: int) -> bool:
    """Whether the thread is resolved after its answer.

    Only by a pushed change. A person's thread only if the change does all that it asks for, and nobody has written in
    it since the answer was made. All others stay open for people, and count as open.
    """
    if pushed is None or not answer.changed or not thread.can_resolve or thread.opener is None:
        return False
    if thread.last_of_others != last:
        return False
    if any(word.by == "person" for word in thread.words):
        return answer.verdict == "valid"
    return answer.verdict in ("valid", "partly_valid")


def is_news(answer: ThreadAnswer, given: GivenThread, thread: ReviewThread, *, pushed: Sha | None) -> bool:
    """Whether the answer tells something after an earlier one of ours. Where nobody has written since, only a pushed
    change does."""
    read = [word for word in thread.words[1:] if word.id <= given.newest]
    is_answered = bool(read) and read[-1].by == "us"
    return not is_answered or (answer.changed and pushed is not None)


def reply_text(answer: ThreadAnswer, *, pushed: Sha | None, resolves: bool, redactor: Redactor) -> str:
    return outgoing(f"{answer.reply.strip()}\n\n{_end(answer, pushed, resolves)}".strip(), redactor)


def _end(answer: ThreadAnswer, pushed: Sha | None, resolves: bool) -> str:
    if answer.verdict == "needs_clarification":
        return "Please say more here; this thread stays open."
    if answer.changed and pushed is not None:
        part = " in part" if answer.verdict == "partly_valid" else ""
        left = "" if resolves else " Please resolve this thread if that is enough."
        return f"Changed{part} in {pushed[:10]}.{left}"
    return "Nothing was changed for this; the thread stays open for you to decide."
