"""What an agent is given for a turn: loaded by id, rendered by the prompts, with the case file laid beside the code."""

from pathlib import Path

from caseworker.agents.prompting import BriefInputs, render
from caseworker.agents.roles import tools_for, writes
from caseworker.contract.wire import TurnRequest
from caseworker.core import words
from caseworker.core.build_commands import find_commands
from caseworker.core.evidence import Stage
from caseworker.core.outcomes import Task
from caseworker.ports import Attempt, Brief, Store, StoredCase, Workspace, Workspaces

CASE_FILE = "issue-state.json"


class Briefing:
    def __init__(self, *, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    async def write(self, request: TurnRequest, stored: StoredCase, attempt: Attempt, workspace: Workspace) -> Brief:
        case_file = _lay_case_file(stored, workspace)
        system, prompt = render(request.role, request.task, await self._inputs(request, stored, workspace, case_file))
        done = await self._store.turns.finished(request.case.id)
        nth = 1 + sum(turn.role is request.role and turn.task is request.task for turn in done)
        return Brief(
            attempt=attempt,
            role=request.role,
            task=request.task,
            model=request.policy.model_for(request.role, request.task),
            system_prompt=system,
            prompt=prompt,
            tools=tools_for(request.role),
            workspace=workspace.path,
            writable=writes(request.role),
            resume=request.case.sessions.get(request.role.value),
            rehearsal=stored.rehearsal,
            nth=nth,
            cap_micros=request.policy.budget_micros,
            calls=request.policy.calls_per_turn,
            seconds=request.policy.turn_seconds,
            read_only=workspace.read_only,
            overlays=(*workspace.overlays, (case_file, case_file)),
        )

    async def _inputs(
        self, request: TurnRequest, stored: StoredCase, workspace: Workspace, case_file: Path
    ) -> BriefInputs:
        """Messages are read by the turn's number: what was claimed for it, and no newer one."""
        case, file = request.case, stored.file
        said = [message for message in await self._store.inbox.of(case.id) if message.turn == request.turn]
        commands = find_commands(await self._workspaces.build_files(workspace, workspace.base))
        return BriefInputs(
            title=file.issue.title,
            body=file.issue.original_body,
            author="its author",
            labels=tuple(file.issue.labels),
            case_file=case_file,
            messages=tuple((message.author, message.standing, message.text) for message in said),
            evidence=await self._evidence(request),
            diff=await self._diff(request, workspace),
            feedback=case.feedback,
            must_do=tuple(file.analysis.must_do),
            must_not_do=tuple(file.analysis.must_not_do),
            commands=tuple(command.command for command in commands),
            brief=file.analysis.brief,
        )

    async def _evidence(self, request: TurnRequest) -> str:
        if request.task is Task.TRIAGE or request.task is Task.ANALYZE:
            return ""
        builds = await self._store.builds.of(request.case.id)
        seen = [words.latest(builds, stage) for stage in (Stage.RED, Stage.HEAD)]
        return "\n\n".join(words.build_words(build) for build in seen if build is not None)

    async def _diff(self, request: TurnRequest, workspace: Workspace) -> str:
        commit = request.case.checkpoint
        if commit is None or commit == workspace.base or request.task not in (Task.REVIEW, Task.FIX):
            return ""
        return await self._workspaces.diff(workspace, workspace.base, commit)


def _lay_case_file(stored: StoredCase, workspace: Workspace) -> Path:
    """Read-only for the agent (the sandbox lays it over itself), and never part of a commit."""
    path = workspace.path / CASE_FILE
    path.unlink(missing_ok=True)  # a link that an agent left there must not be followed
    path.write_text(stored.file.dump(), encoding="utf-8")
    return path
