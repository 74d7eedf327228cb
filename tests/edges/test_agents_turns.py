"""Turns of the real agent in a sandbox, through the real gateway, with a rehearsed model."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.agents.claude import ModelSettings
from caseworker.agents.prompt_inputs import BugInputs, IssueInputs, PullInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import OUTCOME_TOOL, tools_for
from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.outcome import known_turns, outcome_schema
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.record.entries import AgentSaid, ToolCalled, ToolReturned
from caseworker.ports import AgentFailed, AgentFinished
from tests.edges.agents_provider import provider
from tests.edges.agents_world import DONE, INVALID, AgentWorld, bash, script

KEY = "sk-ant-test-0123456789abcdef"


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    return AgentWorld(tmp_path)


async def test_tools_really_run_and_their_events_come_in_order(world: AgentWorld) -> None:
    (world.workspace / "sum.py").write_text("total = 1 - 1\n")
    steps = (
        "{say: I look first., call: Read, with: {file_path: '${workspace}/sum.py'}}",
        "{call: Edit, with: {file_path: '${workspace}/sum.py', old_string: 1 - 1, new_string: 1 + 1}}",
        bash("cat sum.py && ls nothing-here"),
        DONE,
    )
    ended = await world.run(world.brief(script(*steps)))
    assert isinstance(ended, AgentFinished)
    assert ended.outcome == ImplementationOutcome(
        status="READY_FOR_QA", changes=[], summary="Repaired.", commit_message="Repair the sum"
    )
    assert ended.calls == 4
    assert (world.workspace / "sum.py").read_text() == "total = 1 + 1\n"
    told = [
        event.text if isinstance(event, AgentSaid) else event.summary if isinstance(event, ToolCalled) else event.ok
        for event in world.story.events
    ]
    file = "sum.py"
    assert told == ["I look first.", file, True, file, True, "cat sum.py && ls nothing-here", False]
    assert {event.turn for event in world.story.events} == {3}
    assert len(world.ledger.settled) == 4
    assert all(usage.input_tokens > 1_000 for usage, _ in world.ledger.settled.values())


@pytest.mark.slow
async def test_several_tools_in_one_answer_have_each_its_result(world: AgentWorld) -> None:
    both = f"calls: [{bash('echo one')}, {bash('echo two')}]"
    await world.run(world.brief(script(both, DONE)))
    returned = {event.call: event.output for event in world.story.events if isinstance(event, ToolReturned)}
    called = [event.call for event in world.story.events if isinstance(event, ToolCalled)]
    assert [returned[call] for call in called] == ["one", "two"]


async def test_an_analyst_cannot_write_to_the_workspace(world: AgentWorld) -> None:
    (world.workspace / "sum.py").write_text("total = 0\n")
    outcome = (
        "outcome: {status: READY, confidence: 1, files: [], must_do: [], brief: b, "
        "test_requirement: {required: false, type: existing}}"
    )
    text = script(bash("echo x > sum.py; touch new.py"), outcome, role=Role.ANALYST, task=Task.ANALYZE)
    ended = await world.run(world.brief(text, Role.ANALYST, Task.ANALYZE))
    assert isinstance(ended, AgentFinished)
    assert (world.workspace / "sum.py").read_text() == "total = 0\n"
    assert not (world.workspace / "new.py").exists()


@pytest.mark.slow
async def test_a_pm_looks_and_runs_but_can_not_write_to_the_repository(world: AgentWorld) -> None:
    (world.workspace / "sum.py").write_text("total = 42\n")
    steps = (
        "{call: Bash, with: {command: 'grep -rn total .'}}",
        "{call: Bash, with: {command: 'touch new.py'}}",
        "outcome: {status: PROCEED, type: BUG_FIX, scope: SMALL, complexity: simple, reason: r}",
    )
    ended = await world.run(world.brief(script(*steps, role=Role.PM, task=Task.TRIAGE), Role.PM, Task.TRIAGE))
    assert isinstance(ended, AgentFinished)
    found = [event.output for event in world.story.events if isinstance(event, ToolReturned)]
    assert "total = 42" in found[0]
    assert "Read-only file system" in found[1]


async def test_an_outcome_against_the_schema_is_repaired_once(world: AgentWorld) -> None:
    async with provider(script(INVALID, DONE)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None))
    assert isinstance(ended, AgentFinished)
    assert "must be equal to one of the allowed values" in str(api.requests[1]["messages"][-1])


@pytest.mark.slow
async def test_the_agent_checks_an_outcome_with_more_than_the_model_is_shown(world: AgentWorld) -> None:
    sized = "status: PROCEED, type: BUG_FIX, scope: SMALL, complexity: simple, reason: r"
    steps = (f"{{invalid: true, outcome: {{{sized}, mood: good}}}}", f"outcome: {{{sized}, defect: null}}")
    text = script(*steps, role=Role.PM, task=Task.TRIAGE)
    async with provider(text, Role.PM, Task.TRIAGE) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None, Role.PM, Task.TRIAGE))
    assert isinstance(ended, AgentFinished), "null is taken for a field that may be left out"
    (outcome,) = [tool for tool in api.requests[0]["tools"] if tool["name"] == OUTCOME_TOOL]
    assert "null" not in str(outcome)
    assert "must NOT have additional properties" in str(api.requests[1]["messages"][-1])


@pytest.mark.slow
async def test_an_outcome_against_our_own_rules_is_repaired_with_the_rule_quoted(world: AgentWorld) -> None:
    finding = "{file: a.py, line: 1, issue: loses data, severity: critical}"
    wrong = f"{{invalid: true, outcome: {{status: APPROVED, issues: [{finding}]}}}}"
    text = script(wrong, "outcome: {status: APPROVED}", role=Role.TECH_LEAD, task=Task.REVIEW)
    async with provider(text, Role.TECH_LEAD, Task.REVIEW) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None, Role.TECH_LEAD, Task.REVIEW))
    assert isinstance(ended, AgentFinished)
    assert ended.outcome == ReviewOutcome(status="APPROVED")
    assert "APPROVED with a critical finding: only minor findings may pass" in str(api.requests[1]["messages"][-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((INVALID, INVALID, INVALID), id="invalid"),
        pytest.param(("say: Done!",) * 8, id="only words", marks=pytest.mark.slow),
    ],
)
async def test_an_invalid_outcome_twice_fails_the_turn(world: AgentWorld, steps: tuple[str, ...]) -> None:
    ended = await world.run(world.brief(script(*steps)))
    assert isinstance(ended, AgentFailed)
    assert ended.why == "invalid_outcome"
    assert not ended.retry
    assert ended.reason.startswith("the outcome was invalid twice: ")


async def test_a_resumed_turn_has_the_history_and_leaves_the_old_session_alone(world: AgentWorld) -> None:
    first = world.brief(None)
    sessions = [
        first.attempt.session,
        SessionId("3f0e4a52-0000-4000-8000-000000000002"),
        SessionId("3f0e4a52-0000-4000-8000-000000000003"),
    ]
    async with provider(script("{say: I remember the blue door., call: Bash, with: {command: 'true'}}", DONE)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        assert isinstance(await world.run(first), AgentFinished)
        before = list(world.transcripts.entries[sessions[0], ""])
        for number, session in enumerate(sessions[1:], start=1):
            api.plays(script(f"{{say: Thought {number}., call: Bash, with: {{command: 'true'}}}}", DONE), nth=number)
            attempt = first.attempt.model_copy(update={"session": session})
            brief = replace(first, attempt=attempt, resume=sessions[number - 1], prompt=f"Go on, {number}.")
            assert isinstance(await world.run(brief), AgentFinished)
    assert world.transcripts.entries[sessions[0], ""] == before
    last = str(api.requests[-1]["messages"])
    for said in ("Repair the sum.", "I remember the blue door.", "Go on, 1.", "Thought 1.", "Go on, 2.", "Thought 2."):
        assert last.count(said) == 1


@pytest.mark.slow
async def test_a_turn_whose_old_session_is_lost_starts_anew(world: AgentWorld) -> None:
    brief = replace(world.brief(script(DONE)), resume=SessionId("3f0e4a52-0000-4000-8000-00000000dead"))
    assert isinstance(await world.run(brief), AgentFinished)


@pytest.mark.slow
async def test_the_fixed_part_of_every_model_call_stays_small(tmp_path: Path) -> None:
    """System prompt, tool definitions and the outcome's schema: at most 12 KB."""
    few = asyncio.Semaphore(_AGENTS_AT_ONCE)

    async def measured(role: Role, task: Task) -> int:
        async with few:
            return await _fixed_bytes(AgentWorld(tmp_path), role, task)

    # The fixed part depends on the schema and the tools: turns that share both are measured once.
    different = {
        (json.dumps(outcome_schema(role, task)), tools_for(role, task)): (role, task) for role, task in known_turns()
    }
    sizes = await asyncio.gather(*(measured(role, task) for role, task in different.values()))
    assert max(sizes) <= 12_000


_AGENTS_AT_ONCE = 6


async def _fixed_bytes(world: AgentWorld, role: Role, task: Task) -> int:
    is_bug = task is Task.BUG
    issue = IssueInputs(title="Sum is wrong", body="It is 0.", author="ann")
    bug = BugInputs(bug_id="bug-7F3K", title="Sum is wrong", report="It is 0.", reporter="ann")
    pull = PullInputs(title="Correct the sum", body="It was 0.", author="ann")
    is_pull = task in (Task.REVIEW_PULL, Task.RESOLVE_PULL)
    system, prompt = render(role, task, bug if is_bug else pull if is_pull else issue)
    async with provider(script("error: refused", role=role, task=task), role, task) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        brief = world.bug_brief(None) if is_bug else world.brief(None, role, task)
        brief = replace(brief, system_prompt=system, prompt=prompt)
        await world.run(brief)
    request = api.requests[0]
    ours = ["mcp__caseworker__get_bug_conversations"] if is_bug else []
    assert {tool["name"] for tool in request["tools"]} == {*tools_for(role, task), *ours, "StructuredOutput"}
    return len(json.dumps([request["system"], request["tools"]], ensure_ascii=False).encode())
