"""The list of repositories, and one repository with its issues and pull requests."""

from caseworker.github_double.access import sees
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.page.frame import View, issue_path, moment, path_of, pill, state_mark
from caseworker.github_double.page.markup import Html, join, tag


def repositories(view: View) -> Html:
    found = [one for one in view.github.repositories.values() if sees(view.actor, one)]
    rows = [
        tag(
            "li",
            tag("a", one.full_name, href=path_of(one), class_="title"),
            tag("p", one.description or "", class_="quiet"),
            tag("p", _count(one), class_="quiet"),
        )
        for one in found
    ]
    return join(tag("h1", "Repositories"), tag("ul", *rows, class_="list") if rows else tag("p", "There is none yet."))


def repository(view: View, one: Repository) -> Html:
    issues = [issue for issue in reversed(one.issues.values()) if not issue.is_pull]
    pulls = [issue for issue in reversed(one.issues.values()) if issue.is_pull]
    return join(
        tag("h1", tag("a", one.full_name, href=path_of(one))),
        tag("p", one.description or "", class_="quiet"),
        tag("h2", "Issues"),
        _rows(issues),
        tag("h2", "Pull requests"),
        _rows(pulls),
    )


def new_issue_form(one: Repository) -> Html:
    return tag(
        "form",
        tag("h2", "New issue"),
        tag("label", "Title", tag("input", name="title", required=True, maxlength=256)),
        tag("label", "What is it about?", tag("textarea", name="body", rows=4)),
        tag("button", "Open issue", name="deed", value="open", class_="main"),
        method="post",
        action=path_of(one),
    )


def _rows(issues: list[Issue]) -> Html:
    if not issues:
        return tag("p", "None.", class_="quiet")
    return tag("ul", *(_row(issue) for issue in issues), class_="list")


def _row(issue: Issue) -> Html:
    return tag(
        "li",
        state_mark(issue),
        tag("a", issue.title, href=issue_path(issue), class_="title"),
        *(pill(label) for label in issue.labels),
        tag(
            "p",
            f"#{issue.number} by {issue.author.login}, ",
            moment(issue.times.created_at),
            f", {len(issue.comments)} comments",
            class_="quiet",
        ),
    )


def _count(one: Repository) -> str:
    opened = sum(issue.state == "open" and not issue.is_pull for issue in one.issues.values())
    return f"{opened} open issues, {sum(pull.is_open for pull in one.pulls.values())} open pull requests"
