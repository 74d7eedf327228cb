"""A provider of the Messages API that plays a script, counts the bytes of each request, and caches prompts.

Each request is answered by the script of whoever asks, known by its system prompt. The answers' usage tells what was
cached, so that the caller's own ledger counts dollars at list prices.
"""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bench.prompt_cache import Parts, PromptCache
from caseworker.agents.http_server import embedded_server, read_call, refusal
from caseworker.agents.role_tools import ANSWER_TOOL, OUTCOME_TOOL
from caseworker.agents.upstreams import ModelCall
from caseworker.agents.upstreams.scripted_answers import Block, message_answer

Steps = Sequence[Mapping[str, Any]]
_FOLDER: Final = re.compile(r"Primary working directory: (\S+)")
_ROLE: Final = re.compile(r"You are Caseworker's ([a-z]+(?: [a-z]+)?)[:.]")
BARE: Final = "bare"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request, as the provider sees it."""

    who: str
    model: str
    bytes: int
    parts: Parts
    written: int
    """Bytes of the answer."""


@dataclass
class Provider:
    script: Mapping[str, Steps]
    """The answers of each role, in order; `bare`: of an agent that is no role of ours."""
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    _cache: PromptCache = field(default_factory=PromptCache)
    _played: dict[str, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Plays the script from its beginning. What is cached stays."""
        self.seen.clear()
        self._played.clear()

    async def answer(self, request: Request) -> Response:
        call = await read_call(request, "/v1/messages")
        if isinstance(call, Response):
            return call
        text = call.body.decode()
        who = _asker(call, text)
        number = self._played.get(who, 0)
        steps = self.script.get(who, ())
        if number >= len(steps):
            return refusal(f"the script has no step {number + 1} for {who}")
        self._played[who] = number + 1
        content = _content(steps[number], f"{who}_{number}", _folder(text))
        parts = self._cache.take(call.document)
        written = len(json.dumps(content))
        self.seen.append(Seen(who=who, model=call.model, bytes=len(call.body), parts=parts, written=written))
        answer = message_answer(call, f"msg_{who}_{number}", content, usage=parts.as_usage())
        return StreamingResponse(answer.body, status_code=answer.status, headers=dict(answer.headers))


def _asker(call: ModelCall, text: str) -> str:
    tools = json.dumps(call.document.get("tools", []))
    found = _ROLE.search(text)
    if found is None:
        return BARE
    return found[1].replace(" ", "_") if OUTCOME_TOOL in tools or f'"{ANSWER_TOOL}"' not in tools else "question"


def _folder(text: str) -> str:
    found = _FOLDER.search(text)
    return found[1].partition("\\n")[0] if found else ""


def _content(step: Mapping[str, Any], name: str, folder: str) -> list[Block]:
    filled = json.loads(json.dumps(step).replace("${workspace}", folder))
    blocks: list[Block] = [{"type": "text", "text": filled["say"]}] if "say" in filled else []
    calls = [(one["call"], one["with"]) for one in filled.get("calls", [])]
    calls += [(OUTCOME_TOOL, filled["outcome"])] if "outcome" in filled else []
    calls += [(ANSWER_TOOL, filled["answer"])] if "answer" in filled else []
    for index, (tool, arguments) in enumerate(calls):
        blocks.append({"type": "tool_use", "id": f"toolu_{name}_{index}", "name": tool, "input": arguments})
    return blocks


@contextmanager
def serving(script: Mapping[str, Steps], unix: Path) -> Iterator[Provider]:
    """Listens on a port, and on the Unix socket `unix` for whoever has no network. Serves in a thread of its own."""
    port = socket.create_server(("127.0.0.1", 0))
    inside = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    inside.bind(str(unix))
    inside.listen(16)
    provider = Provider(script, url=f"http://127.0.0.1:{port.getsockname()[1]}")
    server = embedded_server(Starlette(routes=[Route("/v1/messages", provider.answer, methods=["POST"])]))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve(sockets=[port, inside])), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(server.leave)  # from another thread: a loop that nothing wakes would never see it
        thread.join()
        loop.close()
