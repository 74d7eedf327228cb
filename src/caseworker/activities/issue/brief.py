"""Builds an agent's brief for a turn of an issue case: the prompt, and the case file written beside the code."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from caseworker.activities.issue import recollection
from caseworker.activities.issue.load_investigations import load_investigations
from caseworker.activities.issue.outcome_checks import check_for
from caseworker.activities.shared.attached_files import AttachedFiles, attachment_folder, sent_files
from caseworker.activities.shared.run_discussion import Discussed, RunDiscussions
from caseworker.agents.case_words import where_it_was_left
from caseworker.agents.prompt_inputs import (
    AnalysisInputs,
    InvestigationInputs,
    IssueInputs,
    ProgressInputs,
    TalkInputs,
)
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for, writes
from caseworker.contract.wire import TurnRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.roles import Task
from caseworker.core.base.untrusted_text import cleaned, cleaned_value
from caseworker.core.casefile.learnings import offered
from caseworker.core.casefile.model import CaseFile
from caseworker.core.casefile.review_learnings import review_rules
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.forbidden_paths import listed
from caseworker.core.investigation.matrix import Investigation
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.issue.moves import is_used_up
from caseworker.core.issue.plain_change import is_plain_change
from caseworker.core.people.digest import Digest, Verbatim
from caseworker.core.record.investigation import Bisected, InstrumentRan
from caseworker.core.telling.build_texts import build_words, latest
from caseworker.core.telling.investigation import investigation_page
from caseworker.ports import (
    Attempt,
    FinishedTurn,
    GithubState,
    IssueBrief,
    Limits,
    StateOf,
    Store,
    StoredCase,
    Workspace,
    Workspaces,
    WorkTree,
)

CASE_FILE: Final = "issue-state.json"
FOLDER: Final = ".caseworker"
"""A folder of our own: a repository may have a `PLAN.md`, and an issue may ask for one."""
PLAN_FILE: Final = "PLAN.md"
INVESTIGATION_FILE: Final = "INVESTIGATION.md"


class IssueBriefs:
    def __init__(
        self,
        *,
        store: Store,
        workspaces: Workspaces,
        files: AttachedFiles,
        discussions: RunDiscussions | None = None,
        state: StateOf | None = None,
    ) -> None:
        """`discussions`: null where no forge has any. `state`: the tools that read a pull request's state, if any."""
        self._store = store
        self._workspaces = workspaces
        self._files = files
        self._discussions = discussions
        self._state = state

    async def write(
        self, request: TurnRequest, stored: StoredCase, attempt: Attempt, workspace: Workspace
    ) -> IssueBrief:
        case, role, task, policy = request.case, request.role, request.task, request.policy
        done = await self._store.turns.finished(case.id)
        known = await load_investigations(self._store, case)
        page = investigation_page(stored.file.issue.title, known)
        laid = _write_pages(stored, workspace, {PLAN_FILE: recollection.plan_of(done), INVESTIGATION_FILE: page})
        folder = workspace.path / FOLDER
        file = folder / INVESTIGATION_FILE if page and (folder, folder) in laid else None
        investigation = await self._investigation(request, known, file)
        inputs = await self._inputs(request, stored, workspace, done, investigation)
        sent = (attachment_folder(workspace),) if task is not Task.DIAGNOSTIC else ()
        plain = is_plain_change(case, recollection.last_triage(done), inputs.progress.diff)
        system, prompt = render(role, task, replace(inputs, plain=plain))
        return IssueBrief(
            attempt=attempt,
            role=role,
            task=task,
            nth=1 + sum(turn.role is role and turn.task is task for turn in done),
            model=policy.model_for(role, task, plain=plain),
            system_prompt=system,
            prompt=prompt,
            tools=tools_for(role, task),
            tree=WorkTree(
                path=workspace.path,
                writable=writes(role, task),
                read_only=(*workspace.read_only, *sent),
                overlays=(*workspace.overlays, *laid),
                equipment=workspace.equipment,
            ),
            # A diagnostic starts a new session: the earlier one refers to changes in the case's own tree, which it
            # lacks.
            resume=case.progress.sessions.get(role.value) if task is not Task.DIAGNOSTIC else None,
            rehearsal=stored.rehearsal,
            limits=Limits(cap_micros=cap_of(case, policy), calls=policy.calls_per_turn, seconds=policy.turn_seconds),
            check=check_for(request, stored.file.analysis, inputs.progress.diff, self._store),
            state=await self._pull_state(request.case, stored),
        )

    async def _learnings(self, case: CaseId, stored: StoredCase, files: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(offered(await self._store.learnings.of(stored.repository), case=case, files=files.keys()))

    async def _pull_state(self, case: IssueCase, stored: StoredCase) -> GithubState | None:
        """The tools for the case's own pull request, once it has one on a forge."""
        number = case.delivery.pull_request
        ref = await self._store.repositories.ref(stored.repository)
        if self._state is None or number is None or not isinstance(ref, RemoteRepository):
            return None
        return self._state(ref, number)

    async def _inputs(
        self,
        request: TurnRequest,
        stored: StoredCase,
        workspace: Workspace,
        done: Sequence[FinishedTurn],
        investigation: InvestigationInputs,
    ) -> IssueInputs:
        file = stored.file
        files = await self._workspaces.build_files(workspace, workspace.base)
        return IssueInputs(
            title=file.issue.title,
            body=file.issue.original_body,
            author="its author",
            labels=tuple(file.issue.labels),
            commands=(await self._workspaces.plan(workspace)).check_lines,
            discussion=await self._discussion(request, stored),
            case_file=workspace.path / CASE_FILE,
            analysis=AnalysisInputs(
                brief=recollection.brief_for(request.task, done, file),
                triage=recollection.triage_of(done, file),
                files=tuple((one.path, one.action, one.purpose) for one in file.analysis.files),
                patterns=tuple(file.analysis.patterns),
                test=_test_words(file),
                must_do=tuple(file.analysis.must_do),
                must_not_do=(*file.analysis.must_not_do, *_allowed_exceptions(request.case)),
                plan=recollection.plan_of(done),
            ),
            progress=ProgressInputs(
                evidence=await self._evidence(request),
                diff=await self._diff(request, workspace),
                feedback=request.case.evidence.feedback,
                weakened=request.case.proof.weakened,
                reason=request.case.reason,
                learnings=await self._learnings(request.case.id, stored, files),
                rules=await self._rules(request, stored, workspace),
            ),
            talk=await self._talk(request, file, done, workspace),
            investigation=investigation,
        )

    async def _discussion(self, request: TurnRequest, stored: StoredCase) -> Digest | Verbatim | None:
        if self._discussions is None or not stored.file.issue.url:  # in our records alone, its number is ours
            return None
        about = Discussed(
            case=request.case.id,
            repository=stored.repository,
            number=stored.number,
            policy=request.policy,
            cap_micros=cap_of(request.case, request.policy),
            stored=stored,
        )
        return await self._discussions.of(about)

    async def _talk(
        self, request: TurnRequest, file: CaseFile, done: Sequence[FinishedTurn], workspace: Workspace
    ) -> TalkInputs:
        """Only messages that were claimed for this turn or an earlier one are included, no newer ones."""
        case, role, task = request.case, request.role, request.task
        messages = await self._store.inbox.of(case.id)
        has_remarks = recollection.is_among(recollection.WITH_REMARKS, role, task)
        remarks = recollection.remarks_of(messages, case.people.remarks if has_remarks else ())
        late = recollection.remarks_of(messages, case.people.late if task is Task.INTERPRET else ())
        numbered = {remark.id for remark in (*remarks, *late)}
        others = [message for message in messages if message.id not in numbered]
        folder = attachment_folder(workspace)
        # A diagnostic measures one thing in a tree of its own: it needs no file of people.
        sent = await self._files.lay_out(case.id, folder) if task is not Task.DIAGNOSTIC else []
        return TalkInputs(
            said=(*late, *recollection.said_in(others, request.turn)),
            earlier=recollection.said_before(others, request.turn),
            remarks=remarks,
            asked_before=recollection.asked_before(done),
            state_left=where_it_was_left(case) if task is Task.INTERPRET else "",
            questions=recollection.questions_to(file, role) if task is Task.ANSWER else (),
            answers=recollection.answered(file, role),
            files=sent_files(sent, folder),
        )

    async def _investigation(
        self, request: TurnRequest, known: Sequence[Investigation], file: Path | None
    ) -> InvestigationInputs:
        case, measured = request.case, await self._measured(request)
        return InvestigationInputs(
            investigation=recollection.investigation_of(case, known),
            file=file,
            iterations=case.investigation.iteration if case.investigation is not None else 0,
            no_iteration_left=is_used_up(case),
            bisects=tuple(one for one in measured if isinstance(one, Bisected)),
            instruments=tuple(one for one in measured if isinstance(one, InstrumentRan)),
            accepted=recollection.accepted_cause(case),
        )

    async def _measured(self, request: TurnRequest) -> list[Bisected | InstrumentRan]:
        """The bisects, profiles, stresses and traces of the present investigation."""
        found = request.case.investigation
        if found is None or request.task not in recollection.WITH_MEASUREMENTS:
            return []
        kinds = {"bisected", "instrument_ran"}
        entries = [one.entry for one in await self._store.record.whole(request.case.id, kinds=kinds)]
        measured = [one for one in entries if isinstance(one, Bisected | InstrumentRan)]
        return [one for one in measured if one.turn > found.began_after]

    async def _evidence(self, request: TurnRequest) -> str:
        if not recollection.is_among(recollection.WITH_EVIDENCE, request.role, request.task):
            return ""
        builds = await self._store.builds.of(request.case.id)
        if request.task not in recollection.INQUIRING:
            red, head = (latest(builds, stage) for stage in (Stage.RED, Stage.HEAD))
            # The proof of the head runs the same tests on the base: newer, and of the tests as they are now.
            seen = [head] if head is not None and head.proof is not None else [red, head]
            feedback = request.case.evidence.feedback
            # The developer begins with the reason, which says how the new tests failed.
            told = request.case.proof.red_tests if request.task is Task.IMPLEMENT and head is None else ()
            return "\n\n".join(build_words(build, feedback, told) for build in seen if build is not None)
        newest = [latest(builds, stage) for stage in Stage]
        return "\n\n".join(f"build {one.number}. {build_words(one)}" for one in newest if one is not None)

    async def _diff(self, request: TurnRequest, workspace: Workspace) -> str:
        commit = request.case.delivery.checkpoint
        looks = recollection.is_among(recollection.AT_THE_WORK, request.role, request.task)
        if commit is None or commit == workspace.base or not looks:
            return ""
        return await self._workspaces.diff(workspace, workspace.base, commit)

    async def _rules(self, request: TurnRequest, stored: StoredCase, workspace: Workspace) -> tuple[str, ...]:
        """What owners told to be remembered, for a review of the change."""
        commit = request.case.delivery.checkpoint
        if request.task not in recollection.REVIEWS or commit is None:
            return ()
        changed = await self._workspaces.changed(workspace, workspace.base, commit)
        return tuple(review_rules(await self._store.review_learnings.of(stored.repository), changed))


def _test_words(file: CaseFile) -> str:
    """The test's place and what it shows, if that is not told as what must be done."""
    test = file.analysis.test_requirement
    if test is None or not test.required:
        return ""
    shows = "" if test.description in file.analysis.must_do else test.description
    return ": ".join(part for part in (test.location, shows) if part)


def _allowed_exceptions(case: IssueCase) -> list[str]:
    """Exceptions to what must not be done. The reviewer of the change has to know them."""
    if not case.people.may_change:
        return []
    return [f"Except: a person has let these be changed all the same: {listed(case.people.may_change)}."]


def _write_pages(stored: StoredCase, workspace: Workspace, pages: Mapping[str, str]) -> list[tuple[Path, Path]]:
    """Write the case file and pages into the worktree. The sandbox makes them read-only for the agent, and no commit
    contains them."""
    case_file, folder = workspace.path / CASE_FILE, workspace.path / FOLDER
    case_file.unlink(missing_ok=True)  # a symbolic link that an agent left there must not be followed
    # Cleaned like the prompt: an agent reads these files, too, and they quote the issue and other people.
    document = cleaned_value(json.loads(stored.file.dump()))
    case_file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    written = {name: cleaned(text) for name, text in pages.items() if text}
    if not written or os.path.lexists(folder):  # a reset removes our folder: this one is the repository's own
        return [(case_file, case_file)]
    folder.mkdir()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [(case_file, case_file), (folder, folder)]
