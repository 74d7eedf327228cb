"""Begins a session (review, resolve, ship) on the pull request of an issue case, for a person on that case's page."""

from dataclasses import replace

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import pull_case
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.authority import may
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import OURSELVES, Message, Standing
from caseworker.core.people.registry import TargetKind
from caseworker.core.people.trigger import LiteralCommand
from caseworker.core.runs.delivery_outcomes import Duplicate, NotDone
from caseworker.core.runs.dispatch import OpenPull, StartAgain, TargetFacts, decide
from caseworker.core.telling.delivery_words import reply_words
from caseworker.intake.conversation import Words
from caseworker.intake.github_facts import case_facts, parent_facts
from caseworker.intake.new_cases import NewCases, new_trace
from caseworker.ports import NewPullCase, PullRequest, Store, StoredCase
from caseworker.ports.github import thread_on


class IssueSessions:
    def __init__(self, *, store: Store, new_cases: NewCases) -> None:
        self._store = store
        self._new_cases = new_cases

    async def begin(self, parent: StoredCase, work: StartWork, words: Words, standing: Standing) -> Message:
        """The message that has begun it, in the pull case. `Refused`: what a label on GitHub would be told as well."""
        pull, where = await self._pull_request(parent)
        if not may(CaseKind.PULL, standing, work):
            raise Refused(f"You may not start {work.workflow} here.", todo="Ask its operator for another rank.")
        case = pull_case(pull.repository, pull.number)
        known = await self._store.pull_cases.load(case)
        runs = await self._store.runs.of(case)
        facts = None if known is None else case_facts(known, runs)
        target = TargetFacts(kind=TargetKind.PULL, is_open=True)
        decision = decide(LiteralCommand(verb=work.workflow), target, facts, parent_facts(parent))
        if isinstance(decision, NotDone):
            raise Refused(reply_words(decision))
        if isinstance(decision, Duplicate):
            raise Refused(f"{work.workflow.capitalize()} is running already, as {case}.")
        assert isinstance(decision.start, OpenPull | StartAgain), "these workflows are on pull requests"
        new = NewPullCase(
            repository=pull.repository,
            number=pull.number,
            title=pull.title,
            url=pull.url,
            author=OURSELVES,
            policy=parent.policy,
            rehearsal=parent.rehearsal,
            trace=new_trace(),
            parent=parent.case.id,
            thread=thread_on(where, pull.number),
        )
        # The issue's page is the same after a session: its next press is another message.
        numbered = replace(words, external_id=f"{words.external_id}/{len(runs)}")
        await self._new_cases.begin_session(new, decision.start.command, numbered, standing)
        return (await self._store.inbox.of(case))[-1]

    async def _pull_request(self, parent: StoredCase) -> tuple[PullRequest, RemoteRepository]:
        where = await self._store.repositories.ref(parent.repository)
        opened = [one for one in await self._store.pulls.of(parent.case.id) if one.state == "open"]
        if not opened or not isinstance(where, RemoteRepository):
            raise Refused(f"{parent.case.id} has no open pull request on GitHub.")
        return opened[-1], where
