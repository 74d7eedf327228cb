"""Opens a case for another case: a fix for a bug, a follow-up for a completed case. Repeated calls find the same."""

from collections.abc import Callable

from caseworker.activities.shared.read_rules import rules_of
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Milestone
from caseworker.core.casefile.model import CaseFile
from caseworker.core.people.messages import Audience, NewMessage
from caseworker.ports import Forge, Issue, NewIssue, Store, StoredAny


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
    ) -> CaseId:
        """Open a case in the parent's repository, under its rules and the parent's policy. The draft identifies it: the
        same title and body are the same case."""
        repository = await self._store.repositories.ref(parent.repository)
        # Rules are read first, so that a mistake in them leaves nothing behind. The parent's milestone doesn't apply
        # here.
        rules = await rules_of(repository, self._forge.source)
        policy = rules.applied_to(parent.policy.model_copy(update={"until": Milestone.PR}))
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
        for audience, thread in await self._store.threads.bound(parent.case.id):
            if audience is Audience.DEVELOPERS:  # it posts to the developers of its parent
                await self._store.threads.share(case, audience, thread)
        return case
