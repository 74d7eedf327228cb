"""The conversion of our Markdown into Slack's markup, and the manifest."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from caseworker.chats.mrkdwn import LONGEST, fitting, to_mrkdwn
from caseworker.chats.slack_manifest import manifest
from caseworker.core.people.mentions import only_calling


@pytest.mark.parametrize(
    ("markdown", "slack"),
    [
        ("plain words", "plain words"),
        ("**Found it**, in `cart.py`", "*Found it*, in `cart.py`"),
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        (
            "see [the pull request](https://example.com/1?a=b&c=d)",
            "see <https://example.com/1?a=b&amp;c=d|the pull request>",
        ),
        ("https://example.com/a_b*c*", "https://example.com/a_b*c*"),
        ("## What\n\n- one\n  - two\n* three", "*What*\n\n• one\n  • two\n• three"),
        ("**a `b` c**", "*a `b` c*"),
        ("`a < b`", "`a &lt; b`"),
        ("``a ` b``", "`a ' b`"),
        ("```python\nif a < b:\n    **x**\n```", "```\nif a &lt; b:\n    **x**\n```"),
        ("````\n```\n````", "```\n'''\n```"),
        ("a - b * c", "a - b * c"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
        ("unclosed ``` and `", "unclosed ``` and `"),
        ("[not a link] (x)", "[not a link] (x)"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("# **Bold** heading", "*Bold heading*"),
    ],
)
def test_markdown_becomes_slacks_markup(markdown: str, slack: str) -> None:
    assert to_mrkdwn(markdown, ("example.com",)) == slack


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[the pull request](https://evil.example/1)", "the pull request (`https://evil.example/1`)"),
        ("[a](https://example.com.evil.example)", "a (`https://example.com.evil.example`)"),
        ("[a](https://example.com@evil.example/)", "a (`https://example.com@evil.example/`)"),
        ("see https://evil.example/x", "see `https://evil.example/x`"),
        ("# https://evil.example", "*`https://evil.example`*"),
        ("https://a.evil.example/`*b*", "`https://a.evil.example/%60*b*`"),
        ("https://docs.example.com/x", "https://docs.example.com/x"),
    ],
)
def test_an_address_elsewhere_is_shown_and_is_no_link(written: str, shown: str) -> None:
    assert to_mrkdwn(written, ("example.com",)) == shown


def test_an_agent_can_call_only_people_of_the_case() -> None:
    assert only_calling("@U0ADA1234 @U0BOB5678", {"U0ADA1234"}) == "@U0ADA1234 @\u200bU0BOB5678"
    assert to_mrkdwn(only_calling("@U0BOB5678", set())) == "@\u200bU0BOB5678"


@pytest.mark.parametrize("quoted", ["<!channel>", "<!here|here>", "<@U0ADA1234>", "<#C0REPORTS>", "<http://a|b>"])
def test_quoted_text_mentions_nobody(quoted: str) -> None:
    for text in (
        quoted,
        f"**{quoted}**",
        f"`{quoted}`",
        f"```\n{quoted}\n```",
        f"[{quoted}](https://a.b)",
        f"# {quoted}",
    ):
        assert quoted not in to_mrkdwn(text)


def test_a_member_that_is_paged_is_mentioned() -> None:
    assert to_mrkdwn("@U0ADA1234, @W0GRACE12: P0") == "<@U0ADA1234>, <@W0GRACE12>: P0"
    assert to_mrkdwn("ada@U0ADA1234 @channel @here @UP `@U0ADA1234`") == "ada@U0ADA1234 @channel @here @UP `@U0ADA1234`"


@given(st.text(alphabet="ab<>&`*[]()#@!|-\n :/hU0", max_size=80))
def test_no_text_produces_a_control_sequence_of_slack(text: str) -> None:
    shown = to_mrkdwn(text)
    for start in ("<!", "<#", "<@"):
        assert start not in shown


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 60_000), st.sampled_from(["x", "<", "**b** ", "```\ny\n```\n", "[", "[a](", "**a", "`", "``a "]))
def test_no_text_is_longer_than_slack_accepts(length: int, what: str) -> None:
    assert len(fitting(what * length)) <= LONGEST


def test_the_manifest_asks_for_what_is_used_and_no_more() -> None:
    described = yaml.safe_load(manifest("caseworker", True, None))
    assert described["oauth_config"]["scopes"]["bot"] == [
        "channels:history",
        "chat:write",
        "files:read",
        "groups:history",
        "reactions:write",
    ]
    assert described["settings"]["event_subscriptions"] == {"bot_events": ["message.channels", "message.groups"]}
    assert described["settings"]["socket_mode_enabled"] is True


def test_without_socket_mode_the_manifest_names_the_address() -> None:
    settings = yaml.safe_load(manifest("caseworker", False, "https://bugs.example.com/slack/events"))["settings"]
    assert settings["event_subscriptions"]["request_url"] == "https://bugs.example.com/slack/events"
    assert settings["socket_mode_enabled"] is False
