"""The repository's own template with our text in it."""

from caseworker.core.telling.pull_template import fill_template

BODY = (
    "Opening words.\n\n## What\n\nAdds a check.\n\n## Why\n\nIssue #7.\n\n"
    "## Evidence\n\n```\n## not a heading\n```\n\n## Cost\n\n$0.10"
)


def test_headings_stay_and_our_text_goes_under_them() -> None:
    template = (
        "<!-- Thank you! -->\n# Description\n<!-- what and\nwhy -->\n\n## Related issue\n\n## How was this tested?\n\n"
        "## Screenshots\n\n## Checklist\n\n- [ ] I have read CONTRIBUTING\n"
    )
    assert fill_template(template, BODY) == (
        "Opening words.\n\n# Description\n\nAdds a check.\n\n## Related issue\n\nIssue #7.\n\n"
        "## How was this tested?\n\n```\n## not a heading\n```\n\n"
        "## Screenshots\n\n_Caseworker has nothing to say about this._\n\n"
        "## Checklist\n\n- [ ] I have read CONTRIBUTING\n\n## Cost\n\n$0.10"
    )


def test_an_empty_template_changes_nothing() -> None:
    assert fill_template("<!-- say what you did -->\n", BODY) == BODY
    assert fill_template("", BODY) == BODY


def test_a_template_without_headings_is_kept_below_the_opening() -> None:
    assert fill_template("- [ ] signed\n", "## What\n\nA.") == "- [ ] signed\n\n## What\n\nA."
