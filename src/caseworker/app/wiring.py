"""The one place that knows which real thing stands behind a port. Heavy: imported by the host and the worker only."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from caseworker.activities.bug.brief import BugBriefs
from caseworker.activities.bug.fixes import Fixes
from caseworker.activities.bug.posts import BugPosts
from caseworker.activities.bug.records import BugRecords
from caseworker.activities.bug.sla import SlaKeeping
from caseworker.activities.bug.turn import BugTurns
from caseworker.activities.bug.work import BugWork
from caseworker.activities.issue.brief import IssueBriefs
from caseworker.activities.issue.builds import Building
from caseworker.activities.issue.delivery import Delivering
from caseworker.activities.issue.follow_ups import FollowUps
from caseworker.activities.issue.investigation import InvestigationTurns
from caseworker.activities.issue.posts import IssuePosts
from caseworker.activities.issue.records import Records
from caseworker.activities.issue.turn import IssueTurnParts, IssueTurns
from caseworker.activities.shared.linked_cases import LinkedCases
from caseworker.activities.shared.posts import Posting, Posts
from caseworker.activities.shared.workspaces import WorkspaceKeeping
from caseworker.activities.turn.attempts import Attempts
from caseworker.activities.turn.capacity import Capacity
from caseworker.activities.turn.transaction import Transaction
from caseworker.agents.claude import ClaudeRuntime, ModelSettings
from caseworker.agents.single_questions import SingleQuestions
from caseworker.app.parts import developers_channel, make_chats, make_forge, make_sandbox
from caseworker.app.settings import Settings
from caseworker.chats.phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, is_bug_case
from caseworker.core.base.policy import Policy
from caseworker.engine.client import Address, TemporalDoorbell
from caseworker.engine.identity import own_identity
from caseworker.engine.worker import Activities, make_workers
from caseworker.flows.bug import BugInvestigationWorkflow
from caseworker.flows.issue import IssueWorkflow
from caseworker.flows.sla import SLATrackingWorkflow
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import AgentRuntime, Bisector, Builder, Chat, Forge, Model, Store, Switchboard, Thread, Workspaces
from caseworker.workspaces.bisector import GitBisector
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.worktrees import GitWorkspaces

FLOWS = [IssueWorkflow, BugInvestigationWorkflow, SLATrackingWorkflow]


_KNOWN_POLICIES = 5_000


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Everything a worker works with."""

    store: Store
    workspaces: Workspaces
    builder: Builder
    forge: Forge
    runtime: AgentRuntime
    model: Model
    doorbell: Switchboard
    capacity: Capacity
    bisector: Bisector
    chats: Mapping[str, Chat] = field(default_factory=dict)
    developers: Thread | None = None
    """Where developers are told of bugs that were reported elsewhere."""


def make_parts(settings: Settings, store: Store, client: Client) -> Parts:
    sandbox, forge = make_sandbox(settings), make_forge(store)
    model = _model_settings(settings)
    workspaces = GitWorkspaces(settings.home, source=forge.source, walls=settings.sandbox != "off")
    builder = SandboxedBuilder(sandbox, hosts=tuple(settings.setup_hosts))
    return Parts(
        store=store,
        workspaces=workspaces,
        builder=builder,
        bisector=GitBisector(workspaces=workspaces, builder=builder),
        forge=forge,
        doorbell=make_doorbell(client, store),
        capacity=Capacity(store=store, most=settings.developers),
        chats=make_chats(settings),
        developers=developers_channel(settings),
        runtime=ClaudeRuntime(
            sandbox=sandbox,
            ledger=store.ledger,
            transcripts=store.transcripts,
            model=model,
            secrets=settings.secrets(),
        ),
        model=SingleQuestions(ledger=store.ledger, record=store.record, model=model, secrets=settings.secrets()),
    )


def _model_settings(settings: Settings) -> ModelSettings:
    key = settings.anthropic_api_key
    return ModelSettings(
        key=key.get_secret_value() if key else None,
        base_url=settings.anthropic_base_url,
        pace=settings.rehearsal_pace,
    )


def _linked(parts: Parts) -> LinkedCases:
    return LinkedCases(store=parts.store, forge=parts.forge)


def make_case_workers(client: Client, parts: Parts, *, slots: int, cached: int = 200) -> list[Worker]:
    store, workspaces = parts.store, parts.workspaces
    records = Records(store=store, doorbell=parts.doorbell, terminal=TerminalPhrasing())
    keeping = WorkspaceKeeping(store=store, workspaces=workspaces)
    delivering = Delivering(store=store, workspaces=workspaces, forge=parts.forge)
    following = FollowUps(store=store, linked=_linked(parts), doorbell=parts.doorbell)
    building = Building(store=store, workspaces=workspaces, builder=parts.builder)
    transaction = _transaction(parts)
    turns = IssueTurns(
        transaction=transaction,
        parts=IssueTurnParts(
            store=store,
            workspaces=workspaces,
            briefs=IssueBriefs(store=store, workspaces=workspaces),
            investigation=InvestigationTurns(store=store, workspaces=workspaces, bisector=parts.bisector),
        ),
    )
    bugs = _bug_activities(parts, transaction)
    return make_workers(
        client,
        workflows=FLOWS,
        short=[
            *bugs.short,
            records.load_case,
            records.claim_messages,
            records.given_to,
            records.remarks_to,
            records.settle_messages,
            records.record_move,
            records.save_case,
            keeping.prepare_workspace,
            keeping.remove_workspace,
            delivering.push_branch,
            delivering.keep_branch,
            delivering.adopt_branch,
            delivering.open_pull_request,
            delivering.deliver,
            following.open_follow_up,
        ],
        long=[turns.run_turn, building.run_build, *bugs.long],
        slots=slots,
        cached=cached,
    )


def _transaction(parts: Parts) -> Transaction:
    attempts = Attempts(store=parts.store, runtime=parts.runtime, worker=own_identity())
    return Transaction(store=parts.store, workspaces=parts.workspaces, attempts=attempts, capacity=parts.capacity)


@dataclass(frozen=True, kw_only=True)
class _Work:
    short: Activities
    long: Activities


def _bug_activities(parts: Parts, transaction: Transaction) -> _Work:
    store = parts.store
    records = BugRecords(store=store)
    posting = Posting(store=store, chats=parts.chats, terminal=TerminalPhrasing(), developers=parts.developers)
    posts = Posts(
        store=store, posting=posting, writers={"bug": BugPosts(store=store), "issue": IssuePosts(store=store)}
    )
    work = BugWork(
        store=store,
        workspaces=parts.workspaces,
        doorbell=parts.doorbell,
        fixes=Fixes(store=store, linked=_linked(parts), doorbell=parts.doorbell),
    )
    clock = SlaKeeping(store=store, posting=posting)
    turns = BugTurns(
        store=store,
        transaction=transaction,
        briefs=BugBriefs(store=store, workspaces=parts.workspaces, chats=parts.chats),
    )
    return _Work(
        short=[
            records.load_bug,
            records.read_report,
            records.save_bug,
            records.messages_since,
            records.fence_turn,
            work.keep_time,
            work.prepare_bug_workspace,
            posts.say,
            posts.post,
            work.open_fix,
            clock.load_sla,
            clock.check_sla,
        ],
        long=[turns.run_investigation],
    )


def make_doorbell(client: Client, store: Store) -> TemporalDoorbell:
    known: OrderedDict[CaseId, Policy] = OrderedDict()

    async def policy_of(case: CaseId) -> Policy:
        """A case keeps its rules, so they are read once; the least rung ones are forgotten."""
        if case not in known:
            stored = await (store.bugs.load(case) if is_bug_case(case) else store.cases.load(case))
            if stored is None:
                raise Refused(f"There is no case {case} in the records.")
            known[case] = stored.policy
            if len(known) > _KNOWN_POLICIES:
                known.popitem(last=False)
        known.move_to_end(case)
        return known[case]

    return TemporalDoorbell(client, policy_of)


def make_reconciler(parts: Parts) -> Reconciler:
    return Reconciler(store=parts.store, doorbell=parts.doorbell, forge=parts.forge)


def cluster_address(settings: Settings) -> Address:
    key = settings.temporal_api_key
    return Address(
        target=settings.temporal_address,
        namespace=settings.temporal_namespace,
        tls=settings.temporal_tls or key is not None,
        api_key=key.get_secret_value() if key else None,
        client_certificate=_contents(settings.temporal_client_cert),
        client_key=_contents(settings.temporal_client_key),
    )


def _contents(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise Refused(
            f"{path} can't be read: {error.strerror}.", todo="Correct the temporal_client_* settings."
        ) from error
