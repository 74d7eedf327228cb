"""`caseworker report`: checks everything first, opens the case, and follows it until a person is needed."""

import mimetypes
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from caseworker.app.desk import Desk, at_desk
from caseworker.app.parts import find_repository
from caseworker.app.processes.own_name import person
from caseworker.app.processes.start_checks import check_ready
from caseworker.app.run_subjects import folder_or_here
from caseworker.app.settings import Settings
from caseworker.app.terminal.bug_summary import print_bug_summary
from caseworker.app.terminal.follow_bug import follow_bug
from caseworker.app.terminal.live_view import JsonView, print_json_line
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.send import readable, text_or_stdin
from caseworker.app.terminal.talk import Talk, seen_by
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.bug.reports import read_report
from caseworker.core.people.messages import NewAttachment
from caseworker.core.record.bug_conversation import conversation
from caseworker.core.record.entries import Recorded
from caseworker.intake.conversation import TERMINAL, Words
from caseworker.intake.new_cases import TooManyCases
from caseworker.views.case_summaries import bug_summary

LARGEST_FILE: Final = 10_000_000
MOST_FILES: Final = 10


@dataclass(frozen=True, kw_only=True)
class ReportRequest:
    text: str
    rehearsal: str | None
    repository: Path | None = None
    attachments: tuple[NewAttachment, ...] = ()
    reporter: str | None = None
    detach: bool = False


def read_text(said: str) -> str:
    """`-` reads standard input, whatever bytes it holds."""
    text = text_or_stdin(said)
    if not text.strip():
        raise Refused("There are no words in that report.", todo="Say what is wrong, in your own words.")
    return readable(text.strip())


def read_attachments(paths: list[Path]) -> tuple[NewAttachment, ...]:
    """Read attachments at once, so that an unreadable one is refused before anything is created."""
    if len(paths) > MOST_FILES:
        raise Refused(f"{len(paths)} files are attached; {MOST_FILES} are taken.", todo="Pack them, or leave some out.")
    return tuple(_read(path) for path in paths)


def _read(path: Path) -> NewAttachment:
    try:
        if not path.is_file():
            why = "is not a file" if path.exists() else "is not there"
            raise Refused(f"{path} {why}.", todo="Correct the path after --attach.")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise Refused(
                f"{path.name} has {size:,} bytes; {LARGEST_FILE:,} are taken.", todo="Cut out the part that matters."
            )
        content = path.read_bytes()
    except OSError as error:
        raise Refused(
            f"{path} can't be read: {error.strerror}.", todo="Correct its rights, or leave it out."
        ) from error
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    title = path.name.encode("utf-8", "replace").decode()[:300]
    return NewAttachment(title=title, media_type=media_type, size=len(content), content=content)


async def repository_for(text: str, named: Path | None, settings: Settings) -> str:
    """The repository that is named, else that of the service in the report, else the one for all reports, else the one
    that the person stands in."""
    if named is not None:
        return str(named)
    for service in read_report(text, settings.services).services:
        if settings.services[service].repository:
            return settings.services[service].repository
    if settings.reports_repository is not None:
        return settings.reports_repository
    return str(await folder_or_here(None))


async def report(request: ReportRequest, settings: Settings, console: Console, *, as_json: bool) -> int:
    repository = await repository_for(request.text, request.repository, settings)
    ref = await find_repository(repository, settings)
    await check_ready(request.rehearsal, settings)
    async with at_desk(settings) as desk:
        case = await open_report(desk, request, ref)
        _announce(case, console, detach=request.detach, as_json=as_json)
        if request.detach:
            await desk.keep_host()  # the host that we rang may just have been ending
            return 0
        with _open_view(console, as_json=as_json) as show:
            stored = await follow_bug(desk, case, show)
        summary = await bug_summary(desk.store, stored)
        print_bug_summary(summary, console, voice="reporter", as_json=as_json)
    return 0


async def open_report(desk: Desk, request: ReportRequest, ref: RepositoryRef) -> CaseId:
    words = Words(
        surface=TERMINAL,
        external_id=str(uuid.uuid4()),
        author=request.reporter or person(),
        text=request.text,
        attachments=request.attachments,
    )
    repository = await desk.store.repositories.register(ref)
    policy = desk.settings.policy()
    try:
        opened = await desk.new_cases.report(words, repository=repository, policy=policy, rehearsal=request.rehearsal)
    except TooManyCases as refused:
        raised = "An owner can raise the number: `caseworker caps --cases`."
        raise Refused(refused.what, todo=f"{refused.todo} {raised}") from refused
    return opened.case


def _announce(case: CaseId, console: Console, *, detach: bool, as_json: bool) -> None:
    if as_json:
        print_json_line({"kind": "case", "case": case})
        return
    more = (
        f"`caseworker chat {typed(case)} --as reporter` talks with it"
        if detach
        else "Ctrl-C leaves, and the case goes on"
    )
    console.print(Text.assemble((case, "bold"), f"  {more}.{'' if detach else f' {zone_words()}'}"))


@contextmanager
def _open_view(console: Console, *, as_json: bool) -> Iterator[Callable[[Recorded], None]]:
    """Show what the reporter would see; for programs, the whole record."""
    if as_json:
        yield JsonView().show
        return
    talk = Talk(console, "reporter")

    def show(recorded: Recorded) -> None:
        for line in seen_by("reporter", conversation([recorded])):
            talk.show(line)

    if not console.is_terminal:
        yield show
        return
    with console.status(Text("caseworker is at work", style="dim"), spinner="dots"):
        yield show
