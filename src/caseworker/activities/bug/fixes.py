"""Opens the issue case that fixes a bug, with the findings as its analysis, or sends newer findings to an open one."""

from caseworker.activities.shared.linked_cases import LinkedCases
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import BugCase
from caseworker.core.bug.fix_issue import fix_body, new_words, public_body, standing_findings
from caseworker.core.bug.words import findings
from caseworker.core.casefile.model import AnalysisSection, CaseFile, IssueSection, TestEntry, new_case_file
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.commands import Close, MessageKind, Say
from caseworker.core.people.messages import ANOTHER_CASE, NO_MESSAGE, NewMessage, Standing
from caseworker.ports import Doorbell, Issue, NewIssue, Store, StoredBug


class Fixes:
    def __init__(self, *, store: Store, linked: LinkedCases, doorbell: Doorbell) -> None:
        self._store = store
        self._linked = linked
        self._doorbell = doorbell

    async def open(self, stored: StoredBug, bug: BugCase, outcome: BugOutcome) -> CaseId:
        """Open a fix. Called again for the same turn, it returns the same case. For a later turn it sends the findings
        to the open fix, or opens another one if the fix has ended."""
        known = await self._store.cases.load(bug.repair.fix) if bug.repair.fix else None
        if known is not None and not known.case.is_over:
            said = await self._store.inbox.of(bug.id)
            await self._send(known.case.id, stored, bug, new_words(said, bug.progress.turns, outcome))
            case = known.case.id
        else:
            case = await self._open_case(stored, bug)
        await self._doorbell.ring(case, NO_MESSAGE, MessageKind.WORDS)
        return case

    async def stop(self, stored: StoredBug, bug: BugCase) -> None:
        """Close the fix in the name of the person who wants that. Called again, it changes nothing."""
        said = await self._store.inbox.of(bug.id)
        asked = next((message for message in said if message.id == bug.repair.stopped_by), None)
        if bug.repair.fix is None or asked is None:
            return
        reason = f"{bug.id} was withdrawn by its reporter"
        closing = NewMessage(
            case=bug.repair.fix,
            surface=ANOTHER_CASE,
            external_id=f"{bug.id}/{bug.epoch}/stop/{asked.id}",
            author=asked.author,
            standing=asked.standing,
            command=Close(reason=reason),
            text=f"close because {reason}",
            trace=stored.trace,
        )
        await self._store.inbox.put(closing)
        await self._doorbell.ring(bug.repair.fix, NO_MESSAGE, MessageKind.CLOSE)

    async def _open_case(self, stored: StoredBug, bug: BugCase) -> CaseId:
        # Only what this turn could know, so that a repeated call makes the same text, whatever was said since.
        turn = bug.progress.turns
        finished = [done for done in await self._store.turns.finished(bug.id) if done.turn <= turn]
        found = standing_findings([done.outcome for done in finished if isinstance(done.outcome, BugOutcome)])
        said = [one for one in await self._store.inbox.of(bug.id) if one.turn is not None and one.turn <= turn]
        body = fix_body(bug.id, stored.report, said, found)
        # The turn is in the text: a later request for a fix makes another issue, a repeated one finds the same issue.
        draft = NewIssue(title=stored.title, body=f"{body}\n\n({bug.id}, turn {turn})", labels=["bug"])
        return await self._linked.open(
            stored,
            draft,
            first=lambda case: self._message(case, stored, bug, f"Please fix {bug.id}."),
            file=lambda issue: _file(issue, stored, found),
            public=public_body(bug.id, found),
        )

    async def _send(self, case: CaseId, stored: StoredBug, bug: BugCase, text: str) -> None:
        await self._store.inbox.put(self._message(case, stored, bug, text))

    def _message(self, case: CaseId, stored: StoredBug, bug: BugCase, text: str) -> NewMessage:
        return NewMessage(
            case=case,
            surface=ANOTHER_CASE,
            external_id=f"{bug.id}/{bug.epoch}/fix/{bug.progress.turns}",
            author=bug.id,
            standing=Standing.DEVELOPER,
            command=Say(by_agent=True),
            text=text,
            trace=stored.trace,
        )


def _file(issue: Issue, stored: StoredBug, found: BugOutcome) -> CaseFile:
    section = IssueSection(
        number=issue.number, title=issue.title, url=issue.url, original_body=issue.body, labels=issue.labels
    )
    analysis = AnalysisSection(
        completed=True,
        test_requirement=TestEntry(
            required=True, type="regression", description="Fails as the report says, passes with the fix."
        ),
        must_do=found.recommended_actions or [found.root_cause or "Make what was reported work."],
        brief=findings(found),
    )
    file = new_case_file(section, issue.created_at, stored.policy.attempts)
    return file.model_copy(update={"analysis": analysis})
