"""The tracking comment of a run on a forge: state, figures, what it waits for, and the artifact below."""

from datetime import datetime, timedelta
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import RunId
from caseworker.core.base.outgoing_text import COMMENT_LIMIT, NOTHING, Ours, marked, outgoing, outgoing_line, shortened
from caseworker.core.base.redaction import Redactor
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.options import options, waits_for_a_person
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.words import standing_of
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.runs.run import ENDED, Run, RunState
from caseworker.core.sla.words import span
from caseworker.core.telling.money import money_words

EVERY: Final = timedelta(seconds=10)
"""A comment is changed at most this often while its run works."""
_HEAD_LIMIT: Final = 8_000
"""Characters of everything above the artifact."""
_MARKER_ROOM: Final = 300
"""Characters that are kept free for our marker, and for the one that the forge's client adds."""
_MOST_STEPS: Final = 5
_ALWAYS: Final = (MessageKind.TAKEOVER, MessageKind.CLOSE)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Awaited(_Part):
    """What a run waits for."""

    what: str
    """Begins with "waits for" in most cases."""
    who: str
    """Who must move."""
    how: tuple[str, ...] = ()
    """What they can do, a sentence each."""


class RunFailure(_Part):
    sentence: str
    """What went wrong, for people. Never a raw error."""
    error_id: str
    """By which operators find it in the log."""


class RunArtifact(_Part):
    text: str
    url: str = ""
    """Where the whole of it is."""


class Tracked(_Part):
    """What the comment tells besides the run's own figures."""

    rehearsed: bool = False
    messages_read: int = 0
    steps: tuple[str, ...] = ()
    """What was done so far, oldest first. The last ones are shown while it works."""
    awaited: Awaited | None = None
    failure: RunFailure | None = None
    artifact: RunArtifact | None = None
    notes: tuple[str, ...] = ()
    """What else people should know, such as that a discussion could not be read."""
    looked_at: datetime | None = None
    is_whole: bool = True
    """False: something of the run's end is not known yet, and the comment is written again."""


def awaited_by(case: IssueCase, phrasing: Phrasing, *, queued: bool = False) -> Awaited | None:
    """What a run in flight of an issue case waits for. Null: it needs nobody. `queued`: it has not begun."""
    if case.waits_for is WaitingFor.MILESTONE or (queued and case.waits_for is WaitingFor.MERGE):
        return None  # the case rested here until this run was asked for
    if case.awaits_checks:
        return Awaited(what=f"{standing_of(case)}.", who="nobody; the checks run on the forge")
    if not waits_for_a_person(case):
        return None
    how = tuple(option.words(phrasing) for option in options(case) if option.kind not in _ALWAYS)
    return Awaited(what=standing_of(case), who=_who_moves(case.waits_for), how=how)


def marker(run: RunId) -> str:
    return f"workflow-run:{run}"


def tracking_comment(run: Run, tracked: Tracked, *, now: datetime, redactor: Redactor, ours: Ours = NOTHING) -> str:
    """The whole body, with its marker. The same for the same input."""
    head = outgoing("\n\n".join(_head(run, tracked, now, redactor)), redactor, ours=ours, limit=_HEAD_LIMIT)
    first = marker(run.id)
    if tracked.artifact is None or not tracked.artifact.text.strip():
        return marked(head, first)
    room = COMMENT_LIMIT - len(head) - len(first) - _MARKER_ROOM
    below = outgoing(tracked.artifact.text.strip(), redactor, ours=ours, limit=room, more=tracked.artifact.url)
    return marked(f"{head}\n\n---\n\n{below}", first)


def is_due(run: Run, *, body: str, written: str, written_at: datetime | None, now: datetime) -> bool:
    """Whether to write the body now. `written`: the body as it was written last, at `written_at`."""
    if written_at is None:
        return True
    return body != written and (run.state in ENDED or now - written_at >= EVERY)


def _head(run: Run, tracked: Tracked, now: datetime, redactor: Redactor) -> list[str]:
    figures = (
        _state_words(run, tracked),
        money_words(run.cost_micros, rehearsed=tracked.rehearsed),
        str(run.turns),
        span(timedelta(milliseconds=run.wall_clock_ms)),
        str(tracked.messages_read),
    )
    table = f"| state | cost | turns | time | messages read |\n|---|---|---|---|---|\n| {' | '.join(figures)} |"
    parts = [f"### Caseworker: {run.workflow}", table]
    if tracked.failure is not None:
        sentence = outgoing_line(tracked.failure.sentence, redactor, limit=1_000)
        parts.append(f"**What went wrong:** {sentence} (error `{tracked.failure.error_id}`)")
    if tracked.awaited is not None and run.state not in ENDED:
        parts += _awaited(tracked.awaited)
    elif tracked.steps and run.state not in ENDED:
        parts.append("\n".join(f"- {outgoing_line(step, redactor)}" for step in tracked.steps[-_MOST_STEPS:]))
    parts += [f"> {outgoing_line(note, redactor, limit=1_000)}" for note in tracked.notes]
    if tracked.looked_at is not None and run.state not in ENDED:
        parts.append(_life(tracked.looked_at, now))
    return parts


def _awaited(awaited: Awaited) -> list[str]:
    line = f"**It {shortened(awaited.what, 1_000, '')}** Who must move: {awaited.who}."
    return [line, *(["\n".join(f"- {one}" for one in awaited.how)] if awaited.how else [])]


def _life(looked_at: datetime, now: datetime) -> str:
    ago = now - looked_at
    when = "just now" if ago < timedelta(minutes=1) else f"{span(ago)} ago"
    return f"Looked {when}, at {looked_at:%H:%M} UTC."


def _state_words(run: Run, tracked: Tracked) -> str:
    match run.state:
        case RunState.QUEUED:
            return "queued"
        case RunState.RUNNING:
            return "working" if tracked.awaited is None else "waiting"
        case RunState.SUCCEEDED:
            return "done"
        case RunState.FAILED:
            return "failed"
        case RunState.INCOMPLETE:
            return "stopped early"
        case _:
            assert_never(run.state)


def _who_moves(waits_for: WaitingFor | None) -> str:
    match waits_for:
        case WaitingFor.ANSWER:
            return "whoever knows the answer"
        case WaitingFor.APPROVAL | WaitingFor.BUDGET | WaitingFor.MILESTONE | WaitingFor.CURE:
            return "an owner or a developer"
        case WaitingFor.MERGE:
            return "somebody who may merge"
        case None:
            return "an owner or a developer"
        case _:
            assert_never(waits_for)
