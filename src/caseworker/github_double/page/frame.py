"""What all pages have: the frame with the people to choose from, small parts, and the headers of every answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

from caseworker.github_double.entities.accounts import Actor, User
from caseworker.github_double.entities.details import Label, Reaction
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.page.markup import Child, Html, join, tag
from caseworker.github_double.state import GitHub

COOKIE: Final = "person"
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` browsers send `Origin: null` with our own forms
}
_FACES: Final = {
    "+1": "👍",
    "-1": "👎",
    "laugh": "😄",
    "confused": "😕",
    "heart": "❤️",
    "hooray": "🎉",
    "rocket": "🚀",
    "eyes": "👀",
}


@dataclass(frozen=True)
class View:
    """One look at a page: the state and who looks."""

    github: GitHub
    user: User | None

    @property
    def actor(self) -> Actor:
        return Actor(user=self.user)

    @property
    def people(self) -> list[User]:
        return [one for one in self.github.users.values() if one.kind == "User"]


def view_of(github: GitHub, request: Request) -> View:
    """Who looks is in a cookie; at first it is the first person there is."""
    chosen = github.users.get(request.cookies.get(COOKIE, "").lower())
    people = [one for one in github.users.values() if one.kind == "User"]
    return View(github, chosen if chosen in people else (people[0] if people else None))


def respond(view: View, title: str, live: Html, forms: Html | None = None, status: int = 200) -> HTMLResponse:
    """A page. `live` is replaced when something changes; `forms` stay, so that what is typed is not lost."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · a GitHub of our own"),
        tag("link", rel="stylesheet", href="/page/style.css"),
        tag("script", src="/page/live.js", defer=True),
    )
    body = tag(
        "body",
        tag("header", tag("a", "A GitHub of our own", href="/", class_="home"), _people(view)),
        tag("main", tag("div", live, id="live"), forms),
    )
    return HTMLResponse(f"<!doctype html>{tag('html', head, body, lang='en')}", status, HEADERS)


def _people(view: View) -> Html:
    buttons = [
        tag(
            "button",
            one.login,
            name="login",
            value=one.login,
            class_="person chosen" if one is view.user else "person",
            aria_pressed="true" if one is view.user else "false",
        )
        for one in view.people
    ]
    return tag("form", tag("span", "You are ", class_="quiet"), *buttons, method="post", action="/page/person")


# --- small parts


def path_of(repository: Repository) -> str:
    return f"/{repository.full_name}"


def issue_path(issue: Issue) -> str:
    return f"{path_of(issue.repository)}/{'pull' if issue.is_pull else 'issues'}/{issue.number}"


def pill(label: Label, *more: Child) -> Html:
    dot = tag("svg", tag("circle", cx="5", cy="5", r="4.5", fill=f"#{label.color}"), viewBox="0 0 10 10", class_="dot")
    return tag("span", dot, label.name, *more, class_="pill", title=label.description)


def moment(when: datetime | None) -> Html:
    if when is None:
        return Html("")
    return tag("time", when.strftime("%d %b %H:%M"), datetime=when.isoformat(), class_="quiet")


def button(deed: str, words: str, *fields: Html, style: str = "", title: str | None = None) -> Html:
    """A form with one button that does one deed on the page it stands on."""
    inner = tag("button", words, name="deed", value=deed, class_=style or None, title=title)
    return tag("form", *fields, inner, method="post", class_="inline")


def hidden(name: str, value: str | int) -> Html:
    return tag("input", type="hidden", name=name, value=value)


def faces(reactions: Sequence[Reaction]) -> Html:
    shown = [
        tag("span", _FACES[content], f" {sum(one.content == content for one in reactions)}", class_="pill")
        for content in dict.fromkeys(one.content for one in reactions)
    ]
    return tag("p", *shown, class_="faces") if shown else join()


def state_mark(issue: Issue) -> Html:
    """Open, closed, merged or draft, as a coloured word."""
    pull = issue.repository.pulls.get(issue.number)
    word: str = issue.state
    if pull is not None and pull.merged is not None:
        word = "merged"
    elif pull is not None and pull.is_draft and pull.is_open:
        word = "draft"
    return tag("span", word, class_=f"state {word}")
