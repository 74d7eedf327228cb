"""The registry of workflows that people can ask for on a forge: one row each, with everything that differs."""

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.people.trigger import LABEL_PREFIX
from caseworker.core.runs.workflow_names import WorkflowName

W = WorkflowName


class TargetKind(StrEnum):
    ISSUE = "issue"
    PULL = "pull"


class Workflow(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: WorkflowName
    targets: frozenset[TargetKind]
    after: WorkflowName | None = None
    """The workflow whose output it needs on the same target."""
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

_ROWS: Final = (
    Workflow(name=W.TRIAGE, targets=_ON_ISSUES),
    Workflow(name=W.PLAN, targets=_ON_ISSUES, after=W.TRIAGE),
    Workflow(name=W.IMPLEMENT, targets=_ON_ISSUES, after=W.PLAN),
    Workflow(name=W.REVIEW, targets=_ON_PULLS),
    Workflow(name=W.RESOLVE, targets=_ON_PULLS),
    Workflow(name=W.SHIP, targets=_ON_PULLS, has_artifact=False),
    Workflow(name=W.REMEMBER, targets=_ON_ISSUES | _ON_PULLS, has_artifact=False),
)

REGISTRY: Final[Mapping[str, Workflow]] = {row.verb: row for row in _ROWS}
"""By verb."""
VERBS: Final[Set[str]] = frozenset(REGISTRY)


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
