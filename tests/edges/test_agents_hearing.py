"""Messages while the real agent works: which of them it reads, when, and which wait for the next turn."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from caseworker.agents.claude import ModelSettings
from caseworker.agents.interruptions import Hearing
from caseworker.core.base.errors import Transient
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.entries import ToolReturned
from caseworker.ports import AgentFailed, AgentFinished, LostFile, ReadableFile, SentFiles
from tests.edges.agents_provider import Provider, provider
from tests.edges.agents_world import DONE, INVALID, AgentWorld, People, bash, script, until

KEY = "sk-ant-test-0123456789abcdef"
WAITING = "touch started; until [ -e go-on ]; do sleep 0.05; done"


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    return AgentWorld(tmp_path)


def handed_in(summary: str) -> str:
    return DONE.replace("Repaired.", summary)


def request(api: Provider, number: int) -> str:
    return json.dumps(api.requests[number]["messages"], ensure_ascii=False)


async def worked(world: AgentWorld, *steps: str) -> tuple[AgentFinished | AgentFailed, Provider]:
    async with provider(script(*steps)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        return await world.run(world.brief(None)), api


def summary_of(ended: AgentFinished | AgentFailed) -> str:
    assert isinstance(ended, AgentFinished), ended
    assert isinstance(ended.outcome, ImplementationOutcome)
    return ended.outcome.summary


def at(look: int, say: Callable[[], None]) -> Callable[[int], None]:
    return lambda asked: say() if asked == look else None


async def test_a_message_during_a_tool_call_is_in_the_next_model_call(world: AgentWorld) -> None:
    working = asyncio.create_task(worked(world, bash(WAITING), bash("true"), DONE))
    await until((world.workspace / "started").exists)
    world.people.say("It is order 1182.", author="ada", standing=Standing.REPORTER)
    (world.workspace / "go-on").touch()
    ended, api = await working
    assert isinstance(ended, AgentFinished)
    assert "It is order 1182." not in request(api, 0)
    heard = str(api.requests[1]["messages"][-1]["content"])
    assert 'what="said while you work" from="ada, reporter">\\nIt is order 1182.\\n</quoted-' in heard
    assert "People spoke while you work. Take this into account" in heard
    assert "decisions about a fix belong to developers" in heard
    assert request(api, 2).count("It is order 1182.") == 1


@pytest.mark.slow
async def test_a_message_during_a_tool_call_that_fails_is_read_as_well(world: AgentWorld) -> None:
    world.people.say("It is order 1182.")
    _, api = await worked(world, bash("exit 3"), DONE)
    assert "It is order 1182." in request(api, 1)


async def test_a_message_after_the_last_tool_call_is_read_before_the_outcome_counts(world: AgentWorld) -> None:
    world.people.on_asking = at(2, lambda: world.people.say("Leave the API as it is."))
    ended, api = await worked(world, bash("true"), handed_in("first"), bash("echo more"), handed_in("second"))
    assert summary_of(ended) == "second"
    assert "Leave the API as it is." in request(api, 2)
    assert request(api, 2).count("Leave the API as it is.") == 1
    assert "Your outcome was not taken yet" in request(api, 2)
    assert "more" in [event.output for event in world.story.events if isinstance(event, ToolReturned)]


@pytest.mark.slow
async def test_an_outcome_is_held_back_at_most_twice_and_later_messages_stay_unclaimed(world: AgentWorld) -> None:
    def say(asked: int) -> None:
        world.people.say(f"word {asked}")
        if asked == 2:  # and another message, after that request was answered
            asyncio.get_running_loop().call_soon(world.people.say, "word 3")

    world.people.on_asking = say
    steps = (handed_in("first"), handed_in("second"), handed_in("third"), handed_in("fourth"))
    ended, api = await worked(world, *steps)
    assert summary_of(ended) == "third"
    assert world.people.asked == 2
    assert [message.text for message in world.people.claimed] == ["word 1", "word 2"]
    assert all(f"word {number}" in request(api, number) for number in (1, 2))
    assert [message.text for message in world.people.said] == ["word 3"]
    assert len(api.requests) == 3


@pytest.mark.slow
async def test_messages_at_the_end_do_not_use_up_the_one_repair(world: AgentWorld) -> None:
    world.people.on_asking = lambda asked: world.people.say(f"word {asked}") if asked in (1, 3) else None
    steps = (handed_in("first"), INVALID, handed_in("second"), handed_in("third"))
    ended, api = await worked(world, *steps)
    assert summary_of(ended) == "third"
    assert "must be equal to one of the allowed values" in request(api, 2)


@pytest.mark.slow
async def test_an_outcome_that_stays_invalid_still_fails_the_turn(world: AgentWorld) -> None:
    world.people.on_asking = at(1, lambda: world.people.say("hello"))
    ended, _ = await worked(world, handed_in("first"), INVALID, INVALID, handed_in("never"))
    assert isinstance(ended, AgentFailed)
    assert ended.why == "invalid_outcome"
    assert "must be equal to one of the allowed values" in ended.reason


@pytest.mark.slow
async def test_an_agent_that_hands_in_nothing_after_a_held_back_outcome_fails(
    world: AgentWorld,
) -> None:
    world.people.on_asking = at(1, lambda: world.people.say("hello"))
    ended, _ = await worked(world, handed_in("first"), *["say: Done!"] * 12)
    assert isinstance(ended, AgentFailed)
    assert ended.why == "invalid_outcome"


@pytest.mark.slow
async def test_a_failing_ear_neither_stops_the_agent_nor_loses_messages(world: AgentWorld) -> None:
    world.people.say("It is order 1182.")
    world.people.fails = Transient("the database is locked")
    with capture_logs() as logs:
        ended, _ = await worked(world, bash("true"), DONE)
    assert summary_of(ended) == "Repaired."
    assert [entry["event"] for entry in logs if entry["log_level"] == "warning"] == [
        "could not look for messages in the middle of a turn"
    ] * 2
    assert [message.text for message in world.people.said] == ["It is order 1182."]


@pytest.mark.slow
async def test_messages_arrive_again_after_an_ear_has_recovered(world: AgentWorld) -> None:
    world.people.say("It is order 1182.")
    world.people.fails = Transient("the database is locked")

    def recover(asked: int) -> None:
        world.people.fails = None if asked > 1 else world.people.fails

    world.people.on_asking = recover
    _, api = await worked(world, bash("true"), bash("true"), DONE)
    assert "It is order 1182." not in request(api, 1)
    assert "It is order 1182." in request(api, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [pytest.param((0, 1), id="tool first"), pytest.param((1, 0), id="outcome first", marks=pytest.mark.slow)],
)
async def test_a_message_shown_beside_an_outcome_is_read_before_the_outcome_counts(
    world: AgentWorld, order: tuple[int, int]
) -> None:
    outcome = "{call: StructuredOutput, with: {status: READY_FOR_QA, changes: [], summary: hasty, commit_message: m}}"
    both = [(bash("true"), outcome)[place] for place in order]
    world.people.on_asking = at(1, lambda: world.people.say("It is order 1182."))
    ended, api = await worked(world, f"calls: [{', '.join(both)}]", handed_in("with the order"))
    if world.people.claimed:
        assert summary_of(ended) == "with the order"
        assert "It is order 1182." in request(api, 1)
    else:
        assert summary_of(ended) == "hasty"


@pytest.mark.slow
async def test_long_messages_of_several_people_all_arrive_in_full(world: AgentWorld) -> None:
    """The agent's program shows only so much from one hook: the rest comes after the next tool, or at the end."""
    for letter in "uvwx":
        world.people.say(letter * 7_900)
    ended, api = await worked(world, bash("true"), bash("true"), handed_in("first"), handed_in("second"))
    assert summary_of(ended) == "second"
    last = request(api, 3)
    assert all(last.count(letter * 7_900) == 1 for letter in "uvwx")
    assert "Output too large" not in last
    assert request(api, 1).count("u" * 7_900) == 1


@pytest.mark.slow
async def test_a_rehearsed_step_with_hear_is_repeated_until_a_message_comes(world: AgentWorld) -> None:
    """And an outcome that is held back because of messages that the script did not expect is handed in again."""
    world.people.on_asking = lambda asked: world.people.say(f"word {asked}") if asked in (3, 5) else None
    looking = f"{{hear: 1, delay: 0, {bash('echo ${case}').strip('{}')}}}}}"
    ended = await world.run(world.brief(script(looking, bash("echo heard"), DONE)))
    assert summary_of(ended) == "Repaired."
    printed = [event.output for event in world.story.events if isinstance(event, ToolReturned)]
    assert printed == ["local/shop#1"] * 3 + ["heard"]
    assert [message.text for message in world.people.claimed] == ["word 3", "word 5"]


# --- tools and an outcome in one answer: the order in which the agent's program calls us is its own ------------------


class Hooks:
    """Calls the hooks as the agent's program does, after a given number of model calls."""

    def __init__(self, people: People) -> None:
        self.model_calls = 1
        hooks = Hearing(people, lambda: self.model_calls).hooks()
        self._after, self._before = hooks["PostToolUse"][0].hooks[0], hooks["PreToolUse"][0].hooks[0]

    async def tool_ends(self) -> str:
        return json.dumps(await self._after({"tool_name": "Bash"}, None, {"signal": None}))  # type: ignore[arg-type]  # no more is looked at

    async def hands_in(self) -> str:
        return json.dumps(await self._before({"tool_name": "StructuredOutput"}, None, {"signal": None}))  # type: ignore[arg-type]  # the same


async def test_messages_shown_beside_an_outcome_hold_it_back_until_they_are_read() -> None:
    people = People()
    hooks = Hooks(people)
    people.say("It is order 1182.")
    assert "It is order 1182." in await hooks.tool_ends()
    assert "It is order 1182." in await hooks.hands_in()
    hooks.model_calls += 1
    assert await hooks.hands_in() == "{}"


async def test_files_of_a_message_in_the_middle_of_a_turn_are_named_with_their_paths() -> None:
    readable = (ReadableFile("/case/attachments/2-1.txt", "app.log", "text/plain", 9),)
    people = People(sent=SentFiles(readable=readable, lost=(LostFile("core.dump", "it is too large"),)))
    people.say("See the log.")
    shown = await Hooks(people).tool_ends()
    assert "`/case/attachments/2-1.txt`: app.log (text/plain, 9 bytes)" in shown
    assert "could not be had: core.dump (it is too large)" in shown


async def test_a_tool_that_ends_after_an_outcome_was_taken_claims_nothing() -> None:
    people = People()
    hooks = Hooks(people)
    assert await hooks.hands_in() == "{}"
    people.say("Too late for this turn.")
    assert await hooks.tool_ends() == "{}"
    assert len(people.said) == 1
    hooks.model_calls += 1  # it was invalid after all, and the agent goes on
    assert "Too late for this turn." in await hooks.tool_ends()


async def test_a_tool_and_an_outcome_that_ask_at_the_same_time_lose_nothing() -> None:
    class Slow(People):
        async def news(self) -> Sequence[Message]:
            found = await super().news()
            await asyncio.sleep(0)
            return found

    people = Slow()
    people.say("It is order 1182.")
    hooks = Hooks(people)
    shown, held_back = await asyncio.gather(hooks.tool_ends(), hooks.hands_in())
    assert "It is order 1182." in shown
    assert '"deny"' in held_back
