"""Effects that people see: the branch and the pull request. Each is intent, look, do, record, under a key of ours."""

from temporalio import activity

from caseworker.activities.records import stored_case
from caseworker.activities.running import refusals_told, short_work, traced
from caseworker.contract.activities import DeliveryActivities
from caseworker.contract.wire import PullReply, Pushed, PushReply, PushRequest
from caseworker.core import words
from caseworker.core.decisions import EffectRefused, PullRequestReady
from caseworker.core.errors import Refused
from caseworker.core.ids import effect_key
from caseworker.core.record import BranchPushed, PullRequestOpened
from caseworker.core.sections import after_pull_request
from caseworker.ports import Forge, PullRequest, Store, StoredCase, Workspace, Workspaces


class Delivering(DeliveryActivities):
    def __init__(self, *, store: Store, workspaces: Workspaces, forge: Forge) -> None:
        self._store = store
        self._workspaces = workspaces
        self._forge = forge

    @activity.defn
    async def push_branch(self, request: PushRequest) -> PushReply:
        case = request.case
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            key = effect_key(case.id, case.epoch, "push", case.transitions)
            async with short_work(self._store, stored):
                effect, _ = await self._store.effects.intend(
                    key, case.id, "push", {"branch": case.branch, "commit": request.commit}
                )
                if not effect.done:
                    try:
                        await self._push(request, stored)
                    except Refused as refused:
                        return EffectRefused(reason=str(refused))
                    await self._store.effects.done(key, {"commit": request.commit})
                entry = BranchPushed(branch=case.branch, commit=request.commit)
                await self._store.record.append(case.id, [entry], trace=stored.trace, key=key)
                return Pushed(commit=request.commit)

    async def _push(self, request: PushRequest, stored: StoredCase) -> None:
        """The forge looks first: an earlier try of this very push may have landed without our hearing of it."""
        case = request.case
        await self._forge.push(
            stored.repository,
            await self._workspace(stored, request),
            request.commit,
            branch=case.branch,
            expected=case.pushed,
        )

    async def _workspace(self, stored: StoredCase, request: PushRequest) -> Workspace:
        repository = await self._store.repositories.path_of(stored.repository)
        return await self._workspaces.prepare(request.case.id, repository, request.case.base)

    @activity.defn
    async def open_pull_request(self, request: PushRequest) -> PullReply:
        case = request.case
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            key = effect_key(case.id, case.epoch, "pull_request", case.transitions)
            async with short_work(self._store, stored):
                try:
                    pull = await self._opened(key, request, stored)
                except Refused as refused:
                    return EffectRefused(reason=str(refused))
                file = after_pull_request(stored.file, commit=request.commit, branch=case.branch, url=pull.url)
                await self._store.cases.save_file(case.id, file)
                entry = PullRequestOpened(
                    number=pull.number, title=pull.title, branch=pull.head, base=pull.base, url=pull.url
                )
                await self._store.record.append(case.id, [entry], trace=stored.trace, key=key)
                return PullRequestReady(number=pull.number, commit=request.commit)

    async def _opened(self, key: str, request: PushRequest, stored: StoredCase) -> PullRequest:
        await self._store.effects.intend(key, request.case.id, "pull_request", {"head": request.case.branch})
        pull = await self._forge.find_pull_request(stored.repository, request.case.branch)
        if pull is None or pull.state != "open":
            workspace = await self._workspace(stored, request)
            pull = await self._forge.open_pull_request(await self._draft(request, stored, workspace))
        await self._store.effects.done(key, {"number": str(pull.number)})
        return pull

    async def _draft(self, request: PushRequest, stored: StoredCase, workspace: Workspace) -> PullRequest:
        case = request.case
        spent = await self._store.ledger.spent(case.id)
        builds = await self._store.builds.of(case.id)
        changed = await self._workspaces.changed(workspace, case.tests, request.commit) if case.tests else []
        return PullRequest(
            repository=stored.repository,
            number=0,
            case=case.id,
            title=words.pull_request_title(stored.file),
            body=words.pull_request_body(
                stored.file,
                case,
                builds,
                cost=words.cost_words(spent.micros, rehearsed=stored.rehearsal is not None),
                test_was_changed=case.test_file in changed,
            ),
            base=workspace.base_branch,
            head=case.branch,
            head_sha=request.commit,
            state="open",
            url=f"file://{await self._store.repositories.path_of(stored.repository)}#{case.branch}",
        )
