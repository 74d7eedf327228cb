"""Turns of a bug case with the real agent: the conversation tool, turns without tools, and resumed sessions."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caseworker.agents.claude import ModelSettings
from caseworker.agents.quotes import conversation_page
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.bug_conversation import Delivery, Line
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
    tag = told.partition("<")[2][:19]
    assert told == (
        "Entries 1 to 3 of 3, oldest first.\n"
        f'<{tag} what="2026-01-02 12:00:00 UTC, words" from="ada, reporter">\nCheckout is broken.\n</{tag}>\n'
        f'<{tag} what="2026-01-02 12:01:00 UTC, question" from="you, to the reporter">\nWhich page?\n</{tag}>\n'
        f'<{tag} what="2026-01-02 12:03:00 UTC, answer" from="ada, reporter">\nThe cart.\n</{tag}>'
    )
    (called,) = (event for event in world.story.events if isinstance(event, ToolCalled))
    assert (called.tool, called.summary) == ("get_bug_conversations", "bug-7F3K")


@pytest.mark.slow
async def test_the_tool_tells_nothing_of_another_case(world: AgentWorld) -> None:
    await world.run(brief(world, "{call: get_bug_conversations, with: {bug_id: bug-0000}}", ASK))
    assert results(world) == [(False, "You can read the conversation of bug-7F3K only, not of 'bug-0000'.")]


@pytest.mark.slow
async def test_a_conversation_that_cannot_be_read_now_does_not_end_the_turn(world: AgentWorld) -> None:
    world.people.fails = Transient("the database is locked")
    ended = await world.run(brief(world, LOOK, ASK))
    assert isinstance(ended, AgentFinished)
    ((ok, told),) = results(world)
    assert not ok
    assert "can't be read right now (the database is locked)" in told


@pytest.mark.slow
async def test_the_tool_gives_the_newest_page_first_and_then_the_one_before(world: AgentWorld) -> None:
    """Above its limits the agent's program would put a page into a file and show only the beginning."""
    first = world.people.lines[0]
    world.people.lines = [first.model_copy(update={"text": f"begin{n} {'word ' * 1_000} end{n}"}) for n in range(20)]
    earlier = "{call: get_bug_conversations, with: {bug_id: bug-7F3K, before: 14}}"
    steps = script(LOOK.replace("${case}", "bug-7F3K"), earlier, ASK, role=Role.INVESTIGATOR, task=Task.BUG)
    async with provider(steps, Role.INVESTIGATOR, Task.BUG) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        await world.run(brief(world))
    newest, both = (json.dumps(api.requests[number]["messages"]) for number in (1, 2))
    assert [n for n in range(20) if f"begin{n} " in newest and f"end{n}\\n" in newest] == list(range(13, 20))
    assert "Entries 14 to 20 of 20, oldest first. For earlier ones call this again with before: 14." in newest
    assert [n for n in range(20) if f"begin{n} " in both and f"end{n}\\n" in both] == list(range(6, 20))


def test_the_pages_of_a_conversation_hold_all_of_it_once() -> None:
    noon = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
    texts = [f"{n}" * 30_000 if n == 7 else f"message {n} x" + "x" * (n * 150) for n in range(40)]
    lines = [Line(at=noon, speaker="reporter", author="ada", about="words", text=text) for text in texts]
    pages: list[str] = []
    before: int | None = None
    while before != 1:
        page = conversation_page(lines, before)
        assert len(page) < 45_000
        head, _, body = page.partition("\n")
        pages.insert(0, body)
        begin = re.match(r"Entries (\d+) to \d+ of 43,", head)
        assert begin is not None, head
        before = int(begin[1])
    said = re.sub(r"</?quoted-[^>]*>|\n", "", "".join(pages))
    assert said == "".join(texts)
    assert 'words, part 2 of 4" from' in "".join(pages)
    assert conversation_page(lines, 1) == "There are 43 entries in all, and none before the first."


def test_a_page_says_which_posts_did_not_reach_people() -> None:
    noon = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
    post = Line(
        at=noon,
        speaker="bot",
        author="caseworker",
        about="question",
        text="Which page?",
        audience=Audience.REPORTER,
        delivery=Delivery.UNDELIVERED,
    )
    page = conversation_page([post, post.model_copy(update={"text": "", "delivery": Delivery.PENDING})])
    assert re.sub(r"quoted-\w+", "quoted", page) == (
        "Entries 1 to 2 of 2, oldest first.\n"
        '<quoted what="2026-01-02 12:00:00 UTC, question, NOT DELIVERED" from="you, to the reporter">\n'
        "Which page?\n"
        "</quoted>\n"
        '<quoted what="2026-01-02 12:00:00 UTC, question, NOT SAID YET" from="you, to the reporter">\n'
        "(its text is made when it is said)\n"
        "</quoted>"
    )


@pytest.mark.slow
async def test_a_page_before_no_entry_is_refused(world: AgentWorld) -> None:
    await world.run(brief(world, "{call: get_bug_conversations, with: {bug_id: bug-7F3K, before: 0}}", ASK))
    ((ok, told),) = results(world)
    assert (ok, told) == (False, "Input validation error: 0 is less than the minimum of 1")


@pytest.mark.slow
@pytest.mark.parametrize("conversation", [True, pytest.param(False, marks=pytest.mark.slow)])
async def test_an_agent_without_tools_has_only_its_outcome(world: AgentWorld, conversation: bool) -> None:
    async with provider(script(ASK, role=Role.INVESTIGATOR, task=Task.BUG), Role.INVESTIGATOR, Task.BUG) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(replace(brief(world, conversation=conversation), tools=()))
    assert isinstance(ended, AgentFinished)
    assert [tool["name"] for tool in api.requests[0]["tools"]] == ["StructuredOutput"]


@pytest.mark.slow
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


@pytest.mark.slow
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
