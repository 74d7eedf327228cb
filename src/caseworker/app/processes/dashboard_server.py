"""The dashboard inside `caseworker serve`: its parts, made from the settings."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from caseworker.app.parts import github_access
from caseworker.app.processes.deployment_look import look_at_deployment
from caseworker.app.settings import Settings
from caseworker.app.surface_port import IntakeDesk
from caseworker.dashboard.backend import Backend
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.forge_access import ForgeAccess
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.request_wall import Place
from caseworker.dashboard.site import make_site
from caseworker.forges.github.connect import connect
from caseworker.forges.github.person_login import GitHubWebLogin
from caseworker.ports import Store

IDLE_LOOK_SECONDS: Final = 5.0


@dataclass
class DashboardServer:
    backend: Backend
    _app: ASGIApp
    _asked_at: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._asked_at = time.monotonic()
        await self._app(scope, receive, send)

    @property
    def idle_seconds(self) -> float:
        """How long no page was open or asked for."""
        if self.backend.changes.open_pages:
            self._asked_at = time.monotonic()
        return time.monotonic() - self._asked_at


def make_dashboard(settings: Settings, desk: IntakeDesk, port: int) -> DashboardServer:
    backend = Backend(
        store=desk.store,
        conversation=desk.conversation,
        new_cases=desk.new_cases,
        home=settings.home,
        place=Place(port=port, public=settings.dashboard_url),
        sessions=Sessions(settings.home, settings.dashboard_tokens),
        changes=ChangeWatch(desk.store),
        deployment=partial(look_at_deployment, settings),
        forge=forge_access(settings, desk.store),
    )
    return DashboardServer(backend, make_site(backend), time.monotonic())


def forge_access(settings: Settings, store: Store) -> ForgeAccess | None:
    """Null: log-ins with GitHub are not set up."""
    access, secret = github_access(settings), settings.github_client_secret
    if access is None or secret is None or not settings.github_client_id:
        return None
    login = GitHubWebLogin(
        connect(access), client_id=settings.github_client_id, client_secret=secret.get_secret_value()
    )
    return ForgeAccess(login=login, store=store, owners=frozenset(settings.allowed_owners))
