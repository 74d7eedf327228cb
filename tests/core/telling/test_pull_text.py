"""The pm's title and opening paragraph of a pull request are used only if they hold nothing that code must write."""

import pytest

from caseworker.core.telling.pull_text import PullText, unfit

GOOD = PullText(title="Take the discount off the total", opening="The total forgot the discount. A test shows it.")


def test_a_plain_title_and_paragraph_are_used() -> None:
    assert unfit(GOOD) == ""


@pytest.mark.parametrize(
    ("field", "text", "problem"),
    [
        ("title", " ", "it is empty"),
        ("opening", "", "it is empty"),
        ("title", "Two\nlines", "its title is not one line of at most 72 characters"),
        ("title", "x" * 73, "its title is not one line of at most 72 characters"),
        ("opening", "One.\n\nTwo.", "its opening is not one paragraph of at most 1200 characters"),
        ("opening", "x" * 1_201, "its opening is not one paragraph of at most 1200 characters"),
        ("opening", "Thanks to @ann for it.", "it has a mention"),
        ("title", "Fix the total, closes #7", "it has the number of an issue"),
        ("opening", "Resolves owner/repo#12.", "it has the number of an issue"),
        ("opening", "See https://example.com", "it has a link"),
        ("opening", "See [this](there).", "it has a link"),
        ("opening", "It works. Co-Authored-By: me", "it has a signature"),
        ("opening", "Generated with a tool.", "it has a signature"),
        ("opening", "<!-- hidden --> It works.", "it has markup"),
        ("opening", "# What", "it has markup"),
        ("title", "\x1b]0;owned\x07Take it off", "it has characters that nobody sees"),
        ("opening", "The total \u202eforgot the discount.", "it has characters that nobody sees"),
    ],
)
def test_what_only_code_may_write_is_refused(field: str, text: str, problem: str) -> None:
    assert unfit(GOOD.model_copy(update={field: text})) == problem
