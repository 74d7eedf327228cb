"""The dashboard in a real browser: live, by keyboard, on a phone, without scripts, and with a server that dies."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from scripts.pictures.browser import Browser, chromium

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import Entry, Noted, ToolCalled, ToolReturned, TurnStarted
from caseworker.dashboard.addresses import case_path
from caseworker.store.store import Store, open_store
from tests.dashboard.served_site import ServedSite, served_site
from tests.edges.store_examples import TRACE, open_bug, open_case
from tests.intake.test_conversation_issue import Counter
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="`make prove` installs Chromium"),
]
PAGES = ("/", "/needs-you", "/deliveries", "/sla", "/learnings", "/repositories", "/costs", "/status")
CASE = "/cases/local/shop~1"
REPOSITORY = RepositoryId("local/shop")
AXE = Path(sys.prefix) / "github-data" / "axe.min.js"
_RECORD_VIOLATIONS = """
window.violations = [];
document.addEventListener('securitypolicyviolation', one => window.violations.push(one.violatedDirective));
"""


@pytest.fixture
async def home_store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    yield store
    await store.close()


@pytest.fixture
async def site(home_store: Store, tmp_path: Path) -> AsyncIterator[ServedSite]:
    async with served_site(tmp_path) as site:
        yield site


@pytest.fixture
async def browser(site: ServedSite) -> AsyncIterator[Browser]:
    """Logged in, and with no violation of the content security policy at the end."""
    async with chromium() as browser:
        await browser.looks_like(width=1280, height=900)
        await browser.before_every_page(_RECORD_VIOLATIONS)
        await browser.open(site.link())
        yield browser
        assert await browser.run("window.violations.length") == 0


async def texts(browser: Browser, selector: str) -> list[str]:
    found = await browser.run(f"JSON.stringify([...document.querySelectorAll('{selector}')].map(one => one.innerText))")
    assert isinstance(found, str)
    listed: list[str] = json.loads(found)
    return listed


async def note(store: Store, case: CaseId, *texts: str) -> None:
    await store.record.append(case, [Noted(text=text) for text in texts], trace=TRACE)


async def test_a_killed_server_leaves_no_gap_no_duplicate_and_the_half_typed_text(
    site: ServedSite, browser: Browser, home_store: Store
) -> None:
    case = await open_case(home_store)
    await browser.open(f"{site.address}{CASE}")
    await browser.run("document.querySelector('#say').focus()")
    await browser.types("half a sent")
    await note(home_store, case, *(f"note {number}" for number in range(20)))
    await browser.until("document.body.innerText.includes('note 19')")
    await site.kill()
    await note(home_store, case, *(f"note {number}" for number in range(20, 40)))
    await browser.until("document.querySelector('#link-state').innerText.includes('not connected')")
    await site.start()
    await browser.until("document.body.innerText.includes('note 39')")
    await note(home_store, case, "note 40")
    await browser.until("document.body.innerText.includes('note 40')")
    shown = [text for text in await texts(browser, "#story p") if text.startswith("note ")]
    assert shown == [f"note {number}" for number in range(41)]
    assert await browser.run("document.querySelector('#say').value") == "half a sent"
    assert await browser.run("document.activeElement.id") == "say"
    assert await texts(browser, "#link-state") == [""]


async def test_a_turn_and_its_tool_calls_come_by_themselves(
    site: ServedSite, browser: Browser, home_store: Store
) -> None:
    case = await open_case(home_store)
    await browser.open(f"{site.address}{CASE}")
    entries: list[Entry] = [
        TurnStarted(turn=1, attempt=1, role=Role.PM, task=Task.TRIAGE, model="m"),
        ToolCalled(turn=1, call="1", tool="Bash", summary="ls -la"),
        ToolReturned(turn=1, call="1", ok=False, output="no such folder"),
    ]
    for entry in entries:
        await home_store.record.append(case, [entry], trace=TRACE)
    await browser.until("document.querySelector('#steps-1-1')?.innerText.includes('no such folder') ?? false")
    assert "Bash ls -la" in (await texts(browser, "#steps-1-1 .tool"))[0].replace("  ", " ")
    assert "What the agent did" not in (await texts(browser, "#steps-1-1"))[0], "no link to what is shown already"


async def test_a_button_sends_once_and_shows_its_receipt(site: ServedSite, browser: Browser, home_store: Store) -> None:
    case = await Counter(home_store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL, Subject.PLAN)
    await browser.looks_like(width=1280, height=500)
    await browser.open(f"{site.address}{CASE}")
    await browser.run("document.querySelector('[id$=-takeover] button').click()")
    await browser.until("document.querySelector('#receipt').innerText.includes('Sent.')")
    assert await browser.run("document.querySelector('#receipt').getBoundingClientRect().bottom <= innerHeight") is True
    await browser.until("document.querySelector('#talk').innerText.includes('takeover')")
    sent = (await home_store.inbox.of(case))[-1]
    assert (sent.kind, sent.author, sent.surface) == (MessageKind.TAKEOVER, "ada", "web")


async def test_the_board_moves_by_itself(site: ServedSite, browser: Browser, home_store: Store) -> None:
    await browser.open(f"{site.address}/")
    await open_case(home_store, "It came later")
    await browser.until("document.body.innerText.includes('It came later')")


async def test_everything_works_by_keyboard(site: ServedSite, browser: Browser, home_store: Store) -> None:
    await open_case(home_store, "Second")
    await open_case(home_store, "First")
    await browser.open(f"{site.address}/")
    for key in ("j", "j", "k"):
        await browser.key(key)
    assert await browser.run("document.activeElement.innerText") == "First"
    await browser.key("Enter")
    await browser.until("!!document.querySelector('.case')")
    await browser.key("c")
    assert await browser.run("document.activeElement.id") == "say"
    await browser.key("Escape")
    await browser.key("?")
    assert await browser.run("document.querySelector('#keys').open") is True
    await browser.key("Escape")
    await browser.key("g")
    await browser.key("n")
    await browser.until("location.pathname === '/needs-you' && document.readyState === 'complete'")
    await browser.key("/")
    await browser.until("location.pathname === '/' && document.readyState === 'complete'")
    await browser.key("/")
    assert await browser.run("document.activeElement.id") == "search"


async def test_no_page_scrolls_sideways_on_a_phone(site: ServedSite, browser: Browser, home_store: Store) -> None:
    await open_case(home_store, "A" * 300)
    await open_bug(home_store)
    await browser.looks_like(width=390, height=844)
    for path in (*PAGES, CASE):
        await browser.open(f"{site.address}{path}")
        assert await browser.run("document.documentElement.scrollWidth") == 390, path
        cut = "[...document.querySelectorAll('.region')].some(one => one.scrollWidth > one.clientWidth)"
        assert await browser.run(cut) is False, path


async def test_a_time_without_its_heading_says_what_it_is(
    site: ServedSite, browser: Browser, home_store: Store
) -> None:
    await open_bug(home_store)
    await browser.looks_like(width=390, height=844)
    await browser.open(f"{site.address}/")
    before = "getComputedStyle(document.querySelector('.board .due:not(.nothing)'), '::before').content"
    assert await browser.run(before) == '"due "'


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_axe_finds_nothing_serious(site: ServedSite, browser: Browser, home_store: Store, *, dark: bool) -> None:
    case = await Counter(home_store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL, Subject.PLAN)
    bug = await open_bug(home_store)
    await home_store.learnings.add(REPOSITORY, case, [Observation(type="build", content="It uses `make`.")])
    started = TurnStarted(turn=1, attempt=1, role=Role.PM, task=Task.TRIAGE, model="m")
    await home_store.record.append(case, [started], trace=TRACE)
    turn = f"{CASE}/turns/{await home_store.boards.newest(case)}"
    await browser.looks_like(width=1280, height=900, dark=dark)
    source = await asyncio.to_thread(AXE.read_text)
    for path in (*PAGES, CASE, case_path(bug), turn, f"{CASE}/diff", f"{CASE}/investigation", "/nowhere", "/login"):
        await browser.open(f"{site.address}{path}")
        await browser.run(f"{source};0")
        found = await browser.run(
            "axe.run().then(all => JSON.stringify(all.violations.filter(one => ['serious', 'critical']"
            ".includes(one.impact)).map(one => [one.id, one.nodes[0].html])))"
        )
        assert found == "[]", path


async def test_a_learning_is_edited_and_forgotten_with_receipts(
    site: ServedSite, browser: Browser, home_store: Store
) -> None:
    case = await open_case(home_store)
    await home_store.learnings.add(REPOSITORY, case, [Observation(type="build", content="It uses `make`.")])
    await browser.open(f"{site.address}/learnings")
    await browser.run("document.querySelector('#edit-1 summary').click()")
    await browser.run("document.querySelector('#edit-1-text').value = 'It uses just.'")
    await browser.run("document.querySelector('#edit-1 form button').click()")
    await browser.until("document.querySelector('#receipt').innerText === 'Changed: It uses just.'")
    await browser.until("document.querySelector('#learning-1').innerText.includes('by ada')")
    await browser.run("document.querySelector('#forget-1 button').click()")
    await browser.until("document.querySelector('#receipt').innerText === 'Forgotten: It uses just.'")
    await browser.until("!document.querySelector('#learning-1')")


async def test_without_scripts_it_reads_and_sends(site: ServedSite, browser: Browser, home_store: Store) -> None:
    case = await open_case(home_store, "Checkout is broken")
    await browser.without_scripts()
    await browser.open(f"{site.address}/")
    assert "Checkout is broken" in (await texts(browser, ".board"))[0]
    await browser.open(f"{site.address}{CASE}")
    await browser.run(
        "document.querySelector('#say').value = 'look at line 4'; document.querySelector('.say button').click()"
    )
    async with asyncio.timeout(PATIENCE):
        while (await home_store.inbox.of(case))[-1].text != "look at line 4":  # noqa: ASYNC110  # another process writes
            await asyncio.sleep(0.05)
    await browser.until("document.querySelector('#talk')?.innerText.includes('look at line 4') ?? false")


async def test_hostile_titles_run_nothing(site: ServedSite, browser: Browser, home_store: Store) -> None:
    case = await open_case(home_store, "<img src=x onerror='window.hit=1'><script>window.hit=1</script>")
    await browser.open(f"{site.address}{CASE}")
    await note(home_store, case, "<img src=x onerror='window.hit=1'>", "</ol><script>window.hit=1</script> end")
    await browser.until("document.body.innerText.includes('</script> end')")
    await browser.open(f"{site.address}/")
    assert await browser.run("window.hit === undefined") is True
