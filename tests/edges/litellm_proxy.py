"""The real proxy of LiteLLM, with the settings of docs/models.md, in front of a small server with OpenAI's API."""

import asyncio
import json
import os
import re
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caseworker.agents.http_server import embedded_server
from tests.patience import PATIENCE

PROXY: Final = Path(sys.prefix) / "litellm" / "bin" / "litellm"
"""In an environment of its own, which `make prove` sets up."""
KEY: Final = "sk-3f6f0a5c9d1b4e7c8a2f"
"""The proxy's own. It refuses to start without one, and with one that is easy to guess."""
_PAGE: Final = Path(__file__).parents[2] / "docs" / "models.md"
_SETTINGS: Final = re.compile(r"```yaml\n# litellm\.yaml.*?\n(.*?)```", re.DOTALL)
Step = tuple[str, Mapping[str, object]]


@dataclass
class OpenAiDouble:
    """Answers each call with the next tool call of its script."""

    steps: Sequence[Step]
    requests: list[dict[str, Any]] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        asked = await request.json()
        number = len(self.requests)
        self.requests.append(asked)
        if number >= len(self.steps):
            return Response(f"the script has no step {number + 1}", status_code=400)
        return Response(self._stream(asked["model"], number), media_type="text/event-stream")

    def _stream(self, model: str, number: int) -> str:
        name, arguments = self.steps[number]
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        usage = {"prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_050}
        choices: list[dict[str, object]] = [
            {"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": "tool_calls"},
        ]
        head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": model}
        chunks = [{**head, "choices": [choice]} for choice in choices] + [{**head, "choices": [], "usage": usage}]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


@asynccontextmanager
async def proxied(double: OpenAiDouble, folder: Path) -> AsyncIterator[str]:
    """The address of a running proxy that passes calls on to the double."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = embedded_server(Starlette(routes=[Route("/v1/chat/completions", double.answer, methods=["POST"])]))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    settings = folder / "litellm.yaml"
    settings.write_text(_documented(f"http://127.0.0.1:{listener.getsockname()[1]}/v1"), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "OPENAI_API_KEY": "none"}
    environment["LITELLM_MASTER_KEY"] = KEY
    environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would ask the network for prices
    argv = [str(PROXY), "--config", str(settings), "--port", str(port), "--host", "127.0.0.1"]
    with (folder / "litellm.log").open("wb") as log:
        proxy = await asyncio.create_subprocess_exec(*argv, env=environment, stdout=log, stderr=log)
        try:
            await _until_ready(f"http://127.0.0.1:{port}", proxy, folder / "litellm.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            if proxy.returncode is None:
                proxy.kill()
            await proxy.wait()
            server.leave()
            await serving


def _documented(address: str) -> str:
    """The settings as the page has them, with our server in the place of OpenAI's."""
    found = _SETTINGS.search(_PAGE.read_text(encoding="utf-8"))
    assert found is not None, "docs/models.md has no settings of LiteLLM"
    settings = yaml.safe_load(found[1])
    settings["model_list"][0]["litellm_params"]["api_base"] = address
    return yaml.safe_dump(settings)


async def _until_ready(address: str, proxy: asyncio.subprocess.Process, log: Path) -> None:
    async with asyncio.timeout(2 * PATIENCE), httpx.AsyncClient(trust_env=False) as client:
        while True:
            assert proxy.returncode is None, f"it ended, see {log}"
            try:
                if (await client.get(f"{address}/health/liveliness")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)
