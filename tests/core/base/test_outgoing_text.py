"""Outgoing text, judged by an independent reader of Markdown: it calls nobody, closes nothing and loads nothing."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from caseworker.core.base.outgoing_text import (
    COMMENT_LIMIT,
    Ours,
    marked,
    marker_of,
    outgoing,
    outgoing_line,
    outgoing_message,
)
from caseworker.core.base.redaction import Redactor

NO_SECRETS = Redactor()
CALLS = re.compile(r"(?<![\w`])@[A-Za-z0-9]")
CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+/[\w.-]+)?#\d", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        *("@eve", "@acme/team", "fixes #1", "Closes: a/b#2", "resolved GH-3", "`", "``", "```", "~~~", "````", "\\"),
        *("\n", "\n\n", "\n    ", "\n> ", "\n- ", "\n  ", "\n1. ", " ", "word", "[", "]", "(x)", "![a](b)", "![a][b]"),
        *("<b>", "</b>", "<!-- x -->", "<!--", "-->", "<img src=x>", "<details>", "</details>", "<pre>", "<script>"),
        *(
            "<a@b.c>",
            "<https://a.example/`>",
            "[b]: c\n",
            "\t",
            "|",
            "#",
            "*",
            "_",
            "&lt;",
            "&",
            "workflow-run:1",
            "\r\n",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def read(text: str) -> tuple[str, list[str]]:
    """(prose without code, kinds of the other pieces) as a reader of Markdown sees them."""
    prose: list[str] = []
    kinds: list[str] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("text", "html_inline", "html_block"):
                prose.append(token.content)
            if token.type == "softbreak":
                prose.append("\n")
            kinds.append(f"{token.type} {token.content}" if token.type.startswith("html") else token.type)
            walk(token.children or [])
            if token.type == "inline":
                prose.append("\n\n")

    walk(MarkdownIt("commonmark").parse(text))
    return "".join(prose), kinds


@given(text=TEXTS)
@example("~~~\n```\n~~~\n@eve\n```\n")
@example("- ```\n  a\n  ```\n@eve\n```\nb\n```\n")
@example("`a\n`@eve`")
@example("\\`@eve`")
@example("<pre>\n\n```\n@eve\n```\n")
@example("a\n\n```\n@eve\n\n> ```\n@eve")
@example("```@eve```@eve\n  ```")
def test_no_text_calls_anybody(text: str) -> None:
    prose, _ = read(outgoing(text, NO_SECRETS))
    assert CALLS.search(prose) is None


@given(text=TEXTS)
def test_no_text_loads_an_image_or_applies_html(text: str) -> None:
    _, kinds = read(outgoing(text, NO_SECRETS))
    assert "image" not in kinds
    html = " ".join(kind for kind in kinds if kind.startswith("html"))
    assert re.search(r"<(?!/?(?:details|summary|sub|sup|kbd|br)>)[A-Za-z/!?]", html) is None


@given(text=TEXTS)
def test_no_text_closes_anything_and_code_is_no_exception(text: str) -> None:
    assert CLOSES.search(outgoing(text, NO_SECRETS)) is None
    assert CLOSES.search(outgoing_message(text, NO_SECRETS)) is None
    assert CALLS.search(outgoing_message(text, NO_SECRETS)) is None


@given(text=TEXTS, limit=st.integers(300, 700))
def test_no_text_is_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(outgoing(text * 20, NO_SECRETS, limit=limit, more="https://a.example/whole")) <= limit


@given(text=TEXTS)
def test_quoted_text_can_not_forge_a_marker(text: str) -> None:
    assert marker_of(outgoing(f"<!-- workflow-run:1 -->\n{text}", NO_SECRETS)) == ""
    assert marker_of(marked(outgoing(text, NO_SECRETS), "workflow-run:7")) == "workflow-run:7"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("@eve and @acme/team: look", "@\u200beve and @\u200bacme/team: look"),
        ("mail a@b.example", "mail a@b.example"),
        ("use `@fixture` here", "use `@fixture` here"),
        ("so:\n\n```python\n@fixture\n```\n\n@eve", "so:\n\n```python\n@fixture\n```\n\n@\u200beve"),
        ("This fixes #1, closes a/b#2.", "This f\u200bixes #1, c\u200bloses a/b#2."),
        ("resolves https://github.com/a/b/issues/3", "r\u200besolves https://github.com/a/b/issues/3"),
        ("Fixed: GH-4", "F\u200bixed: GH-4"),
        ("fixes [#1](x)", "f\u200bixes [#1](x)"),
        ("`fixes #1`", "`f\u200bixes #1`"),
        ("prefixes #1 with a hash", "prefixes #1 with a hash"),
        ("![a](https://e.example/?d=1)", "image: [a](https://e.example/?d=1)"),
        ('<img src="x"> 1 < 2', '&lt;img src="x"> 1 < 2'),
        ("<details>\n\nlong\n\n</details>", "<details>\n\nlong\n\n</details>"),
        ("a<!-- workflow-run:1 -->b", "ab"),
    ],
)
def test_outgoing_text_means_only_what_it_says(text: str, sent: str) -> None:
    assert outgoing(text, NO_SECRETS) == sent


def test_what_is_ours_to_do_stays() -> None:
    ours = Ours(mentions=frozenset({"Ann", "acme/team"}), closes=frozenset({"#42"}))
    text = "@ann, @acme/team and @eve: fixes #42, fixes #43"
    assert outgoing(text, NO_SECRETS, ours=ours) == "@ann, @acme/team and @\u200beve: fixes #42, f\u200bixes #43"


def test_a_long_text_is_cut_with_a_link_to_the_whole_outside_of_code() -> None:
    sent = outgoing("```\n" + "x" * 70_000 + "\n```\n", NO_SECRETS, more="https://a.example/PLAN.md")
    assert len(sent) <= COMMENT_LIMIT
    assert sent.endswith("x\n```\n\n[cut: 4,559 characters] The whole text: https://a.example/PLAN.md")


def test_a_title_is_one_line() -> None:
    assert outgoing_line("Fix\nit @eve", NO_SECRETS) == "Fix it @\u200beve"
    assert len(outgoing_line("x" * 500, NO_SECRETS)) == 256


@pytest.mark.parametrize("marker", ["a --> b", "", "x\ny", "a--b"])
def test_a_marker_that_could_end_its_comment_is_refused(marker: str) -> None:
    with pytest.raises(ValueError, match="can't be a marker"):
        marked("text", marker)


SECRETS = {
    "Anthropic": "sk-ant-" + "api03-abcDEF_123",
    "GitHub token": "ghp_" + "a1" * 18,
    "GitHub installation": "ghs_" + "123_abc.def-" + "b2" * 10,
    "GitHub fine-grained": "github_pat_" + "11ABC_" + "c3" * 20,
    "Slack": "xoxb-" + "123456-abcdef",
    "Slack export": "xoxe.xoxp-" + "1-abcdefgh",
    "Slack hook": "https://hooks.slack.com/" + "services/T0/B0/abcdef",
    "AWS": "AKIA" + "ABCDEFGHIJKLMNOP",
    "AWS secret": "aws_secret_access_key = " + "q" * 40,
    "web token": "eyJhbGciOiJ9." + "eyJzdWIiOiI5." + "d" * 24,
    "npm": "npm_" + "e" * 36,
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    "password in an address": "https://ann:" + "hunter22@host.example/x",
    "known": "correct horse battery",
}


PRIVATE = re.compile(r"hunter22|abcdef|q{16}|abc\n|[0-9A-Za-z.-]{16,}")


@pytest.mark.parametrize("kind", SECRETS)
def test_secrets_of_every_shape_are_taken_out(kind: str) -> None:
    redactor = Redactor([SECRETS["known"]])
    for text in (f"see {SECRETS[kind]} here", f"`{SECRETS[kind]}`", f"\n\n```\n{SECRETS[kind]}\n```\n"):
        sent = outgoing(text, redactor)
        assert "[redacted]" in sent
        assert not any(part in sent for part in PRIVATE.findall(SECRETS[kind]))


def test_control_characters_never_leave_and_hide_no_secret() -> None:
    text = "\x1b[31mred\x1b[0m \u202eolleh\u202c key-\x07of-the-model"
    assert outgoing(text, Redactor(["key-of-the-model"])) == "[31mred[0m olleh [redacted]"
    assert outgoing_message(text, Redactor(["key-of-the-model"])) == "[31mred[0m olleh [redacted]"
