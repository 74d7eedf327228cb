"""What a person sends from a page: a button or words become one message to a case, with a receipt."""

from hashlib import sha256

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import Command, StartWork
from caseworker.core.people.messages import TEXT_LIMIT, Audience, Message, Standing, receipt
from caseworker.core.people.phrasing import begin
from caseworker.dashboard.addresses import case_path
from caseworker.dashboard.backend import Backend, html, is_partial, viewer_of
from caseworker.dashboard.buttons import ACTIONS
from caseworker.dashboard.viewers import SURFACE, Viewer, standing_of_viewer
from caseworker.intake.conversation import Words
from caseworker.intake.issue_sessions import IssueSessions
from caseworker.ports import StoredAny, StoredBug, StoredCase
from caseworker.views.receipt_watch import turns_begun

_SAY = "say"


async def send_message(
    backend: Backend, viewer: Viewer, stored: StoredAny, *, action: str, text: str, choice: str = "", key: str = ""
) -> Message | None:
    """Null: it was sent before. `Refused`: it does not fit the case, or this person may not send it.

    `key`: what the page has shown when it was pressed; the same press twice is one message."""
    standing = standing_of_viewer(viewer, stored)
    if standing is None:
        raise Refused("You may look at this case, and not send to it.", todo="Ask its operator for another rank.")
    author = viewer.name
    if action == "say_as_reporter":
        standing, author, action = _as_reporter(viewer, stored)
    command, text = _command(action, text, choice)
    if len(text) > TEXT_LIMIT:
        raise Refused(f"That has {len(text)} characters; {TEXT_LIMIT} are taken.", todo="Shorten it.")
    words = Words(
        surface=SURFACE,
        external_id=_press_id(viewer, action, text, key),
        author=author,
        text=text,
        command=command,
        refused_in=ButtonPhrasing(),
    )
    if isinstance(command, StartWork) and isinstance(stored, StoredCase):  # it becomes a case of its own
        if backend.new_cases is None:
            raise Refused("No session can be begun here.", todo="Ask for it on GitHub or at a terminal.")
        sessions = IssueSessions(store=backend.store, new_cases=backend.new_cases)
        return await sessions.begin(stored, command, words, standing)
    return await backend.conversation.say(stored.case.id, words, standing)


def _command(action: str, text: str, choice: str) -> tuple[Command | None, str]:
    """The command of a button, and its text. Null: plain words, which the grammar of commands reads."""
    text = text.strip()
    if action == _SAY:
        if not text:
            raise Refused("There are no words in that message.")
        return None, text
    known = ACTIONS.get(action)
    if known is None:
        raise Refused(f"There is no button `{action}`.", todo="Load the page again.")
    if known.wants_text and not text:
        raise Refused(f"“{known.label}” needs a word: {known.asks.lower()}.")
    if known.choices and choice not in known.choices:
        raise Refused(f"“{known.label}” needs one of {', '.join(known.choices)}.")
    return known.make(text, choice), text or known.says


def _as_reporter(viewer: Viewer, stored: StoredAny) -> tuple[Standing, str, str]:
    standing = KINDS[stored.kind].at_terminal.get(Audience.REPORTER)
    if not viewer.speaks_for_reporters or standing is None or not isinstance(stored, StoredBug):
        raise Refused("You can't speak for the reporter here.")
    return standing, stored.reporter, _SAY


def _press_id(viewer: Viewer, action: str, text: str, key: str) -> str:
    said = sha256(f"{action}\n{text}".encode()).hexdigest()[:16]
    return f"{viewer.session}/{key[:64]}/{said}"


class Press:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def send(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        case = stored.case.id
        async with request.form(max_files=0, max_fields=10, max_part_size=4 * TEXT_LIMIT) as form:
            given = {name: _text(form, name) for name in ("action", "text", "choice", "key")}
        try:
            message = await send_message(self._backend, viewer_of(request), stored, **given)
        except Refused as refused:
            return self._answer(request, stored, refused=str(refused), status=409)
        if message is None:
            return self._answer(request, stored, told="It was sent before; nothing was sent twice.")
        told = receipt(message, await turns_begun(self._backend.store, message.case))
        if message.case != case and not is_partial(request):
            return RedirectResponse(case_path(message.case), status_code=303)
        if message.case != case:
            return self._answer(request, stored, told=told, begun=message.case)
        if message.refused:
            return self._answer(request, stored, refused=told, status=409)
        return self._answer(request, stored, told=told)

    def _answer(
        self,
        request: Request,
        stored: StoredAny,
        *,
        told: str = "",
        refused: str = "",
        begun: CaseId | None = None,
        status: int = 200,
    ) -> Response:
        """`begun`: the case that the message has opened or taken up, if it is another one."""
        page = case_path(stored.case.id)
        if is_partial(request):
            shown = {"told": f"Sent. {begin(told).rstrip('.')}.", "refused": refused, "begun": begun}
            return html("receipt.html", request, status, values=shown)
        if refused:
            values = {"refused": refused, "to": page, "place": stored.case.id}
            return html("refused.html", request, status, values=values)
        return RedirectResponse(f"{page}#talk", status_code=303)


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    if not isinstance(value, str):
        raise HTTPException(400, "Files are not taken here.")
    return value
