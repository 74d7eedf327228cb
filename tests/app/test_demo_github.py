"""`caseworker demo github`: what the terminal says, and the whole demo with the real bot, agents, git and CI."""

import asyncio
import re
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from caseworker.app.demos.github_guide import CORRECTION, advice, news
from caseworker.app.demos.github_scenes import Scene, scene_of
from caseworker.app.demos.own_github import LABELS, own_github
from caseworker.github_double.acts.comment_acts import create_comment
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.derive.check_results import rollup
from caseworker.github_double.entities.accounts import Actor
from tests.patience import PATIENCE
from tests.world.terminal import Terminal, open_terminal

PULL_PAGE = "http://here/olga/shop/pull/2"
TRIAGED = ("1", "triage", "done")
PLANNED = ("2", "plan", "done")


async def test_the_demo_has_an_issue_labels_to_click_and_real_ci(tmp_path: Path) -> None:
    async with own_github(tmp_path) as github, httpx.AsyncClient(headers={"accept": "text/html"}) as browser:
        shop, state = github.repository, github.double.state
        page = await browser.get(github.page)
        assert page.headers["referrer-policy"] == "same-origin"  # without a referrer, browsers hide a form's origin
        shown = page.text
        assert "An order of exactly 50.00 is charged for shipping" in shown
        assert all(f"+ {label}" in shown for label in LABELS)
        head = write_file(state, Actor(user=shop.owner), shop, "notes.md", b"notes\n", message="Add notes")
        await github.ci.idle()
        assert rollup(shop, head) == "SUCCESS"


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Scene(), "Next: click `+ bot:triage`, at the right of the issue."),
        (Scene(runs=(("1", "triage", "queued"),)), ""),
        (Scene(runs=(TRIAGED,)), "Next: click `+ bot:plan`."),
        (Scene(runs=(TRIAGED, ("2", "plan", "working"))), ""),
        (Scene(runs=(TRIAGED, ("2", "plan", "waiting"))), "Next: the newest comment says what it waits for."),
        (
            Scene(runs=(TRIAGED, PLANNED)),
            "Next: click `+ bot:implement`. Or correct the plan first: comment "
            f"`{CORRECTION}`, and when that is answered, `@caseworker plan`.",
        ),
        (
            Scene(runs=(TRIAGED, ("2", "plan", "failed"))),
            "The plan did not succeed; its comment says why. Write `retry` below the issue to try again.",
        ),
        (Scene(runs=(TRIAGED, PLANNED, ("3", "implement", "waiting")), pull=2, checks="PENDING"), ""),
        (
            Scene(runs=(TRIAGED, PLANNED, ("3", "implement", "done")), pull=2, checks="SUCCESS"),
            f"Next: open {PULL_PAGE} and merge it. Or write below the issue what should be different; the same pull "
            "request is then changed.",
        ),
        (
            Scene(runs=(TRIAGED, PLANNED, ("3", "implement", "done")), pull=2, checks="SUCCESS", is_merged=True),
            "That was the whole way. Open another issue if you like, or press Ctrl-C.",
        ),
    ],
)
def test_the_terminal_says_what_to_click_next(scene: Scene, words: str) -> None:
    assert advice(scene, PULL_PAGE) == words


def test_the_terminal_tells_each_change_once() -> None:
    before = Scene(runs=(TRIAGED,))
    after = Scene(runs=(TRIAGED, ("2", "plan", "working")), pull=2, checks="PENDING")
    assert news(before, after) == ["plan: working", "pull request 2 is open", "checks of pull request 2: pending"]
    assert news(after, after) == []


async def test_only_the_bots_own_tracking_comments_count(tmp_path: Path) -> None:
    body = (
        "<!-- workflow-run:1 -->\n### Caseworker: triage\n\n| state | cost |\n|---|---|\n| done | $0 |"
        "\n\n<!-- caseworker:workflow-run:1 -->"
    )
    async with own_github(tmp_path) as github:
        state, issue = github.double.state, github.issue
        create_comment(state, Actor(user=github.repository.owner), issue, body=body)
        assert scene_of(github) == Scene()
        create_comment(state, Actor(user=github.app.bot), issue, body=body)
        create_comment(state, Actor(user=github.app.bot), issue, body="`plan` needs a finished triage first.")
        assert scene_of(github) == Scene(runs=(TRIAGED,), said=1)


# --- the whole demo, as a process


@asynccontextmanager
async def demo(terminal: Terminal, *options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    terminal.environment["CASEWORKER_REHEARSAL_PACE"] = "0"
    process = await asyncio.create_subprocess_exec(
        *terminal.command(("demo", "github", *options)),
        env=terminal.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def line_with(process: asyncio.subprocess.Process, words: str) -> str:
    assert process.stdout is not None
    seen: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while line := (await process.stdout.readline()).decode():
            seen.append(line)
            if words in line:
                return line
    raise AssertionError(f"not said: {words}: {seen}")


@pytest.mark.slow
async def test_the_demo_answers_odd_steps_and_is_gone_after_ctrl_c(tmp_path: Path) -> None:
    with open_terminal(tmp_path / "home") as terminal:
        async with demo(terminal) as process:
            page = (await line_with(process, "Open this in your browser:")).split()[-1]
            folder = Path((await line_with(process, "CASEWORKER_HOME=")).split()[0].partition("=")[2]).parent
            await line_with(process, "Next: click `+ bot:triage`")
            async with httpx.AsyncClient(cookies={"person": "olga"}, trust_env=False) as browser:
                await browser.post(page, data={"deed": "label", "label": "bot:implement"})
                await shown(browser, page, "<code>implement</code> needs a finished triage and a finished plan first")
                await browser.post(page, data={"deed": "comment", "body": "@caseworker what do you think of cheese?"})
                await shown(browser, page, "I am rehearsed here and can't read your words")
                await browser.post(page, data={"deed": "comment", "body": "@caseworker triage"})
                await line_with(process, "Next: click `+ bot:plan`.")
            process.send_signal(signal.SIGINT)
            await line_with(process, "Nothing is left of them.")
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        assert not folder.exists()
        assert folder.parent == Path(tempfile.gettempdir())
        assert not terminal.home.exists() or not any(terminal.home.iterdir())


async def shown(browser: httpx.AsyncClient, page: str, words: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while words not in (text := (await browser.get(page)).text.replace("&#x27;", "'")):
            await asyncio.sleep(0.1)
            assert "That was not done" not in text


@pytest.mark.slow
async def test_the_walk_leads_from_the_issue_to_a_pull_request_with_green_checks(tmp_path: Path) -> None:
    with open_terminal(tmp_path / "home") as terminal:
        async with demo(terminal, "--walk") as process:
            assert process.stdout is not None
            said = (await asyncio.wait_for(process.stdout.read(), 5 * PATIENCE)).decode()
            assert await process.wait() == 0, said
    assert "Pull request 3 is ready, and its checks are green: a person merges it." in said
    assert [line for line in said.splitlines() if re.fullmatch(r"  (triage|plan|implement): done", line)] == [
        "  triage: done",
        "  plan: done",
        "  plan: done",
        "  implement: done",
    ]
