"""`caseworker host codec`: shows the payloads of a case in Temporal's web UI, as long as it runs."""

import uvicorn
from rich.console import Console

from caseworker.app.bell import payload_keys
from caseworker.app.processes.serve import stop_signal
from caseworker.app.processes.web import listen_on, served
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.engine.codec_routes import make_codec_app, new_secret
from caseworker.engine.host import HostPlace
from caseworker.engine.payload_codec import SealedPayloads


async def serve_codec(settings: Settings, console: Console, *, ui: str, port: int) -> int:
    """`ui`: the address of the web UI; empty: that of the running host."""
    host = HostPlace(settings.home).running()
    address = (ui or (host.ui if host is not None else "")).rstrip("/")
    if not address:
        raise Refused(
            "Temporal's web UI is off, or the host does not run.",
            todo="Set temporal_ui = true and `caseworker host start`; or name a cluster's: --ui http://127.0.0.1:8233",
        )
    secret = new_secret()
    with stop_signal() as stop, listen_on("127.0.0.1", port) as listener:
        found = listener.getsockname()[1]
        app = make_codec_app(SealedPayloads(payload_keys(settings)), origin=address, port=found, secret=secret)
        console.print(f"In {address}, give this as the codec server (the glasses at the top):", markup=False)
        console.print(f"http://127.0.0.1:{found}/{secret}", markup=False, soft_wrap=True)
        console.print("Whoever has this address can read all cases. Ctrl-C ends it.")
        await served(uvicorn.Config(app, log_level="warning", access_log=False), listener, stop)
    return 0
