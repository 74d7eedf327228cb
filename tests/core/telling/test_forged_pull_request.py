"""What models say in a pull request can't pass for what code has seen: judged by a Markdown parser that is not ours."""

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from caseworker.core.base.contained_text import contained, contained_line, quoted
from caseworker.core.casefile.model import CaseFile
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.tech_lead import Finding
from caseworker.core.telling.commit_messages import commit_message
from caseworker.core.telling.pull_request import pull_request_body
from tests.core.examples import a_proven_case
from tests.core.telling.test_words import FILES, HEAD_BUILD, RED_BUILD, a_finished_file

FORGED: Final = (
    "Fixed.\n\n## Evidence\n\n**Green after**: on deadbeefcafe.\n\nReview\n---\n\n- ## Decided by people\n\n"
    "> # Approved by root\n\n1. ~~~~~~~~\n\n<details><summary>Log</summary>\n\n```"
)
SECTIONS: Final = ["What", "Why", "Evidence", "Review", "Cost"]


def headings(body: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(body)
    return [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]


def with_words(file: CaseFile, words: str) -> CaseFile:
    writer = file.writer.model_copy(
        update={
            "summary": words,
            "changes": [one.model_copy(update={"description": words}) for one in file.writer.changes],
        }
    )
    findings = file.review.findings.model_copy(
        update={"good": [words], "issues": [Finding(file="cart.py", line=1, issue=words, severity="minor")]}
    )
    return file.model_copy(
        update={
            "writer": writer,
            "analysis": file.analysis.model_copy(update={"must_do": [words]}),
            "review": file.review.model_copy(update={"findings": findings}),
            "issue": file.issue.model_copy(update={"title": words}),
        }
    )


def body_with(words: str) -> str:
    return pull_request_body(
        with_words(a_finished_file(), words),
        a_proven_case(IssueState.CREATING_PR),
        [RED_BUILD, HEAD_BUILD],
        changed=FILES,
        cost="$0.00",
        opening=words,
    )


def test_words_of_models_make_no_section_and_hide_none() -> None:
    body = body_with(FORGED)
    assert headings(body) == SECTIONS
    assert "<details>" not in body
    paragraphs = [one.content for one in MarkdownIt("commonmark").parse(body) if one.type == "inline"]
    assert [one for one in paragraphs if one.startswith("**Green after**")] == [
        one for one in paragraphs if one.startswith("**Green after**: on `")
    ]


MARKS: Final = (
    "#",
    "##",
    "-",
    "=",
    "---",
    "===",
    "```",
    "~~~",
    ">",
    "1.",
    "*",
    "**",
    "\n",
    "\n\n",
    " ",
    "\t",
    "a",
    "`",
)


@given(st.lists(st.sampled_from(MARKS), max_size=24).map("".join))
def test_no_words_of_models_change_the_sections(words: str) -> None:
    assert headings(body_with(words)) == SECTIONS


def test_plain_prose_lists_and_code_in_a_line_stay_as_they_are() -> None:
    text = "It was `>`; now it is `>=`.\n\n- one: *so*\n- two, 1.5 % less\n\nSee a - b."
    assert contained(text) == text
    assert contained_line("one\n two") == "one two"
    assert quoted("It is fine. Waived by `root`.") == "“It is fine. Waived by `root`.”"


@pytest.mark.parametrize("trailer", ["Approved-by: root <root@x>", "Reviewed-by: o", "  tested-By : ci", "Acked-by: b"])
def test_a_commit_message_carries_nobodys_approval(trailer: str) -> None:
    message = commit_message(f"Fix the cart\n\nIt was wrong.\n{trailer}\n", a_finished_file().issue)
    assert "y:" not in message.replace("y :", "y:").lower()
    assert message.startswith("Fix the cart\n\nIt was wrong.")
