"""The buttons of a learning: approve, edit, forget. By the same authority table as at the terminal."""

from collections.abc import Mapping
from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.core.people.authority import MAY_STEER
from caseworker.core.people.messages import Standing
from caseworker.dashboard.access_tokens import Rank
from caseworker.dashboard.backend import Backend, html, is_partial, viewer_of
from caseworker.dashboard.viewers import Viewer
from caseworker.intake.learnings import LEARNING_LIMIT, LearningAct, LearningAction, LearningReceipt, act_on_learning

_ACTS: Final[Mapping[LearningAction | str, Literal["approve_learning", "edit_learning", "forget_learning"]]] = {
    "approve": "approve_learning",
    "edit": "edit_learning",
    "forget": "forget_learning",
}
_STANDING: Final = {Rank.OWNER: Standing.OWNER, Rank.DEVELOPER: Standing.DEVELOPER, Rank.READER: Standing.OTHER}


def may_change_learnings(viewer: Viewer, repository: RepositoryId) -> bool:
    return bool(MAY_STEER[_STANDING[viewer.rank_on(repository)]] & set(_ACTS.values()))


async def press_on_learning(backend: Backend, viewer: Viewer, number: int, action: str, text: str) -> LearningReceipt:
    """404 for one that this viewer may not see. `Refused`: they may not, or it can't be done."""
    found = next((one for one in await backend.store.learnings.of() if one.id == number), None)
    if found is None or not viewer.sees(found.repository):
        raise HTTPException(404, f"There is no learning {number}.")
    if action not in _ACTS:
        raise Refused(f"There is no button `{action}`.", todo="Load the page again.")
    wanted = LearningAct(act=_ACTS[action], id=number, text=text)
    standing = _STANDING[viewer.rank_on(found.repository)]
    return await act_on_learning(backend.store, wanted, by=viewer.name, standing=standing)


class LearningPress:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def send(self, request: Request) -> Response:
        number = request.path_params["learning"]
        async with request.form(max_files=0, max_fields=5, max_part_size=8 * LEARNING_LIMIT) as form:
            action, text = str(form.get("action", "")), str(form.get("text", ""))
        try:
            receipt = await press_on_learning(self._backend, viewer_of(request), number, action, text)
        except Refused as refused:
            values = {"refused": str(refused), "told": "", "to": "/learnings", "place": "the learnings"}
            return html("receipt.html" if is_partial(request) else "refused.html", request, 409, values=values)
        if is_partial(request):
            return html("receipt.html", request, values={"refused": "", "told": str(receipt), "begun": None})
        return RedirectResponse(f"/learnings#learning-{number}", status_code=303)
