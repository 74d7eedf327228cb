"""The settings of the surfaces."""

from pydantic import BaseModel, Field, SecretStr

from caseworker.app.setting_kinds import WebAddress


class SlackSettings(BaseModel):
    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    """For Socket Mode."""
    slack_signing_secret: SecretStr | None = None
    """For events over HTTP."""
    slack_reports_channel: str = ""
    slack_summaries_channel: str = ""
    slack_api_url: WebAddress = "https://slack.com/api/"


class GitHubSettings(BaseModel):
    github_token: SecretStr | None = None
    """A fine-grained token, where there is no App."""
    github_app_id: str = ""
    github_app_private_key: SecretStr | None = None
    """The `.pem` file, or its text."""
    github_client_id: str = ""
    """Of the App. With its secret, people log in to the dashboard with their account on GitHub."""
    github_client_secret: SecretStr | None = None
    github_api_url: WebAddress = "https://api.github.com"
    """`https://HOST/api/v3` for an Enterprise Server."""
    github_repositories: list[str] = Field(default_factory=list)
    """Those that are listened to, as `owner/name`. Empty: all on which the App is installed."""
    github_webhook_secret: SecretStr | None = None
    github_webhook_secret_old: SecretStr | None = None
    """Also accepted, while the secret is being changed."""
    allowed_owners: list[str] = Field(default_factory=list)
    """Logins whose comments are directives, also without a role in the repository."""
    checks_settle_seconds: float = Field(default=120, ge=0)
    """How long checks of a pull request may take to begin. Without any after that, it counts as unchecked."""


class SurfaceSettings(SlackSettings, GitHubSettings):
    """Of all surfaces."""
