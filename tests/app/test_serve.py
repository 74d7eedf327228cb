"""`caseworker serve`: the real process between a fake Slack and the host."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.patience import PATIENCE
from tests.world.project import make_project
from tests.world.slack import SlackDouble
from tests.world.terminal import BUG_REHEARSAL, Terminal, open_terminal

REPORTS, SUMMARY, ADA, GRACE = "C0REPORTS", "C0SUMMARY", "U0ADA", "U0GRACE"


class Served:
    """A running `serve`, and what it logs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.log: list[dict[str, object]] = []

    async def logs(self, event: str, *, times: int = 1) -> dict[str, object]:
        async with asyncio.timeout(PATIENCE):
            while len(found := [entry for entry in self.log if entry["event"] == event]) < times:
                assert self.process.stderr is not None
                line = await self.process.stderr.readline()
                assert line, f"{event!r} was not logged: {self.log}"
                self.log.append(json.loads(line))
        return found[-1]

    async def ends(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        await self.logs("listening has ended")
        return await asyncio.wait_for(self.process.wait(), timeout=PATIENCE)


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    slack = SlackDouble(patience=10)
    await slack.start()
    yield slack
    await slack.stop()


@pytest.fixture
def terminal(tmp_path: Path, slack: SlackDouble) -> Iterator[Terminal]:
    with open_terminal(
        tmp_path / "home",
        CASEWORKER_REPORTS_REPOSITORY=str(make_project(tmp_path / "hello")),
        CASEWORKER_REPORTS_REHEARSAL=str(BUG_REHEARSAL),
        CASEWORKER_SLACK_BOT_TOKEN=slack.bot_token,
        CASEWORKER_SLACK_REPORTS_CHANNEL=REPORTS,
        CASEWORKER_SLACK_SUMMARIES_CHANNEL=SUMMARY,
        CASEWORKER_SLACK_API_URL=slack.base_url,
        CASEWORKER_SERVE_PORT="0",
    ) as terminal:
        yield terminal


@asynccontextmanager
async def serving(terminal: Terminal, **environment: str) -> AsyncIterator[Served]:
    terminal.environment.update(environment)  # the host has to have the same
    process = await asyncio.create_subprocess_exec(
        *terminal.command(("serve",)), env=terminal.environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield Served(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def expect_post(slack: SlackDouble, channel: str, words: str) -> str:
    async with asyncio.timeout(PATIENCE):
        while True:
            found = [post for post in slack.posts(channel) if words in post.text]
            if found:
                return found[-1].thread or found[-1].ts
            await asyncio.sleep(0.05)


async def test_a_report_in_slack_gets_a_question_in_its_thread(slack: SlackDouble, terminal: Terminal) -> None:
    async with serving(terminal, CASEWORKER_SLACK_APP_TOKEN=slack.app_token) as served:
        await served.logs("connected with Slack")
        ts = await slack.user_writes(REPORTS, ADA, "the greeting is broken")
        taken = await served.logs("slack event taken")
        assert taken["kind"] == "reported"
        assert await expect_post(slack, REPORTS, "Which greeting did you see?") == ts
        thread = await expect_post(slack, SUMMARY, str(taken["case"]))
        await slack.user_writes(SUMMARY, GRACE, "I'll take it", thread=thread)
        await expect_post(slack, SUMMARY, "The agent has stopped")
        assert await served.ends() == 0
        assert not [entry for entry in served.log if "bell" in str(entry["event"])]


@pytest.mark.slow
async def test_by_http_a_killed_host_is_started_again_and_found_on_its_new_ports(
    slack: SlackDouble, terminal: Terminal
) -> None:
    async with serving(terminal, CASEWORKER_SLACK_SIGNING_SECRET=slack.signing_secret) as served:
        address = str((await served.logs("listening by HTTP"))["at"])
        slack.sends_events_to(address)
        async with httpx.AsyncClient() as client:
            assert (await client.post(address, json={"type": "event_callback"})).status_code == 401
            assert (await client.get(address.replace("/slack/events", "/health"))).text == "ok\n"
        ts = await slack.user_writes(REPORTS, ADA, "the greeting is broken")
        await expect_post(slack, REPORTS, "Which greeting did you see?")
        await asyncio.to_thread(terminal.kills, terminal.host_pid)
        await slack.user_writes(REPORTS, ADA, "never mind", thread=ts)
        await expect_post(slack, REPORTS, "This is closed")
        await served.logs("host started again")
        assert await served.ends() == 0


@pytest.mark.slow
async def test_messages_written_while_nobody_listened_are_read_afterwards(
    slack: SlackDouble, terminal: Terminal
) -> None:
    async with serving(terminal, CASEWORKER_SLACK_APP_TOKEN=slack.app_token) as served:
        await served.logs("connected with Slack")
        ts = await slack.user_writes(REPORTS, ADA, "the greeting is broken")
        await expect_post(slack, REPORTS, "Which greeting did you see?")
        assert await served.ends() == 0
    slack.add_without_event(REPORTS, ADA, "never mind", thread=ts)
    async with serving(terminal) as served:
        await expect_post(slack, REPORTS, "This is closed")
        assert await served.ends() == 0


async def test_missing_settings_are_named(slack: SlackDouble, terminal: Terminal) -> None:
    answer = await asyncio.to_thread(terminal.types, "serve")
    assert answer.code == 2
    assert answer.err == (
        "caseworker: Slack can't be listened to yet. Missing: slack_app_token (`xapp-...`, for Socket Mode) or "
        "slack_signing_secret (for HTTP). `caseworker docs slack` shows where each comes from; `caseworker.toml` or "
        "CASEWORKER_<NAME> sets it.\n"
    )


@pytest.mark.slow
async def test_a_wrong_token_is_reported_at_once(slack: SlackDouble, terminal: Terminal) -> None:
    terminal.environment["CASEWORKER_SLACK_APP_TOKEN"] = "xapp-wrong"
    answer = await asyncio.to_thread(terminal.types, "serve")
    assert answer.code == 2, answer
    assert "Socket Mode was not entered" in answer.err
    assert "caseworker docs slack" in answer.err


@pytest.mark.slow
async def test_doctor_checks_slack(slack: SlackDouble, terminal: Terminal) -> None:
    terminal.environment["CASEWORKER_SLACK_SUMMARIES_CHANNEL"] = "C0NOWHERE"
    found = {one["what"]: one for one in json.loads((await asyncio.to_thread(terminal.types, "doctor", "--json")).out)}
    assert found["slack"]["mark"] == "note"
    assert "slack_app_token" in found["slack"]["says"]
    assert found["slack_reports_channel"] == {
        "what": "slack_reports_channel",
        "mark": "ok",
        "says": "the bot is in C0REPORTS",
    }
    assert found["slack_summaries_channel"]["mark"] == "missing"
    assert found["reports"]["mark"] == "ok"


async def test_the_manifest_is_for_socket_mode_or_for_an_address(terminal: Terminal) -> None:
    assert "socket_mode_enabled: true" in terminal.types("slack", "manifest").out
    http = terminal.types("slack", "manifest", "--http", "https://bugs.example.org/").out
    assert "request_url: https://bugs.example.org/slack/events" in http
    assert terminal.types("slack", "manifest", "--http", "http://bugs.example.org").code == 2
