"""All settings of a deployment. `load_settings.py` reads them."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from caseworker.app.setting_kinds import MOST_CASES, Dollars, ModelName, WebAddress, refuse_switch
from caseworker.app.surface_settings import SurfaceSettings
from caseworker.core.base.budget import MICROS, MOST_DOLLARS, Price
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import PLAIN_REVIEW, Milestone, Policy, Service, Severity, SlaTarget, chosen_models
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.session_limits import SESSION_LIMITS, SessionLimits
from caseworker.dashboard.access_tokens import Token
from caseworker.workspaces.allowed_hosts import REGISTRIES, AllowedHosts
from caseworker.workspaces.sandbox_limits import SandboxLimits


def _is_model_key(key: str) -> str:
    if key not in MODEL_KEYS:
        raise PydanticCustomError("model_key", "there is no such role or task")
    return key


ModelKey = Annotated[str, AfterValidator(_is_model_key)]
MODEL_KEYS: Final = frozenset({"default", PLAIN_REVIEW, *Role, *(f"{role}.{task}" for role in Role for task in Task)})


class Settings(SurfaceSettings, SessionLimits, SandboxLimits):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    home: Path
    database_url: str = Field(default="", repr=False)
    """Empty: SQLite in the home folder. `postgresql+asyncpg://...` for PostgreSQL; a password may be in it."""

    temporal_address: str = ""
    """Empty: the embedded server. `host:port` of a cluster otherwise."""
    temporal_namespace: str = "default"
    temporal_tls: bool = False
    temporal_api_key: SecretStr | None = None
    temporal_client_cert: Path | None = None
    temporal_client_key: Path | None = None
    temporal_keys: SecretStr | None = None
    """Keys that seal what passes through Temporal, newest first. Null: those in the home."""
    temporal_ui: bool = False
    """Whether the embedded server's web UI and HTTP API answer."""

    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: WebAddress = "https://api.anthropic.com"
    models: dict[ModelKey, ModelName] = Field(default_factory=dict)
    """By `role.task`, `role` or `default`. Missing ones keep their default."""

    prices: dict[str, Price] = Field(default_factory=dict)
    """Dollars for a million tokens, by the model's name: for models that no list knows. 0 for a model of one's own."""

    sandbox: Literal["bubblewrap", "off"] = "bubblewrap"
    expose: list[Path] = Field(default_factory=list)
    """Further toolchains that builds and agents may read."""
    setup_hosts: list[str] = Field(default_factory=lambda: [REGISTRIES])
    """What set-up may reach: "registries", "none", or hosts: "registry.example", "*.example.org", "host:8443"."""
    cache_gb: float = Field(default=10, ge=0)

    reports_repository: str | None = None
    """What reported bugs are about, unless they or a service say otherwise: a folder, or an address on GitHub."""
    reports_rehearsal: Path | None = None
    """A script that stands in for the model in every reported bug, to try things out."""
    services: dict[str, Service] = Field(default_factory=dict)
    contacts: list[list[str]] = Field(default_factory=list)
    """People whom an escalation pages, level by level."""
    sla: dict[Severity, SlaTarget] = Field(default_factory=dict)
    """By severity, in minutes. Missing ones keep their default."""
    reporter_wait_hours: float = Field(default=2, gt=0)
    reminder_hours: float = Field(default=24, gt=0)
    developer_wait_hours: float = Field(default=48, gt=0)

    serve_host: str = "127.0.0.1"
    serve_port: int = Field(default=8480, ge=0, le=65_535)
    dashboard_url: str = Field(default="", pattern=r"^$|^https?://[^/\s]+/?$")
    """The address under which people reach the dashboard, behind a reverse proxy. Empty: this machine only."""
    dashboard_tokens: dict[str, Token] = Field(default_factory=dict)
    """By name: who may use the dashboard and its API without a link of `caseworker open`."""

    intent_confidence_threshold: float = Field(default=0.75, ge=0, le=1)
    """Below this confidence a mention starts no workflow: it becomes chat, or a question back."""
    chat_enabled: bool = True
    chat_thread_tools_enabled: bool = True
    """Whether chat on a pull request may read its state on the forge."""
    triage_tools_enabled: bool = True
    """Whether the classifier of mentions may read the state of a pull request first."""
    enable_github_state: bool = True
    """Whether agents of a case with a pull request may read its state on the forge, over MCP."""
    questions_budget_usd: Dollars = 2
    """What single questions that no case pays for may cost a repository within 24 hours."""

    retention_days: float | None = Field(default=None, gt=0)
    """Cases that are over are removed this long after their last change. Null: they are kept."""

    slots: int = Field(default=2, ge=1, le=64)
    """How many agents and builds this worker runs at the same time."""
    developers: int = Field(default=4, ge=1)
    """How many developers work at the same time, over all workers."""
    idle_minutes: float = Field(default=10, gt=0)
    budget_usd: Dollars = 5
    daily_budget_usd: float = Field(default=100, ge=0.01, le=MOST_DOLLARS)
    """What all cases and questions together may cost within 24 hours."""
    cases_per_hour: int = Field(default=20, ge=1, le=MOST_CASES)
    """How many bug cases one person may open within an hour."""
    until: Milestone = Milestone.PR
    """How far a case goes by itself: triage, plan, pr."""
    approve_plan: bool = False
    """Whether every plan waits for a person's approval."""
    attempts: int = Field(default=3, ge=1, le=20)
    """How often a round may write, build and be reviewed."""
    confidence_threshold: float = Field(default=0.85, ge=0, le=1)
    """Requirements are unclear below this confidence of the analyst."""
    answer_wait_days: float = Field(default=7, gt=0)
    """How long a question or a request for approval may stay unanswered before the case is blocked."""
    calls_per_turn: int = Field(default=100, ge=1)
    turn_minutes: float = Field(default=60, gt=0)
    command_minutes: float = Field(default=15, gt=0)
    unreachable_minutes: float = Field(default=60, gt=0)
    """How long a provider that can't be reached is tried again before the case waits for a person."""
    rehearsal_pace: float | None = Field(default=None, ge=0, le=60)
    """Seconds before each rehearsed answer, instead of what the script says."""
    log: Literal["auto", "plain", "json"] = "auto"

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_switch(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[info.field_name or ""]
        return refuse_switch(value) if field.annotation in (int, float, float | None) else value

    @field_validator("setup_hosts", mode="before")
    @classmethod
    def _is_one_word(cls, hosts: object) -> object:
        return [] if hosts in ("none", ["none"]) else [hosts] if isinstance(hosts, str) else hosts

    @field_validator("setup_hosts")
    @classmethod
    def _are_hosts(cls, hosts: list[str]) -> list[str]:
        try:
            AllowedHosts([host for host in hosts if host != REGISTRIES])
        except Refused as error:
            raise PydanticCustomError("host", "{why}", {"why": str(error).removesuffix(".")}) from error
        return hosts

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'caseworker.db'}"

    @property
    def daily_micros(self) -> int:
        return round(self.daily_budget_usd * MICROS)

    @property
    def is_embedded(self) -> bool:
        return not self.temporal_address

    def policy(self) -> Policy:
        defaults = Policy()
        return Policy(
            budget_micros=round(self.budget_usd * MICROS),
            cases_per_hour=self.cases_per_hour,
            calls_per_turn=self.calls_per_turn,
            turn_seconds=max(1, round(self.turn_minutes * 60)),
            command_seconds=max(1, round(self.command_minutes * 60)),
            unreachable_seconds=self.unreachable_minutes * 60,
            attempts=self.attempts,
            confidence_threshold=self.confidence_threshold,
            until=self.until,
            approve_plan=self.approve_plan,
            answer_wait_seconds=self.answer_wait_days * 24 * 3_600,
            checks_settle_seconds=self.checks_settle_seconds,
            checks_look_seconds=min(defaults.checks_look_seconds, max(0.5, self.checks_settle_seconds / 2)),
            **self.model_dump(include=set(SESSION_LIMITS)),
            models=chosen_models(self.models),
            reporter_wait_seconds=self.reporter_wait_hours * 3_600,
            reminder_seconds=self.reminder_hours * 3_600,
            developer_wait_seconds=self.developer_wait_hours * 3_600,
            services=self.services,
            contacts=tuple(tuple(level) for level in self.contacts),
            sla={**defaults.sla, **self.sla},
        )

    def secrets(self) -> list[str]:
        """Values that may appear nowhere: not in a log, not in a transcript."""
        held = [getattr(self, name) for name in type(self).model_fields]
        password = urlsplit(self.database_url).password
        return [one.get_secret_value() for one in held if isinstance(one, SecretStr)] + ([password] if password else [])


def make_home(settings: Settings) -> None:
    """Make the home folder, readable for nobody else: records, transcripts and workspaces are private."""
    settings.home.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # somebody else's folder that we may use
        settings.home.chmod(0o700)


def actions_folder() -> Path | None:
    """Where GitHub Actions expects the case file. Null: this is no GitHub Actions."""
    folder = os.environ.get("GITHUB_WORKSPACE")
    return Path(folder) if folder else None
