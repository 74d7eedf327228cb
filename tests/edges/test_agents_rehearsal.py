"""Rehearsal scripts: what is allowed, how a mistake is reported, and what a rehearsed model answers."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.upstreams import ModelAnswer, ModelCall, NotScripted
from caseworker.agents.upstreams.rehearsed import Part, RehearsedUpstream
from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task

GOOD = """\
version: 1
pace: 0.3
turns:
  - role: developer
    task: fix
    steps:
      - say: Any.
  - role: developer
    task: fix
    nth: 2
    steps:
      - say: Second.
        call: Bash
        with: {command: "ls ${workspace}", date: 2024-01-01}
      - calls:
          - call: Read
            with: {file_path: a.py}
          - call: Read
      - error: overloaded
      - delay: 2
        outcome: {status: READY_FOR_QA, changes: [], summary: s, commit_message: m}
      - invalid: true
        outcome: {status: PERFECT}
"""


def test_the_more_specific_turn_wins() -> None:
    rehearsal = load_rehearsal(GOOD, "good.yaml")
    assert [len(rehearsal.steps_for(Role.DEVELOPER, Task.FIX, nth) or ()) for nth in (1, 2, 3)] == [1, 5, 1]
    assert rehearsal.steps_for(Role.PM, Task.TRIAGE, 1) is None
    assert rehearsal.pace == 0.3


def test_dates_stay_text() -> None:
    steps = load_rehearsal(GOOD, "good.yaml").steps_for(Role.DEVELOPER, Task.FIX, 2)
    assert steps is not None
    assert steps[0].tool_calls()[0].arguments == {"command": "ls ${workspace}", "date": "2024-01-01"}


def told(text: str) -> str:
    with pytest.raises(Refused) as refused:
        load_rehearsal(text, "bug.yaml")
    return str(refused.value)


def turn(step: str, *, role: str = "developer", task: str = "implement") -> str:
    return f"version: 1\nturns:\n  - role: {role}\n    task: {task}\n    steps:\n      - say: Hello.\n      - {step}\n"


STEP = "bug.yaml, line 7: turn 1 (developer/implement), step 2"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (turn("cal: Bash"), f"{STEP}: unknown key `cal`; did you mean `call`?"),
        (
            turn("zzz: 1"),
            f"{STEP}: unknown key `zzz`; expected are `say`, `call`, `with`, `calls`, `outcome`, `invalid`, `error`, "
            "`delay` and `hear`",
        ),
        (
            turn("calls: [{cal: Read}]"),
            f"{STEP}, calls, item 1: the key `call` is missing; it holds text, not empty\n"
            f"{STEP}, calls, item 1: unknown key `cal`; did you mean `call`?",
        ),
        (turn("calls: []"), f"{STEP}: `calls` is empty"),
        (turn("calls: Read"), f"{STEP}, calls: found \"Read\"; expected a list (each: a mapping with `call` "
         "(it may also have `with`))"),
        (turn("Read"), f"{STEP}: found \"Read\"; expected a mapping with some of `say`, `call`, `with`, `calls`, "
         "`outcome`, `invalid`, `error`, `delay` and `hear`"),
        (
            turn("error: slow"),
            f'{STEP}, error: found "slow"; expected `overloaded`, `rate_limited`, `server_error` or `refused`',
        ),
        (
            turn("error: overload"),
            f'{STEP}, error: found "overload"; expected `overloaded`, `rate_limited`, `server_error` or `refused`; '
            "did you mean `overloaded`?",
        ),
        (turn("{error: refused, say: x}"),
         f"{STEP}: an `error` stands alone: no `say`, `call`, `calls` or `outcome` beside it"),
        (turn("{call: Bash, outcome: {}}"), f"{STEP}: only one of `call`, `calls` and `outcome` fits in a step"),
        (turn("{delay: 1}"), f"{STEP}: a step needs `say`, `call`, `calls`, `outcome` or `error`"),
        (turn("{say: x, with: {}}"), f"{STEP}: `with` belongs to a `call`"),
        (turn("{say: x, invalid: true}"), f"{STEP}: `invalid` belongs to an `outcome`"),
        (turn("{say: x, hear: 1}"), f"{STEP}: `hear` belongs to a `call` or to `calls`"),
        (turn("say: 7"), f"{STEP}, say: found `7`; expected text (in quotes it is text)"),
        (turn("{say: x, delay: 601}"), f"{STEP}, delay: found `601`; expected a number from 0 to 600"),
        (turn("{call: Bash, with: {1: x}}"), f"{STEP}, with: the key `1` is not text; put it in quotes"),
        (
            turn("say: x", role="pm", task="fix"),
            "bug.yaml, line 3: turn 1 (pm/fix): there is no turn pm/fix; there are pm/triage, pm/plan, pm/questions, "
            "pm/interpret, pm/answer, pm/unblock",
        ),
        ("turns: []\n", "bug.yaml, line 1: the key `version` is missing; it holds `1`"),
        ("version: 1\nturns: []", "bug.yaml, line 2: turns: there is no turn here"),
        (
            "version: 1\nturns: [{role: pm, task: triage, steps: []}]",
            "bug.yaml, line 2: turn 1 (pm/triage), steps: a turn has at least one step",
        ),
        ("version: 2\nturns: []", "bug.yaml, line 1: version: found `2`; expected `1`"),
        ("a: [1\nb: 2", "bug.yaml, line 2: this is not YAML: expected ',' or ']', but got ':'"),
        ("", "bug.yaml is empty."),
        ("just text", "bug.yaml, line 1: found \"just text\"; expected a mapping with `version` and `turns` "
         "(it may also have `pace` and `questions`)"),
        (
            "version: 1\nturns: []\nquestions:\n  - purpose: classify\n    steps: []",
            "bug.yaml, line 5: question 1, steps: a question has at least one step",
        ),
        (
            "version: 1\nturns: []\nquestions:\n  - purpose: chat\n    steps:\n      - {answer: {}, say: x}",
            "bug.yaml, line 6: question 1, step 1: a step of a question has one of `answer`, `say` and `error`",
        ),
        (
            "version: 1\nturns: []\nquestions:\n  - {purpose: a, steps: [say: x]}\n  - {purpose: a, steps: [say: y]}",
            "bug.yaml, line 5: question 2: question 1 is for a without `nth` as well",
        ),
        (
            "version: 1\nturns: []\nquestions:\n  - {purpose: a, steps: [{anwser: {}}]}",
            "bug.yaml, line 4: question 1, step 1: unknown key `anwser`; did you mean `answer`?",
        ),
        ("version: 1\nversion: 1\n", 'bug.yaml, line 2: the key "version" is there twice'),
        ("a: &x 1\nb: *x\n", "bug.yaml, line 1: anchors and aliases (& and *) are not allowed in a script"),
        ("a: " + "[" * 100, "bug.yaml, line 1: nested more than 40 levels deep"),
        ("a: !!python/object:os.system x", "bug.yaml, line 1: this is not YAML: could not determine a constructor "
         "for the tag 'tag:yaml.org,2002:python/object:os.system'"),
        ("x" * 1_000_001, "bug.yaml: a script has at most 1,000,000 bytes."),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_file_line_and_what_is_allowed(text: str, said: str) -> None:
    assert told(text) == said


def test_an_outcome_is_checked_when_the_script_is_loaded() -> None:
    outcome = "turn 1 (developer/implement), step 2, outcome"
    text = turn(
        "outcome:\n          status: PERFECT\n          changes: []\n          sumary: s\n          commit_message: m"
    )
    assert told(text) == (
        f'bug.yaml, line 8: {outcome}, status: found "PERFECT"; expected '
        "`READY_FOR_QA`, `READY_FOR_REVIEW`, `PARTIAL`, `BLOCKED`, `ESCALATE_SENIOR`, "
        "`NEEDS_TECH_LEAD_VALIDATION`, `SPAWN_INVESTIGATOR` or `REQUIREMENT_GAP`\n"
        f"bug.yaml, line 7: {outcome}: the key `summary` is missing; it holds text of at most 2,000 characters\n"
        f"bug.yaml, line 10: {outcome}: unknown key `sumary`; did you mean `summary`?\n"
        "`caseworker docs outcomes` lists the keys of every turn's outcome. "
        "If it is wrong on purpose, write `invalid: true` beside it."
    )


def test_a_rule_that_spans_keys_is_checked_as_well() -> None:
    assert "CHANGES_REQUESTED needs feedback_for_writer" in told(
        turn("outcome: {status: CHANGES_REQUESTED}", role="tech_lead", task="review")
    )


def test_two_turns_for_the_same_number_are_refused() -> None:
    text = turn("say: x") + turn("say: y").partition("turns:\n")[2]
    there = "bug.yaml, line 8: turn 2 (developer/implement)"
    assert told(text) == f"{there}: turn 1 is for developer/implement without `nth` as well"


def test_at_most_ten_mistakes_are_reported() -> None:
    text = "version: 1\nturns:\n" + "  - {role: pm, task: fix, steps: [{say: x}], nth: 1}\n" * 12
    assert told(text).count("\n") == 10
    assert told(text).endswith("\nand 13 more")


def test_loading_scripts_imports_nothing_heavy() -> None:
    code = (
        "import sys; import caseworker.agents.rehearsal; "
        "print([name for name in ('starlette', 'uvicorn', 'httpx', 'claude_agent_sdk') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


# --- playing a script ------------------------------------------------------------------------------------------------


def playing(nth: int, *, pace: float | None = 0) -> RehearsedUpstream:
    part = Part(role=Role.DEVELOPER, task=Task.FIX, nth=nth, session="s", case="bug-7F3K", workspace=Path("/w"))
    return RehearsedUpstream(load_rehearsal(GOOD.replace("delay: 2", "delay: 0"), "good.yaml"), part, pace=pace)


def asked(*said: str, main: bool = True, stream: bool = False) -> ModelCall:
    document: dict[str, object] = {
        "model": "claude-sonnet-5",
        "messages": [{"role": "user", "content": text} for text in said],
        "tools": [{"name": "StructuredOutput"}] if main else [],
        "stream": stream,
    }
    return ModelCall(path="/v1/messages", query="", headers={}, body=b"x" * 400, document=document)


async def body(answer: ModelAnswer) -> str:
    return b"".join([chunk async for chunk in answer.body]).decode()


async def test_a_repeated_request_gets_the_same_answer_and_a_new_one_the_next() -> None:
    model = playing(2)
    first, again = await model.send(asked("a")), await model.send(asked("a"))
    assert await body(first) == await body(again)
    second = await body(await model.send(asked("a", "b")))
    assert second.count('"tool_use"') == 3  # two calls and the stop reason
    assert "/w" in await body(await model.send(asked("a")))


async def test_a_scripted_error_comes_once_even_if_the_request_is_repeated() -> None:
    model = playing(2)
    for number in range(2):
        await model.send(asked(*"ab"[: number + 1]))
    assert (await model.send(asked("a", "b", "c"))).status == 529
    answer = await model.send(asked("a", "b", "c"))
    assert answer.status == 200
    assert '"name": "StructuredOutput"' in await body(answer)


async def test_side_calls_of_the_agent_use_up_no_step() -> None:
    model = playing(1)
    assert "ok" in await body(await model.send(asked("title?", main=False)))
    assert "Any." in await body(await model.send(asked("a", stream=True)))
    with pytest.raises(NotScripted, match=r"the rehearsal of developer/fix \(nth 1\) ran out after 1 step"):
        await model.send(asked("a", "b"))


def test_the_examples_in_the_documentation_are_scripts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rehearsal.md").read_text(encoding="utf-8")
    examples = [part.split("```")[0] for part in page.split("```yaml\n")[1:]]
    assert [len(load_rehearsal(example, "rehearsal.md").turns) for example in examples] == [5, 2, 0]


# --- messages during a turn --------------------------------------------------------------------------------------

HEARD = 'People spoke. <quoted-1 what="said while you work" from="ada, reporter">'
BUG = """\
version: 1
turns:
  - role: investigator
    task: bug
    steps:
      - {hear: 1, call: get_bug_conversations, with: {bug_id: "${case}"}}
      - outcome: {action: ask_reporter, summary: s, confidence: 0, clarification_questions: ["Where?"]}
"""


def investigating(script: str = BUG) -> RehearsedUpstream:
    part = Part(role=Role.INVESTIGATOR, task=Task.BUG, nth=1, session="s", case="bug-7F3K", workspace=Path("/w"))
    return RehearsedUpstream(load_rehearsal(script, "bug.yaml"), part, pace=0)


async def test_a_step_is_repeated_as_a_new_answer_until_a_message_comes() -> None:
    model = investigating()
    earlier = HEARD.replace("quoted-1", "quoted-0")  # from the turn that this one continues
    answers = [await body(await model.send(asked(earlier, *"ab"[:number]))) for number in range(3)]
    assert all('"name": "mcp__caseworker__get_bug_conversations"' in answer for answer in answers)
    assert all('"bug_id": "bug-7F3K"' in answer for answer in answers)
    assert len(set(answers)) == 3
    assert '"name": "StructuredOutput"' in await body(await model.send(asked(earlier, "a", "b", HEARD)))


async def test_a_step_waits_for_a_message_for_at_most_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    model = investigating()
    await model.send(asked("a"))
    loop = asyncio.get_running_loop()
    started = loop.time()
    monkeypatch.setattr(loop, "time", lambda: started + 61)
    answer = await model.send(asked("a", "b"))
    monkeypatch.undo()
    assert '"name": "StructuredOutput"' in await body(answer)


async def test_only_the_last_outcome_is_handed_in_again_after_being_held_back() -> None:
    model = investigating(BUG.replace("hear: 1, ", ""))
    await model.send(asked("a"))
    first, second = await body(await model.send(asked("a", "b"))), await body(await model.send(asked("a", "b", HEARD)))
    assert first != second
    assert first.count("StructuredOutput") == second.count("StructuredOutput") == 1
    with pytest.raises(NotScripted, match="ran out after 2 steps"):
        await model.send(asked("a", "b", HEARD, "c"))
