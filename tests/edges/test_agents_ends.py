"""Every way in which a turn of the real agent ends without an outcome: limits, failures, and being stopped."""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.agents.claude import ModelSettings, let_it_start_slowly
from caseworker.agents.provider_words import NO_KEY, refused_key
from caseworker.core.base.budget import dollars
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.record.entries import AgentEvent, ToolReturned
from caseworker.ports import AgentFailed, AgentFinished
from caseworker.workspaces.sandbox import Unconfined
from tests.edges.agents_provider import closed_port, hanging_up, provider
from tests.edges.agents_world import DONE, AgentWorld, bash, script, until

KEY = "sk-ant-test-0123456789abcdef"


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    return AgentWorld(tmp_path)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder for this test alone, with a path short enough for sockets, to see what is left in it."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.mark.parametrize(("set_to", "kept"), [("", "600000"), ("90000", "90000")])
def test_an_agent_may_take_minutes_to_start_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, set_to: str, kept: str
) -> None:
    """The SDK gives up after one."""
    variable = "CLAUDE_CODE_STREAM_CLOSE_TIMEOUT"
    monkeypatch.setenv(variable, set_to)
    if not set_to:
        monkeypatch.delenv(variable)
    let_it_start_slowly()
    assert os.environ[variable] == kept


async def test_a_turn_missing_in_the_rehearsal_fails_at_once_and_is_named(world: AgentWorld) -> None:
    brief = replace(world.brief(script(DONE), Role.ANALYST, Task.ANALYZE), nth=2)
    ended = await world.run(brief)
    assert ended == AgentFailed(why="script", reason="the rehearsal has no turn for analyst/analyze (nth 2)")


@pytest.mark.slow
async def test_a_rehearsal_that_runs_out_fails_at_once(world: AgentWorld) -> None:
    ended = await world.run(world.brief(script(bash("true"))))
    assert ended == AgentFailed(
        why="script", reason="the rehearsal of developer/implement (nth 1) ran out after 1 step"
    )


async def test_a_broken_rehearsal_starts_no_agent(world: AgentWorld) -> None:
    ended = await world.run(world.brief("version: 2\n"))
    assert isinstance(ended, AgentFailed)
    assert ended.why == "script"
    assert "line 1" in ended.reason


async def test_without_key_and_rehearsal_there_is_no_turn(world: AgentWorld) -> None:
    ended = await world.run(world.brief(None))
    assert ended == AgentFailed(why="key", reason=NO_KEY)


async def test_the_budget_stops_the_next_call(world: AgentWorld) -> None:
    brief = world.brief(script(bash("true"), bash("true"), DONE))
    await world.run(brief)
    first = world.ledger.reserved[0]
    world.ledger.reserved.clear()
    world.ledger.settled.clear()
    ended = await world.run(replace(brief, limits=replace(brief.limits, cap_micros=first)))
    assert isinstance(ended, AgentFailed)
    assert ended.why == "budget"
    assert ended.reason.endswith(f"which would pass the case's budget of {dollars(first)}")
    assert len(world.ledger.settled) == 1


@pytest.mark.slow
async def test_the_limit_of_calls_stops_the_next_call(world: AgentWorld) -> None:
    brief = world.brief(script(*[bash("true")] * 5))
    ended = await world.run(replace(brief, limits=replace(brief.limits, calls=2)))
    assert ended == AgentFailed(why="calls", reason="the turn used all of its 2 model calls")
    assert len(world.ledger.settled) == 2


@pytest.mark.slow
async def test_the_limit_of_time_stops_the_agent(world: AgentWorld) -> None:
    brief = world.brief(script(bash("tail -f /dev/null"), DONE))
    ended = await world.run(replace(brief, limits=replace(brief.limits, seconds=2)))
    assert ended == AgentFailed(why="seconds", reason="the turn took longer than 2 s")


@pytest.mark.slow
async def test_a_short_error_is_retried_by_the_agents_program_itself(world: AgentWorld) -> None:
    scripts = (script(f"error: {error}", DONE) for error in ("overloaded", "rate_limited", "server_error"))
    for ended in await asyncio.gather(*(world.run(world.brief(text)) for text in scripts)):
        assert isinstance(ended, AgentFinished)
        assert ended.calls == 2


@pytest.mark.slow
async def test_a_model_that_stays_unavailable_is_given_up_after_a_few_tries(world: AgentWorld) -> None:
    """Two failures in parallel, because the agent waits between its tries."""
    url = closed_port()
    absent = AgentWorld(world.folder, model=ModelSettings(key=KEY, base_url=url))
    overloaded = world.brief(script(*["error: overloaded"] * 9))
    ends = tuple(await asyncio.gather(world.run(overloaded), absent.run(absent.brief(None))))
    assert ends == (
        AgentFailed(why="model", reason="the model's API answered 529: Overloaded", retry=True),
        AgentFailed(why="model", reason=f"{url} can't be reached (ConnectError)", retry=True),
    )
    assert len(world.ledger.settled) == len(absent.ledger.settled) == 4


@pytest.mark.slow
async def test_a_model_overloaded_in_the_middle_of_every_answer_counts_as_an_outage(world: AgentWorld) -> None:
    async with provider(script(*[DONE] * 9)) as api:
        api.errors = ["overloaded_error"] * 9  # the agent tries again, the last time without a stream
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None))
    assert isinstance(ended, AgentFailed)
    assert (ended.why, ended.retry) == ("model", True)
    assert ended.reason.startswith("the model's API ")


@pytest.mark.slow
async def test_a_provider_that_closes_connections_counts_as_an_outage(world: AgentWorld) -> None:
    async with hanging_up() as url:
        world.model = ModelSettings(key=KEY, base_url=url)
        ended = await world.run(world.brief(None))
    assert isinstance(ended, AgentFailed)
    assert (ended.why, ended.retry) == ("model", True)
    assert ended.reason.startswith(f"{url} did not answer (")


@pytest.mark.slow
async def test_a_model_that_refuses_is_not_tried_again(world: AgentWorld) -> None:
    ended = await world.run(world.brief(script("error: refused")))
    assert ended == AgentFailed(why="key", reason=refused_key(403, "The request was refused"))


@pytest.mark.slow
async def test_a_stream_that_breaks_off_is_requested_again(world: AgentWorld) -> None:
    async with provider(script(DONE)) as api:
        api.breaks = [2]
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None))
    assert isinstance(ended, AgentFinished)
    assert len(api.requests) == 2


async def test_a_process_that_dies_may_be_retried_and_its_last_output_is_kept(world: AgentWorld) -> None:
    class Dying(Unconfined):
        def command(self, *_: object) -> list[str]:
            return ["sh", "-c", "echo no space left, key is sk-ant-secret-12345678 >&2; exit 3"]

    world.sandbox = Dying(world.folder)
    ended = await world.run(world.brief(script(DONE)))
    assert isinstance(ended, AgentFailed)
    assert (ended.why, ended.retry) == ("crashed", True)
    assert ended.reason == "the agent's process ended early: no space left, key is [redacted]"
    assert ended.log == "no space left, key is [redacted]"


@pytest.mark.slow
async def test_a_database_that_does_not_take_the_session_is_no_failure_of_the_agent(world: AgentWorld) -> None:
    async def broken(session: SessionId, subpath: str, project: str, entries: Sequence[dict[str, object]]) -> None:
        raise Transient("the disk is full")

    world.transcripts.append = broken  # type: ignore[method-assign]  # the one port that is made to fail here
    with pytest.raises(Transient, match="the disk is full"):
        await world.run(world.brief(script(DONE)))


@pytest.mark.slow
async def test_an_error_of_the_event_reader_ends_the_turn(world: AgentWorld) -> None:
    async def superseded(events: Sequence[AgentEvent]) -> None:
        raise Transient("the record can't be written")

    world.story.saw = superseded  # type: ignore[method-assign]  # a reader that fails
    with pytest.raises(Transient, match="the record can't be written"):
        await world.run(world.brief(script(bash("true"), bash("true"), DONE)))


async def test_cancelling_leaves_no_process_and_no_file(world: AgentWorld, temporary: Path) -> None:
    marker = f"/tmp/nothing-{os.getpid()}-{time.monotonic_ns()}"
    command = f"(setsid tail -F {marker} &) ; tail -F {marker}"
    async with _running(world, script(bash(command), DONE)) as turn:
        await until(lambda: len(_processes_with(f"tail\0-F\0{marker}")) >= 2)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    await until(lambda: not _processes_with(marker))  # a killed process is there until it is next scheduled
    assert _left_in(temporary) == []
    assert len(world.ledger.settled) == len(world.ledger.reserved)


@pytest.mark.slow
async def test_cancelling_while_the_model_thinks_leaves_the_reservation_to_the_store(world: AgentWorld) -> None:
    async with provider(script("say: A long thought about nothing much.", DONE)) as api:
        api.thinks = asyncio.Event()
        world.model = ModelSettings(key=KEY, base_url=api.url)
        async with _running(world, None) as turn:
            await until(lambda: bool(api.requests))
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn
    assert (len(world.ledger.reserved), world.ledger.settled) == (1, {})


async def test_cancelling_at_once_leaves_nothing(world: AgentWorld, temporary: Path) -> None:
    for wait in (0, 0.05, 0.2):
        turn = asyncio.create_task(world.run(world.brief(script(DONE))))
        await asyncio.sleep(wait)  # not waiting for a condition: these are the moments at which to cancel
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert _left_in(temporary) == []
    await until(lambda: not _processes_with(str(temporary)))


@pytest.mark.slow
async def test_the_key_is_nowhere_inside(world: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches with the agent's own shell: environments and command lines of all processes, files, the workspace."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("CASEWORKER_TOKEN", KEY)
    look = (
        "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n' > seen.txt; "
        "test -r /proc/1/environ && echo the first process was readable >> seen.txt; "
        'find /etc /tmp /home /root /var "$HOME" "$CLAUDE_CONFIG_DIR" "$PWD" -type f -size -500k '
        '-exec grep -ls "sk-ant-test-[0]" {} + > found.txt; true'
    )
    world.model = ModelSettings(key=KEY, pace=0)
    ended = await world.run(world.brief(script(bash(look), DONE)))
    assert isinstance(ended, AgentFinished)
    seen = (world.workspace / "seen.txt").read_text()
    assert "the-gateway-has-the-key" in seen  # so the search did read environments
    assert "the first process was readable" in seen
    assert KEY not in seen
    assert "CASEWORKER_TOKEN" not in seen
    assert (world.workspace / "found.txt").read_text() == ""


async def test_secrets_are_redacted_in_events_and_transcripts(world: AgentWorld) -> None:
    world.secrets = ("correct horse battery",)
    (world.workspace / "env").write_text("A=AKIAABCDEFGHIJKLMNOP\nB=correct horse battery\n")
    ended = await world.run(world.brief(script(f"{{say: see sk-ant-api03-abcdefghijk, {bash('cat env')[1:]}", DONE)))
    assert isinstance(ended, AgentFinished)
    outputs = [event.output for event in world.story.events if isinstance(event, ToolReturned)]
    assert outputs == ["A=[redacted]\nB=[redacted]"]
    kept = str(list(world.transcripts.entries.values()))
    for secret in ("AKIAABCDEFGHIJKLMNOP", "correct horse battery", "sk-ant-api03"):
        assert secret not in kept
        assert secret not in str(world.story.events)
    assert "see [redacted]" in kept


@asynccontextmanager
async def _running(world: AgentWorld, text: str | None) -> AsyncIterator[asyncio.Task[AgentFinished | AgentFailed]]:
    turn = asyncio.create_task(world.run(world.brief(text)))
    try:
        yield turn
    finally:
        turn.cancel()
        await asyncio.wait([turn])


def _processes_with(words: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if words.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def _left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())
