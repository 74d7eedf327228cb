"""The text of a Slack message: everything that a person put into it, once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.intake.slack_text import readable, text_of


def rich(*elements: dict[str, object]) -> dict[str, object]:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


@pytest.mark.parametrize(
    ("slack", "plain"),
    [
        ("a &lt;b&gt; &amp; c", "a <b> & c"),
        ("&amp;lt;", "&lt;"),
        ("see <https://a.b/c?d=e&amp;f>", "see https://a.b/c?d=e&f"),
        ("see <https://a.b/c|the page>", "see the page (https://a.b/c)"),
        ("<http://a.b|a.b>", "http://a.b"),
        ("<mailto:ada@a.b|ada@a.b> <tel:+49123|+49 123>", "ada@a.b +49 123 (+49123)"),
        ("<@U0ADA> in <#C0REPORTS|reports> and <#C0REPORTS>", "<@U0ADA> in #reports and #C0REPORTS"),
        ("<!here> <!subteam^S1|@team> <!subteam^S1> <!date^1^{date}|today>", "@here @team @S1 today"),
    ],
)
def test_links_and_escapes_become_what_a_person_sees(slack: str, plain: str) -> None:
    assert readable(slack) == plain


def test_blocks_that_repeat_the_text_add_nothing() -> None:
    elements: list[dict[str, object]] = [
        {"type": "text", "text": "checkout ", "style": {"bold": True}},
        {"type": "user", "user_id": "U0ADA"},
        {"type": "text", "text": " is broken\nsee "},
        {"type": "link", "url": "https://a.b/c", "text": "this"},
        {"type": "emoji", "name": "fire"},
    ]
    text = "*checkout* <@U0ADA> is broken\nsee <https://a.b/c|this>:fire:"
    assert (
        text_of({"text": text, "blocks": [rich(*elements)]})
        == "*checkout* <@U0ADA> is broken\nsee this (https://a.b/c):fire:"
    )


def test_text_that_is_only_in_blocks_is_read() -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Bug report"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*Page*: checkout"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "Since 9"}, {"type": "mrkdwn", "text": "Order 8"}]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "call <tel:+49123>"}, {"alt_text": "a cart"}]},
        {"type": "divider"},
        rich({"type": "text", "text": "see "}, {"type": "link", "url": "https://a.b/c"}),
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Open"}, "url": "https://a.b/d"}]},
        {"type": "image", "title": {"type": "plain_text", "text": "Shot"}, "alt_text": "the error page"},
    ]  # fmt: skip
    assert text_of({"text": "Bug report", "blocks": blocks}).splitlines() == [
        "Bug report",
        "*Page*: checkout",
        "Since 9",
        "Order 8",
        "call +49123",
        "a cart",
        "see https://a.b/c",
        "Open",
        "https://a.b/d",
        "Shot",
        "the error page",
    ]


def test_lists_quotes_and_code_in_rich_text_are_read() -> None:
    def part(kind: str, *texts: str) -> dict[str, object]:
        return {"type": kind, "elements": [{"type": "text", "text": text} for text in texts]}

    items = {"type": "rich_text_list", "elements": [part("rich_text_section", "one"), part("rich_text_section", "two")]}
    block = {
        "type": "rich_text",
        "elements": [items, part("rich_text_preformatted", "x = 1"), part("rich_text_quote", "q")],
    }
    assert text_of({"text": "", "blocks": [block]}) == "one\ntwo\nx = 1\nq"


def test_a_forwarded_message_is_read_and_a_link_preview_is_not() -> None:
    shared = {
        "is_share": True,
        "from_url": "https://a.b",
        "text": "the till is down",
        "fallback": "[9:40] eve: the till",
    }
    alert = {"pretext": "Alert", "title": "CPU", "fields": [{"title": "Host", "value": "web-1"}]}
    bare = {"fallback": "only this"}
    preview = {"from_url": "https://news.example", "title": "News", "text": "of the day"}
    message = {"text": "see", "attachments": [shared, alert, bare, preview]}
    assert text_of(message) == "see\nthe till is down\nAlert\nCPU\nHost: web-1\nonly this"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "elements", "fields", "url", "title", "accessory", "rows", "blocks"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["text", "blocks", "attachments"]), _JSON))
def test_no_shape_of_blocks_loses_the_message(message: dict[str, object]) -> None:
    assert isinstance(text_of(message), str)
