"""Which claims in an agent's words are checked, and which of them nothing confirms."""

from datetime import UTC, datetime

import pytest

from caseworker.core.base.ids import Sha, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.record.claim_entries import ClaimsChecked, NotSeen
from caseworker.core.record.claims import claims_in, not_seen
from caseworker.core.record.entries import Entry, Recorded, ToolCalled, ToolReturned, TurnCompleted
from caseworker.core.telling.unseen import unseen_claims, unseen_words

FILES = {"shop/cart.py": "def total():\n    return 1\n", "Makefile": "test:\n"}


def recorded(*entries: Entry) -> list[Recorded]:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    return [
        Recorded(sequence=number, at=at, trace=TraceId("t"), version=1, entry=entry)
        for number, entry in enumerate(entries, start=1)
    ]


UNRUN = "no such command was run in this case"
RAN = recorded(
    ToolCalled(turn=1, call="c", tool="Bash", summary="cd shop && make test"),
    ToolReturned(turn=1, call="c", ok=True, output=""),
    ToolCalled(turn=1, call="d", tool="Bash", summary="make hang"),
    ToolCalled(turn=1, call="e", tool="Bash", summary="make check"),
    ToolReturned(turn=1, call="e", ok=False, output=""),
    ToolCalled(turn=1, call="f", tool="Bash", summary="make twice"),
    ToolReturned(turn=1, call="f", ok=False, output=""),
    ToolCalled(turn=1, call="g", tool="Bash", summary="make twice"),
    ToolReturned(turn=1, call="g", ok=True, output=""),
)

HONEST = (
    "I have run `make test`. After running `make test`, all is green.",
    "Verified with `make test`; `make test` and `make twice` pass.",
    "`test` passes, and so does `test_tox`.",
    "`tox` is not green. `tox` no longer passes. I have not run `tox`.",
    "If you set it up, `tox` passes. It should be checked with `tox`. The project is tested with `tox`.",
    "`tox` passes once the network is there. Nobody has to run `tox`.",
    "Checked with `assert total() == 3`, tested with `None` and with `python 3.13`.",
    "`make` passes `CFLAGS` to the compiler, and `pytest` passes the fixture on.",
    "I left out `make lint`, and `make test` passed. I added `make lint` and `make test` passes.",
    "`make` says that 3 rules pass. I would have run `tox`.",
    "The file is there after running `make install`.",
    "The tests pass in `tests/test_cart.py`, with `total` as it is.",
    "`make lint` was green before this, according to CI, but `tox` passes in CI.",
)
UNTRUE = {
    "`tox` is green, and mypy finds nothing.": ["tox"],
    "After running `make lint`, all is green.": ["make lint"],
    "I re-checked all of it and it passes after running the whole `tox`.": ["tox"],
    "I verified the fix with `cargo test`.": ["cargo test"],
    "Checked with `mypy --strict`.": ["mypy --strict"],
    "It was tested locally with `python3 -m pytest -q`.": ["python3 -m pytest -q"],
    "I launched `npm test` twice.": ["npm test"],
    "I have run `make lint`. We've also run `make docs`.": ["make lint", "make docs"],
    "`pytest -q` succeeded.": ["pytest -q"],
    "`pytest -q`: 120 passed": ["pytest -q"],
    "`pytest -q` reports 120 passed.": ["pytest -q"],
    "`make test` and `make lint` pass.": ["make lint"],
    "`ruff check`, `make test`, and `mypy` all pass on Python 3.9.": ["ruff check", "mypy"],
    "All tests pass with `tox`.": ["tox"],
    "`make test`, `mypy` both passed.": ["mypy"],
    "I ran `tox`; `tox` passes.": ["tox"],
}


def review(text: str, **more: object) -> Outcome:
    return parse_outcome(Role.TECH_LEAD, Task.REVIEW, {"status": "APPROVED", "good": [text], **more})


def wrong_in(outcome: Outcome, *later: dict[str, str | None]) -> list[tuple[str, str]]:
    return [(one.claim, one.problem) for one in not_seen(claims_in(outcome, "/w/"), RAN, [FILES, *later])]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("shop/cart.py:2 is right.", []),
        ("See `shop/cart.py:2`: `return 1` is right.", []),
        ("See /w/shop/cart.py:1.", []),
        ("shop/cart.py:2-3 is right, at 10:30, on localhost:80 and example.com:443.", []),
        ("I ran `make test`.", []),
        ("Run `make deploy` next.", []),
        ("shop/cart.py:9 is wrong.", [("shop/cart.py:9", "`shop/cart.py` has 2 lines, not 9")]),
        ("shop/cart.py, line 2: `return 1` is right.", []),
        ("`shop/cart.py` line 8 is wrong.", [("shop/cart.py:8", "`shop/cart.py` has 2 lines, not 8")]),
        ("shop/carts.py:1 is wrong.", [("shop/carts.py:1", "there is no file `shop/carts.py` in the repository")]),
        ("`shop/cart.py:2`: `return 2`", [("shop/cart.py:2", "the line does not hold `return 2`")]),
        ("I ran `make deploy`.", [("make deploy", "no such command was run in this case")]),
        ("`make deploy` was run twice.", [("make deploy", "no such command was run in this case")]),
        ("We executed the whole `make hang`.", [("make hang", "no such command was run in this case")]),
        ("I ran `make test` and `make deploy`.", [("make deploy", "no such command was run in this case")]),
        ("I ran `make test`, `make lint`, and then `make x` again.", [(one, UNRUN) for one in ("make lint", "make x")]),
        ("I ran `make test` and `total` is right.", []),
        ("`make test` passes.", []),
        ("`make lint` passes, says CI.", []),
        ("`make lint` passes.", [("make lint", UNRUN)]),
        ("`make check` now passes.", [("make check", "its last run failed")]),
        ("`make check` is green.", [("make check", "its last run failed")]),
        ("`make twice` passes.", []),
        ("Merge it once `make check` passes.", []),
        ("`make twice` passed before.", []),
        *((text, []) for text in HONEST),
        *((text, [(command, UNRUN) for command in commands]) for text, commands in UNTRUE.items()),
    ],
)
def test_lines_and_commands_in_words_are_checked(text: str, wrong: list[tuple[str, str]]) -> None:
    assert wrong_in(review(text)) == wrong


def test_a_command_that_a_plan_wants_to_pass_is_not_checked() -> None:
    plan = {"status": "PLANNING_COMPLETE", "plan": "Done if the sum is right: `make check` passes.", "reason": ""}
    assert wrong_in(parse_outcome(Role.PM, Task.PLAN, plan)) == []


def test_a_command_counts_as_run_with_more_options_or_by_another_program() -> None:
    record = recorded(
        ToolCalled(turn=1, call="c", tool="Bash", summary="cd shop && uv run .venv/bin/pytest -q tests 2>&1 | tail -3"),
        ToolReturned(turn=1, call="c", ok=True, output=""),
    )
    told = "`pytest` passes. `pytest -q tests` passes. `cd shop && pytest tests` passes. `pytest -x` passes."
    found = not_seen(claims_in(review(told)), record, [FILES])
    assert [one.claim for one in found] == ["pytest -x"]


def test_a_brief_that_wants_commands_to_be_run_is_not_checked() -> None:
    brief = "Afterwards `tox` and `make lint` pass, verified with `tox`."
    fields = {"status": "READY", "confidence": 0.9, "root_cause": "x", "brief": brief, "must_do": ["`tox` passes."]}
    test = {"required": False, "type": "existing", "location": "", "description": ""}
    outcome = parse_outcome(Role.ANALYST, Task.ANALYZE, {**fields, "files": [], "test_requirement": test})
    assert wrong_in(outcome) == []


def test_a_finding_is_checked_at_its_file_and_line() -> None:
    issue = {"file": "shop/cart.py", "line": 7, "issue": "Short.", "severity": "minor"}
    whole = {"file": "Makefile", "line": 0, "issue": "Short.", "severity": "minor"}
    assert [claim for claim, _ in wrong_in(review("Fine.", issues=[issue, whole]))] == ["shop/cart.py:7"]


def test_a_writer_may_name_files_as_they_were_or_as_they_are_now() -> None:
    fields = {"status": "READY_FOR_QA", "summary": "new.py:1 is new.", "commit_message": "New"}
    changes = [{"file": name, "description": "changed"} for name in ("new.py", "Makefile", "none.py")]
    outcome = parse_outcome(Role.DEVELOPER, Task.IMPLEMENT, {**fields, "changes": changes})
    assert [claim for claim, _ in wrong_in(outcome, {"new.py": "x\n"})] == ["none.py"]


def test_only_claims_of_the_newest_turn_of_a_role_and_task_stand() -> None:
    def turn(number: int) -> TurnCompleted:
        return TurnCompleted(
            turn=number,
            attempt=1,
            role=Role.TECH_LEAD,
            task=Task.REVIEW,
            status="APPROVED",
            summary="",
            checkpoint=Sha("a" * 40),
            calls=1,
            cost_micros=0,
        )

    def claim(number: int, words: str) -> ClaimsChecked:
        return ClaimsChecked(turn=number, role=Role.TECH_LEAD, not_seen=[NotSeen(claim=words, problem="it is gone")])

    record = recorded(claim(1, "a.py:1"), turn(1), claim(2, "b.py:2"), turn(2))
    assert unseen_words(unseen_claims(record)) == ["The tech lead names `b.py:2`: it is gone."]
