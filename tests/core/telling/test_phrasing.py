"""Core says what people can do; each surface phrases it in its own words."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

import caseworker.core
from caseworker.chats.surface_phrasing import ReplyPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.bug.case import BugCase
from caseworker.core.bug.options import options as bug_options
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.options import awaits_agreement, options, refuse_misfit
from caseworker.core.people.commands import Close, HandBack, MessageKind, Resolution
from caseworker.core.people.grammar import InBug, InIssue, parse
from caseworker.core.people.messages import Standing
from caseworker.core.telling.bug_why import why_bug
from tests.core.telling.why_examples import BUGS, ISSUES

CORE = Path(caseworker.core.__file__).parent
MODULES = {str(path.relative_to(CORE)): path for path in sorted(CORE.rglob("*.py"))}
COMMAND_LINE = re.compile(r"\bcaseworker [a-z{]|\bcaseworker $|`--[a-z]")
NAMES = {*(kind.value for kind in MessageKind), *get_args(PullWork), "say", "handback"} - {"words"}
COMMAND = re.compile(rf"`(?:{'|'.join(sorted(NAMES)).replace('_', '[_ ]')})(?:[ :][^`]*)?(?:`|$)")
"""The name of a command as people type it: `approve`, `close KIND: reason`, `budget +5`."""
FOR_GITHUB = {"telling/delivery_words.py"}
"""What GitHub's people are told of an event, which is only ever a comment there."""
PLAN = ISSUES["waiting_for_human_input, approval: the plan"]
IN_SLACK = [
    (
        PLAN,
        """\
The reply `approve` goes on with the plan.
The reply `reject: what should be different` has it planned anew, with your words.
A plain reply asks or remarks, and decides nothing.
The reply `takeover` stops the agents: you go on.
The reply `close` ends it; the work so far stays where it is.""",
    ),
    (
        ISSUES["waiting_for_human_input, milestone triage"],
        """\
The reply `approve` goes on, all the way to a pull request.
A plain reply asks or remarks, and decides nothing.
The reply `takeover` stops the agents: you go on.
The reply `close` ends it; the work so far stays where it is.""",
    ),
    (
        ISSUES["waiting_for_human_input, budget"],
        """\
The reply `budget +5` goes on with 5 dollars more.
The reply `takeover` stops the agents: you go on.
The reply `close` ends it; the work so far stays where it is.""",
    ),
    (
        ISSUES["waiting_for_human_input, merge"],
        """\
Merging `agent/issue-42` completes the case: it sees that by itself.
The reply `reject: what should be different` has it changed, in the same pull request.
A plain reply asks or remarks; the pm decides what follows.
The reply `takeover` stops the agents: you go on.
The reply `close` ends it; the work so far stays where it is.""",
    ),
]


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_no_string_of_core_names_the_command_line(module: Path) -> None:
    assert [text for text in strings_of(module) if COMMAND_LINE.search(text)] == []


@pytest.mark.parametrize("name", sorted(MODULES.keys() - FOR_GITHUB))
def test_no_string_of_core_says_how_a_command_is_given(name: str) -> None:
    assert [text for text in strings_of(MODULES[name]) if COMMAND.search(text)] == []


def strings_of(module: Path) -> list[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docstrings]
    return [node.value for node in constants if isinstance(node.value, str)]


@pytest.mark.parametrize(("case", "words"), IN_SLACK, ids=["plan", "milestone", "budget", "merge"])
def test_slack_phrases_the_options_of_a_waiting_case_as_replies(case: IssueCase, words: str) -> None:
    assert "\n".join(option.words(ReplyPhrasing()) for option in options(case)) == words


def test_slack_phrases_the_options_of_a_bug_case_as_replies() -> None:
    assert why_bug(BUGS["a bug, awaiting_reporter"], ReplyPhrasing()).moves_it == [
        "A plain reply from the reporter answers.",
        'A plain reply is read by the investigator; "please fix it" asks for a fix.',
        "The reply `takeover` stops the agent: you go on.",
        "The reply `close KIND: reason` resolves it, and tells the reporter. "
        "KIND: code_fix, data_fix, config_fix, not_a_bug, duplicate, no_response.",
    ]


def test_slack_refuses_in_its_own_words() -> None:
    with pytest.raises(Refused) as refused:
        refuse_misfit(PLAN, HandBack(), ReplyPhrasing())
    assert str(refused.value) == (
        "`hand back` does not fit owner/repo#42 (waiting for human input): nobody has taken it over. "
        "What fits: `approve`, `reject`, a plain reply, `takeover`, `close`. `caseworker why owner/repo/42` says more."
    )


@pytest.mark.parametrize("case", ISSUES.values(), ids=ISSUES)
def test_every_reply_that_slack_names_is_parsed_as_that_command(case: IssueCase) -> None:
    for option in options(case):
        reply = re.match(r"The reply `([^`]+)`", option.words(ReplyPhrasing()))
        if reply is not None:
            heard = parse(reply[1], Standing.DEVELOPER, InIssue(awaits=awaits_agreement(case)))
            assert heard.kind is option.kind


@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS)
def test_every_reply_that_slack_names_for_a_bug_is_parsed_as_that_command(bug: BugCase) -> None:
    for option in bug_options(bug):
        reply = re.match(r"The reply `([^`]+)`", option.words(ReplyPhrasing()))
        if reply is not None:
            heard = parse(reply[1].replace("KIND", Resolution.CODE_FIX), Standing.DEVELOPER, InBug())
            assert heard.kind is option.kind


@pytest.mark.parametrize("resolution", Resolution)
def test_the_reply_that_resolves_a_bug_is_parsed_as_a_close(resolution: Resolution) -> None:
    reply = ReplyPhrasing().resolve(BUGS["a bug, new"].id).removeprefix("the reply ").strip("`")
    heard = parse(reply.replace("KIND", resolution), Standing.DEVELOPER, InBug())
    assert heard == Close(resolution=resolution, reason="reason")
