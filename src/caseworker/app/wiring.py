"""Chooses the implementation behind each port. Slow to import: only the host and the worker do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from temporalio.client import Client

from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.activities.turn.capacity import Capacity
from caseworker.agents.claude import ClaudeRuntime
from caseworker.agents.redacted_runtime import RedactedRuntime
from caseworker.agents.single_questions import SingleQuestions
from caseworker.app.bell import make_doorbell
from caseworker.app.github_mentions import model_settings
from caseworker.app.parts import choose_forge, make_builder, make_discussions, make_github, make_sandbox
from caseworker.app.settings import Settings, actions_folder
from caseworker.app.surfaces.known_surfaces import developers_channel, make_chats
from caseworker.core.base.redaction import Redactor
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import (
    AgentRuntime,
    Bisector,
    Builder,
    Chat,
    Forge,
    Instruments,
    Model,
    Store,
    Switchboard,
    Thread,
    Workspaces,
)
from caseworker.ports.thread_comments import Discussions
from caseworker.workspaces.bisector import GitBisector
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.instruments.sandboxed import SandboxedInstruments
from caseworker.workspaces.pull_trees import GitPullBranches
from caseworker.workspaces.worktrees import GitWorkspaces

if TYPE_CHECKING:
    from caseworker.forges.github.forge import GitHubForge


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Everything that a worker uses."""

    store: Store
    workspaces: Workspaces
    builder: Builder
    forge: Forge
    runtime: AgentRuntime
    model: Model
    doorbell: Switchboard
    capacity: Capacity
    bisector: Bisector
    instruments: Instruments
    discussions: Discussions | None = None
    chats: Mapping[str, Chat] = field(default_factory=dict)
    case_file: CaseFileCopy = field(default_factory=CaseFileCopy)
    pulls: PullPorts | None = None
    """None: this deployment looks after no pull requests, because it has no GitHub."""
    developers: Thread | None = None
    """The thread where developers are told of bugs that were reported elsewhere."""


def make_parts(settings: Settings, store: Store, client: Client) -> Parts:
    sandbox, github = make_sandbox(settings), make_github(store, settings)
    forge = choose_forge(store, github)
    model = model_settings(settings)
    workspaces = GitWorkspaces(settings.home, source=forge.source, walls=settings.sandbox != "off")
    builder = make_builder(settings, sandbox, workspaces)
    branches = GitPullBranches(settings.home, source=forge.source, workspaces=workspaces, git=SafeGit())

    def make_pulls(forge: "GitHubForge | None") -> PullPorts | None:
        if forge is None:
            return None
        return PullPorts(store=store, workspaces=workspaces, builder=builder, branches=branches, forge=forge)

    return Parts(
        store=store,
        workspaces=workspaces,
        builder=builder,
        bisector=GitBisector(workspaces=workspaces, builder=builder),
        instruments=SandboxedInstruments(workspaces=workspaces, builder=builder),
        forge=forge,
        doorbell=make_doorbell(client, store),
        capacity=Capacity(store=store, most=settings.developers),
        discussions=make_discussions(settings, github),
        chats=make_chats(settings, forge),
        case_file=CaseFileCopy(folder=actions_folder()),
        pulls=make_pulls(github),
        developers=developers_channel(settings),
        runtime=RedactedRuntime(
            ClaudeRuntime(
                sandbox=sandbox,
                ledger=store.ledger,
                transcripts=store.transcripts,
                model=model,
                secrets=settings.secrets(),
            ),
            Redactor(settings.secrets()),
        ),
        model=SingleQuestions(ledger=store.ledger, record=store.record, model=model, secrets=settings.secrets()),
    )


def make_reconciler(parts: Parts) -> Reconciler:
    return Reconciler(store=parts.store, doorbell=parts.doorbell, forge=parts.forge)
