"""A person with a browser at the dashboard, without the browser: requests to the real site on a real store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from starlette.types import ASGIApp

from caseworker.core.base.ids import CaseId
from caseworker.dashboard.access_tokens import Rank, Token
from caseworker.dashboard.addresses import case_path
from caseworker.dashboard.backend import Backend
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.forge_access import ForgeAccess
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.request_wall import Place
from caseworker.dashboard.site import make_site
from caseworker.dashboard.viewers import Viewer
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.store.store import Store
from tests.intake.bell import RecordingBell

PORT = 8480
HERE = f"http://127.0.0.1:{PORT}"
FROM_HERE = {"origin": HERE, "sec-fetch-site": "same-origin"}


@dataclass
class Visitor:
    backend: Backend
    client: httpx.AsyncClient
    bell: RecordingBell
    site: ASGIApp

    async def enters(self, rank: Rank = Rank.OWNER, name: str = "ada", repositories: tuple[str, ...] = ("*",)) -> None:
        secret = self.backend.sessions.new_link(Viewer(name=name, rank=rank, repositories=repositories))
        answer = await self.client.get(f"/enter/{secret}")
        assert answer.status_code == 303

    async def sees(self, path: str, **headers: str) -> str:
        answer = await self.client.get(path, headers=headers)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.text

    async def sends(self, case: CaseId, action: str, text: str = "", **more: str) -> httpx.Response:
        form = {"action": action, "text": text, "key": "1", **more}
        return await self.client.post(f"{case_path(case)}/messages", data=form, headers=FROM_HERE)


@asynccontextmanager
async def visit(
    store: Store,
    home: Path,
    *,
    public: str = "",
    tokens: dict[str, Token] | None = None,
    forge: ForgeAccess | None = None,
) -> AsyncIterator[Visitor]:
    bell = RecordingBell()
    backend = Backend(
        store=store,
        conversation=Conversation(store=store, doorbell=bell),
        new_cases=NewCases(store=store, doorbell=bell),
        home=home,
        place=Place(port=PORT, public=public),
        sessions=Sessions(home, tokens),
        changes=ChangeWatch(store, look_seconds=0.01),
        forge=forge,
    )
    site = make_site(backend)
    transport = httpx.ASGITransport(app=site)
    async with httpx.AsyncClient(transport=transport, base_url=public or HERE) as client:
        yield Visitor(backend, client, bell, site)
