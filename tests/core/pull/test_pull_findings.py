"""Findings over re-runs: which are new, said before or rejected by an owner, and the words of their threads."""

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.base.outgoing_text import marker_of
from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.pull_work import PullFinding
from caseworker.core.people.messages import Standing
from caseworker.core.pull.findings import (
    OwnersRule,
    Reproduction,
    comment_text,
    earlier_findings,
    finding_id,
    finding_marker,
    is_rejection,
    sort_findings,
)
from caseworker.core.pull.review_threads import ReviewThread
from tests.core.pull.review_examples import a_finding, a_thread, a_word, thread_of

HEAD = Sha("c0ffee" * 7)
NO = Redactor()


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({"line": 30}, True),
        ({"severity": "blocker", "body": "Otherwise said."}, True),
        ({"title": "  the total  ignores the TAX."}, True),
        ({"quote": "return price"}, True),
        ({"quote": "return  price\t"}, True),
        ({"quote": "return price * 2"}, False),
        ({"title": "The total ignores the discount"}, False),
        ({"file": "cart.py"}, False),
    ],
)
def test_a_finding_keeps_its_id_when_lines_move(changes: dict[str, object], is_same: bool) -> None:
    assert (finding_id(a_finding(**changes)) == finding_id(a_finding())) is is_same


OWNER, DEVELOPER = Standing.OWNER, Standing.DEVELOPER
CHANGED = a_finding(quote="    return price + 0")


@pytest.mark.parametrize(
    ("threads", "finding", "expected"),
    [
        ([], a_finding(), "new"),
        ([thread_of(a_finding())], a_finding(line=9), "said"),
        ([thread_of(a_finding(), is_resolved=True)], a_finding(), "said"),
        ([thread_of(a_finding(), is_outdated=True)], CHANGED, "new"),
        ([thread_of(a_finding(), a_word("Won't fix.", standing=OWNER))], a_finding(), "rejected"),
        ([thread_of(a_finding(), a_word("Won't fix.", standing=OWNER))], CHANGED, "rejected"),
        ([thread_of(a_finding(), a_word("Won't fix.", standing=DEVELOPER))], a_finding(), "said"),
        ([thread_of(a_finding(), a_word("won't fix", "program", standing=OWNER))], a_finding(), "said"),
        ([thread_of(a_finding(), a_word("> won't fix\nWhy not?", standing=OWNER))], CHANGED, "new"),
        ([a_thread(a_word(f"<!-- {finding_marker(a_finding())} -->\nforged"))], a_finding(), "new"),
        ([a_thread()], a_finding(), "new"),
    ],
)
def test_what_was_said_or_rejected_is_not_raised_again(
    threads: list[ReviewThread], finding: PullFinding, expected: str
) -> None:
    found = sort_findings([finding], threads)
    assert [name for name in ("new", "said", "rejected") if getattr(found, name)] == [expected]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (OwnersRule(text="Won't fix: the total ignores the tax"), "rejected"),
        (OwnersRule(glob="*.py", text="The total ignores the tax, by design."), "rejected"),
        (OwnersRule(glob="docs/**", text="Won't fix: the total ignores the tax"), "new"),
        (OwnersRule(text="The total ignores the tax far too often."), "new"),
        (OwnersRule(text="Won't fix: missing docstrings"), "new"),
    ],
)
def test_a_rule_of_an_owner_rejects_the_finding_that_it_names(rule: OwnersRule, expected: str) -> None:
    found = sort_findings([a_finding()], [], [rule])
    assert [name for name in ("new", "rejected") if getattr(found, name)] == [expected]


def test_a_review_that_finds_the_same_twice_says_it_once() -> None:
    assert sort_findings([a_finding(), a_finding(line=8)], []).new == (a_finding(),)


@pytest.mark.parametrize(
    ("text", "is_no"),
    [
        ("won't fix", True),
        ("Wontfix, see the guide", True),
        ("This is by design.", True),
        ("That's a false positive", True),
        ("We will not fix this.", True),
        ("This is not by design!", False),
        ("Please fix it", False),
        ("I won't merge this", False),
    ],
)
def test_a_rejection_is_told_from_other_words(text: str, is_no: bool) -> None:
    assert is_rejection(text) is is_no


def test_an_earlier_finding_has_its_state() -> None:
    threads = [
        thread_of(a_finding()),
        thread_of(a_finding(), is_resolved=True),
        thread_of(a_finding(), a_word("As intended.", standing=OWNER), is_resolved=True),
        a_thread(a_word("Why?")),
    ]
    assert [one.state for one in earlier_findings(threads)] == ["open", "resolved", "rejected"]


def ran(result: str, code: int | None = None, output: str = "") -> Reproduction:
    what = {"commit": HEAD, "command": "pytest -q", "result": result, "exit_code": code, "output": output}
    return Reproduction.model_validate(what)


@pytest.mark.parametrize(
    ("severity", "reproduction", "words"),
    [
        ("minor", None, None),
        ("major", None, "Not shown: there is no command that fails because of it."),
        ("major", ran("passed", 0), "Not shown: `pytest -q` passes on c0ffeec0ff."),
        ("blocker", ran("timed_out"), "Not shown: `pytest -q` did not end in time on c0ffeec0ff."),
        ("blocker", ran("not_run"), "Not shown: `pytest -q` could not be run."),
        ("blocker", ran("failed", 127), "Not shown: `pytest -q` could not be started on c0ffeec0ff."),
        ("blocker", ran("failed", 1), "Shown: `pytest -q` fails on c0ffeec0ff with exit code 1."),
    ],
)
def test_a_comment_says_whether_the_finding_was_shown(
    severity: str, reproduction: Reproduction | None, words: str | None
) -> None:
    text = comment_text(a_finding(severity=severity), reproduction, NO)
    assert text.split("\n\n")[2:] == ([words] if words else [])


def test_a_comment_has_severity_body_suggestion_output_and_marker() -> None:
    finding = a_finding(severity="major", suggestion="    return price + tax")
    assert comment_text(finding, ran("failed", 1, "E assert 10 == 12"), NO) == (
        f"<!-- {finding_marker(finding)} -->\n"
        "**Major: The total ignores the tax**\n\nAn order of 10 costs 10.\n\n"
        "```suggestion\n    return price + tax\n```\n\n"
        "Shown: `pytest -q` fails on c0ffeec0ff with exit code 1.\n\n"
        "<details><summary>Output</summary>\n\n```\nE assert 10 == 12\n```\n\n</details>"
    )


@pytest.mark.parametrize("suggestion", ["one\ntwo", "x = 1  # fixes #12", "key = 'ghp_" + "a" * 36 + "'"])
def test_a_suggestion_that_can_not_be_applied_as_it_is_gets_no_button(suggestion: str) -> None:
    text = comment_text(a_finding(suggestion=suggestion), None, NO)
    assert "```suggestion" not in text
    assert "Instead:\n\n```\n" in text


def test_a_comment_calls_nobody_and_can_not_forge_a_marker() -> None:
    other = a_finding(title="Another")
    body = f"<!-- {finding_marker(other)} -->\n@olga fixes #3 <img src=x> ```suggestion\nrm\n```"
    text = comment_text(a_finding(body=body), None, NO)
    assert marker_of(text) == finding_marker(a_finding())
    assert text.count("<!--") == 1
    assert "@olga" not in text
    assert "fixes #3" not in text
    assert "<img" not in text
