"""Writes docs/github-*.png and docs/dashboard-*.png: `python -m scripts.pictures [FOLDER] [github|dashboard]`."""

import asyncio
import sys
from pathlib import Path
from typing import Final

from caseworker.app.demos.github_demo import github_with_bot
from caseworker.app.demos.github_guide import CORRECTION
from caseworker.app.demos.github_scenes import scene_of
from caseworker.app.demos.github_walk import seen
from caseworker.app.demos.own_github import OwnGitHub
from caseworker.app.load_settings import load_settings
from scripts.pictures.browser import Browser, chromium
from scripts.pictures.dashboard import make_dashboard_pictures

_LARGEST = 150_000


async def make_pictures(folder: Path) -> None:
    """One walk from the issue to the merged pull request, by clicks in a browser."""
    async with github_with_bot(load_settings()) as demo, chromium() as browser:
        github = demo.github
        await browser.open(github.page)
        await browser.picture(folder / "github-issue.png", height=560)
        await browser.click("+ bot:triage")
        await seen(github, "a triage", lambda scene: scene.is_done("triage") and scene.said > 0)
        await browser.click("+ bot:plan")
        first = await seen(github, "a plan", lambda scene: scene.is_done("plan") and scene.said > 1)
        await browser.write(CORRECTION)
        await seen(github, "an answer", lambda scene: scene.said > first.said)
        await browser.write("@caseworker plan")
        again = await seen(github, "a second plan", lambda scene: scene.is_done("plan") and scene.runs != first.runs)
        await _shows(browser, "an order of one cent less")
        await browser.picture(folder / "github-plan.png", top=f"#issuecomment-{_correction(github)}", height=760)
        await browser.click("+ bot:implement")
        await seen(github, "a green pull request", lambda scene: scene.is_ready and scene.said > again.said)
        await browser.open(f"{github.repository_page}/pull/{scene_of(github).pull}")
        await _shows(browser, "success")
        await browser.picture(folder / "github-pull.png", height=900)
        await browser.click("Merge")
        await seen(github, "a merge", lambda scene: scene.is_merged)


def _correction(github: OwnGitHub) -> int:
    return next(one.id for one in github.issue.comments if one.body == CORRECTION)


async def _shows(browser: Browser, words: str) -> None:
    await browser.until(f"document.body.innerText.includes({words!r})")


_MAKERS: Final = {"github": make_pictures, "dashboard": make_dashboard_pictures}


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    for name in sys.argv[2:] or _MAKERS:
        asyncio.run(_MAKERS[name](folder))
    for file in sorted([*folder.glob("github-*.png"), *folder.glob("dashboard-*.png")]):
        size = file.stat().st_size
        sys.stdout.write(f"{file}: {size // 1000} KB\n")
        if size > _LARGEST:
            raise SystemExit(f"{file} is larger than {_LARGEST // 1000} KB.")


if __name__ == "__main__":
    main()
