"""The world of a scenario: a home, a repository, workers, and the people who use them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from temporalio.client import Client, WorkflowHistory
from temporalio.worker import Worker

from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.activities.turn.capacity import Capacity
from caseworker.agents.claude import ModelSettings
from caseworker.agents.single_questions import SingleQuestions
from caseworker.app.bell import make_doorbell
from caseworker.app.settings import Settings
from caseworker.app.wiring import Parts, make_reconciler
from caseworker.app.workers import make_case_workers
from caseworker.chats.slack import SlackChat
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.contract.names import sla_workflow_id, workflow_id
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.issue.states import WAITING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Standing, receipt
from caseworker.core.record.entries import Posted, Recorded, Transitioned
from caseworker.core.telling.story import tell
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.intake.conversation import TERMINAL, Conversation, Words
from caseworker.intake.new_cases import NewCases
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import NewIssue, PullRequest, Store, StoredCase, Switchboard, Thread
from caseworker.store.store import open_store
from caseworker.workspaces.bisector import GitBisector
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.instruments.sandboxed import SandboxedInstruments
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.patience import LOOK, PATIENCE
from tests.world import teardown
from tests.world.agent import ScriptedAgent
from tests.world.bugs import BugInWorld, words
from tests.world.commands import command_of
from tests.world.investigation_agreement import investigations_agree
from tests.world.lateness import Tasks, end_in_time, in_time
from tests.world.project import git, make_project
from tests.world.slack import SlackDouble

REPORTS, SUMMARIES = "C0REPORTS", "C0SUMMARY"


@dataclass
class World:
    home: Path
    repository: Path
    client: Client
    store: Store
    parts: Parts
    agent: ScriptedAgent
    conversation: Conversation
    new_cases: NewCases
    reconciler: Reconciler
    switchboard: Switchboard
    policy: Policy = field(default_factory=lambda: Policy(turn_retries=1))
    cached: int = 200
    patience: float = PATIENCE
    cases: list[CaseId] = field(default_factory=list)
    _workers: list[tuple[Worker, asyncio.Task[None]]] = field(default_factory=list)
    _tasks_before: Tasks = ()

    # --- what people do

    async def owner_files_issue(self, title: str = "The greeting misspells the world", body: str = "") -> "CaseInWorld":
        repository = await self.store.repositories.register(LocalRepository(path=self.repository))
        issue = await self.store.repositories.new_issue(repository, NewIssue(title=title, body=body))
        opened = await self.new_cases.open_case(issue, policy=self.policy, rehearsal=None, author="ada")
        self.cases.append(opened.case)
        return CaseInWorld(self, opened.case)

    async def reporter_writes(self, text: str, *, policy: Policy | None = None) -> BugInWorld:
        repository = await self.store.repositories.register(LocalRepository(path=self.repository))
        reported = await self.new_cases.report(
            words(text, "rita"), repository=repository, rehearsal=None, policy=policy or self.policy
        )
        self.cases.append(reported.case)
        return BugInWorld(self, reported.case)

    def person_commits(self, name: str, text: str) -> None:
        """Commits a file to the base branch."""
        (self.repository / name).write_text(text)
        git(self.repository, "add", "--all")
        git(self.repository, "commit", "--quiet", "--message", f"Change {name}")

    # --- what time and machines do

    async def worker_starts(self) -> None:
        self._tasks_before = asyncio.all_tasks()
        workers = make_case_workers(self.client, self.parts, slots=2, cached=self.cached)
        self._workers = [(worker, asyncio.create_task(worker.run())) for worker in workers]

    async def worker_stops(self) -> None:
        workers, self._workers = self._workers, []
        try:
            await end_in_time(
                "the worker's end", teardown.end_workers(workers), self.patience, since=self._tasks_before
            )
        except AssertionError as error:
            error.add_note(await teardown.unfinished(self.client))
            raise

    async def flows_stop(self) -> None:
        """Stops the worker of the flows; the worker of the turns goes on."""
        flows, turns = self._workers
        self._workers = [turns]
        await end_in_time(
            "the end of the flows", teardown.end_workers([flows]), self.patience, since=self._tasks_before
        )

    async def flows_start(self) -> None:
        """Starts the worker of the flows again, on a new connection: a connection takes one worker per queue."""
        address = Address(target=self.client.service_client.config.target_host, namespace=self.client.namespace)
        flows, _ = make_case_workers(await connect(address), self.parts, slots=2, cached=self.cached)
        self._workers.insert(0, (flows, asyncio.create_task(flows.run())))

    async def expect_nothing_under_way(self, case: CaseId) -> None:
        """Waits until Temporal's server knows that every activity has ended."""
        handle = self.client.get_workflow_handle(workflow_id(case))
        async with in_time("the end of all activities", self.patience):
            while (await handle.describe()).raw_description.pending_activities:  # noqa: ASYNC110  # there is no event
                await asyncio.sleep(LOOK)

    async def reconciler_looks(self) -> None:
        await self.reconciler.ring_unclaimed()
        await self.reconciler.look_at_pull_requests()

    async def reconciler_restarts(self, case: CaseId) -> None:
        """Starts the workflow of a case that lost it, as the reconciler does every 30 s. Waits first until the server
        no longer lists the workflow as running."""
        deadline = time.monotonic() + PATIENCE
        while case in await self.switchboard.listening():
            assert time.monotonic() < deadline
            await asyncio.sleep(LOOK)
        await self.reconciler.wake_the_silent()

    async def reconciler_displaces(self, case: CaseId, run: str | None) -> None:
        """Looks as the reconciler does every 30 s, until another run than this one has the place of the case."""
        deadline = time.monotonic() + PATIENCE
        workflow = self.client.get_workflow_handle(workflow_id(case))
        while (await workflow.describe()).run_id == run:
            assert time.monotonic() < deadline
            await self.reconciler.wake_the_silent()
            await asyncio.sleep(LOOK)

    async def expect_fix(self, bug: BugInWorld) -> "CaseInWorld":
        stored = await bug.expect(lambda stored: stored.case.repair.fix is not None, "a fix")
        assert stored.case.repair.fix is not None
        self.cases.append(stored.case.repair.fix)
        return CaseInWorld(self, stored.case.repair.fix)

    # --- at the end

    async def histories(self) -> AsyncIterator[WorkflowHistory]:
        """Every run of every case, from the newest back to the first."""
        for workflow in await self._workflows():
            async for history in teardown.histories(self.client, workflow):
                yield history

    async def end(self) -> list[WorkflowHistory]:
        """Stops the workers and replays all histories, so that each scenario also tests determinism. Of every case
        that investigated, all accounts must agree."""
        for workflow in await self._workflows():
            await teardown.wait_until_idle(self.client, workflow, self.patience)
        await self.worker_stops()
        for case in self.cases:
            await investigations_agree(self.store, case)
        async with in_time("reading the histories", self.patience):
            kept = [history async for history in self.histories()]
        await teardown.replay(kept, self.client, self.patience)
        return kept

    async def leave_nothing(self) -> None:
        """Ends the workers and all workflows of this world, also after a failure and also those that the test does not
        know."""
        try:
            await teardown.terminate_all(self.client, await self._workflows(), self.patience)
        finally:
            await self.worker_stops()

    async def _workflows(self) -> list[str]:
        stored = [await self.store.cases.find(case) for case in self.cases]
        clocks = [sla_workflow_id(one.case.id) for one in stored if one is not None and KINDS[one.kind].has_clock]
        return [*(workflow_id(case) for case in self.cases), *clocks]


@dataclass
class CaseInWorld:
    world: World
    id: CaseId

    # --- what people do

    async def person_says(self, text: str, *, kind: MessageKind = MessageKind.WORDS) -> None:
        words = Words(
            surface=TERMINAL,
            external_id=f"{self.id} {text} {time.monotonic_ns()}",
            author="ada",
            text=text,
            command=command_of(kind, text),
            refused_in=TerminalPhrasing(),
        )
        await self.world.conversation.say(self.id, words, Standing.OWNER)

    async def person_closes(self, reason: str = "not needed any more") -> None:
        await self.person_says(reason, kind=MessageKind.CLOSE)

    async def person_approves(self) -> None:
        await self.person_says("", kind=MessageKind.APPROVE)

    async def person_rejects(self, why: str) -> None:
        await self.person_says(why, kind=MessageKind.REJECT)

    async def person_merges(self, *, noticed: bool = True) -> None:
        git(self.world.repository, "merge", "--quiet", "--no-ff", "--message", "Merge", await self.branch())
        if noticed:
            await self.world.reconciler_looks()

    # --- what we expect

    async def expect_state(self, state: IssueState) -> StoredCase:
        return await self.expect(lambda stored: stored.case.state is state, f"the state {state}")

    async def expect_end(self, state: IssueState) -> StoredCase:
        """Waits for the state and the end of the workflow: all pushes, clean-up and receipts are done."""
        await self.expect_state(state)
        handle = self.world.client.get_workflow_handle(workflow_id(self.id))
        await asyncio.wait_for(handle.result(), timeout=PATIENCE)
        return await self.stored()

    async def expect_pull_request(self) -> PullRequest:
        await self.expect_state(IssueState.WAITING_FOR_HUMAN_INPUT)
        pulls = await self.world.store.pulls.of(self.id)
        assert len(pulls) == 1
        return pulls[0]

    async def expect(self, is_so: Callable[[StoredCase], bool], what: str) -> StoredCase:
        """Waits until the condition holds and the outbox is empty."""
        deadline = time.monotonic() + PATIENCE
        while True:
            stored = await self.stored()
            if is_so(stored) and not stored.case.outbox:
                return stored
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.id} did not come to {what}; its story:\n{await self.story()}")
            await asyncio.sleep(LOOK)

    async def expect_waiting(self, reason: WaitingFor) -> StoredCase:
        return await self.expect(
            lambda stored: stored.case.state in WAITING and stored.case.waits_for is reason, f"waiting for {reason}"
        )

    async def expect_asked_for(self, subject: Subject) -> StoredCase:
        def is_asked(stored: StoredCase) -> bool:
            wait = stored.case.waiting.wait
            return stored.case.state in WAITING and wait is not None and wait.subject is subject

        return await self.expect(is_asked, f"the request to approve {subject}")

    async def told(self) -> list[str]:
        """The case's posts on its record."""
        return [r.entry.text for r in await self.record() if isinstance(r.entry, Posted)]

    async def expect_story(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in (story := await self.story()):
            assert time.monotonic() < deadline, f"nothing says {words!r} in:\n{story}"
            await asyncio.sleep(LOOK)

    async def expect_receipts(self, *expected: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while (seen := await self.receipts()) != list(expected):
            if time.monotonic() > deadline:
                raise AssertionError(f"expected the receipts {list(expected)}, saw {seen}")
            await asyncio.sleep(LOOK)

    # --- what can be looked at

    async def stored(self) -> StoredCase:
        stored = await self.world.store.cases.load(self.id)
        assert stored is not None
        return stored

    async def branch(self) -> str:
        return (await self.stored()).case.branch

    async def record(self) -> list[Recorded]:
        return await self.world.store.record.read(self.id, limit=10_000)

    async def states(self) -> list[IssueState]:
        return [r.entry.to_state for r in await self.record() if isinstance(r.entry, Transitioned)]

    async def runs(self) -> list[str]:
        """The runs in their order, for example `implement succeeded`."""
        return [f"{run.workflow} {run.state}" for run in await self.world.store.runs.of(self.id)]

    async def receipts(self) -> list[str]:
        turns = (await self.stored()).case.progress.turns
        return [receipt(message, turns) for message in await self.world.store.inbox.of(self.id)]

    async def story(self) -> str:
        return "\n".join(told.text for recorded in await self.record() for told in tell(recorded.entry))

    async def file_on_branch(self, name: str) -> str:
        return git(self.world.repository, "show", f"{await self.branch()}:{name}")


@asynccontextmanager
async def open_world(
    home: Path,
    client: Client,
    *,
    cached: int = 200,
    slack: SlackDouble | None = None,
    furnish: Callable[[World], None] = lambda _: None,
) -> AsyncIterator[World]:
    """`furnish` may exchange parts before the workers start."""
    async with AsyncExitStack() as stack:  # each step of the end is done, even if another one fails
        await stack.enter_async_context(teardown.no_process_left(PATIENCE))
        store = await open_store(Settings(home=home).database)
        stack.push_async_callback(store.close)
        world = _world(home, await teardown.in_own_namespace(client), store, slack)
        world.cached = cached
        furnish(world)
        stack.push_async_callback(world.leave_nothing)
        await world.worker_starts()
        yield world


def _world(home: Path, client: Client, store: Store, slack: SlackDouble | None) -> World:
    settings = Settings(home=home)
    project = make_project(home / "project")
    agent = ScriptedAgent()
    sandbox = Bubblewrap(home / "sandbox")
    git = SafeGit()
    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=git, gone_seconds=0)
    forge = LocalForge(source=LocalSource(git), pulls=pulls)
    workspaces, builder = GitWorkspaces(home, source=forge.source), SandboxedBuilder(sandbox)
    parts = Parts(
        store=store,
        workspaces=workspaces,
        builder=builder,
        bisector=GitBisector(workspaces=workspaces, builder=builder),
        instruments=SandboxedInstruments(workspaces=workspaces, builder=builder),
        forge=forge,
        runtime=agent,
        model=SingleQuestions(ledger=store.ledger, record=store.record, model=ModelSettings(pace=0)),
        doorbell=make_doorbell(client, store),
        capacity=Capacity(store=store, most=settings.developers),
        chats={"slack": SlackChat(token=slack.bot_token, base_url=slack.base_url)} if slack else {},
        case_file=CaseFileCopy(folder=home),
        developers=Thread(surface="slack", channel=SUMMARIES) if slack else None,
    )
    return World(
        home=home,
        repository=project,
        client=client,
        store=store,
        parts=parts,
        agent=agent,
        conversation=Conversation(store=store, doorbell=parts.doorbell),
        new_cases=NewCases(store=store, doorbell=parts.doorbell),
        reconciler=make_reconciler(parts),
        switchboard=make_doorbell(client, store),
    )
