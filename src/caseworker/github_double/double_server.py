"""The whole double as one server: REST, GraphQL, git and webhooks on TCP, and on a Unix socket if wanted."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from caseworker.github_double.faults import Faults
from caseworker.github_double.front import Front
from caseworker.github_double.git_http import GitHttp
from caseworker.github_double.graphql.face import graphql_routes
from caseworker.github_double.limits import Limits
from caseworker.github_double.moments import Moments
from caseworker.github_double.request_log import RequestLog
from caseworker.github_double.rest.route_table import rest_routes, root_route, unknown_route
from caseworker.github_double.state import GitHub
from caseworker.github_double.webhooks import Webhooks


class GitHubDouble:
    """One GitHub. `root` is the folder of its repositories."""

    def __init__(self, root: Path, *, moments: Moments | None = None) -> None:
        self.state = GitHub(root, moments=moments)
        self.limits = Limits()
        self.faults = Faults()
        self.log = RequestLog()
        self.webhooks = Webhooks(self.state, self.faults)
        self.front = Front(self.state, limits=self.limits, faults=self.faults, log=self.log)
        self.git = GitHttp(self.state, faults=self.faults, log=self.log)

    @property
    def url(self) -> str:
        """Where people and git find it; the API is there and at `/api/v3`."""
        return self.state.url

    def application(self, pages: Sequence[BaseRoute] = ()) -> Starlette:
        """The ASGI application. `pages` are further faces: they come before the API's root and its 404."""
        git = [
            Route("/{owner}/{repo}/info/refs", self._serve_git, methods=["GET"]),
            Route("/{owner}/{repo}/git-upload-pack", self._serve_git, methods=["POST"]),
            Route("/{owner}/{repo}/git-receive-pack", self._serve_git, methods=["POST"]),
        ]
        faces = [*git, *rest_routes(self.front), *graphql_routes(self.front), *pages]
        routes = [*faces, root_route(self.front), unknown_route(self.front)]
        return Starlette(routes=routes)

    @asynccontextmanager
    async def serving(
        self, *, port: int = 0, uds: Path | None = None, pages: Sequence[BaseRoute] = ()
    ) -> AsyncIterator["GitHubDouble"]:
        """Serves on this machine until the block ends; also on the Unix socket `uds`."""
        async with listening(self.application(pages), port=port, uds=uds) as url:
            self.state.url = url
            await self.webhooks.start()
            try:
                yield self
            finally:
                await self.webhooks.stop()

    async def _serve_git(self, request: Request) -> Response:
        return await self.git.serve(request)


@asynccontextmanager
async def listening(application: ASGIApp, *, port: int = 0, uds: Path | None = None) -> AsyncIterator[str]:
    """Serves any application on this machine until the block ends, and says where."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_STREAM)]
    sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sockets[0].bind(("127.0.0.1", port))
    if uds is not None:
        sockets.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        sockets[1].bind(str(uds))
    config = uvicorn.Config(application, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=sockets))
    try:
        await server.is_up.wait()
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        for one in sockets:
            one.close()


class _Server(uvicorn.Server):
    """uvicorn that tells when it listens, and leaves signals to the process."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    def install_signal_handlers(self) -> None:
        """Nothing: the process decides when to stop."""
