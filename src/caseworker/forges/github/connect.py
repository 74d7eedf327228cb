"""Makes the connection to a GitHub from what a deployment has set."""

import httpx

from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.credentials import AppCredentials, Credentials, TokenCredentials
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.transport import Transport


def connect(access: GitHubAccess, *, inner: httpx.AsyncBaseTransport | None = None) -> GitHubApi:
    """`inner`: another way to the server, such as a Unix socket. Nothing is sent yet."""
    transport = Transport(ApiAddress(access.api_url.rstrip("/")), inner=inner)
    credentials: Credentials = (
        AppCredentials(transport, app_id=access.app_id, private_key=access.app_private_key)
        if access.app_id
        else TokenCredentials(access.token)
    )
    return GitHubApi(transport, credentials)
