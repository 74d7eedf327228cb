"""Activities that people see: pushing the branch, opening the pull request. Each records its intent, looks, acts and
records the result, under a key of ours."""

from collections.abc import Sequence

from temporalio import activity

from caseworker.activities.issue.branches import Branches
from caseworker.activities.issue.developer_changes import developer_changes
from caseworker.activities.issue.load_investigations import load_investigations
from caseworker.activities.issue.pull_texts import PullTexts
from caseworker.activities.issue.remarks import answers_to
from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.activities.shared.context import refusals_told, short_work, traced, unless_limited
from caseworker.activities.shared.load_case import stored_case
from caseworker.contract.activities import DeliveryActivities
from caseworker.contract.wire import DeliveryReply, Postponed, PullReply, Pushed, PushReply, PushRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import MessageId, Sha, effect_key
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.core.casefile.review_learnings import learnings_used, used_rules
from caseworker.core.casefile.sections import after_pull_request, after_push
from caseworker.core.issue import words as issue_words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import PullRequestReady
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.record.entries import BranchPushed, Noted, PullRequestOpened
from caseworker.core.telling.investigation import pull_request_part
from caseworker.core.telling.money import money_words
from caseworker.core.telling.pull_request import pull_request_body, pull_request_title, pull_request_updated
from caseworker.core.telling.unseen import CLAIMS, unseen_claims
from caseworker.ports import Forge, PullRequest, Store, StoredCase, Workspace, Workspaces


class Delivering(DeliveryActivities):
    def __init__(
        self, *, store: Store, workspaces: Workspaces, forge: Forge, copy: CaseFileCopy, texts: PullTexts
    ) -> None:
        self._copy = copy
        self._store = store
        self._workspaces = workspaces
        self._forge = forge
        self._texts = texts
        self._branches = Branches(store=store, workspaces=workspaces, forge=forge)

    @activity.defn
    async def push_branch(self, request: PushRequest) -> PushReply:
        case = request.case
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            key = effect_key(case.id, case.epoch, "push", case.progress.transitions)
            return await self._push(key, request, stored)

    @activity.defn
    async def keep_branch(self, request: PushRequest) -> PushReply:
        """Keyed by the commit, since a case may come to rest with the same commit repeatedly. A refusal is recorded,
        because people look for the work in the record."""
        case = request.case
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            key = f"{case.id}/{case.epoch}/keep/{request.commit}"
            reply = await self._push(key, request, stored)
            if isinstance(reply, EffectRefused):
                note = Noted(text=issue_words.not_kept(case.branch, reply.reason))
                await self._store.record.append(case.id, [note], trace=stored.trace, key=f"{key}/refused")
            return reply

    async def _push(self, key: str, request: PushRequest, stored: StoredCase) -> PushReply:
        async with short_work(self._store, stored):
            return await unless_limited(self._push_once(key, request, stored))

    async def _push_once(self, key: str, request: PushRequest, stored: StoredCase) -> PushReply:
        case = request.case
        intent = {"branch": case.branch, "commit": request.commit}
        effect, _ = await self._store.effects.intend(key, case.id, "push", intent)
        if not effect.done:
            try:
                moved = await self._branches.push(request, stored)
            except Refused as refused:
                return EffectRefused(reason=str(refused))
            if moved is not None:
                return moved
            await self._store.effects.done(key, {"commit": request.commit})
        message = await self._branches.message_of(request, stored)
        file = await self._store.cases.edit_file(
            case.id, lambda file: after_push(file, commit=request.commit, branch=case.branch, message=message)
        )
        self._copy.write(file)
        entry = BranchPushed(branch=case.branch, commit=request.commit)
        await self._store.record.append(case.id, [entry], trace=stored.trace, key=key)
        return Pushed(commit=request.commit)

    @activity.defn
    async def adopt_branch(self, request: PushRequest) -> PushReply:
        with refusals_told():
            stored = await stored_case(self._store, request.case.id)
        with traced(stored.trace, request.case.id):
            async with short_work(self._store, stored):
                try:
                    moved = await unless_limited(self._branches.adopt(request, stored))
                except Refused as refused:
                    return EffectRefused(reason=str(refused))
                return moved or Pushed(commit=request.commit)

    @activity.defn
    async def open_pull_request(self, request: PushRequest) -> PullReply:
        """Open the pull request, or update the open one, and answer each remark that people made."""
        case = request.case
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            key = effect_key(case.id, case.epoch, "pull_request", case.progress.transitions)
            async with short_work(self._store, stored):
                try:
                    pull = await unless_limited(self._open_or_update(key, request, stored))
                except Refused as refused:
                    return EffectRefused(reason=str(refused))
                if isinstance(pull, Postponed):
                    return pull
                url = pull.url
                await self._store.cases.edit_file(case.id, lambda file: after_pull_request(file, url=url))
                answered, late = await self._sort_remarks(case)
                await self._store.record.append(case.id, [_pull_request_entry(case, pull)], trace=stored.trace, key=key)
                return PullRequestReady(
                    number=pull.number,
                    commit=request.commit,
                    answered=answered,
                    late=late,
                    checked=await self._is_checked(stored),
                )

    @activity.defn
    async def deliver(self, request: PushRequest) -> DeliveryReply:
        """Push and open are two effects with their own keys: a retry finds the first one done."""
        pushed = await self.push_branch(request)
        return await self.open_pull_request(request) if isinstance(pushed, Pushed) else pushed

    async def _open_or_update(self, key: str, request: PushRequest, stored: StoredCase) -> PullRequest:
        await self._store.effects.intend(key, request.case.id, "pull_request", {"head": request.case.branch})
        draft, own_titles = await self._draft(request, stored)
        pull = await self._forge.pulls.find(stored.repository, request.case.branch)
        if pull is None or pull.state != "open":
            pull = await self._forge.pulls.open(draft)
        else:
            title = draft.title if pull.title in own_titles else pull.title  # a person may have changed it
            pull = await self._forge.pulls.update(draft.model_copy(update={"number": pull.number, "title": title}))
        await self._store.effects.done(key, {"number": str(pull.number)})
        return pull

    async def _is_checked(self, stored: StoredCase) -> bool:
        """Whether the forge has checks. Folders of this machine have none."""
        ref = await self._store.repositories.ref(stored.repository)
        return self._forge.checks is not None and isinstance(ref, RemoteRepository)

    async def _draft(self, request: PushRequest, stored: StoredCase) -> tuple[PullRequest, set[str]]:
        """The pull request without number and address, which the forge gives; and the titles that earlier commits of
        the case gave it."""
        case = request.case
        repository = await self._store.repositories.ref(stored.repository)
        workspace = await self._workspaces.prepare(case.id, repository, case.delivery.base)
        spent = await self._store.ledger.spent(case.id)
        builds = await self._store.builds.of(case.id)
        changed = await self._workspaces.changed(workspace, workspace.base, request.commit)
        written = developer_changes(await self._store.turns.finished(case.id))
        since_red = (
            await self._workspaces.changed(workspace, case.evidence.tests, request.commit)
            if case.evidence.tests
            else []
        )
        worded = await self._texts.of(case, request.commit, stored, changed)
        messages = [turn.outcome.commit_message for turn in written] or [""]
        own_titles = {
            pull_request_title(stored.file, message, words=words)
            for message in messages
            for words in ("", *worded.earlier)
        }
        draft = PullRequest(
            repository=stored.repository,
            number=0,
            case=case.id,
            title=pull_request_title(stored.file, messages[-1], words=worded.text.title),
            body=pull_request_body(
                stored.file,
                case,
                builds,
                cost=money_words(spent.spent_micros, rehearsed=stored.rehearsal is not None),
                changed=changed,
                written=[change for turn in written for change in turn.outcome.changes],
                test_was_changed=case.evidence.test_file in since_red,
                weakened_reasons=await self._weakened_reasons(case),
                investigated=pull_request_part(case, await load_investigations(self._store, case)),
                conflicts=await self._conflicts_with_base(repository, workspace, request.commit),
                opening=worded.text.opening,
                followed=await self._rules_followed(case, stored, changed),
                unseen=unseen_claims(await self._store.record.whole(case.id, CLAIMS)),
            ),
            base=workspace.base_branch,
            head=case.branch,
            head_sha=request.commit,
            state="open",
            url="",
        )
        return draft, own_titles

    async def _rules_followed(self, case: IssueCase, stored: StoredCase, changed: Sequence[str]) -> str:
        """The rules of owners on which the reviews of the present commit relied, with who gave them."""
        reviews = [
            turn.outcome
            for turn in await self._store.turns.finished(case.id)
            if turn.checkpoint == case.delivery.checkpoint
        ]
        used = [number for one in reviews if isinstance(one, ReviewOutcome) for number in one.learnings_used]
        return learnings_used(used_rules(await self._store.review_learnings.of(stored.repository), changed, used))

    async def _conflicts_with_base(self, repository: RepositoryRef, workspace: Workspace, commit: Sha) -> list[str]:
        """Conflicts with the base branch as it is now: it may have moved since the case began."""
        base = await self._forge.source.fetch_branch(repository, workspace, branch=workspace.base_branch)
        if base is None or base == workspace.base:  # which the change was made on
            return []
        return await self._workspaces.conflicts(workspace, commit, base)

    async def _weakened_reasons(self, case: IssueCase) -> dict[str, str]:
        """Why each weakened test may stay, in the words of the last review of the present commit."""
        turns = await self._store.turns.finished(case.id)
        reviews = [turn.outcome for turn in turns if turn.checkpoint == case.delivery.checkpoint]
        last = next((one for one in reversed(reviews) if isinstance(one, ReviewOutcome) and one.approves), None)
        if last is None:
            return {}
        said = {one.number: one.reason for one in last.weakened}
        return {one: said[number] for number, one in enumerate(case.proof.weakened, start=1) if number in said}

    async def _sort_remarks(self, case: IssueCase) -> tuple[tuple[MessageId, ...], tuple[MessageId, ...]]:
        """The remarks that have been answered, and those that came too late to be answered by this change."""
        if not case.people.remarks:
            return (), ()
        said = {message.id: message for message in await self._store.inbox.of(case.id)}
        remarks = [said[remark] for remark in case.people.remarks if remark in said]
        answers = answers_to(remarks, await self._store.turns.finished(case.id))
        answered = tuple(one.id for one, answer in zip(remarks, answers, strict=True) if answer)
        late = tuple(one.id for one, answer in zip(remarks, answers, strict=True) if answer is None)
        return answered, late


def _pull_request_entry(case: IssueCase, pull: PullRequest) -> PullRequestOpened | Noted:
    if pull.number == case.delivery.pull_request:
        return Noted(text=pull_request_updated(case))
    return PullRequestOpened(number=pull.number, title=pull.title, branch=pull.head, base=pull.base, url=pull.url)
