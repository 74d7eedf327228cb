"""Checks of `caseworker doctor` and `init github` on GitHub. They really call GitHub, and change nothing there."""

from caseworker.app.parts import github_access
from caseworker.app.settings import Settings
from caseworker.app.terminal.slack_checks import Check
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository


async def examine_github(settings: Settings, repository: RemoteRepository | None = None) -> list[Check]:
    if settings.github_app_id and settings.github_app_private_key is None:
        return [Check("github", "missing", "github_app_id is set, and github_app_private_key (its .pem file) is not")]
    try:
        access = github_access(settings)
    except Refused as refused:
        return [Check("github", "missing", str(refused))]
    if access is None:
        return [Check("github", "ok", "not set up: `caseworker init github` and `caseworker docs github` say how")]
    from caseworker.forges.github.examine import examine

    return [Check(one.what, one.mark, one.says) for one in await examine(access, repository)]
