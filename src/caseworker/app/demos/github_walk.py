"""Walks through the demo as its owner, by the forms that a browser sends: labels, a correction, the plan again."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Final, Protocol

import httpx

from caseworker.app.demos.github_guide import CORRECTION
from caseworker.app.demos.github_scenes import Scene, scenes
from caseworker.app.demos.own_github import OWNER, OwnGitHub
from caseworker.core.base.errors import Refused

_PATIENCE: Final = 180.0
"""Seconds for one step of the walk."""


class Hands(Protocol):
    """Clicks and writes on the demo's page: with a person's browser, or by the forms alone."""

    async def click(self, label: str) -> None: ...

    async def write(self, comment: str) -> None: ...


class Forms:
    """Sends the forms of the issue's page."""

    def __init__(self, github: OwnGitHub, client: httpx.AsyncClient) -> None:
        self._page = github.page
        self._client = client

    async def click(self, label: str) -> None:
        await self._send({"deed": "label", "label": label})

    async def write(self, comment: str) -> None:
        await self._send({"deed": "comment", "body": comment})

    async def _send(self, form: dict[str, str]) -> None:
        answer = await self._client.post(self._page, data=form)
        if answer.status_code != httpx.codes.SEE_OTHER:
            raise Refused(f"The demo's GitHub did not take a click ({answer.status_code}).")


async def walk(github: OwnGitHub, say: Callable[[str], object]) -> None:
    """From the issue to a pull request with green checks."""
    async with httpx.AsyncClient(cookies={"person": OWNER}, trust_env=False) as client:
        await walk_with(Forms(github, client), github, say)


async def walk_with(hands: Hands, github: OwnGitHub, say: Callable[[str], object]) -> None:
    say(f"{OWNER} clicks `bot:triage`")
    await hands.click("bot:triage")
    await seen(github, "a triage", lambda scene: scene.is_done("triage"))
    say(f"{OWNER} clicks `bot:plan`")
    await hands.click("bot:plan")
    first = await seen(github, "a plan", lambda scene: scene.is_done("plan"))
    say(f"{OWNER} comments: {CORRECTION}")
    await hands.write(CORRECTION)
    await seen(github, "an answer to the correction", lambda scene: scene.said > first.said)
    say(f"{OWNER} comments: @caseworker plan")
    await hands.write("@caseworker plan")
    await seen(github, "a second plan", lambda scene: scene.is_done("plan") and scene.runs != first.runs)
    say(f"{OWNER} clicks `bot:implement`")
    await hands.click("bot:implement")
    await seen(github, "a pull request with green checks", lambda scene: scene.is_ready)


async def seen(github: OwnGitHub, what: str, is_so: Callable[[Scene], bool]) -> Scene:
    """Waits for a scene. `Refused` if it does not come."""
    try:
        async with asyncio.timeout(_PATIENCE), aclosing(scenes(github)) as looks:
            async for scene in looks:
                if is_so(scene):
                    return scene
    except TimeoutError:
        raise Refused(f"The demo waited for {what}, and it did not come within {_PATIENCE:.0f} s.") from None
    raise AssertionError("scenes never end")
