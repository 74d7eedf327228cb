"""The page of a case, its live parts, and the steps of a turn."""

from collections.abc import AsyncIterator
from typing import assert_never

from starlette.requests import Request
from starlette.responses import Response

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Standing
from caseworker.core.telling.verdict_words import verdict_section
from caseworker.dashboard.backend import Backend, html, viewer_of
from caseworker.dashboard.buttons import buttons_for, done_elsewhere
from caseworker.dashboard.case_feed import CaseFeed
from caseworker.dashboard.event_stream import Sent
from caseworker.dashboard.page_markup import page
from caseworker.dashboard.region_page import QUIET_SECONDS
from caseworker.dashboard.viewers import standing_of_viewer
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull
from caseworker.views.changes import commits_of
from caseworker.views.red_and_green import proof_of
from caseworker.views.story_items import StoryItem, steps_of, story_items
from caseworker.views.whole_cases import story_of, whole_case

REGIONS = ("headline", "ask", "talk", "facts", "way", "builds", "change")
"""Parts of the page that are shown anew when they change. Each is a template and an element's id."""


class CasePage:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._feed = CaseFeed(backend.store, backend.changes)

    async def show(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        case = stored.case.id
        standing = standing_of_viewer(viewer_of(request), stored)
        newest = await self._backend.store.boards.newest(case)
        story = await story_of(self._backend.store, case, everything="all" in request.query_params)
        items = [item for item in story.items if item.sequence <= newest]
        values = await self._values(stored, standing) | {
            "items": items,
            "earlier": story.earlier,
            "newest": newest,
            "steps": await self._open_steps(case, items, newest),
        }
        return html("case.html", request, values=values)

    async def steps(self, request: Request) -> Response:
        """The steps of one turn, as a part of the page or as a page of their own."""
        stored = await self._backend.case(request)
        items = await steps_of(self._backend.store, stored.case.id, after=request.path_params["entry"])
        partial = "hx-request" in request.headers
        return html("steps.html" if partial else "turn.html", request, values={"items": items, "stored": stored})

    async def live(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        seen = request.headers.get("last-event-id") or request.query_params.get("after", "0")
        after = int(seen) if seen.isdecimal() else 0
        return self._backend.stream(request, self._events(request, stored, after))

    async def _events(self, request: Request, stored: StoredAny, after: int) -> AsyncIterator[Sent | None]:
        """New entries of the record under their number, and the parts of the page that have changed."""
        case, standing = stored.case.id, standing_of_viewer(viewer_of(request), stored)
        attempts: dict[int, int] = {}
        for one in await self._backend.store.record.whole(case, {"turn_started"}):
            story_items([one], attempts=attempts)
        sent: dict[str, str] = {}
        before = None
        with self._backend.changes.open_page(case) as open_page:
            while True:
                while fresh := await self._feed.after(case, after):
                    for item in story_items(fresh, attempts=attempts, before=before):
                        yield Sent(id=str(item.sequence), data=self._feed.shown(case, item))
                    after, before = fresh[-1].sequence, fresh[-1].at
                parts = await self._parts(case, standing)
                if not parts:
                    return  # the case was removed: the page's next try is told so
                for name, shown in parts.items():
                    if sent.get(name) != shown:
                        sent[name] = shown
                        yield Sent(data=page("live_region.html", name=name, shown=shown))
                if not await open_page.wait(QUIET_SECONDS):
                    yield None
                viewer = await self._backend.viewer_now(request)
                if viewer is None or not viewer.sees(stored.repository):
                    return  # logged out, or no longer allowed to look
                standing = standing_of_viewer(viewer, stored)

    async def _parts(self, case: CaseId, standing: Standing | None) -> dict[str, str]:
        """The parts of the page as HTML, made once for all open pages whose viewers may do the same. Empty: the case
        is gone."""

        async def make() -> dict[str, str]:
            stored = await self._backend.store.cases.find(case)
            if stored is None:
                return {}
            values = await self._values(stored, standing)
            return {name: page(f"region_{name}.html", **values) for name in REGIONS}

        return await self._feed.parts(case, str(standing), make)

    async def _values(self, stored: StoredAny, standing: Standing | None) -> dict[str, object]:
        whole = await whole_case(self._backend.store, stored, ButtonPhrasing())
        return {
            "stored": stored,
            "whole": whole,
            "row": whole.row,
            "standing": standing,
            "buttons": buttons_for(stored, standing),
            "reporter": stored.reporter if isinstance(stored, StoredBug) else None,
            "elsewhere": done_elsewhere(stored),
            "proof": proof_of(whole.builds),
            "commits": commits_of(stored),
            "verdict": _verdict(stored),
            "investigated": _investigated(stored),
            "forge_page": await self._forge_page(stored),
        }

    async def _forge_page(self, stored: StoredAny) -> str:
        """The address of the issue or pull request on its forge. Empty: it is on none."""
        match stored:
            case StoredCase():
                issue = await self._backend.store.repositories.issue(stored.repository, stored.number)
                return issue.url if issue is not None and issue.url.startswith(("https:", "http:")) else ""
            case StoredPull():
                return stored.url
            case StoredBug():
                return ""
            case _:
                assert_never(stored)

    async def _open_steps(self, case: CaseId, items: list[StoryItem], newest: int) -> dict[int, list[StoryItem]]:
        """The steps of the turn at work, by the number of the entry that began it."""
        ended = {(item.turn, item.attempt) for item in items if item.part == "turn_end"}
        at_work = [item for item in items if item.part == "turn" and (item.turn, item.attempt) not in ended][-1:]
        return {
            item.sequence: [
                step
                for step in await steps_of(self._backend.store, case, after=item.sequence)
                if step.sequence <= newest
            ]
            for item in at_work
        }


def _verdict(stored: StoredAny) -> str:
    """Whether the pull request can be merged, as Markdown. Empty: there is no verdict yet."""
    if not isinstance(stored, StoredPull) or stored.case.sight.verdict is None:
        return ""
    return verdict_section(stored.case.sight.verdict, is_over=stored.case.is_over)


def _investigated(stored: StoredAny) -> int:
    """How many investigations the case has had."""
    known = stored.case.investigation if isinstance(stored, StoredCase) else None
    return 0 if known is None else known.number
