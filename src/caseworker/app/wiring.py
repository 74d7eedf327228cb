"""The one place that knows which real thing stands behind a port. Heavy: imported by the host and the worker only."""

from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from caseworker.activities.briefs import Briefing
from caseworker.activities.builds import Building
from caseworker.activities.deliveries import Delivering
from caseworker.activities.records import Records
from caseworker.activities.turns import Turning
from caseworker.activities.workspaces import WorkspaceKeeping
from caseworker.agents.claude import ClaudeRuntime, ModelSettings
from caseworker.app.parts import make_forge, make_sandbox
from caseworker.app.settings import Settings
from caseworker.core.errors import Refused
from caseworker.core.ids import CaseId
from caseworker.core.policy import Policy
from caseworker.engine.client import Address, TemporalDoorbell
from caseworker.engine.identity import own_identity
from caseworker.engine.worker import make_workers
from caseworker.flows.issue import IssueWorkflow
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import AgentRuntime, Builder, Forge, Store, Workspaces
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.worktrees import GitWorkspaces


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Everything a worker works with."""

    store: Store
    workspaces: Workspaces
    builder: Builder
    forge: Forge
    runtime: AgentRuntime


def make_parts(settings: Settings, store: Store) -> Parts:
    sandbox = make_sandbox(settings)
    key = settings.anthropic_api_key
    return Parts(
        store=store,
        workspaces=GitWorkspaces(settings.home),
        builder=SandboxedBuilder(sandbox, hosts=tuple(settings.setup_hosts)),
        forge=make_forge(store),
        runtime=ClaudeRuntime(
            sandbox=sandbox,
            ledger=store.ledger,
            transcripts=store.transcripts,
            model=ModelSettings(
                key=key.get_secret_value() if key else None,
                base_url=settings.anthropic_base_url,
                pace=settings.rehearsal_pace,
            ),
            secrets=settings.secrets(),
        ),
    )


def make_case_workers(client: Client, parts: Parts, *, slots: int, cached: int = 200) -> list[Worker]:
    store, workspaces = parts.store, parts.workspaces
    records = Records(store=store)
    keeping = WorkspaceKeeping(store=store, workspaces=workspaces)
    delivering = Delivering(store=store, workspaces=workspaces, forge=parts.forge)
    building = Building(store=store, workspaces=workspaces, builder=parts.builder)
    turning = Turning(
        store=store,
        workspaces=workspaces,
        runtime=parts.runtime,
        briefing=Briefing(store=store, workspaces=workspaces),
        worker=own_identity(),
    )
    return make_workers(
        client,
        workflows=[IssueWorkflow],
        short=[
            records.load_case,
            records.claim_messages,
            records.settle_messages,
            records.record_move,
            keeping.prepare_workspace,
            keeping.remove_workspace,
            delivering.push_branch,
            delivering.open_pull_request,
        ],
        long=[turning.run_turn, building.run_build],
        slots=slots,
        cached=cached,
    )


def make_doorbell(client: Client, store: Store) -> TemporalDoorbell:
    async def policy_of(case: CaseId) -> Policy:
        stored = await store.cases.load(case)
        if stored is None:
            raise Refused(f"There is no case {case} in the records.")
        return stored.policy

    return TemporalDoorbell(client, policy_of)


def make_reconciler(client: Client, parts: Parts) -> Reconciler:
    return Reconciler(store=parts.store, doorbell=make_doorbell(client, parts.store), forge=parts.forge)


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
