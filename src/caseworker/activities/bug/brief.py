"""Builds the investigator's brief for a turn of a bug case: the report, the conversation and the attached files."""

import asyncio
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from caseworker.agents.prompt_inputs import BugInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for
from caseworker.contract.wire import BugTurnRequest
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.decide import is_without_tools
from caseworker.core.evidence.build_commands import find_commands
from caseworker.core.people.messages import SPOKEN, Attachment, Standing
from caseworker.ports import Attempt, BugBrief, Chat, Limits, Store, StoredBug, Workspace, Workspaces, WorkTree

ATTACHMENT_LIMIT: Final = 10_000_000
"""The largest attachment that is fetched, in bytes."""


class BugBriefs:
    def __init__(self, *, store: Store, workspaces: Workspaces, chats: Mapping[str, Chat]) -> None:
        self._store = store
        self._workspaces = workspaces
        self._chats = chats

    async def write(
        self, request: BugTurnRequest, stored: StoredBug, attempt: Attempt, workspace: Workspace
    ) -> BugBrief:
        bug, policy = request.bug, request.policy
        blind = is_without_tools(bug, request.turn)
        folder = attachment_folder(workspace)
        files = [] if blind else await self._write_attachments(stored, folder)
        system, prompt = render(Role.INVESTIGATOR, Task.BUG, await self._inputs(request, stored, workspace, files))
        done = await self._store.turns.finished(bug.id)
        return BugBrief(
            attempt=attempt,
            role=Role.INVESTIGATOR,
            task=Task.BUG,
            nth=1 + len(done),
            model=policy.model_for(Role.INVESTIGATOR, Task.BUG),
            system_prompt=system,
            prompt=prompt,
            tools=() if blind else tools_for(Role.INVESTIGATOR, Task.BUG),
            tree=WorkTree(
                path=workspace.path,
                writable=False,
                read_only=(*workspace.read_only, folder) if files else workspace.read_only,
                overlays=workspace.overlays,
            ),
            resume=bug.progress.session,
            rehearsal=stored.rehearsal,
            limits=Limits(cap_micros=policy.budget_micros, calls=policy.calls_per_turn, seconds=policy.turn_seconds),
            conversation=not blind,
        )

    async def _inputs(
        self, request: BugTurnRequest, stored: StoredBug, workspace: Workspace, files: list[Attachment]
    ) -> BugInputs:
        """Only messages that were claimed for this turn are included, no newer ones."""
        bug, policy = request.bug, request.policy
        claimed = [message for message in await self._store.inbox.of(bug.id) if message.turn == request.turn]
        said = [message for message in claimed if message.kind in SPOKEN]
        services = {name: policy.services[name].owners for name in bug.report.services if name in policy.services}
        return BugInputs(
            bug_id=bug.id,
            title=stored.title,
            report=stored.report,
            reporter=stored.reporter,
            said=tuple(said[1:] if request.turn == 1 else said),  # the report itself is passed separately
            commands=await self._commands(workspace),
            severity=bug.report.severity,
            services=tuple((name, owners) for name, owners in services.items()),
            vague=is_without_tools(bug, request.turn),
            continues_from=bug.waiting.waited_in.value if bug.waiting.waited_in else "",
            timed_out=bug.waiting.timed_out,
            attachments=tuple(
                (str(attachment_folder(workspace) / file_name(file)), file.title, file.media_type, file.size)
                for file in files
                if not file.problem
            ),
            problems=tuple((file.title, file.problem) for file in files if file.problem),
        )

    async def _commands(self, workspace: Workspace) -> tuple[str, ...]:
        found = find_commands(await self._workspaces.build_files(workspace, workspace.base))
        return tuple(command.command for command in found)

    async def _write_attachments(self, stored: StoredBug, folder: Path) -> list[Attachment]:
        """Write attachments under names of our choosing, outside the worktree, so that no commit can contain them.
        Files of people without standing in this case are left out, as are their messages."""
        said = await self._store.inbox.of(stored.case.id)
        surfaces = {message.id: message.surface for message in said if message.standing is not Standing.OTHER}
        late = {}
        for attachment in await self._store.attachments.of(stored.case.id):
            if attachment.is_missing and attachment.message in surfaces:
                late[attachment.id] = await self._fetch(surfaces[attachment.message], attachment)
        files = [file for file in await self._store.attachments.of(stored.case.id) if file.message in surfaces]
        files = [file.model_copy(update={"problem": file.problem or late.get(file.id, "")}) for file in files]
        await asyncio.to_thread(_write_files, folder, [file for file in files if not file.problem])
        return files

    async def _fetch(self, surface: str, attachment: Attachment) -> str:
        """Fetch an attachment from the surface its message came from: a case of the terminal may have developers in a
        chat. Returns the problem if it is temporary; the turn goes on without the file and the next one tries again."""
        chat = self._chats.get(surface)
        try:
            if attachment.size > ATTACHMENT_LIMIT:
                raise Refused(f"it has {attachment.size:,} bytes; {ATTACHMENT_LIMIT:,} are taken")
            if chat is None:
                raise Refused(f"nothing here can fetch from {surface}")
            content = await chat.fetch(attachment.source, limit=ATTACHMENT_LIMIT)
        except Refused as refused:
            await self._store.attachments.fill(attachment.id, b"", problem=str(refused))
        except Transient as error:
            return f"not to be had at the moment: {error}"
        else:
            await self._store.attachments.fill(attachment.id, content)
        return ""


def attachment_folder(workspace: Workspace) -> Path:
    return workspace.path.parent / "attachments"


def _write_files(folder: Path, files: list[Attachment]) -> None:
    for file in files:
        path = folder / file_name(file)
        if path.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        draft.write_bytes(file.content)
        draft.rename(path)


def file_name(attachment: Attachment) -> str:
    """A name such as `12-1.png`: message and attachment id. Only a plain extension of the original name is kept."""
    ending = attachment.plain_ending or mimetypes.guess_extension(attachment.media_type) or ""
    return f"{attachment.message}-{attachment.id}{ending}"
