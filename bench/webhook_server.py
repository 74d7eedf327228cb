"""The serving process of `webhooks`: GitHub's real route on a store, and a bare one that only checks the signature.

Run as `python -m bench.webhook_server DATABASE PORT`. The deliveries are stored and answered, not processed.
"""

import asyncio
import sys
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.intake.github_door import GitHubDoor
from caseworker.intake.github_webhook import Webhook
from caseworker.store.store import open_store

SECRET: Final = "the secret of the measurement"
BARE: Final = "/bare"


async def serve(database: str, port: int) -> None:
    set_up_logs(load_settings())
    store = await open_store(database)
    webhook = Webhook(door=GitHubDoor(store=store), secrets=[SECRET])

    async def bare(request: Request) -> Response:
        signed = webhook.is_signed(await request.body(), request.headers.get("x-hub-signature-256", ""))
        return PlainTextResponse("Taken.\n", status_code=202 if signed else 401)

    application = Starlette(routes=[webhook.route, Route(BARE, bare, methods=["POST"])])
    try:
        config = uvicorn.Config(application, port=port, log_config=None, access_log=False, timeout_keep_alive=120)
        await uvicorn.Server(config).serve()
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
