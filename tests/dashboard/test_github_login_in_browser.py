"""A log-in with GitHub in a real browser: cookies over two sites, forms that lead to another one, and what is seen."""

import json
import shutil
from pathlib import Path

import pytest
from scripts.pictures.browser import Browser, chromium

from caseworker.core.people.messages import Standing
from caseworker.store.store import open_store
from tests.dashboard.github_world import github_world
from tests.dashboard.served_site import ServedSite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="`make prove` installs Chromium"),
]


async def logs_in(browser: Browser, site: ServedSite, github: str, login: str) -> None:
    """Chooses who they are on GitHub, and goes there and back by what the pages offer."""
    await browser.open(github)
    await browser.click(login)
    await browser.open(f"{site.address}/cases/olga/shop~1")
    await browser.run("window.leaving = true; document.querySelector('a.main').click()")
    await browser.until("!window.leaving && document.readyState === 'complete'")
    await browser.click("Authorize Cases")
    await browser.until("location.pathname === '/cases/olga/shop~1' && document.readyState === 'complete'")


async def test_each_person_sees_and_presses_what_their_role_allows(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    site = ServedSite(tmp_path)
    async with github_world(tmp_path / "github", f"{site.address}/login/github/back") as world, chromium() as browser:
        case = await world.open_case(store, world.shop, "Checkout is broken")
        await world.open_case(store, world.tools, "The secret tool")
        (tmp_path / "github.json").write_text(json.dumps(world.written(tmp_path)))
        await site.start()
        try:
            await logs_in(browser, site, world.double.url, "rita")
            assert await browser.run("document.querySelectorAll('.press, #say').length") == 0
            await browser.open(f"{site.address}/")
            assert await browser.run("document.querySelectorAll('.board .title').length") == 1
            await browser.click("Log out")
            await logs_in(browser, site, world.double.url, "dana")
            await browser.run("document.querySelector('[id$=-takeover] button').click()")
            await browser.until("document.querySelector('#receipt').innerText.includes('Sent.')")
            sent = (await store.inbox.of(case))[-1]
            assert (sent.author, sent.standing) == ("dana", Standing.DEVELOPER)
            await browser.open(f"{site.address}/cases/olga/tools~1")
            assert "There is no case olga/tools#1." in str(await browser.run("document.body.innerText"))
        finally:
            await site.kill()
            await store.close()
