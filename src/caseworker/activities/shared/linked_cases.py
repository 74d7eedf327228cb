"""Opens a case for another case: a fix for a bug, a follow-up for a completed case. Repeated calls find the same."""

import json
from collections.abc import Callable
from hashlib import sha256

from caseworker.activities.shared.read_rules import rules_of
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Milestone
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.casefile.model import CaseFile
from caseworker.core.people.messages import Audience, NewMessage
from caseworker.ports import Forge, Issue, Issues, NewIssue, Store, StoredAny, Thread
from caseworker.ports.github import thread_on


class LinkedCases:
    def __init__(self, *, store: Store, forge: Forge) -> None:
        self._store = store
        self._forge = forge

    async def open(
        self,
        parent: StoredAny,
        draft: NewIssue,
        *,
        first: Callable[[CaseId], NewMessage],
        file: Callable[[Issue], CaseFile] | None = None,
        public: str | None = None,
    ) -> CaseId:
        """Open a case in the parent's repository, under its rules and the parent's policy. The draft identifies it: the
        same title and body are the same case. `public`: the text on a forge that keeps issues, if the draft's is not
        for everybody who reads there."""
        repository = await self._store.repositories.ref(parent.repository)
        # Rules are read first, so that a mistake in them leaves nothing behind. The parent's milestone doesn't apply
        # here.
        rules = await rules_of(repository, self._forge.source)
        policy = rules.applied_to(parent.policy.model_copy(update={"until": Milestone.PR}))
        thread: Thread | None = None
        if isinstance(repository, RemoteRepository) and self._forge.issues is not None:
            draft = await self._on_forge(self._forge.issues, parent, repository, draft, public)
            thread = thread_on(repository, draft.number or 0)
        taken = await self._forge.source.taken_numbers(repository)
        issue = await self._store.repositories.new_issue(parent.repository, draft, taken=taken)
        case = issue_case(issue.repository, issue.number)
        await self._store.cases.open(
            issue,
            policy=policy,
            rehearsal=parent.rehearsal,
            trace=parent.trace,
            first=first(case),
            parent=parent.case.id,
            file=file(issue) if file is not None else None,
        )
        if thread is not None:
            await self._store.threads.add(case, Audience.DEVELOPERS, thread)
        for audience, bound in await self._store.threads.bound(parent.case.id):
            if audience is Audience.DEVELOPERS:  # it posts to the developers of its parent
                await self._store.threads.share(case, audience, bound)
        return case

    async def _on_forge(
        self, issues: Issues, parent: StoredAny, repository: RemoteRepository, draft: NewIssue, public: str | None
    ) -> NewIssue:
        """The draft with the number that the forge has given it: a number of ours would be that of another issue."""
        digest = sha256(json.dumps([draft.title, draft.body]).encode()).hexdigest()[:16]
        key = f"{parent.case.id}/issue/{digest}"
        effect, new = await self._store.effects.intend(key, parent.case.id, "issue", {"repository": str(repository)})
        if not effect.done:
            opened = await issues.open(
                repository,
                title=draft.title,
                body=draft.body if public is None else public,
                labels=draft.labels,
                key=key,
                look=not new,
            )
            await self._store.effects.done(key, {"number": str(opened.number), "url": opened.url})
            return draft.model_copy(update={"number": opened.number, "url": opened.url})
        return draft.model_copy(update={"number": int(effect.result["number"]), "url": effect.result["url"]})
