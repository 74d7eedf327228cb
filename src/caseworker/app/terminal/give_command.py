"""Sends the commands that people give at a terminal. Intake reads a reason or an amount from their text."""

import signal
import sys

from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.app.terminal.send import find, readable, speaker_in, tell, text_or_stdin
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import typed
from caseworker.core.base.policy import Milestone
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import (
    Abort,
    Approve,
    BringUpToDate,
    Close,
    Command,
    RaiseBudget,
    Reject,
    Resolution,
    Resume,
    Stop,
)
from caseworker.ports import StoredBug, StoredPull


async def approve(
    settings: Settings,
    console: Console,
    name: str,
    reason: str,
    until: Milestone | None,
    author: str | None,
    *,
    as_json: bool,
) -> int:
    reason = readable(text_or_stdin(reason))
    command, text = Approve(milestone=until), approval_words(until, reason)
    return await _to_issue(settings, console, name, command, text, author, as_json=as_json)


def approval_words(until: Milestone | None, reason: str = "") -> str:
    """The text that people read in the record afterwards."""
    if until is None:
        return reason or "Approved."
    return f"until {until}: {reason}" if reason else f"until {until}"


async def reject(
    settings: Settings, console: Console, name: str, why: str, author: str | None, *, as_json: bool
) -> int:
    why = readable(text_or_stdin(why))
    return await _to_issue(settings, console, name, Reject(), why, author, as_json=as_json)


async def raise_budget(
    settings: Settings, console: Console, name: str, amount: str, author: str | None, *, as_json: bool
) -> int:
    amount = readable(text_or_stdin(amount))
    return await to_any_case(settings, console, name, RaiseBudget(), amount, author, as_json=as_json)


async def close(
    settings: Settings, console: Console, name: str, reason: str, resolution: str, author: str | None, *, as_json: bool
) -> int:
    reason = readable(text_or_stdin(reason))
    stored = await find(settings, name)
    speaker = speaker_in(stored, "developer", author)
    if not isinstance(stored, StoredBug):
        if resolution:
            todo = "`--resolution` is for bug cases; leave it out."
            raise Refused(f"{stored.case.id} is {KINDS[stored.kind].a_noun}.", todo=todo)
        return await tell(settings, console, stored, speaker, reason, Close(reason=reason), as_json=as_json)
    if stored.case.is_over:
        raise Refused(f"{stored.case.id} is resolved already: {stored.case.reason}.")
    asks = sys.stdin.isatty() and not as_json
    chosen, why = _resolution(resolution, asks=asks), _reason(reason, asks=asks)
    command = Close(resolution=chosen, reason=readable(why))
    return await tell(settings, console, stored, speaker, why, command, as_json=as_json)


async def stop(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    return await _to_pull(settings, console, name, Stop(), "Stop.", author, as_json=as_json)


async def resume(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    """A session that has ended before its work was done is begun again, from the head as it is now."""
    from caseworker.app.terminal.run_pull import SessionRequest, run_session

    stored = await find(settings, name)
    if isinstance(stored, StoredPull) and stored.case.can_be_taken_up:
        again = SessionRequest(
            pull_request=stored.case.id,
            work=stored.case.session.workflow,
            rehearsal=stored.rehearsal,
            detach=True,
            resumes=True,
        )
        return await run_session(again, settings, console, as_json=as_json)
    return await _to_pull(settings, console, name, Resume(), "Go on.", author, as_json=as_json)


async def abort(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    return await _to_pull(settings, console, name, Abort(), "Abort.", author, as_json=as_json)


async def rebase(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    return await _to_pull(settings, console, name, BringUpToDate(), "Rebase.", author, as_json=as_json)


async def _to_pull(
    settings: Settings, console: Console, name: str, command: Command, text: str, author: str | None, *, as_json: bool
) -> int:
    """Send a command that only pull cases have."""
    stored = await find(settings, name)
    if not isinstance(stored, StoredPull):
        verb, noun = TerminalPhrasing().name(command.kind), KINDS[stored.kind].a_noun
        todo = f"`caseworker why {typed(stored.case.id)}` says what would move it."
        raise Refused(f"{stored.case.id} is {noun}: {verb} is for pull cases.", todo=todo)
    speaker = speaker_in(stored, "developer", author)
    return await tell(settings, console, stored, speaker, text, command, as_json=as_json)


async def _to_issue(
    settings: Settings, console: Console, name: str, command: Command, text: str, author: str | None, *, as_json: bool
) -> int:
    """Send a command that only issue cases have."""
    stored = await find(settings, name)
    if isinstance(stored, StoredBug):
        name = TerminalPhrasing().name(command.kind)
        todo = f"`caseworker why {typed(stored.case.id)}` says what would move it."
        raise Refused(f"{stored.case.id} is a bug case: {name} is for issue cases.", todo=todo)
    speaker = speaker_in(stored, "developer", author)
    return await tell(settings, console, stored, speaker, text, command, as_json=as_json)


async def to_any_case(
    settings: Settings, console: Console, name: str, command: Command, text: str, author: str | None, *, as_json: bool
) -> int:
    stored = await find(settings, name)
    if isinstance(stored, StoredBug) and stored.case.is_over:
        raise Refused(f"{stored.case.id} is resolved: {stored.case.reason}.", todo="A word to it opens it again.")
    speaker = speaker_in(stored, "developer", author)
    return await tell(settings, console, stored, speaker, text, command, as_json=as_json)


_KINDS = ", ".join(kind.value for kind in Resolution)


def _resolution(said: str, *, asks: bool) -> Resolution:
    if not said and asks:
        said = ask(f"How was it resolved ({_KINDS})")
    try:
        return Resolution(said.strip().lower().replace(" ", "_").replace("-", "_"))
    except ValueError:
        wrong = f"`{said}` is no resolution." if said else "A bug is closed with a resolution and a reason."
        raise Refused(wrong, todo=f"--resolution takes one of {_KINDS}; --reason says why.") from None


def _reason(said: str, *, asks: bool) -> str:
    if not said.strip() and asks:
        said = ask("Why, for the record")
    if not said.strip():
        raise Refused("A bug is closed with a resolution and a reason.", todo='Say why: --reason "...".')
    return said.strip()


def ask(question: str) -> str:
    """Ask on standard error, since a program may read standard output. asyncio would swallow the first Ctrl-C while a
    line is read, so during the question it is a plain interrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.stderr.write(f"{question}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    finally:
        signal.signal(signal.SIGINT, before)
    if not line:
        sys.stderr.write("\n")
        raise Interrupted("Interrupted. Nothing was sent: the case stays as it is.")
    return line.strip()
