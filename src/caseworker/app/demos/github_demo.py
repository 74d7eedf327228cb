"""`caseworker demo github`: a GitHub of our own in the browser, and the bot at work on it with a rehearsed model."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from caseworker.app.demos.github_bot import serving_bot
from caseworker.app.demos.github_guide import advice, news
from caseworker.app.demos.github_scenes import Scene, scene_of, scenes
from caseworker.app.demos.github_walk import walk
from caseworker.app.demos.own_github import OWNER, STRANGER, OwnGitHub, own_github
from caseworker.app.processes.serve import stop_signal
from caseworker.app.processes.start_checks import check_disk
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused


@dataclass(frozen=True, kw_only=True)
class Demo:
    github: OwnGitHub
    home: Path
    """Of the bot."""
    bot: asyncio.subprocess.Process


@asynccontextmanager
async def github_with_bot(settings: Settings, *, port: int = 0) -> AsyncIterator[Demo]:
    """Everything is in one temporary folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="caseworker-demo-") as name:
        folder, home = Path(name), Path(name) / "home"
        async with own_github(folder, port=port) as github, serving_bot(github, home, settings) as bot:
            yield Demo(github=github, home=home, bot=bot)


async def run_github_demo(settings: Settings, console: Console, *, port: int, by_itself: bool) -> int:
    """Serves until it is interrupted. `by_itself`: does what a person would do, and ends with the pull request."""
    check_disk(Path(tempfile.gettempdir()))  # the bot checks the rest itself
    console.print("Starting a GitHub of our own, and Caseworker beside it ...", style="dim")
    with stop_signal() as stop:
        async with github_with_bot(settings, port=port) as demo:
            _welcome(demo, console, by_itself=by_itself)
            tasks = [
                asyncio.create_task(_tell(demo.github, console, with_advice=not by_itself)),
                asyncio.create_task(_watch(demo)),
                asyncio.create_task(stop.wait()),
            ]
            if by_itself:
                tasks.append(asyncio.create_task(_walk(demo.github, console)))
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                console.print("Ending Caseworker and its GitHub ...", style="dim")
        ready = tasks[-1] in done
    console.print("Nothing is left of them. `caseworker demo github` starts new ones.", style="dim", markup=False)
    return 0 if ready else 1


def _welcome(demo: Demo, console: Console, *, by_itself: bool) -> None:
    lines = [
        "",
        f"Open this in your browser:  {demo.github.page}",
        "",
        "The model's answers are rehearsed: they are written for the issue and the pull request, whatever you say.",
        "Everything else is real: the bot and its webhooks, the agents and their sandbox, git, the push, and CI.",
        f"Pull request {demo.github.gifts.number} has a red check and an open thread. Click `+ bot:review` or",
        f"`+ bot:ship` there:  {demo.github.gifts_page}",
        "",
        f"You are {OWNER}, the owner. At the top of the page you can become {STRANGER}, whom the bot does not obey.",
        "In another terminal, the same cases:",
        f"  CASEWORKER_HOME={demo.home} caseworker cases",
        "Nothing is kept." if by_itself else "Press Ctrl-C to end. Nothing is kept.",
        "",
    ]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


async def _tell(github: OwnGitHub, console: Console, *, with_advice: bool) -> None:
    before, told = Scene(), ""
    async for scene in scenes(github):
        for line in news(before, scene):
            console.print(f"  {line}", markup=False, style="dim")
        words = advice(scene, f"{github.repository_page}/pull/{scene.pull}") if with_advice else ""
        if words and words != told:
            console.print(words, markup=False, style="bold")
        before, told = scene, words


async def _watch(demo: Demo) -> None:
    code = await demo.bot.wait()
    log = (demo.home / "serve.log").read_text(encoding="utf-8", errors="replace").splitlines()
    raise Refused(f"The demo's bot has ended ({code}): {' '.join(log[-2:])}")


async def _walk(github: OwnGitHub, console: Console) -> None:
    await walk(github, lambda words: console.print(words, markup=False, style="bold"))
    pull = scene_of(github).pull
    console.print(f"Pull request {pull} is ready, and its checks are green: a person merges it.", style="bold")
