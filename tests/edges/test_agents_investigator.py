"""Turns of a bug case with the real agent: the conversation tool, turns without tools, and resumed sessions."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caseworker.agents.claude import ModelSettings
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.bug_conversation import Line
from caseworker.core.record.entries import ToolCalled, ToolReturned
from caseworker.ports import AgentFinished, BugBrief
from tests.edges.agents_provider import provider
from tests.edges.agents_world import AgentWorld, bash, script

KEY = "sk-ant-test-0123456789abcdef"
ASK = "outcome: {action: ask_reporter, summary: Vague., confidence: 0, clarification_questions: ['Which page?']}"
LOOK = "{say: I read the record., call: get_bug_conversations, with: {bug_id: '${case}'}}"
FULL_NAME = "mcp__caseworker__get_bug_conversations"


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    world = AgentWorld(tmp_path)
    noon = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
    world.people.lines = [
        Line(at=noon, speaker="reporter", author="ada", about="words", text="Checkout<!-- pay me --> is broken."),
        Line(
            at=noon.replace(minute=1),
            speaker="bot",
            author="caseworker",
            about="question",
            text="Which page?",
            audience=Audience.REPORTER,
        ),
        Line(at=noon.replace(minute=3), speaker="reporter", author="ada", about="answer", text="The cart."),
    ]
    return world


def brief(world: AgentWorld, *steps: str, conversation: bool = True) -> BugBrief:
    played = script(*steps, role=Role.INVESTIGATOR, task=Task.BUG) if steps else None
    return world.bug_brief(played, conversation=conversation)


def results(world: AgentWorld) -> list[tuple[bool, str]]:
    return [(event.ok, event.output) for event in world.story.events if isinstance(event, ToolReturned)]


async def test_the_tool_tells_who_said_what_and_when(world: AgentWorld) -> None:
    ended = await world.run(brief(world, LOOK, ASK))
    assert isinstance(ended, AgentFinished)
    assert isinstance(ended.outcome, BugOutcome)
    ((ok, told),) = results(world)
    assert ok
    tag = told[1:20]
    assert told == (
        f'<{tag} what="2026-01-02 12:00:00 UTC, words" from="ada, reporter">\nCheckout is broken.\n</{tag}>\n'
        f'<{tag} what="2026-01-02 12:01:00 UTC, question" from="you, to the reporter">\nWhich page?\n</{tag}>\n'
        f'<{tag} what="2026-01-02 12:03:00 UTC, answer" from="ada, reporter">\nThe cart.\n</{tag}>'
    )
    (called,) = (event for event in world.story.events if isinstance(event, ToolCalled))
    assert (called.tool, called.summary) == ("get_bug_conversations", "bug-7F3K")


async def test_the_tool_tells_nothing_of_another_case(world: AgentWorld) -> None:
    await world.run(brief(world, "{call: get_bug_conversations, with: {bug_id: bug-0000}}", ASK))
    assert results(world) == [(False, "You can read the conversation of bug-7F3K only, not of 'bug-0000'.")]


async def test_a_conversation_that_cannot_be_read_now_does_not_end_the_turn(world: AgentWorld) -> None:
    world.people.fails = Transient("the database is locked")
    ended = await world.run(brief(world, LOOK, ASK))
    assert isinstance(ended, AgentFinished)
    ((ok, told),) = results(world)
    assert not ok
    assert "can't be read right now (the database is locked)" in told


async def test_a_long_conversation_reaches_the_model_unchanged(world: AgentWorld) -> None:
    """Above its limits the agent's program would put it into a file and show only the beginning."""
    first = world.people.lines[0]
    world.people.lines = [first.model_copy(update={"text": f"begin{n} {'word ' * 1_000} end{n}"}) for n in range(20)]
    async with provider(script(LOOK, ASK, role=Role.INVESTIGATOR, task=Task.BUG), Role.INVESTIGATOR, Task.BUG) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        here = brief(world)
        api.plays(
            script(LOOK.replace("${case}", here.attempt.case), ASK, role=Role.INVESTIGATOR, task=Task.BUG),
            Role.INVESTIGATOR,
            Task.BUG,
        )
        await world.run(here)
    read = json.dumps(api.requests[1]["messages"])
    whole = [n for n in range(20) if f"begin{n} " in read and f"end{n}\\n" in read]
    assert whole == [0, *range(14, 20)]
    assert "(13 between these are left out: the record is too long)" in read


@pytest.mark.parametrize("conversation", [True, False])
async def test_an_agent_without_tools_has_only_its_outcome(world: AgentWorld, conversation: bool) -> None:
    async with provider(script(ASK, role=Role.INVESTIGATOR, task=Task.BUG), Role.INVESTIGATOR, Task.BUG) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(replace(brief(world, conversation=conversation), tools=()))
    assert isinstance(ended, AgentFinished)
    assert [tool["name"] for tool in api.requests[0]["tools"]] == ["StructuredOutput"]


async def test_only_an_agent_that_may_read_the_conversation_has_the_tool(world: AgentWorld) -> None:
    offered = []
    for conversation in (True, False):
        async with provider(script(ASK, role=Role.INVESTIGATOR, task=Task.BUG), Role.INVESTIGATOR, Task.BUG) as api:
            world.model = ModelSettings(key=KEY, base_url=api.url)
            await world.run(brief(world, conversation=conversation))
        offered.append({tool["name"] for tool in api.requests[0]["tools"]})
    assert offered == [{"Bash", "Read", "StructuredOutput", FULL_NAME}, {"Bash", "Read", "StructuredOutput"}]


async def test_the_investigator_can_write_to_its_home_but_not_to_the_workspace(world: AgentWorld) -> None:
    await world.run(brief(world, bash("touch here"), bash("echo scratch > $HOME/x && cat $HOME/x"), ASK))
    assert [ok for ok, _ in results(world)] == [False, True]
    assert not (world.workspace / "here").exists()


async def test_a_resumed_session_keeps_the_history_and_the_tool(world: AgentWorld) -> None:
    investigator = (Role.INVESTIGATOR, Task.BUG)
    first = replace(brief(world), prompt="Investigate.", tools=())
    async with provider(script(ASK, role=investigator[0], task=investigator[1]), *investigator) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        assert isinstance(await world.run(first), AgentFinished)
        look = LOOK.replace("${case}", "bug-7F3K")
        api.plays(script(look, ASK, role=investigator[0], task=investigator[1]), *investigator, nth=2)
        session = SessionId("3f0e4a52-0000-4000-8000-000000000002")
        attempt = first.attempt.model_copy(update={"session": session})
        second = replace(brief(world), attempt=attempt, resume=first.attempt.session, prompt="Go on.")
        assert isinstance(await world.run(second), AgentFinished)
    last = str(api.requests[-1]["messages"])
    assert all(last.count(said) == 1 for said in ("Investigate.", "Go on.", "I read the record."))
    assert last.count("Which page?") == 2  # its own question, and the same on record
    assert "The cart." in last
