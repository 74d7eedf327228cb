"""What a comment asks for: literal commands and mentions, never inside code, quotes or hidden text."""

import pytest

from caseworker.core.people.trigger import LiteralCommand, Mention, Option, read_trigger

VERBS = frozenset({"triage", "plan", "ship", "remember"})


def read(text: str) -> LiteralCommand | Mention | None:
    return read_trigger(text, verbs=VERBS)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("bot:plan", LiteralCommand(verb="plan")),
        ("BOT:Plan", LiteralCommand(verb="plan")),
        ("Thanks!\n\nbot:plan\n", LiteralCommand(verb="plan")),
        ("bot:ship --deadline 2h", LiteralCommand(verb="ship", options=(Option(name="deadline", value="2h"),))),
        ("bot:ship --deadline=2h", LiteralCommand(verb="ship", options=(Option(name="deadline", value="2h"),))),
        ("bot:ship --dry-run", LiteralCommand(verb="ship", options=(Option(name="dry-run"),))),
        (
            "bot:remember --path src/** Prices are\ncents.",
            LiteralCommand(verb="remember", options=(Option(name="path", value="src/**"),), text="Prices are\ncents."),
        ),
        ("bot:merge", LiteralCommand(verb="merge")),
        ("@caseworker plan", LiteralCommand(verb="plan")),
        ("@Caseworker, plan please!", LiteralCommand(verb="plan")),
        ("@caseworker ship --deadline 2h", LiteralCommand(verb="ship", options=(Option(name="deadline", value="2h"),))),
        ("> @caseworker triage\n@caseworker plan", LiteralCommand(verb="plan")),
    ],
)
def test_a_literal_command_at_the_start_of_a_line_needs_no_model(text: str, command: LiteralCommand) -> None:
    assert read(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "@caseworker can you plan this?",
        "@caseworker plan to release on Monday",
        "@caseworker deploy",
        "What do you think, @caseworker?",
        "please @caseworker plan",
    ],
)
def test_the_phrase_in_free_words_is_a_mention_with_the_whole_text(text: str) -> None:
    assert read(text) == Mention(text=text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We plan to do it.",
        "Add the label bot:plan to it.",
        "> bot:plan",
        "  > @caseworker plan",
        "```\nbot:plan\n```",
        "~~~sh\n@caseworker plan\n~~~",
        "````\n```\nbot:plan\n````",
        "```\nbot:plan",
        "    bot:plan",
        "1. ```\n   bot:plan\n   ```",
        "- Do this:\n  - ~~~sh\n    @caseworker plan\n    ~~~",
        "- > bot:plan",
        "<pre>\nbot:plan\n</pre>",
        "<details><summary>log</summary>\n\nbot:plan\n",
        "<blockquote class='x'>\n@caseworker plan\n</blockquote>",
        "Type `@caseworker plan` to plan it.",
        "Type ``a ` @caseworker plan``.",
        "<!-- bot:plan -->",
        "<!--\n@caseworker plan\n",
        "me@caseworker.example",
        "@caseworker-fan plan",
        "acme/@caseworker",
    ],
)
def test_code_quotes_hidden_text_and_other_names_are_not_for_us(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "before", ["1. ```\n   x\n   ```", "<pre>x</pre>", "<details>\nx\n</details>", "Use `<pre>`.", "- a\n- b"]
)
def test_a_command_after_code_and_lists_counts(before: str) -> None:
    assert read(f"{before}\nbot:plan") == LiteralCommand(verb="plan")


def test_invisible_characters_do_not_hide_a_command() -> None:
    assert read("bot:\u200bplan") == LiteralCommand(verb="plan")


def test_another_phrase_can_be_chosen() -> None:
    assert read_trigger("@helper plan", verbs=VERBS, phrase="@helper") == LiteralCommand(verb="plan")
    assert read_trigger("@caseworker plan", verbs=VERBS, phrase="@helper") is None
