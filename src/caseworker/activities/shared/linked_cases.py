"""A case that another opens: a bug its fix, a completed case what is left of it. Asked again, it is the same one."""

from collections.abc import Callable

from caseworker.activities.shared.repository_rules import rules_of
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Milestone
from caseworker.core.casefile.model import CaseFile
from caseworker.core.people.messages import NewMessage
from caseworker.ports import Forge, Issue, NewIssue, Store, StoredBug, StoredCase


class LinkedCases:
    def __init__(self, *, store: Store, forge: Forge) -> None:
        self._store = store
        self._forge = forge

    async def open(
        self,
        parent: StoredCase | StoredBug,
        draft: NewIssue,
        *,
        first: Callable[[CaseId], NewMessage],
        file: Callable[[Issue], CaseFile] | None = None,
    ) -> CaseId:
        """In the same repository, under what that asks for and the parent was opened with. The draft tells what it is:
        the same title and body are the same case."""
        repository = await self._store.repositories.ref(parent.repository)
        # Before there is anything to leave behind. How far the parent was to go says nothing of this one.
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
        return case
