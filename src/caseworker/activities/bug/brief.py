"""Builds the investigator's brief for a turn of a bug case: the report, the conversation and the attached files."""

from pathlib import Path

from caseworker.activities.shared.attached_files import AttachedFiles, attachment_folder, sent_files
from caseworker.agents.prompt_inputs import BugInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for
from caseworker.contract.wire import BugTurnRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import cap_of
from caseworker.core.bug.transitions import is_without_tools
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
        mounted = () if blind else (folder,)
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
                read_only=(*workspace.read_only, *mounted),
                overlays=workspace.overlays,
                equipment=workspace.equipment,
            ),
            resume=bug.progress.session,
            rehearsal=stored.rehearsal,
            limits=Limits(cap_micros=cap_of(bug, policy), calls=policy.calls_per_turn, seconds=policy.turn_seconds),
            conversation=not blind,
        )

    async def spent(self, bug: CaseId) -> int:
        return (await self._store.ledger.spent(bug)).micros

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
            files=sent_files(files, attachment_folder(workspace)),
        )

    async def _commands(self, workspace: Workspace) -> tuple[str, ...]:
        return (await self._workspaces.plan(workspace)).check_lines

    async def _attachments(self, case: CaseId, folder: Path, *, blind: bool) -> list[Attachment]:
        """A turn without tools can't read any, but is told of those that could not be had."""
        if not blind:
            return await self._files.lay_out(case, folder)
        return [file for _, file in await self._files.of(case) if file.why_unreadable]
