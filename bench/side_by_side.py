"""A serving process with two routes: Slack events as `caseworker serve` takes them, and a bare handler.

The bare handler only checks the signature. Run as `python -m bench.side_by_side`.
"""

import asyncio
import sys

import uvicorn
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caseworker.app.bell import cluster_address, make_doorbell
from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.settings import Settings
from caseworker.chats.slack_app import http_route
from caseworker.core.base.repositories import LocalRepository
from caseworker.engine.client import connect
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.intake.slack import ReportsChannel, SlackIntake
from caseworker.store.store import open_store

BARE = "/bare"


async def serve(settings: Settings) -> None:
    assert settings.slack_signing_secret is not None
    assert settings.reports_repository is not None
    secret = settings.slack_signing_secret.get_secret_value()
    store = await open_store(settings.database)
    bell = BackgroundBell(make_doorbell(await connect(cluster_address(settings)), store))
    policy = settings.policy()
    intake = SlackIntake(
        store=store,
        conversation=Conversation(store=store, doorbell=bell),
        new_cases=NewCases(store=store, doorbell=bell),
        place=ReportsChannel(
            channel=settings.slack_reports_channel,
            repository=await store.repositories.register(LocalRepository(path=settings.reports_repository)),
            policy=policy,
        ),
    )
    verifier = SignatureVerifier(secret)

    async def bare(request: Request) -> Response:
        body = await request.body()
        return Response(status_code=200 if verifier.is_valid_request(body, dict(request.headers)) else 401)

    routes = [
        http_route(intake.receive, signing_secret=secret, base_url=settings.slack_api_url),
        Route(BARE, bare, methods=["POST"]),
    ]
    config = uvicorn.Config(
        Starlette(routes=routes),
        host=settings.serve_host,
        port=settings.serve_port,
        log_level="error",
        access_log=False,
        lifespan="off",
    )
    await uvicorn.Server(config).serve()


def main() -> int:
    settings = load_settings()
    set_up_logs(settings)
    asyncio.run(serve(settings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
