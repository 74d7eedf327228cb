"""The registry of workflows that people can ask for on a forge: one row each, with everything that differs."""

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.people.trigger import LABEL_PREFIX

W = WorkflowName


class TargetKind(StrEnum):
    ISSUE = "issue"
    PULL = "pull"


class Reading(BaseModel):
    """A session of one turn: an agent reads the change, what it found is posted, and nothing is pushed."""

    model_config = ConfigDict(frozen=True)

    role: Role
    task: Task


class Workflow(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: WorkflowName
    targets: frozenset[TargetKind]
    after: WorkflowName | None = None
    """The workflow whose output it needs on the same target."""
    milestone: Milestone | None = None
    """How far a case goes for it. Null: it is no work of an issue case."""
    on_pull: PullWork | None = None
    """The session on a pull request that does it. Null: none does."""
    reading: Reading | None = None
    """Null: it is no session, or one that acts until nothing is left for it to do."""
    options: frozenset[str] = frozenset()
    """What may be said with it, such as `--deadline`."""
    has_artifact: bool = True
    """False: the tracking comment itself holds everything."""

    @property
    def label(self) -> str:
        return f"{LABEL_PREFIX}{self.name}"

    @property
    def verb(self) -> str:
        return self.name.value

    @property
    def artifact(self) -> str | None:
        """The name of its Markdown file."""
        return f"{self.name.upper()}.md" if self.has_artifact else None


_ON_ISSUES: Final = frozenset({TargetKind.ISSUE})
_ON_PULLS: Final = frozenset({TargetKind.PULL})

_DEADLINE: Final = frozenset({"deadline"})
_REVIEW: Final = Reading(role=Role.TECH_LEAD, task=Task.REVIEW_PULL)

_ROWS: Final = (
    Workflow(name=W.TRIAGE, targets=_ON_ISSUES, milestone=Milestone.TRIAGE),
    Workflow(name=W.PLAN, targets=_ON_ISSUES, after=W.TRIAGE, milestone=Milestone.PLAN),
    Workflow(name=W.IMPLEMENT, targets=_ON_ISSUES, after=W.PLAN, milestone=Milestone.PR),
    Workflow(name=W.REVIEW, targets=_ON_PULLS, on_pull="review", reading=_REVIEW, options=_DEADLINE),
    Workflow(name=W.RESOLVE, targets=_ON_PULLS, on_pull="resolve", options=_DEADLINE),
    Workflow(name=W.SHIP, targets=_ON_PULLS, on_pull="ship", options=_DEADLINE, has_artifact=False),
    Workflow(name=W.REMEMBER, targets=_ON_ISSUES | _ON_PULLS, options=frozenset({"path"}), has_artifact=False),
)

REGISTRY: Final[Mapping[str, Workflow]] = {row.verb: row for row in _ROWS}
"""By verb."""
VERBS: Final[Set[str]] = frozenset(REGISTRY)
OF_MILESTONE: Final[Mapping[Milestone, WorkflowName]] = {row.milestone: row.name for row in _ROWS if row.milestone}
"""The workflow that takes an issue case so far."""


def reading_of(work: PullWork) -> Reading | None:
    return REGISTRY[work].reading


def by_label(label: str) -> Workflow | None:
    """The workflow that this label asks for. Null: it is no label of ours. GitHub ignores case in labels."""
    name = label.lower()
    return REGISTRY.get(name.removeprefix(LABEL_PREFIX)) if name.startswith(LABEL_PREFIX) else None


def workflows_on(kind: TargetKind) -> Set[WorkflowName]:
    """The workflows that can be asked for on such a target."""
    return frozenset(row.name for row in _ROWS if kind in row.targets)


def displaced(labels: Iterable[str], wanted: Workflow) -> tuple[str, ...]:
    """The labels that the mutex removes: those of all other workflows. Other people's `bot:` labels stay."""
    return tuple(label for label in labels if by_label(label) not in (None, wanted))
