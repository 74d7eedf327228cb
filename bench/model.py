"""Serves the rehearsed model for the bare script, one socket per role: `python -m bench.model FOLDER SCRIPT WORKSPACE
PACE`.

The script is played by Caseworker's own upstream, without the gateway: a shell script counts and reserves nothing. It
prints `ready` when it listens, and ends when its standard input does.
"""

import asyncio
import socket
import sys
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from caseworker.agents.http_server import embedded_server, read_call
from caseworker.agents.process import AttemptFolder
from caseworker.agents.rehearsal import Rehearsal, load_rehearsal
from caseworker.agents.upstreams import Upstream
from caseworker.agents.upstreams.rehearsed import Part, RehearsedUpstream


async def serve(folder: Path, rehearsal: Rehearsal, workspace: Path, pace: float) -> None:
    servers = []
    first = {turn.role: turn for turn in reversed(rehearsal.turns)}  # later ones answer what people say
    for turn in first.values():
        part = Part(
            role=turn.role, task=turn.task, nth=1, session=f"bare-{turn.role}", case="bare", workspace=workspace
        )
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(AttemptFolder(folder / turn.role.value).socket))
        listener.listen(64)
        server = embedded_server(_app(RehearsedUpstream(rehearsal, part, pace=pace)))
        servers.append((server, asyncio.create_task(server.serve(sockets=[listener]))))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for server, serving in servers:
        server.leave()
        await serving


def _app(upstream: Upstream) -> Starlette:
    async def answer(request: Request) -> Response:
        counting = request.url.path.endswith("/count_tokens")
        call = await read_call(request, "/v1/messages/count_tokens" if counting else "/v1/messages")
        if isinstance(call, Response):
            return call
        said = await upstream.send(call)
        return StreamingResponse(said.body, status_code=said.status, headers=dict(said.headers))

    paths = ("/v1/messages", "/v1/messages/count_tokens")
    return Starlette(routes=[Route(path, answer, methods=["POST"]) for path in paths])


def main() -> None:
    folder, script, workspace = map(Path, sys.argv[1:4])
    rehearsal = load_rehearsal(script.read_text(encoding="utf-8"), script.name)
    asyncio.run(serve(folder, rehearsal, workspace, float(sys.argv[4])))


if __name__ == "__main__":
    main()
