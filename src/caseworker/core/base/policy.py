"""Every setting that a running case may read. Stored with the case, so that its rules don't change under it."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.budget import MICROS
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.session_limits import SessionLimits

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
STRONGER_MODEL: Final = "claude-opus-5-5"
SMALL_MODEL: Final = "claude-haiku-4-5"
_NAMES_OF_CLAUDE: Final = "claude-"
PLAIN_REVIEW: Final = f"{Role.TECH_LEAD}.{Task.REVIEW}.plain"
"""The key of the model that reviews a small plain change (`core.issue.plain_change`)."""
_SMALL_QUESTIONS: Final = (Task.CLASSIFY, Task.DIGEST, Task.REMEMBER, Task.PR_TEXT)


def _default_models() -> dict[str, str]:
    return {
        "default": DEFAULT_MODEL,
        Role.SENIOR_DEVELOPER: STRONGER_MODEL,
        Role.TECH_LEAD: STRONGER_MODEL,
        PLAIN_REVIEW: DEFAULT_MODEL,
        **{f"{Role.PM}.{task}": SMALL_MODEL for task in _SMALL_QUESTIONS},
    }


def chosen_models(settings: Mapping[str, str]) -> dict[str, str]:
    """The model of each role and task: the settings of a deployment, and the defaults for the rest.

    A setting for reviews also counts for reviews of small plain changes, unless those have a setting of their own. A
    `default` that is not a model of Anthropic replaces all defaults: its server has no models of Anthropic.
    """
    default = settings.get("default", DEFAULT_MODEL)
    if not default.startswith(_NAMES_OF_CLAUDE):
        return dict(settings)
    defaults = {**_default_models(), PLAIN_REVIEW: default}
    if settings.keys() & {Role.TECH_LEAD, f"{Role.TECH_LEAD}.{Task.REVIEW}"}:
        del defaults[PLAIN_REVIEW]
    return {**defaults, **settings}


class Severity(StrEnum):
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


class Milestone(StrEnum):
    """How far a case may go by itself."""

    TRIAGE = "triage"
    PLAN = "plan"
    PR = "pr"


_MILESTONE_ORDER: Final = {Milestone.TRIAGE: 1, Milestone.PLAN: 2, Milestone.PR: 3}


class Service(BaseModel):
    """A part of the product that reports may be about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aliases: tuple[str, ...] = ()
    """Other names that people use for it."""
    owners: tuple[str, ...] = ()
    repository: str = ""
    """Where its code is. Empty: the repository that all reports go to."""


class SlaTarget(BaseModel):
    """The service level of one severity, in minutes from the report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    acknowledge: float = Field(gt=0)
    resolve: float = Field(gt=0)
    follow_up: float = Field(gt=0)
    escalate_after: int = Field(ge=1)
    """Follow-ups to one level of contacts before the next level is told."""


def _default_sla() -> dict[Severity, SlaTarget]:
    targets = {
        Severity.P0: (5, 60, 15, 2),
        Severity.P1: (15, 240, 30, 3),
        Severity.P2: (60, 1_440, 120, 3),
        Severity.P3: (240, 4_320, 480, 3),
    }
    return {
        severity: SlaTarget(acknowledge=acknowledge, resolve=resolve, follow_up=follow_up, escalate_after=after)
        for severity, (acknowledge, resolve, follow_up, after) in targets.items()
    }


_RENEWED: Final = ("command_seconds", "turn_seconds", "calls_per_turn", "unreachable_seconds", "models")
"""Settings that count for a case at its next `retry`, `say` or hand-back."""


class Policy(SessionLimits):
    model_config = ConfigDict(frozen=True, extra="forbid")

    budget_micros: int = Field(default=5 * MICROS, ge=0)
    calls_per_turn: int = Field(default=100, ge=1)
    turn_seconds: int = Field(default=3_600, ge=1)
    command_seconds: int = Field(default=900, ge=1)
    attempts: int = Field(default=3, ge=1)
    """Write-build-review attempts per round."""
    transitions: int = Field(default=60, ge=1)
    """Moves per round."""
    confidence_threshold: float = Field(default=0.85, ge=0, le=1)
    """Requirements are unclear below this confidence. It is the only use of a model's own estimate."""
    until: Milestone = Milestone.PR
    approve_plan: bool = False
    """A person approves the plan before anything is written."""
    approve_sensitive_paths: bool = True
    """A person approves a change whose paths touch a sensitive topic."""
    answer_wait_seconds: float = Field(default=7 * 24 * 3_600, gt=0)
    """How long a question or a request for approval waits before the case is blocked."""
    parked_reminder_seconds: float = Field(default=7 * 24 * 3_600, gt=0)
    checks_settle_seconds: float = Field(default=120, ge=0)
    """How long after the first look more checks of a pull request may begin. Five times as long, none is expected."""
    checks_look_seconds: float = Field(default=60, gt=0)
    """The first pause between two looks at checks, if no event tells of a change."""
    unreachable_seconds: float = Field(default=3_600, gt=0)
    """How long a model's provider that can't be reached is tried again before a person is told."""
    turn_retries: int = Field(default=3, ge=0)
    """How often a turn that crashed is started again."""
    turn_heartbeat_seconds: float = Field(default=60, gt=0)
    heartbeat_seconds: float = Field(default=30, gt=0)
    history_events: int = Field(default=1_500, ge=50)
    """The workflow continues as new after this many history events."""
    reporter_wait_seconds: float = Field(default=2 * 3_600, gt=0)
    reminder_seconds: float = Field(default=24 * 3_600, gt=0)
    """How long after findings the only reminder is sent."""
    developer_wait_seconds: float = Field(default=48 * 3_600, gt=0)
    """How long after findings the case is resolved as `no_response`."""
    cases_per_hour: int = Field(default=20, ge=1)
    """How many bug cases one person may open within an hour."""
    services: dict[str, Service] = Field(default_factory=dict)
    contacts: tuple[tuple[str, ...], ...] = ()
    """The people whom an escalation calls, level by level."""
    sla: dict[Severity, SlaTarget] = Field(default_factory=_default_sla)
    models: dict[str, str] = Field(default_factory=_default_models)
    """Looked up by `role.task.plain` for a plain change, then `role.task`, then `role`, then `default`."""

    def renewed(self, now: "Policy") -> "Policy":
        """This policy with the time limits and models of `now`. What a person agreed to stays: budget, attempts, how
        far it goes and what needs an approval."""
        return self.model_copy(update={name: getattr(now, name) for name in _RENEWED})

    def owners_of(self, services: Iterable[str]) -> tuple[str, ...]:
        known = (self.services[name] for name in services if name in self.services)
        return tuple(dict.fromkeys(owner for service in known for owner in service.owners))

    def model_for(self, role: str, task: str, *, plain: bool = False) -> str:
        """`plain`: the turn is about a small plain change."""
        keys = (*((f"{role}.{task}.plain",) if plain else ()), f"{role}.{task}", role, "default")
        return next((self.models[key] for key in keys if self.models.get(key)), DEFAULT_MODEL)


def how_far(milestone: Milestone) -> int:
    return _MILESTONE_ORDER[milestone]
