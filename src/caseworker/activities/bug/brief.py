"""Builds the investigator's brief for a turn of a bug case: the report, the conversation and the attached files."""

import asyncio
import mimetypes
from pathlib import Path

from caseworker.activities.bug.attached_files import AttachedFiles
from caseworker.agents.prompt_inputs import BugInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for
from caseworker.contract.wire import BugTurnRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.decide import is_without_tools
from caseworker.core.evidence.build_commands import find_commands
from caseworker.core.people.messages import SPOKEN, Attachment
from caseworker.ports import Attempt, BugBrief, Limits, Store, StoredBug, Workspace, Workspaces, WorkTree


class BugBriefs:
    def __init__(self, *, store: Store, workspaces: Workspaces, files: AttachedFiles) -> None:
        self._store = store
        self._workspaces = workspaces
        self._files = files

    async def write(
        self, request: BugTurnRequest, stored: StoredBug, attempt: Attempt, workspace: Workspace
    ) -> BugBrief:
        bug, policy = request.bug, request.policy
        blind = is_without_tools(bug, request.turn)
        folder = attachment_folder(workspace)
        files = await self._attachments(bug.id, folder, blind=blind)
        readable = any(not file.problem for file in files)  # else there is no folder to mount
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
                read_only=(*workspace.read_only, folder) if readable else workspace.read_only,
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

    async def _attachments(self, case: CaseId, folder: Path, *, blind: bool) -> list[Attachment]:
        """Write attachments under names of our choosing, outside the worktree, so that no commit can contain them. A
        turn without tools can't read any, but is told of those that could not be had."""
        if not blind:
            await self._files.fetch_again(case)
        files = [file for _, file in await self._files.of(case) if file.problem or not blind]
        await asyncio.to_thread(_write_files, folder, [file for file in files if not file.problem])
        return files


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
