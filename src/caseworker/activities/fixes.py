"""The issue case that fixes a bug: opened with the findings as its analysis, or told the newer ones."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from caseworker.core.bug_words import Matter, findings, fix_issue
from caseworker.core.bugs import Bug
from caseworker.core.casefile import AnalysisSection, CaseFile, IssueSection, new_case_file
from caseworker.core.ids import CaseId, issue_case
from caseworker.core.messages import NOBODY, MessageKind, NewMessage, Standing
from caseworker.core.outcomes import BugOutcome, TestRequirement
from caseworker.core.repository_rules import RepositoryRules
from caseworker.core.states import TERMINAL
from caseworker.ports import Doorbell, Forge, Issue, NewIssue, Store, StoredBug


class Fixes:
    def __init__(
        self, *, store: Store, forge: Forge, doorbell: Doorbell, rules_of: Callable[[Path], Awaitable[RepositoryRules]]
    ) -> None:
        """`rules_of`: what the repository itself asks for."""
        self._store = store
        self._rules_of = rules_of
        self._forge = forge
        self._doorbell = doorbell

    async def open(self, stored: StoredBug, bug: Bug, outcome: BugOutcome) -> CaseId:
        """Again, for the same turn: the same case. For a later turn: the open one is told, an ended one is followed
        by another."""
        known = await self._store.cases.load(bug.fix) if bug.fix else None
        if known is not None and known.case.state not in TERMINAL:
            await self._put(known.case.id, stored, bug, f"New findings:\n\n{findings(outcome)}")
            case = known.case.id
        else:
            case = await self._new(stored, bug, outcome)
        await self._doorbell.ring(case, NOBODY, MessageKind.WORDS)
        return case

    async def _new(self, stored: StoredBug, bug: Bug, outcome: BugOutcome) -> CaseId:
        matter = Matter(
            case=bug,
            title=stored.title,
            reporter=stored.reporter,
            policy=stored.policy,
            outcome=outcome,
            news=stored.report,
        )
        title, body = fix_issue(matter)
        path = await self._store.repositories.path_of(stored.repository)
        taken = await self._forge.taken_numbers(path)
        # The turn is in the text, so that a later request for a fix is another issue, and a repeated one the same.
        draft = NewIssue(title=title, body=f"{body}\n\n({bug.id}, turn {bug.turns})", labels=["bug"])
        issue = await self._store.repositories.new_issue(stored.repository, draft, taken=taken)
        case = issue_case(issue.repository, issue.number)
        await self._store.cases.open(
            issue,
            policy=(await self._rules_of(path)).applied_to(stored.policy),
            rehearsal=stored.rehearsal,
            trace=stored.trace,
            first=self._message(case, stored, bug, f"Please fix {bug.id}: {stored.title}"),
            parent=bug.id,
            file=_file(issue, stored, outcome),
        )
        return case

    async def _put(self, case: CaseId, stored: StoredBug, bug: Bug, text: str) -> None:
        await self._store.inbox.put(self._message(case, stored, bug, text))

    def _message(self, case: CaseId, stored: StoredBug, bug: Bug, text: str) -> NewMessage:
        return NewMessage(
            case=case,
            surface="case",
            external_id=f"{bug.id}/{bug.epoch}/fix/{bug.turns}",
            author=bug.id,
            standing=Standing.DEVELOPER,
            kind=MessageKind.WORDS,
            text=text,
            trace=stored.trace,
        )


def _file(issue: Issue, stored: StoredBug, outcome: BugOutcome) -> CaseFile:
    section = IssueSection(
        number=issue.number, title=issue.title, url=issue.url, original_body=issue.body, labels=issue.labels
    )
    analysis = AnalysisSection(
        completed=True,
        test_requirement=TestRequirement(
            required=True, type="regression", description="Fails as the report says, passes with the fix."
        ),
        must_do=outcome.recommended_actions or [outcome.root_cause or "Make what was reported work."],
        brief=findings(outcome),
    )
    file = new_case_file(section, issue.created_at, stored.policy.attempts)
    return file.model_copy(update={"analysis": analysis})
