"""What a deployment gives us to reach GitHub with."""

from dataclasses import dataclass, field

from caseworker.forges.github.address import GITHUB_COM


@dataclass(frozen=True, kw_only=True)
class GitHubAccess:
    """An App, or else a token."""

    api_url: str = GITHUB_COM
    token: str = field(default="", repr=False)
    app_id: str = ""
    app_private_key: str = field(default="", repr=False)
