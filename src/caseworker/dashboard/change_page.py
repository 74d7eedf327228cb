"""The change of a case as a diff, and its investigation: parts of the case's page that are read when asked for."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from caseworker.core.base.errors import Refused
from caseworker.core.telling.investigation import investigation_page
from caseworker.dashboard.backend import Backend, html, is_partial
from caseworker.dashboard.coloured_diff import diff_files
from caseworker.views.changes import commits_of
from caseworker.views.investigations import known_investigations
from caseworker.workspaces.inspection import change_between


class ChangePage:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def diff(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        commits = commits_of(stored)
        values: dict[str, object] = {"stored": stored, "problem": "", "files": [], "cut": False}
        if commits is None:
            values["problem"] = f"{stored.case.id} has changed nothing yet."
        else:
            repository = await self._backend.store.repositories.ref(stored.repository)
            try:
                diff = await change_between(self._backend.home, repository, *commits)
            except Refused as refused:
                values["problem"] = str(refused)
            else:
                values["files"], values["cut"] = diff_files(diff)
        return html("diff_part.html" if is_partial(request) else "diff.html", request, values=values)

    async def investigation(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        known = await known_investigations(self._backend.store, stored)
        if not known:
            raise HTTPException(404, f"Nothing is investigated in {stored.case.id}.")
        values = {"stored": stored, "text": investigation_page(stored.title, known)}
        return html("investigation_part.html" if is_partial(request) else "investigation.html", request, values=values)
